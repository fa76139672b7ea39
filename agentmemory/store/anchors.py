"""Rows of anchors: the files, definitions and tasks that beliefs name, as they were when the belief was learned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    import apsw

    from agentmemory.store.rows import Database

TABLE = """
CREATE TABLE anchor (                       -- what of the project's folder a belief names
    belief INTEGER NOT NULL REFERENCES belief(id) ON DELETE CASCADE,
    name TEXT NOT NULL,                     -- as it is shown
    path TEXT NOT NULL,                     -- below the top of the working tree, with /
    symbol TEXT NOT NULL DEFAULT '',        -- whose definition it is; "name:" for a task; '' for the file itself
    mark TEXT NOT NULL DEFAULT '',          -- of the content; '' where only existence is known
    size INTEGER NOT NULL,
    changed INTEGER NOT NULL,               -- st_mtime_ns: while size and this stand, nothing is read
    seen REAL NOT NULL,
    PRIMARY KEY (belief, name)
) WITHOUT ROWID;
"""
KEY = "SELECT key FROM scope WHERE id = ? AND kind = 'project'"
LIVE = """
    SELECT b.id, b.text FROM belief b WHERE b.scope = :scope AND b.state = 'active'
    AND b.kind NOT IN ('summary', 'trait') AND (
        ((b.id > :mark OR b.confirmed >= :since) AND NOT EXISTS (SELECT 1 FROM anchor a WHERE a.belief = b.id))
        OR EXISTS (SELECT 1 FROM anchor a JOIN evidence e ON e.belief = a.belief
            WHERE a.belief = b.id AND e.kind IN ('restated', 'heeded', 'helped') AND e.at > a.seen))
    ORDER BY b.id LIMIT :most
"""
OF_SCOPE = """
    SELECT a.belief, a.name, a.path, a.symbol, a.mark, a.size, a.changed, a.seen FROM anchor a
    JOIN belief b ON b.id = a.belief WHERE b.scope = ? AND b.state = 'active' ORDER BY a.belief, a.name
"""
OF_BELIEF = "SELECT belief, name, path, symbol, mark, size, changed, seen FROM anchor WHERE belief = ? ORDER BY name"
PUT = """
    INSERT INTO anchor (belief, name, path, symbol, mark, size, changed, seen) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (belief, name) DO UPDATE SET path = excluded.path, symbol = excluded.symbol, mark = excluded.mark,
        size = excluded.size, changed = excluded.changed, seen = excluded.seen
"""
PROJECTS = """
    SELECT id FROM scope s WHERE kind = 'project'
    AND EXISTS (SELECT 1 FROM belief b WHERE b.scope = s.id AND b.state = 'active')
"""


@dataclass(frozen=True, slots=True)
class Anchor:
    """One row of the table; see its columns. seen: when it was recorded, seconds since 1970."""

    belief: int
    name: str
    path: str
    symbol: str
    mark: str
    size: int
    changed: int
    seen: float


def anchors(db: apsw.Connection) -> None:
    """The table."""
    db.execute(TABLE)


def project_key(db: Database, scope: int) -> str:
    """Where a project's scope has its git common directory, or its folder; "" for other scopes."""
    found = db.execute(KEY, (scope,)).fetchone()
    return str(found[0]) if found else ""


def unanchored(db: Database, scope: int, mark: int, since: float, most: int) -> list[tuple[int, str]]:
    """`(belief, text)` of live beliefs behind *mark*, or learned or accepted since then, without anchors, and of those
    that were said again or held true after their anchors were recorded."""
    rows = db.execute(LIVE, {"scope": scope, "mark": mark, "since": since, "most": most}).fetchall()
    return [(int(id), str(text)) for id, text in rows]


def put(db: Database, rows: Iterable[Anchor]) -> None:
    """Record anchors, or bring those that stand up to date; the caller owns the transaction."""
    for a in rows:
        db.execute(PUT, (a.belief, a.name, a.path, a.symbol, a.mark, a.size, a.changed, a.seen))


def of_scope(db: Database, scope: int) -> list[Anchor]:
    """The anchors of a scope's live beliefs."""
    return [Anchor(*row) for row in db.execute(OF_SCOPE, (scope,)).fetchall()]


def of_belief(db: Database, belief: int) -> list[Anchor]:
    """The anchors of one belief."""
    return [Anchor(*row) for row in db.execute(OF_BELIEF, (belief,)).fetchall()]


def projects(db: Database) -> list[int]:
    """Scopes of projects that hold live beliefs."""
    return [int(row[0]) for row in db.execute(PROJECTS).fetchall()]
