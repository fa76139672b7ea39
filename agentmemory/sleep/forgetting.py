"""Forgetting as archiving: what is least sure and least used leaves recall, never the store; a lock never does."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from agentmemory import confidence
from agentmemory.paths import DAY
from agentmemory.store import archive, beliefs, heard

if TYPE_CHECKING:
    from agentmemory.records import Row
    from agentmemory.store.rows import Database

CAP = 20_000  # live beliefs of a scope; beyond it recall's cost and noise grow and nobody reads the list
FADES_AFTER = 180 * DAY
FADED_A_NIGHT = 500
TAU_DAYS = 30.0  # a visit's worth


def forget(db: Database, now: float, cap: int = CAP) -> list[int]:
    """Archive beliefs beyond the cap of a scope, old summaries that a higher one covers, and what was heard only once.

    Returns the ids. The caller owns the transaction.
    """
    gone = archive.faded(db, now - FADES_AFTER, FADED_A_NIGHT)
    gone += heard.faded(db, now - FADES_AFTER, FADED_A_NIGHT)
    for scope, _ in archive.crowded(db, cap):
        gone += beyond(db, scope, cap, now)
    for belief in dict.fromkeys(gone):
        beliefs.set_state(db, belief, "archived", now)
    return list(dict.fromkeys(gone))


def beyond(db: Database, scope: int, cap: int, now: float) -> list[int]:
    """The beliefs of a scope that have no place among the *cap* best; locked ones and rules always have one."""
    visits = archive.visits(db, scope)
    rows = archive.live(db, scope)
    fixed = [row for row in rows if row.locked or row.kind == "rule"]
    loose = [row for row in rows if not (row.locked or row.kind == "rule")]
    loose.sort(key=lambda row: (-keep_worth(row, visits.get(row.id, (0, 0.0)), now), -row.confirmed, -row.id))
    return [row.id for row in loose[max(0, cap - len(fixed)) :]]


def keep_worth(row: Row, visits: tuple[int, float], now: float) -> float:
    """Confidence now, times what its visits are worth (their number, fading with the time since the last)."""
    times, last = visits
    warm = math.log1p(times) * math.exp(-max(0.0, now - last) / (TAU_DAYS * DAY)) if times else 0.0
    return confidence.of(row, now) * (1.0 + warm)
