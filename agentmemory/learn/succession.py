"""How likely a new statement stands in the place of an older one: "orders come over /orders/inbound" after "orders come
as csv on fs2" does, without any word of change.

A logistic regression over how the two are alike (words, values, names, concepts, their exchanges) and how the new one
speaks (words of change, of rules, of what passes), not over topics, with small trees that put it right (decision 0085).
All of it is data (data/succession.toml); `python experiments/succession_fit.py --save` makes it from labelled pairs and
worlds.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from agentmemory.learn import answered, cues, exchanges, fitted, retold, thesaurus
from agentmemory.learn.compared import APART
from agentmemory.learn.cues import SHAPES
from agentmemory.learn.likeness import bag
from agentmemory.learn.passages import sentences
from agentmemory.learn.retired import VAGUE
from agentmemory.learn.retold import SENTENCE
from agentmemory.text import stems

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmemory.learn.compared import Likeness
    from agentmemory.store.rows import Database
    from agentmemory.values import Candidate

#: where the agent answers at length; where its answer tells nothing and it may be spoken of again; where nobody knows
#: what it answered
TOLD, BRIEFLY, UNANSWERED = (fitted.boosted("succession", of) for of in ("told", "briefly", "unanswered"))
AT_ONCE = fitted.boosted("succession", "at_once")  # where one of the user's last turns said the older one
LEAST = 0.02  # likelihood below which nothing follows from it; no line that is asked of one (match.py) lies lower
MOST_TELLING = 20.0  # sum of weights from which two texts have as much in common as any
SHORT = 20  # characters that hardly make one text longer than another
TURNS = re.compile(r"\b(?:now|again|back|instead|changed|moved|switched|replaced|no longer|still)\b", re.I)
LATELY = (1, 2, 3)  # turns of the user in between
FEW = 4  # words that say nothing of what they settle
OPENING = 5  # words that say what a statement is about
MARKS = (
    "update", "now", "from_now", "decided", "never", "dont", "must", "habit", "because", "prefer", "general", "where",
    "no_x", "state", "day", "mine", "past", "plan", "ask", "reported",
)  # fmt: skip
DENYING = ("never", "dont")
COMMANDING = frozenset((*DENYING, "must", "habit"))
ADDS = re.compile(r"\b(?:also|too(?! \w)|as well|in addition|additionally|besides|on top of|plus|another|further)\b")
#: what may say so, or where something is ("next to the db"), or what somebody does
JOINS = re.compile(
    r"\b(?:additional|beside|next to|likewise|along with|extend(?:s|ed)?|one more|join(?:s|ed)?|apart from|aside from|"
    r"a (?:second|third|fourth))\b"
)
#: of what is named beside it nothing changes: "audit ones untouched", "the rest as it was"
KEEPS = re.compile(
    r"\b(?:untouched|unaffected|not affected|unchanged|survived?|no change|like before|(?:stay|remain|keep)s?|kept|"
    r"same|still|as (?:before|ever|known|is|are|always|agreed)|(?:as|what|where|how) (?:it|they) (?:was|were|is|are))\b"
)
CLAUSE = re.compile(r"[.,;:!?()]+(?:\s|$)|\s[-–—]+\s|\s(?:and|but|while)\s")
INSTEAD = re.compile(r"\b(?:instead|rather than|no longer|any ?more|used to|replac\w+)\b")
NO = re.compile(
    r"\b(?:no|not|never|nobody|nothing|none|nor|neither|without|stop|avoid|cannot|(?:do|does|ca|wo|is|are|did|has)nt|cant|wont)\b"
)
NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][\w-]+")
IDENTIFIER = re.compile(r"[\w./-]*[_/.\d][\w./-]*\w")


def likelihoods(
    db: Database, c: Candidate, text: str, alike: Iterable[tuple[int, Likeness]]
) -> dict[int, tuple[float, float]]:
    """For each older statement how likely the text replaces it, and how likely it at least speaks of it again (each 0
    to 1). Each comes with its rank: how many older statements have more words in common with the text.

    An answer that only takes note is to the first as one that nobody knows; to the second it leaves more to the words,
    as a wrong tie costs a line and a wrong replacement hides a rule. What one of the user's last turns said is judged
    by what talk that settles things is like.
    """
    likes = dict(alike)
    if not likes:
        return {}
    found = {like.old.id: features(c, text, like, rank) for rank, like in likes.items()}
    if not c.answer:
        return {id: _both(UNANSWERED, UNANSWERED, each) for id, each in found.items()}
    said = (UNANSWERED, BRIEFLY) if answered.only_notes(c.answer) else (TOLD, TOLD)
    judges = {like.old.id: said if like.ago is None else (AT_ONCE, AT_ONCE) for like in likes.values()}
    near = [like.old for like in likes.values() if _may(judges[like.old.id], found[like.old.id])]
    for id, around in exchanges.alike(db, c, near).items():
        found[id] |= around
    return {id: _both(*judges[id], each) for id, each in found.items()}


def _may(judges: Iterable[fitted.Boosted], found: dict[str, float]) -> bool:
    """Whether the two could speak of one matter, whatever their exchanges have in common."""
    return any(fitted.logistic(of.most(found, exchanges.MOST)) >= LEAST for of in judges)


def _both(replaces: fitted.Boosted, again: fitted.Boosted, found: dict[str, float]) -> tuple[float, float]:
    one = fitted.logistic(replaces.odds(found))
    return one, one if again is replaces else fitted.logistic(again.odds(found))


def features(c: Candidate, text: str, like: Likeness, rank: int) -> dict[str, float]:
    """What the weights are for; a feature that is missing is 0."""
    old = like.old
    mine, theirs = _telling(text), _telling(old.text)
    both = set(mine) & set(theirs)
    plain = cues.plain(text)
    adds = bool(ADDS.search(plain))
    changing, answer = answered.changing(c.answer), bag(c.answer) - VAGUE
    beside, cues_of = bag(f"{c.context} {c.keywords}"), set(old.cues.split())
    around, alike = len(beside & set(theirs)), beside & cues_of - set(mine) - set(theirs)
    here, there = _found(IDENTIFIER, text), _found(IDENTIFIER, old.text)
    firm = like.firm
    near = min(like.near, 0.6) * 5.0
    found: dict[str, float] = {
        "rest": 1.0, "near": near, "far": like.near < 0.05, "nearer": like.near >= 0.12, "very near": like.near >= 0.25,
        "first": rank == 0, "second": rank == 1, "named": like.named, "contrasted": like.contrasted,
        "moved": like.moved, "alone": like.alone, "parallel": like.parallel,
        "retyped": bool(firm), "retyped twice": len(firm) > 1, "retyped loosely": like.retyped > firm,
        "unanswered": not c.answer, "answered": changing, "answered first": changing * (rank == 0),
        "answered unique": changing * (like.unique > 0),
        "answer names": min(3, len(answer & set(theirs) - set(mine))) / 3.0,
        "answer names so": min(3, len(answer & set(theirs) & set(mine))) / 3.0,
        "updates": c.updates, "gone": bool(c.gone), "tentative": c.tentative,
        "adds": adds, "joins": not adds and bool(JOINS.search(plain)), "instead": bool(INSTEAD.search(plain)),
        "keeps": bool(KEEPS.search(plain)), "kept": _kept(text, old.text),
        "updates named": c.updates and like.named, "updates value": c.updates and bool(firm),
        "value subject": bool(firm) and not set(mine[:OPENING]).isdisjoint(theirs),
        "value unique": bool(firm) and like.unique > 0, "updates unique": c.updates and like.unique > 0,
        "updates near": c.updates * near,
        "updates first": c.updates and rank == 0, "updates nearer": c.updates and like.near >= 0.12,
        "value near": bool(firm) * near, "value first": bool(firm) and rank == 0,
        "one sitting": c.at - old.when < APART and not c.updates, "same kind": c.kind == old.kind,
        "facts": c.kind == old.kind == "fact", "old rule": old.kind in ("rule", "preference"),
        "new rule": c.kind in ("rule", "preference"),
        "new correction": c.kind == "correction", "new decision": c.kind == "decision",
        "rule by fact": old.kind in ("rule", "preference") and c.kind == "fact",
        "subject": not set(mine[:OPENING]).isdisjoint(theirs),
        "subjects": not set(mine[:OPENING]).isdisjoint(theirs[:OPENING]),
        "cover": min(1.0, len(both) / max(1, min(len(set(mine)), len(set(theirs))))) * 3.0,
        "concepts": min(3, len(_concepts(text) & _concepts(old.text))) / 3.0,
        "kin": min(4, _kin(set(mine) - both, set(theirs) - both)) / 2.0,
        "names": min(2, len(_found(NAME, text) & _found(NAME, old.text))) / 2.0,
        "identifiers": not here.isdisjoint(there), "other identifiers": bool(here - there and there - here),
        "around": min(3, around) / 3.0, "around only": min(3, around) / 3.0 * (like.shared < 2),
        "cues": min(3, len(set(mine) & cues_of - both)) / 3.0,
        "answer cues": min(4, len(answer & cues_of - set(mine) - set(theirs))) / 4.0,
        "around alike": min(4, len(alike)) / 4.0,
        "around near": len(alike) / max(1.0, len(beside) * len(cues_of)) ** 0.5,
        "long": min(2.0, len(text) / 200.0), "old long": min(2.0, len(old.text) / 200.0),
        "unlike long": abs(math.log((len(text) + SHORT) / (len(old.text) + SHORT))),
        "old denies": denies(old.text), "unique": like.unique > 0, "more unique": like.unique > 1,
        "telling": min(like.telling, MOST_TELLING) / 8.0,
    }  # fmt: skip
    found |= {f"{n} shared": like.shared >= n for n in (1, 2, 3, 5)}
    found |= {f"other {kind.split(' ', 1)[0]}": 1.0 for kind in like.retyped}
    found |= {f"says {mark}": 1.0 for mark in _says(text)}
    found |= _denied(text, old.text)
    found |= _settled(c, text, like)
    return {name: float(value) for name, value in found.items() if value}


def _settled(c: Candidate, text: str, like: Likeness) -> dict[str, float]:
    """What tells that a text settles anew what the older one had settled, perhaps a moment ago and in a word."""
    plain, lately = cues.plain(text), like.ago is not None
    terse, old_terse = (len(each.split()) <= FEW for each in (text, like.old.text))
    found: dict[str, float] = {
        "number again": like.number == "again", "number other": like.number == "other",
        "just said": like.ago == 0, "said lately": like.ago in LATELY, "said before": lately,
        "terse": terse, "old terse": old_terse, "terse both": terse and old_terse, "terse lately": terse and lately,
        "corrects": bool(SHAPES["contradicts"].match(plain) or SHAPES["mildly"].search(plain)),
        "answer turns": bool(TURNS.search(c.answer[: retold.READ])),
    }  # fmt: skip
    if like.answer:
        found |= {
            "matter": 2.0 * like.matter, "matter met": like.matter > 0,
            "matter terse": like.matter * (terse or old_terse), "matter retold": like.retold,
            "matter foremost": like.foremost, "matter foremost retold": like.foremost and like.retold,
            "matter pointed": like.pointed, "matter pointed most": like.singled,
            "matter pointed retold": like.singled and like.retold,
        }  # fmt: skip
    return found | retold.features(text, c.answer, like.old.text, like.answer)


@lru_cache(maxsize=64)
def _says(text: str) -> frozenset[str]:
    """Marks of the text and of each of its sentences."""
    pieces = {text, *SENTENCE.split(text)}
    return frozenset(MARKS).intersection(mark for each in pieces for mark in cues.marks(cues.plain(each)))


@lru_cache(maxsize=4_096)
def _telling(text: str) -> tuple[str, ...]:
    """The stems of a text that tell what it is about, in order."""
    return tuple(s for s in stems(text) if s not in VAGUE)


@lru_cache(maxsize=4_096)
def denies(text: str) -> bool:
    """Whether the text forbids something."""
    plain = cues.plain(text)
    return any(cues.FLAGS[mark].search(plain) for mark in DENYING)


def commands(text: str) -> bool:
    """Whether the text says plainly what is to be done or never done."""
    return not COMMANDING.isdisjoint(_says(text))


def _kept(text: str, old: str) -> bool:
    """Whether the text speaks of what the older one says where it says that something stays as it was."""
    theirs = set(_telling(old))
    met = [(len(theirs.intersection(_telling(each))), bool(KEEPS.search(cues.plain(each)))) for each in _clauses(text)]
    return max((n for n, keeps in met if keeps), default=0) >= max(1, *(n for n, keeps in met if not keeps), 0)


@lru_cache(maxsize=64)
def _clauses(text: str) -> tuple[str, ...]:
    return tuple(each for each in CLAUSE.split(text) if each)


def _denied(text: str, old: str) -> dict[str, float]:
    """Whether the sentences of both that have most words in common say no."""
    mine, theirs = _sentences(text), _sentences(old)
    all_theirs = frozenset().union(*(has for _, has in theirs))
    no = max(mine, key=lambda each: len(each[1] & all_theirs))[0]
    all_mine = frozenset().union(*(has for _, has in mine))
    before = max(theirs, key=lambda each: len(each[1] & all_mine))[0]
    return {"denies": float(no and not before), "denied": float(before and not no), "both deny": float(no and before)}


@lru_cache(maxsize=4_096)
def _sentences(text: str) -> tuple[tuple[bool, frozenset[str]], ...]:
    """Of each sentence whether it says no, and its stems."""
    pieces = [piece.text for piece in sentences(text)] or [text]
    return tuple((bool(NO.search(cues.plain(each))), bag(each) - VAGUE) for each in pieces)


@lru_cache(maxsize=4_096)
def _concepts(text: str) -> frozenset[str]:
    return frozenset(thesaurus.concepts(text))


@lru_cache(maxsize=8_192)
def _found(shape: re.Pattern[str], text: str) -> frozenset[str]:
    return frozenset(found.lower().strip(".,") for found in shape.findall(text))


def _kin(mine: set[str], theirs: set[str]) -> int:
    """How many pairs of words, one of each side, may mean the same thing."""
    long = [b for b in theirs if len(b) > 2]
    meant = frozenset().union(*map(thesaurus.meant, long))
    near = [a for a in mine if len(a) > 2 and not meant.isdisjoint(thesaurus.meant(a))]  # most mean nothing of the kind
    return sum(thesaurus.kindred(a, b) for a in near for b in long)
