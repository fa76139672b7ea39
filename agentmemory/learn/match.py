"""Which stored belief a new text repeats, and which it replaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rapidfuzz import fuzz

from agentmemory.store.lookup import sharing_stems
from agentmemory.text import stems
from agentmemory.values import Candidate

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

SAME = 0.93  # token-sort similarity from which two texts are one statement


def same(db: Database, scope: int, text: str) -> int | None:
    """The live belief of this scope that says the same thing in nearly the same words."""
    mine = set(stems(text))
    for id, other, terms in sharing_stems(db, scope, sorted(mine), 20):
        theirs = set(terms.split())
        if _marks(mine) == _marks(theirs) and fuzz.token_sort_ratio(text.lower(), other.lower()) >= 100 * SAME:
            return id
    return None


def predecessors(db: Database, c: Candidate, text: str) -> tuple[int, ...]:
    """Live beliefs that an update replaces: none unless its words announce an update."""
    if not (c.updates or c.retracts):
        return ()
    mine = set(stems(f"{text} {c.context}"))
    best = [
        (len(mine & set(terms.split())) / max(1, min(len(mine), len(terms.split()))), id)
        for id, _, terms in sharing_stems(db, c.scope, sorted(mine), 20)
    ]
    good = [id for score, id in sorted(best, reverse=True) if score >= 0.34]
    return tuple(good[:1])


def _marks(stems: set[str]) -> set[str]:
    """Stems that carry a value: numbers and names with digits."""
    return {s for s in stems if any(ch.isdigit() for ch in s)}
