"""Rows of gists: a shorter wording of a belief, written by sleep, read when a block is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmemory.store.turns import many

if TYPE_CHECKING:
    from collections.abc import Sequence

    import apsw

    from agentmemory.store.rows import Database

TABLE = """
CREATE TABLE gist (                         -- what a block shows of a belief; the belief's own text stays as it is
    belief INTEGER PRIMARY KEY REFERENCES belief(id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    lost TEXT NOT NULL                      -- stems of the belief's text that this wording lacks
);
"""
AFTER = """
    SELECT id, kind, text FROM belief WHERE id > ? AND locked = 0 AND state IN ('active', 'superseded')
    AND kind NOT IN ('summary', 'trait') ORDER BY id LIMIT ?
"""
PUT = "INSERT INTO gist (belief, text, lost) VALUES (?, ?, ?) ON CONFLICT (belief) DO NOTHING"


def gists(db: apsw.Connection) -> None:
    """Migration: the table."""
    db.execute(TABLE)


def after(db: Database, mark: int, limit: int) -> list[tuple[int, str, str]]:
    """`(id, kind, text)` of the next beliefs behind *mark* that a block may show and nobody has locked."""
    return [(int(id), str(kind), str(text)) for id, kind, text in db.execute(AFTER, (mark, limit)).fetchall()]


def put(db: Database, rows: Sequence[tuple[int, str, str]]) -> None:
    """Store `(belief, shorter wording, lost stems)`; what a belief has stays."""
    many(db, PUT, rows)
