"""A shorter wording of a belief, for the block only: its own words without those that tell nothing.

Extractive and without a model: greetings, fillers and articles leave. Every name, number, path, quotation, negation and
modal stays; the belief's text is untouched. Which of its sentences a block shows is decided when it is learned
(learn/briefs.py).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agentmemory.learn.briefs import SAVES
from agentmemory.store import nights, wordings
from agentmemory.text import STOP, words

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

MARK = "gists"  # the last belief that was looked at
BATCH = 200  # beliefs in one transaction

#: said to keep talk going at the beginning of a sentence; the second group only with a pause behind it
ALWAYS = "ok okay alright yep yup yeah yes ah ahh argh ugh hmm hm um uh uhm erm eh lol haha heh hey oh so and but also"
PAUSED = (
    "no nope nah well hi hello man gosh great perfect nice cool good fine super beautiful excellent lovely awesome"
    " splendid wonderful thanks thx cheers sorry anyway anyways btw fyi right actually basically honestly frankly look"
    " listen then now next careful done"
)
THINKS = r"i (?:guess|think|suppose)(?! (?:so|not)\b)"  # "yes, I think so" says it
PHRASES = (
    r"thank you(?: very much| so much)?|by the way|for the record|(?:an|one )(?:other|more|last) thing"
    rf"|{THINKS}(?: that)?|before i forget"
    r"|while (?:i'?m|we'?re) at it|as (?:i|you) (?:said|know|mentioned)|like i said|you know"
    r"|let'?s see|of course|let me (?:see|think)|as far as i know|oh dear"
    r"|no (?:worries|problem)|to be (?:clear|honest|fair|precise)|the (?:thing|point) is(?: that)?|just so you know"
    r"|(?:please )?(?:remember|note|keep in mind|bear in mind) that|what i (?:want|mean|meant)(?: to say)? is(?: that)?"
    r"|good (?:morning|afternoon|evening|question|point)|for (?:your|my) (?:understanding|notes|information)"
)
PAUSE = r"(?=[,!:;…]|\.(?!\w)|$)"  # "Next.js" goes on behind its dot
OPENING = re.compile(
    rf"^(?:(?:(?:{ALWAYS.replace(' ', '|')}|{PHRASES})(?:(?=\s)|{PAUSE})|(?:{PAUSED.replace(' ', '|')}){PAUSE})"
    r"(?!\s*[=(])[,.!:;…]*(?:\s+[-–—]+(?=\s))?\s*)+",
    re.IGNORECASE,
)
ALONE = r"(?<![\w'’/.@#-])(?:{})(?![\w'’/@#-]|\.\w)"
FILLER = re.compile(
    ALONE.format(
        "really|actually|basically|literally|honestly|obviously|frankly|totally|simply|kindly|please|pls|plz|lol|haha"
        rf"|you know|{THINKS}|of course|um|uh|uhm|erm|or whatever|or something|and so on"
        "|and stuff|by the way|btw|to be honest|tbh|afaik|imo|imho|anyway|argh|whatsoever"
    ),
    re.IGNORECASE,
)
ARTICLE = re.compile(
    ALONE.format(
        r"(?:[Tt]he(?! (?:ones?|others?|rest|same|latter|former|more|less|better)\b)"
        r"|a(?! (?:few|lot|little|bit|couple|second|minute|hour|day|night|week|month|quarter|year|time)\b)"
        r"|an(?! hour\b)|(?:^|(?<=[.!?] ))An?)(?=\s+[\w\0])"
    )
)
ENGLISH = frozenset("the is are of and we it for with that this".split())

SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
KEPT = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”|<[^<>\s]+>")
SPACES = (
    (re.compile(r"\s+"), " "),
    (re.compile(r"\s+([,.;:!?]+(?:\s|$))"), r"\1"),
    (re.compile(r"[,;:]+([,.;:!?])"), r"\1"),
)


def shorten(db: Database) -> int | None:
    """Write a shorter wording of the next beliefs, where they have one; returns how many, None when none are left.

    Rules that are locked stand word for word. The caller owns the transaction.
    """
    rows = wordings.after(db, int(nights.mark(db, MARK)), BATCH)
    if not rows:
        return None
    short = [(id, _saved(text), _saved(brief)) for id, text, brief in rows]
    found = [row for row in short if row[1] or row[2]]
    wordings.put(db, found)
    nights.set_mark(db, MARK, rows[-1][0])
    return len(found)


def _saved(text: str) -> str:
    """The shorter wording of a text, "" where there is none."""
    short = gist(text)
    return short if short != text else ""


def gist(text: str) -> str:
    """The shorter wording of a text; the text itself where nothing, or next to nothing, can go."""
    if sum(word in ENGLISH for word in words(text)) < 2:
        return text
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(found.group())
        return f"\0{len(kept) - 1}\0"

    out = " ".join(_spare(s) for s in SENTENCE.split(KEPT.sub(keep, text)) if s.strip())
    for i, each in enumerate(kept):
        out = out.replace(f"\0{i}\0", each)
    return out if len(out) <= len(text) - SAVES and _content(out) else text


def _spare(sentence: str) -> str:
    """A sentence without opening, fillers and articles."""
    out = OPENING.sub("", sentence)
    out = ARTICLE.sub("", FILLER.sub("", out if _content(out) else sentence))
    for pattern, by in SPACES:
        out = pattern.sub(by, out)
    return out.strip().lstrip(",;: ").rstrip(",; ")


def _content(text: str) -> bool:
    return any(word not in STOP for word in words(text))
