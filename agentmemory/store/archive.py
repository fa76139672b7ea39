"""Which live beliefs a scope can do without. Reads only; states are changed by their own function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmemory.records import Row
from agentmemory.store import changes

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

#: what the user has brought back is not put away again
BROUGHT_BACK = changes.TAKEN_BACK.format("archived")
CROWDED = """
    SELECT scope, count(*) FROM belief WHERE state = 'active' GROUP BY scope HAVING count(*) > ? ORDER BY scope
"""
LIVE = f"""
    SELECT {Row.COLUMNS} FROM belief b WHERE scope = ? AND state = 'active' AND NOT {BROUGHT_BACK} ORDER BY id
"""
VISITS = """
    SELECT belief, sum(times), max(last) FROM (
        SELECT belief, count(*) AS times, max(at) AS last FROM injection GROUP BY 1
        UNION ALL SELECT belief, times, last FROM retrieval)
    WHERE belief IN (SELECT id FROM belief WHERE scope = ?) GROUP BY 1
"""
FADED = f"""
    SELECT b.id FROM belief b WHERE b.kind = 'summary' AND b.state = 'active' AND b.level = 1 AND b.locked = 0
    AND b.confirmed < :before AND NOT {BROUGHT_BACK}
    AND EXISTS (SELECT 1 FROM edge e WHERE e.dst = b.id AND e.type = 'summarizes')
    AND NOT EXISTS (SELECT 1 FROM injection i WHERE i.belief = b.id AND i.at >= :before)
    AND NOT EXISTS (SELECT 1 FROM retrieval r WHERE r.belief = b.id AND r.last >= :before) ORDER BY b.id LIMIT :most
"""


def crowded(db: Database, cap: int) -> list[tuple[int, int]]:
    """`(scope, live beliefs)` of the scopes that hold more than *cap*."""
    return [(int(a), int(b)) for a, b in db.execute(CROWDED, (cap,)).fetchall()]


def live(db: Database, scope: int) -> list[Row]:
    """The live beliefs of a scope, but for those that the user has brought back."""
    return [Row(*row) for row in db.execute(LIVE, (scope,)).fetchall()]


def visits(db: Database, scope: int) -> dict[int, tuple[int, float]]:
    """How often each belief of a scope was put before an agent or found by a search, and when last."""
    return {int(b): (int(n), float(at)) for b, n, at in db.execute(VISITS, (scope,)).fetchall()}


def faded(db: Database, before: float, most: int) -> list[int]:
    """Summaries that a higher one stands for and that nothing has used since *before*."""
    return [int(row[0]) for row in db.execute(FADED, {"before": before, "most": most}).fetchall()]
