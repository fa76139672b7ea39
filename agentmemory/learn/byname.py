"""What was taught, on whichever day, and is undone, taken back or lifted by its name. All that a sentence names has to
be what was taught, and of one thing alone: who undoes something else takes nothing back. Reads only."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

from agentmemory.learn import answered, cues, excepted, named, tongues
from agentmemory.learn.cues import SHAPES
from agentmemory.learn.groups import IDENTIFIER
from agentmemory.learn.likeness import bag
from agentmemory.learn.named import VAGUE
from agentmemory.learn.passages import prose
from agentmemory.store import lineage
from agentmemory.store.scopes import USER
from agentmemory.text import STOP, STRUCTURE, stem, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Set

    from agentmemory.learn.named import Lift, Undoing
    from agentmemory.store.lineage import Known
    from agentmemory.store.rows import Database
    from agentmemory.values import Candidate

COMPARED = 48  # beliefs that hold a word of what is named, looked at closely
ENDS = " .!\n"
ENDED = re.compile(r"[.!?](?=\s|$)")
FORBIDDING = ("never", "dont", "no_x")  # marks of what forbids something
NOT_DONE = re.compile(r"\b(?:no se|nichts?|on (?:ne )?(?:\w+ )?(?:pas|rien))\b")  # said of what one does
REQUIRES = re.compile(r"\b(?:needs?|requires?|required|must|ha(?:s|ve) to|braucht|brauchen|necesita|necesitan)\b")
STRUCTURAL = frozenset(stem(word) for tongue in STRUCTURE for word in tongue)
LETTERS = "abcdefghijklmnopqrstuvwxyz"
BEGINNING, ENDING = 4, 4  # letters that two forms of a word have in common, and that they end in
LATELY = 8  # turns within which what was taught is fresh in both minds


def taken_back(db: Database, c: Candidate, text: str) -> tuple[int, ...]:
    """The one belief that a sentence says to be undone or taken back, none where nothing or more than one fits."""
    for order in named.undoings(text):
        find = _given_up if order.sort == "drop" else _changed
        for each in within(c, text):
            if found := find(db, each, text, order):
                return found
    return ()


def within(c: Candidate, text: str) -> list[Candidate]:
    """Where what a text names is looked for: in its own scope and then in the user's own one, unless it says where."""
    return [c] if c.scope == USER or not named.everywhere(text) else [c, replace(c, scope=USER)]


def lifted(db: Database, c: Candidate, text: str) -> tuple[int, ...]:
    """The one rule that a statement lifts."""
    lift = named.lift(text)
    if lift is None:
        return ()
    for each in within(c, text):
        fits = [
            old
            for old in _held(db, each, lift.stems)
            if _lifts(lift, old) and (_all_of(lift, old) or not excepted.excepted(text, old.text))
        ]
        if fits:
            return (fits[0].id,) if len(fits) == 1 else ()
    return ()


def _lifts(lift: Lift, old: Known) -> bool:
    """Whether a rule is what is lifted: it forbids all that is allowed, or asks for what is needed no more."""
    if lift.sort == "fewer":
        return named.asks_for_more(old.text, lift)
    text = SHAPES["everywhere"].sub(" ", old.text.lower()).strip()
    theirs = named.telling(text) - named.ruling()
    if tongues.tongue(text):
        theirs = _as_named(lift.stems | lift.verb, theirs)
    rest = theirs - lift.stems - lift.verb
    if not lift.stems <= theirs or not lift.stems - VAGUE:
        return False
    if lift.sort == "spare":
        told = len(lift.stems - VAGUE) > 1 or not rest - VAGUE or old.kind != "fact" or _asks_for(text)
        return told and not _forbids(text)
    left = len(rest) - bool(lift.verb - theirs)  # a verb has another form in the rule
    whole = lift.whole or (named.conditional(text) and not lift.whenever)
    forbids = _forbids(text) or (bool(tongues.tongue(text)) and NOT_DONE.search(text) is not None)
    return forbids and (left <= 0 or not whole)


def _all_of(lift: Lift, old: Known) -> bool:
    """Whether a rule that is not in English says nothing but what is lifted, be it in other forms of the words."""
    if not tongues.tongue(old.text):
        return False
    theirs = _as_named(lift.stems | lift.verb, named.telling(old.text) - named.ruling())
    return theirs <= lift.stems | lift.verb | VAGUE


