"""What the user said before and now says to have been wrong: "no wait, it is 9443", "the port I gave you was wrong"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agentmemory.learn import cues, retired
from agentmemory.learn.likeness import bag
from agentmemory.learn.valued import LOOSE, differ, tells, values
from agentmemory.store import lineage
from agentmemory.text import stems

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agentmemory.store.lineage import Known
    from agentmemory.store.rows import Database
    from agentmemory.values import Candidate

COMPARED = 24  # beliefs that share words, looked at closely
AT_ONCE = 100  # characters of what puts right a value and says no more
TAKEN_BACK = 8  # turns that a retraction, or "no wait", reaches back
TOLD = 200  # the same for what names something that was told wrongly
MEANT = re.compile(r"\b(?:i (?:meant?|misspoke|was wrong)|correction|typo|my (?:mistake|bad|error))\b")


def puts_right(text: str) -> bool:
    """Whether a text says of what was said before that it was wrong: "no wait", "the port I gave you was wrong"."""
    plain = cues.plain(text)
    wrong = retired.told_wrong(plain) is not None
    return wrong or bool(cues.SHAPES["mistaken"].match(plain)) or retired.withdraws(plain)


def put_right(db: Database, c: Candidate, text: str) -> tuple[int, ...]:
    """What the user said before and this text puts right.

    In the next turn: "no wait, it is 9443" replaces what gave another value of that type (a port), and "I meant spaces"
    what shares a telling word with it. Some turns later: "the port I gave you was wrong" replaces what it names, or the
    only statement with another such value. In another session: only what it names.
    """
    plain = cues.plain(text)
    begins, wrong = cues.SHAPES["mistaken"].match(plain), retired.told_wrong(plain)
    if (begins is None and wrong is None) or c.kind == "procedure":
        return ()
    mine, meant = bag(text), begins and MEANT.search(begins.group())
    found, retold = [], []
    turns = TAKEN_BACK if wrong is None else TOLD
    for old, retyped in _with_other_values(text, lineage.said_before(db, c.turn, turns) if c.turn is not None else []):
        shared = {s for s in mine & set(old.terms.split()) - retired.VAGUE if tells(s)}
        row = len(retyped), len(shared), -old.when, old.id
        at_once = begins and old.when == 0 and ((meant and shared) or (retyped and len(text) <= AT_ONCE))
        named = wrong and _besides(wrong, retyped) <= set(old.terms.split())
        if at_once or (named and (retyped or not retired.handed(plain))):
            found.append(row)
        elif wrong == set() and retyped:
            retold.append(row)
    found = found or (retold if len(retold) == 1 else [])  # of several such values it may be any
    return (max(found)[3],) if found else _told_elsewhere(db, c, text, wrong or set())


def _told_elsewhere(db: Database, c: Candidate, text: str, wrong: set[str]) -> tuple[int, ...]:
    """The belief of another session that a text corrects by name: "the port of redis I gave you was wrong, it is 6380"
    finds what gives redis another port. Nothing where several beliefs fit."""
    known = lineage.alike(db, c.scope, sorted(wrong), COMPARED)[0]
    found = [
        old.id for old, retyped in _with_other_values(text, known)
        if retyped and set() < _besides(wrong, retyped) <= set(old.terms.split())
    ]  # fmt: skip
    return tuple(found) if len(found) == 1 else ()


def _with_other_values(text: str, known: Iterable[Known]) -> Iterator[tuple[Known, set[str]]]:
    """What may give way, with the types of which the text gives other values."""
    carried = values(text)
    for old in known:
        if not old.locked and old.kind != "procedure":
            theirs = values(old.text)
            yield old, {kind for kind in carried if kind in theirs and differ(kind, carried, theirs)} - LOOSE


def _besides(wrong: set[str], types: set[str]) -> set[str]:
    """What is named beside the type of its value: redis, of the port of redis."""
    return wrong - {stem for kind in types for stem in stems(kind)}
