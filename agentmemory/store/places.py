"""Where beliefs stand in the space of the configured embedding: a row of small integers each, made by a job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmemory.store import meta
from agentmemory.store.turns import many

if TYPE_CHECKING:
    from collections.abc import Sequence

    import apsw

    from agentmemory.store.rows import Database

TABLE = """
CREATE TABLE place (                        -- only beliefs that may be recalled have one; it can be made again
    scope INTEGER NOT NULL REFERENCES scope(id),
    belief INTEGER NOT NULL REFERENCES belief(id) ON DELETE CASCADE,
    at BLOB NOT NULL,                       -- a signed byte a dimension
    PRIMARY KEY (scope, belief)
) WITHOUT ROWID;
CREATE INDEX place_belief ON place(belief);
"""
SPACE = "embedding"  # in `meta`
CLEAR = "DELETE FROM place"
WITHOUT = """
    SELECT b.id, b.text FROM belief b LEFT JOIN place p ON p.belief = b.id
    WHERE p.belief IS NULL AND b.state IN ('active', 'superseded') AND b.kind <> 'summary' ORDER BY b.id DESC LIMIT ?
"""
PUT = """
    INSERT INTO place (scope, belief, at) SELECT scope, id, ? FROM belief WHERE id = ?
    ON CONFLICT (scope, belief) DO UPDATE SET at = excluded.at
"""
OUT_OF_USE = """
    DELETE FROM place WHERE belief IN (SELECT id FROM belief WHERE state NOT IN ('active', 'superseded'))
"""
OF_SCOPE = "SELECT belief, at FROM place WHERE scope = ? ORDER BY belief DESC LIMIT ?"
COUNT = "SELECT count(*), coalesce(sum(length(at)), 0) FROM place"


def places(db: apsw.Connection) -> None:
    """Migration: the table."""
    db.execute(TABLE)


def space(db: Database) -> str:
    """Which embedding the rows are of, "" when there were never any."""
    return str(meta.get(db, SPACE, ""))


def enter(db: Database, name: str) -> None:
    """Begin anew in the space of another embedding; the caller owns the transaction."""
    db.execute(CLEAR)
    meta.put(db, SPACE, name)


def without(db: Database, limit: int) -> list[tuple[int, str]]:
    """`(id, text)` of beliefs that may be recalled and have no place yet, the newest first."""
    return [(int(id), str(text)) for id, text in db.execute(WITHOUT, (limit,)).fetchall()]


def put(db: Database, rows: Sequence[tuple[int, bytes]]) -> None:
    """Store `(belief, place)`; a belief that is gone by now is left out."""
    many(db, PUT, [(at, belief) for belief, at in rows])


def drop_unused(db: Database) -> None:
    """Beliefs that are not recalled any more need no place."""
    db.execute(OUT_OF_USE)


def of_scopes(db: Database, scopes: Sequence[int], most: int) -> list[tuple[int, bytes]]:
    """`(belief, place)` of the newest *most* beliefs of each scope."""
    return [row for scope in scopes for row in db.execute(OF_SCOPE, (scope, most)).fetchall()]


def count(db: Database) -> tuple[int, int]:
    """How many beliefs have a place, and the bytes of all places."""
    n, size = db.execute(COUNT).fetchone()
    return int(n), int(size)
