"""How often a search returned a belief and when it last did, one row a belief; what hooks inject is in `injection`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from agentmemory.store.turns import many

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

PATIENCE = 1.0  # seconds that a search waits to count what it returned
TABLE = """
    CREATE TABLE retrieval (
        belief INTEGER PRIMARY KEY REFERENCES belief(id) ON DELETE CASCADE,
        times INTEGER NOT NULL,
        last REAL NOT NULL
    )
"""
COUNT = """
    INSERT INTO retrieval (belief, times, last) SELECT id, 1, ? FROM belief WHERE id = ?
    ON CONFLICT (belief) DO UPDATE SET times = times + 1, last = max(last, excluded.last)
"""
USES = """
    SELECT sum(times), max(last) FROM (
        SELECT times, last FROM retrieval WHERE belief = :id
        UNION ALL SELECT count(*), max(at) FROM injection WHERE belief = :id)
"""


def retrieval_counts(db: Database) -> None:
    """Migration: the table."""
    db.execute(TABLE)


def count(db: Database, beliefs: Iterable[int], at: float) -> None:
    """One more retrieval of each of these beliefs that is there still. The caller owns the transaction."""
    many(db, COUNT, [(at, belief) for belief in beliefs])


def uses(db: Database, belief: int) -> tuple[int, float | None]:
    """How often a search returned the belief or a hook injected it, and when that last was."""
    times, last = db.execute(USES, {"id": belief}).fetchone()
    return int(times), last
