"""What was asked and what was done about it, counted. Callers own the transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentmemory.records import marks
from agentmemory.store.turns import many

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

SAW = "INSERT INTO habit (turn, scope, ask, did) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
SUPPORT = """
    SELECT h.ask, h.did, count(*), max(h.turn), count(DISTINCT t.session)
    FROM habit h JOIN turn t ON t.id = h.turn WHERE h.scope = ? AND h.ask = ? AND h.did = ? GROUP BY h.ask, h.did
"""
OF_ASK = """
    SELECT h.scope, h.ask, h.did, h.n, t.at FROM (
        SELECT scope, ask, did, count(*) AS n, max(turn) AS last FROM habit
        WHERE scope IN ({}) AND ask = ? GROUP BY scope, ask, did) h
    JOIN turn t ON t.id = h.last WHERE h.n >= ?
"""
ALL = """
    SELECT h.scope, h.ask, h.did, h.n, t.at FROM (
        SELECT scope, ask, did, count(*) AS n, max(turn) AS last FROM habit
        WHERE scope IN ({}) GROUP BY scope, ask, did) h
    JOIN turn t ON t.id = h.last WHERE h.n >= ?
"""
TURNS = "SELECT turn FROM habit WHERE scope = ? AND ask = ? AND did = ? ORDER BY turn"
WITNESSED = "SELECT turn FROM evidence WHERE belief = ? AND turn IS NOT NULL"
BELIEF = "SELECT id FROM belief WHERE kind = 'procedure' AND scope = ? AND tags = ? AND superseded_by IS NULL"


@dataclass(frozen=True, slots=True)
class Habit:
    """A request and its usual answer: how often (`support`), when last."""

    scope: int
    ask: str
    did: str
    support: int
    last: float


def saw(db: Database, rows: Sequence[tuple[int, int, str, str]]) -> None:
    """Count `(turn, scope, ask, did)`; the same turn counts once."""
    many(db, SAW, rows)


def support(db: Database, scope: int, ask: str, did: str) -> tuple[int, int]:
    """`(times, sessions)` of one pair."""
    found = db.execute(SUPPORT, (scope, ask, did)).fetchone()
    return (int(found[2]), int(found[4])) if found else (0, 0)


def of_ask(db: Database, scopes: Sequence[int], ask: str, least: int) -> list[Habit]:
    """What is usually done about a kind of request, in these scopes, seen at least *least* times."""
    sql = OF_ASK.format(marks(scopes))
    return [Habit(*row) for row in db.execute(sql, (*scopes, ask, least)).fetchall()]


def every(db: Database, scopes: Sequence[int], least: int) -> list[Habit]:
    """All habits of these scopes seen at least *least* times."""
    sql = ALL.format(marks(scopes))
    return [Habit(*row) for row in db.execute(sql, (*scopes, least)).fetchall()]


def turns(db: Database, scope: int, ask: str, did: str) -> list[int]:
    """The turns that showed it."""
    return [int(row[0]) for row in db.execute(TURNS, (scope, ask, did)).fetchall()]


def witnessed(db: Database, belief: int) -> set[int]:
    """The turns that are evidence of a belief already."""
    return {int(row[0]) for row in db.execute(WITNESSED, (belief,)).fetchall()}


def procedure(db: Database, scope: int, tag: str) -> int | None:
    """The procedure belief that was mined under this tag, in whatever state it is now."""
    found = db.execute(BELIEF, (scope, tag)).fetchone()
    return int(found[0]) if found else None
