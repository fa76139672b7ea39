"""Live beliefs side by side, for finding those that cannot both hold. Reads, and draws the edges found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmemory.records import Row, marks
from agentmemory.store import beliefs, changes

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

LIVE = f"""
    SELECT {Row.COLUMNS} FROM belief WHERE scope = ? AND state = 'active' AND kind NOT IN ('summary', 'trait')
    ORDER BY id
"""
NAMED = """
    SELECT m.belief, coalesce(e.alias_of, e.id) FROM mention m JOIN entity e ON e.id = m.entity
    JOIN belief b ON b.id = m.belief WHERE b.scope = ? AND b.state = 'active'
"""
MARKED = """
    SELECT e.src, e.dst, e.detail FROM edge e JOIN belief s ON s.id = e.src JOIN belief d ON d.id = e.dst
    WHERE e.type = 'contradicts' AND s.state = 'active' AND d.state = 'active' AND s.scope IN ({0}) ORDER BY e.id
"""
STANDS = "SELECT 1 FROM belief b WHERE b.id = ? AND {}".format(changes.TAKEN_BACK.format("retracted"))
SCOPES = "SELECT DISTINCT scope FROM belief WHERE state = 'active'"


def live(db: Database, scope: int) -> list[Row]:
    """The live beliefs of a scope, oldest first; what was derived from them is left out."""
    return [Row(*row) for row in db.execute(LIVE, (scope,)).fetchall()]


def named(db: Database, scope: int) -> dict[int, frozenset[int]]:
    """The entities that each live belief of a scope names, aliases as one."""
    out: dict[int, set[int]] = {}
    for belief, entity in db.execute(NAMED, (scope,)).fetchall():
        out.setdefault(int(belief), set()).add(int(entity))
    return {belief: frozenset(found) for belief, found in out.items()}


def marked(db: Database, scopes: tuple[int, ...]) -> list[tuple[int, int, str]]:
    """`(newer, older, why)` of the contradictions between live beliefs of these scopes."""
    rows = db.execute(MARKED.format(marks(scopes)), scopes).fetchall()
    return [(int(a), int(b), str(why)) for a, b, why in rows]


def mark(db: Database, newer: int, older: int, why: str, at: float) -> None:
    """Draw the edge; the caller owns the transaction."""
    beliefs.link(db, "contradicts", newer, older, at, detail=why)


def clear(db: Database, newer: int, older: int) -> None:
    """They agree after all."""
    beliefs.unlink(db, "contradicts", newer, older)


def stands(db: Database, belief: int) -> bool:
    """Whether the user has brought a belief back that gave way."""
    return db.execute(STANDS, (belief,)).fetchone() is not None


def scopes(db: Database) -> list[int]:
    """Every scope that holds live beliefs."""
    return [int(row[0]) for row in db.execute(SCOPES).fetchall()]
