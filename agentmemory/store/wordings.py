"""Rows of the shorter wordings that blocks show; a belief's own text is never changed.

`brief`: the sentences that carry what it says, written by learning. `gist`: its text, and its brief wording, each
without the words that sleep found idle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmemory.store.turns import many

if TYPE_CHECKING:
    from collections.abc import Sequence

    import apsw

    from agentmemory.store.rows import Database

GIST = """
CREATE TABLE gist (                         -- what a block shows of a belief once sleep has looked at it
    belief INTEGER PRIMARY KEY REFERENCES belief(id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    lost TEXT NOT NULL
);
"""
BRIEF = """
CREATE TABLE brief (                        -- the sentences of a belief that carry what it says
    belief INTEGER PRIMARY KEY REFERENCES belief(id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    rest REAL NOT NULL                      -- how likely what is left out carries something
);
DROP TABLE gist;
CREATE TABLE gist (                         -- what a block shows of a belief once sleep has looked at it; '': as it is
    belief INTEGER PRIMARY KEY REFERENCES belief(id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    brief TEXT NOT NULL                     -- the same of its brief wording
);
DELETE FROM meta WHERE key = 'sleep:gists'; -- sleep looks at all of them again
"""
AFTER = """
    SELECT b.id, b.text, coalesce(s.text, '') FROM belief b LEFT JOIN brief s ON s.belief = b.id
    WHERE b.id > ? AND b.locked = 0 AND b.kind NOT IN ('summary', 'trait') ORDER BY b.id LIMIT ?
"""
PUT_BRIEF = "INSERT INTO brief (belief, text, rest) VALUES (?, ?, ?) ON CONFLICT (belief) DO NOTHING"
PUT = "INSERT INTO gist (belief, text, brief) VALUES (?, ?, ?) ON CONFLICT (belief) DO NOTHING"


def gists(db: apsw.Connection) -> None:
    """Migration: what sleep writes."""
    db.execute(GIST)


def briefs(db: apsw.Connection) -> None:
    """Migration: what learning writes; sleep, which left out sentences before, looks at all again for words."""
    db.execute(BRIEF)


def after(db: Database, mark: int, limit: int) -> list[tuple[int, str, str]]:
    """`(id, text, brief wording)` of the next beliefs behind *mark* that nobody has locked; what waits or is
    heard once may be shown later."""
    return [(int(id), str(text), str(brief)) for id, text, brief in db.execute(AFTER, (mark, limit)).fetchall()]


def put(db: Database, rows: Sequence[tuple[int, str, str]]) -> None:
    """Store `(belief, shorter wording, shorter brief wording)`; what a belief has stays."""
    many(db, PUT, rows)


def put_brief(db: Database, belief: int, text: str, rest: float) -> None:
    """Store the brief wording of a belief; what it has stays."""
    db.execute(PUT_BRIEF, (belief, text, rest))
