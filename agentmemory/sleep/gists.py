"""A shorter wording of a belief, for the block only: the belief's own words without those that tell nothing.

Extractive and without a model: greetings, fillers, articles, and sentences that only react or tell a story leave.
Every name, number, path, quotation, negation and modal stays, and the reason of a decision; the full text is untouched.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agentmemory.learn import cues
from agentmemory.store import gists as store
from agentmemory.store import nights
from agentmemory.text import STOP, stems, words

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

MARK = "gists"  # the last belief that was looked at
BATCH = 200  # beliefs in one transaction
SAVES = 8  # characters (two tokens) from which a shorter wording is kept
LASTING = 1.0  # worth of the marks of a sentence that is no mere story; "all" and "whatever" alone have less
LONGEST_REACTION = 7  # words of a sentence that only answers what was said before

#: said to keep talk going at the beginning of a sentence; the second group only with a pause behind it
ALWAYS = "ok okay alright yep yup yeah yes ah ahh argh ugh hmm hm um uh uhm erm eh lol haha heh hey oh so and but also"
PAUSED = (
    "no nope nah well hi hello man gosh great perfect nice cool good fine super beautiful excellent lovely awesome"
    " splendid wonderful thanks thx cheers sorry anyway anyways btw fyi right actually basically honestly frankly look"
    " listen then now next careful done"
)
PHRASES = (
    r"thank you(?: very much| so much)?|by the way|for the record|(?:an|one )(?:other|more|last) thing"
    r"|before i forget|while (?:i'?m|we'?re) at it|as (?:i|you) (?:said|know|mentioned)|like i said|you know|i mean"
    r"|i guess|i think(?: that)?|i suppose|let'?s see|of course|let me (?:see|think)|as far as i know|oh dear"
    r"|no (?:worries|problem)|to be (?:clear|honest|fair|precise)|the (?:thing|point) is(?: that)?|just so you know"
    r"|(?:please )?(?:remember|note|keep in mind|bear in mind) that|what i (?:want|mean|meant)(?: to say)? is(?: that)?"
    r"|good (?:morning|afternoon|evening|question|point)|for (?:your|my) (?:understanding|notes|information)"
)
OPENING = re.compile(
    rf"^(?:(?:(?:{ALWAYS.replace(' ', '|')}|{PHRASES})(?=[\s,.!:;…]|$)|(?:{PAUSED.replace(' ', '|')})(?=[,.!:;…]|$))"
    r"(?!\s*[=(])[,.!:;…]*(?:\s+[-–—]+(?=\s))?\s*)+",
    re.IGNORECASE,
)
ALONE = r"(?<![\w'’/.@#-])(?:{})(?![\w'’/@#-]|\.\w)"
FILLER = re.compile(
    ALONE.format(
        "really|actually|basically|literally|honestly|obviously|frankly|totally|simply|kindly|please|pls|plz|lol|haha"
        "|you know|i mean|i guess|i think|i suppose|of course|um|uh|uhm|erm|or whatever|or something|and so on"
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
#: a figure, a path, an identifier, a compound, a name within a sentence, or something that is kept as it stands
NAMED = re.compile(r"[\d/_@<>=#\\*\0]|\w\.\w|\w-\w|(?<=[a-z,] )[A-Z]|[a-z][A-Z]")
BINDING = re.compile(
    r"\b(?:no|not|never|none|nothing|must|should|shall|only|always|every|each|cannot|\w+n['’]t|unless|except|instead|until"
    r"|(?:do|does|did|is|are|was|were|wo|ca|must|should|have|has|need)nt|first|has to|have to|otherwise|because|bc)\b",
    re.IGNORECASE,
)
PAST = re.compile(
    r"\b(?:was|were|had|lost|took|cost|bit|blew|broke|caught|went|ran|came|did|thought|forgot|hit|fell|happened|got|gave"
    r"|(?:has|have|been|i|we|they|he|she|it|someone|somebody|everybody|everyone|that) (?:\w+ly |just )?\w{2,}ed)\b",
    re.IGNORECASE,
)
REACTION = re.compile(r"^(?:that|this|it|what|you|i|thats|its)\b", re.IGNORECASE)
SPACES = (
    (re.compile(r"\s+"), " "),
    (re.compile(r"\s+([,.;:!?]+(?:\s|$))"), r"\1"),
    (re.compile(r"[,;:]+([,.;:!?])"), r"\1"),
)


def shorten(db: Database) -> int | None:
    """Write a shorter wording of the next beliefs, where they have one; returns how many, None when none are left.

    Rules that are locked stand word for word. The caller owns the transaction.
    """
    rows = store.after(db, int(nights.mark(db, MARK)), BATCH)
    if not rows:
        return None
    found = [(id, short, lost(text, short)) for id, kind, text in rows if (short := gist(text, kind)) != text]
    store.put(db, found)
    nights.set_mark(db, MARK, rows[-1][0])
    return len(found)


def gist(text: str, kind: str = "fact") -> str:
    """The shorter wording of a belief of a kind; the text itself where nothing, or next to nothing, can go."""
    if sum(word in ENGLISH for word in words(text)) < 2:
        return text
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(found.group())
        return f"\0{len(kept) - 1}\0"

    said = [s for s in SENTENCE.split(KEPT.sub(keep, text)) if s.strip()]
    told = [i for i, sentence in enumerate(said) if _tells(sentence, kind)]
    out = " ".join(_spare(said[i]) for i in told or range(len(said)))
    for i, each in enumerate(kept):
        out = out.replace(f"\0{i}\0", each)
    return out if len(out) <= len(text) - SAVES and _content(out) else text


def lost(text: str, short: str) -> str:
    """Stems of a text that its shorter wording lacks: a prompt that asks for one of them gets the whole."""
    return " ".join(sorted(set(stems(text)) - set(stems(short))))


def _tells(sentence: str, kind: str) -> bool:
    """Whether a sentence says something that lasts, and does not only react or tell how it came about."""
    bare = OPENING.sub("", sentence)
    if NAMED.search(bare) or sentence.endswith("?"):  # what follows a question may point back at it
        return True
    if not _content(bare):
        return False
    if BINDING.search(bare) or cues.worth(cues.marks(cues.plain(bare)))[0] >= LASTING:
        return True
    reacts = bool(REACTION.match(bare)) and len(bare.split()) <= LONGEST_REACTION
    return kind == "decision" or not (reacts or PAST.search(bare))


def _spare(sentence: str) -> str:
    """A sentence without opening, fillers and articles."""
    out = OPENING.sub("", sentence)
    out = ARTICLE.sub("", FILLER.sub("", out if _content(out) else sentence))
    for pattern, by in SPACES:
        out = pattern.sub(by, out)
    return out.strip().lstrip(",;: ")


def _content(text: str) -> bool:
    return any(word not in STOP for word in words(text))
