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
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from agentmemory.learn import answered, cues, exchanges, fitted, retold, thesaurus
from agentmemory.learn.compared import APART, briefly
from agentmemory.learn.cues import SHAPES
from agentmemory.learn.likeness import bag
from agentmemory.learn.passages import sentences
from agentmemory.learn.retired import VAGUE
from agentmemory.learn.retold import SENTENCE
from agentmemory.text import content

if TYPE_CHECKING:
    from collections.abc import Iterable, Set

    from agentmemory.learn.compared import Likeness
    from agentmemory.store.rows import Database
    from agentmemory.values import Candidate

#: where the agent answers, at length or in a word; where nobody knows what it answered; where nothing was said and
#: answered, as it is noted
TOLD, UNANSWERED, NOTED = (fitted.boosted("succession", of) for of in ("told", "unanswered", "noted"))
AT_ONCE = fitted.boosted("succession", "at_once")  # where one of the user's last turns said the older one
LEAST = 0.005  # likelihood below which nothing follows from it; no line that is asked of one (match.py) lies lower
MOST_TELLING = 20.0  # sum of weights from which two texts have as much in common as any
SHORT = 20  # characters that hardly make one text longer than another
TURNS = re.compile(r"\b(?:now|again|back|instead|changed|moved|switched|replaced|no longer|still)\b", re.I)
LATELY = (1, 2, 3)  # turns of the user in between
FEW = 4  # words that say nothing of what they settle
OPENING = 5  # words that say what a statement is about
MARKS = frozenset((
    "update", "now", "from_now", "decided", "never", "dont", "must", "habit", "because", "prefer", "general", "where",
    "no_x", "state", "day", "mine", "past", "plan", "ask", "reported",
))  # fmt: skip
DENYING = ("never", "dont")
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


def likelihoods(db: Database, c: Candidate, text: str, alike: Iterable[tuple[int, Likeness]]) -> dict[int, float]:
    """For each older statement how likely the text replaces it, or at least speaks of it again (0 to 1). Each comes
    with its rank: how many older statements have more words in common with the text. What one of the user's last turns
    said is judged by what talk that settles things is like; behind an answer that only takes note who knows no answers
    is heard as well.
    """
    likes = dict(alike)
    if not likes:
        return {}
    found = {like.old.id: features(c, text, like, rank) for rank, like in likes.items()}
    if c.answer:
        for id, around in exchanges.alike(db, c, [like.old for like in likes.values()]).items():
            found[id] |= around
    judges = {like.old.id: _judges(c, like) for like in likes.values()}
    return {id: fitted.logistic(fmean(judge.odds(each) for judge in judges[id])) for id, each in found.items()}


def _judges(c: Candidate, like: Likeness) -> tuple[fitted.Boosted, ...]:
    """Who says how likely a text replaces an older one: the mean of their log-odds."""
    if not c.answer:
        return (NOTED,) if noted(c, like) else (UNANSWERED,)
    if like.ago is not None:
        return (AT_ONCE,)
    return (TOLD, UNANSWERED) if briefly(c) else (TOLD,)


def noted(c: Candidate, like: Likeness) -> bool:
    """Whether weights that have learned from notes may judge: no turn says the text, and the older one is no rule, as
    few that agents note are."""
    return c.turn is None and like.old.kind != "rule"


def features(c: Candidate, text: str, like: Likeness, rank: int) -> dict[str, float]:
    """What the weights are for; a feature that is missing is 0."""
    old, new = like.old, _new(c, text)
    theirs = _telling(old.text)
    here, there = new.telling, frozenset(theirs)
    both, cues_of = here & there, set(old.cues.split())
    around, alike = len(new.beside & there), (new.beside & cues_of) - here - there
    of_code = _found(IDENTIFIER, old.text)
    firm, updates, subject = like.firm, c.updates, not new.opening.isdisjoint(theirs)
    near = min(like.near, 0.6) * 5.0
    old_rule = old.kind in ("rule", "preference")
    found: dict[str, float] = {
        "near": near, "far": like.near < 0.05, "nearer": like.near >= 0.12, "very near": like.near >= 0.25,
        "first": rank == 0, "second": rank == 1, "named": like.named, "contrasted": like.contrasted,
        "moved": like.moved, "alone": like.alone, "parallel": like.parallel,
        "retyped": bool(firm), "retyped twice": len(firm) > 1, "retyped loosely": like.retyped > firm,
        "answered first": new.changing * (rank == 0), "answered unique": new.changing * (like.unique > 0),
        "answer names": min(3, len(new.answer & there - here)) / 3.0,
        "answer names so": min(3, len(new.answer & both)) / 3.0,
        "kept": _kept(text, old.text),
        "updates named": updates and like.named, "updates value": updates and bool(firm),
        "value subject": bool(firm) and subject,
        "value unique": bool(firm) and like.unique > 0, "updates unique": updates and like.unique > 0,
        "updates near": updates * near, "updates first": updates and rank == 0,
        "updates nearer": updates and like.near >= 0.12,
        "value near": bool(firm) * near, "value first": bool(firm) and rank == 0,
        "one sitting": c.at - old.when < APART and not updates, "same kind": c.kind == old.kind,
        "facts": c.kind == old.kind == "fact", "old rule": old_rule, "rule by fact": old_rule and c.kind == "fact",
        "subject": subject, "subjects": not new.opening.isdisjoint(theirs[:OPENING]),
        "cover": min(1.0, len(both) / max(1, min(len(here), len(there)))) * 3.0,
        "concepts": min(3, len(new.concepts & _concepts(old.text))) / 3.0,
        "kin": min(4, _kin(here - both, there - both)) / 2.0,
        "names": min(2, len(new.names & _found(NAME, old.text))) / 2.0,
        "identifiers": not new.of_code.isdisjoint(of_code),
        "other identifiers": bool(new.of_code - of_code and of_code - new.of_code),
        "around": min(3, around) / 3.0, "around only": min(3, around) / 3.0 * (like.shared < 2),
        "cues": min(3, len((here & cues_of) - both)) / 3.0,
        "answer cues": min(4, len((new.answer & cues_of) - here - there)) / 4.0,
        "around alike": min(4, len(alike)) / 4.0,
        "around near": len(alike) / max(1.0, len(new.beside) * len(cues_of)) ** 0.5,
        "old long": min(2.0, len(old.text) / 200.0),
        "unlike long": abs(math.log((len(text) + SHORT) / (len(old.text) + SHORT))),
        "old denies": denies(old.text), "unique": like.unique > 0, "more unique": like.unique > 1,
        "telling": min(like.telling, MOST_TELLING) / 8.0,
    }  # fmt: skip
    found |= {f"{n} shared": like.shared >= n for n in (1, 2, 3, 5)}
    found |= {f"other {kind.split(' ', 1)[0]}": 1.0 for kind in like.retyped}
    found |= _denied(text, old.text)
    found |= _settled(c, text, like)
    return {**new.found, **{name: float(value) for name, value in found.items() if value}}