def _as_named(said: Set[str], theirs: Set[str]) -> frozenset[str]:
    """The stems of a text that is not in English, each as the sentence has it that names the same word in another form:
    "deployen" for "deployt", "mergen" for "gemergt"."""
    telling = theirs - STRUCTURAL
    return frozenset(next((s for s in said if _one_word(s, their)), their) for their in telling)


def _one_word(one: str, other: str) -> bool:
    bare = [word.removeprefix("ge") if len(word) > BEGINNING + 2 else word for word in (one, other)]
    pairs = (zip(one, other, strict=False), zip(*bare, strict=False))
    same = max(sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], each)) for each in pairs)
    return one == other or (same >= BEGINNING and max(len(one), len(other)) - same <= ENDING)


def _asks_for(text: str) -> bool:
    return SHAPES["order"].match(cues.start(cues.plain(text))) is not None or REQUIRES.search(text) is not None


def _forbids(text: str) -> bool:
    plain = cues.plain(text)
    return any(cues.FLAGS[mark].search(plain) for mark in FORBIDDING)


def _given_up(db: Database, c: Candidate, text: str, order: Undoing) -> tuple[int, ...]:
    """What was taught, and is taken back as such."""
    if not (order.surely or _briefly(c)) or (order.alone and c.context.strip(ENDS) != text.strip(ENDS)):
        return ()
    fits = [old for old in _held(db, c, order.what) if order.what <= bag(f"{old.text} {old.context}")]
    return (fits[0].id,) if len(fits) == 1 else ()


def _changed(db: Database, c: Candidate, text: str, order: Undoing) -> tuple[int, ...]:
    """What has replaced something, which is to hold again."""
    known = _held(db, c, order.what | order.to)
    before = lineage.stood_before(db, [old.id for old in known])
    answers = lineage.answers(db, [old.id for old in known])
    fits = []
    for old in known:
        was = bag(" ".join(before.get(old.id, ())))
        told = bag(f"{old.text} {old.context} {answers.get(old.id, '')}") | was
        anew = was - bag(old.text)
        if order.bare and _leads(order.what, [old.text, *before.get(old.id, ())]):
            continue
        if not was or not order.what <= told or not order.to <= was or (order.to and not order.to & anew):
            continue
        if _confirmed(db, c, order, old, anew):
            fits.append(old)
    return (fits[0].id,) if len(fits) == 1 else ()


def _leads(what: Set[str], texts: Iterable[str]) -> bool:
    """Whether one word that is named only begins the name of something in these texts: "jump" in "jump height"."""
    if len(what) > 1:
        return False
    behind = [b for text in texts for a, b in pairwise(words(text)) if stem(a) in what]
    return bool(behind) and all(b.isalpha() and b not in STOP for b in behind)


def _confirmed(db: Database, c: Candidate, order: Undoing, old: Known, anew: Set[str]) -> bool:
    """Whether the change is what was undone: the user or the answer says what holds again, or it was lately, or the
    answer says nothing else."""
    if _asks_back(c.answer):
        return False
    said = bag(prose(c.answer))
    if anew & said or {n for s in anew if (n := s.rstrip(LETTERS)).isdigit()} & said:  # "60s", "60 seconds"
        return True
    if order.sort == "mistake":
        return False
    lately = c.turn is not None and any(each.id == old.id for each in lineage.said_before(db, c.turn, 2 * LATELY))
    return bool(order.to) or lately or _briefly(c)


def _asks_back(answer: str) -> bool:
    """Whether an answer begins with a question: "Shall I set it to 60?"."""
    first = ENDED.search(answer)
    return first is not None and first.group() == "?"


def _briefly(c: Candidate) -> bool:
    """Whether the answer says little, and names nothing that was worked on."""
    talk = prose(c.answer)
    return answered.told(talk) <= answered.TELLS and not (IDENTIFIER.search(c.answer) or _asks_back(talk))


def _held(db: Database, c: Candidate, stems: Iterable[str]) -> list[Known]:
    """Live beliefs that hold some of these stems, or have replaced what did; what is locked stays."""
    asked = sorted(stems)
    known, _, _ = lineage.alike(db, c.scope, asked, COMPARED)
    heads = lineage.known(db, lineage.replaced_by(db, c.scope, asked, COMPARED))
    found = {old.id: old for old in (*known, *heads)}
    return [old for old in found.values() if not old.locked and old.kind != "procedure" and old.kind != "summary"]
