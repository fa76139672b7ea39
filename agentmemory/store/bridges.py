"""Words that stand for each other in this store: what sleep reads to find them, and where it leaves them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agentmemory.store.turns import many

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

LATEST = "SELECT session, idx, terms FROM turn WHERE text <> '' ORDER BY id DESC LIMIT ?"
BELIEVED = "SELECT stem, beliefs FROM term WHERE beliefs > 0"
CLEAR = "DELETE FROM bridge"
ADD = "INSERT INTO bridge (stem, other, weight) VALUES (?, ?, ?)"


def latest(db: Database, limit: int) -> list[tuple[int, int, str]]:
    """`(session, idx, stems)` of the newest turns, oldest first."""
    return [(int(a), int(b), str(c)) for a, b, c in reversed(db.execute(LATEST, (limit,)).fetchall())]


def believed(db: Database) -> dict[str, int]:
    """Stems that beliefs hold, and how many hold each."""
    return {str(stem): int(n) for stem, n in db.execute(BELIEVED).fetchall()}


def replace(db: Database, rows: Sequence[tuple[str, str, float]]) -> None:
    """These bridges instead of all before."""
    db.execute(CLEAR)
    many(db, ADD, rows)