class _New(NamedTuple):
    """A new text, whatever it is compared with: the stems that tell what it is about, the first of them, those of the
    answer and of what was around it, what it names; whether the answer says that something changed; and what of its
    features is no matter of the older one."""

    telling: frozenset[str]
    opening: frozenset[str]
    answer: frozenset[str]
    beside: frozenset[str]
    names: frozenset[str]
    of_code: frozenset[str]
    concepts: frozenset[str]
    changing: float
    found: dict[str, float]


@lru_cache(maxsize=4)
def _new(c: Candidate, text: str) -> _New:
    plain, telling = cues.plain(text), _telling(text)
    adds, changing = bool(ADDS.search(plain)), answered.changing(c.answer)
    found: dict[str, float] = {
        "rest": 1.0, "unanswered": not c.answer, "answered": changing,
        "updates": c.updates, "gone": bool(c.gone), "tentative": c.tentative,
        "adds": adds, "joins": not adds and bool(JOINS.search(plain)), "instead": bool(INSTEAD.search(plain)),
        "keeps": bool(KEEPS.search(plain)), "long": min(2.0, len(text) / 200.0),
        "new rule": c.kind in ("rule", "preference"),
        "new correction": c.kind == "correction", "new decision": c.kind == "decision",
        "corrects": bool(SHAPES["contradicts"].match(plain) or SHAPES["mildly"].search(plain)),
        "terse": len(text.split()) <= FEW, "answer turns": bool(TURNS.search(c.answer[: retold.READ])),
    }  # fmt: skip
    found |= {f"says {mark}": 1.0 for mark in _says(text)}
    return _New(
        frozenset(telling), frozenset(telling[:OPENING]), bag(c.answer) - VAGUE, bag(f"{c.context} {c.keywords}"),
        _found(NAME, text), _found(IDENTIFIER, text), _concepts(text), changing,
        {name: float(value) for name, value in found.items() if value},
    )  # fmt: skip


def _settled(c: Candidate, text: str, like: Likeness) -> dict[str, float]:
    """What tells that a text settles anew what the older one had settled, perhaps a moment ago and in a word."""
    lately = like.ago is not None
    terse, old_terse = (len(each.split()) <= FEW for each in (text, like.old.text))
    found: dict[str, float] = {
        "number again": like.number == "again", "number other": like.number == "other",
        "just said": like.ago == 0, "said lately": like.ago in LATELY, "said before": lately,
        "old terse": old_terse, "terse both": terse and old_terse, "terse lately": terse and lately,
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
    return frozenset().union(*(cues.marks(cues.plain(each), MARKS) for each in pieces))


@lru_cache(maxsize=4_096)
def _telling(text: str) -> tuple[str, ...]:
    """The stems of a text that tell what it is about, in order."""
    return tuple(s for s in content(text) if s not in VAGUE)


@lru_cache(maxsize=4_096)
def denies(text: str) -> bool:
    """Whether the text forbids something."""
    plain = cues.plain(text)
    return any(cues.FLAGS[mark].search(plain) for mark in DENYING)


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


def _kin(mine: Set[str], theirs: Set[str]) -> int:
    """How many pairs of words, one of each side, may mean the same thing."""
    long = [b for b in theirs if len(b) > 2]
    meant = frozenset().union(*map(thesaurus.meant, long))
    near = [a for a in mine if len(a) > 2 and not meant.isdisjoint(thesaurus.meant(a))]  # most mean nothing of the kind
    return sum(thesaurus.kindred(a, b) for a in near for b in long)
