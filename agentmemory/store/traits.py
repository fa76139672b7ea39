"""Rows of the user's profile: trait beliefs by attribute. Reads only; `revise` writes them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from agentmemory.records import marks

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

LIVE = """
    SELECT id, text, valid_from FROM belief
    WHERE kind = 'trait' AND state = 'active' AND scope = ? AND tags = ? ORDER BY valid_from DESC, id DESC
"""
ALL = """
    SELECT b.id, b.tags, b.keywords, b.text, b.state, b.valid_from, b.valid_to,
        (SELECT e.turn FROM evidence e WHERE e.belief = b.id AND e.turn IS NOT NULL ORDER BY e.id LIMIT 1)
    FROM belief b WHERE b.kind = 'trait' AND b.scope IN ({}) ORDER BY b.tags, b.valid_from, b.id
"""
#: what holds of what people said of themselves and did not lock, with the turns that said it
READ_FROM = """
    SELECT b.id, b.scope, b.tags, b.text, json_group_array(e.turn) FROM belief b JOIN evidence e ON e.belief = b.id
    JOIN turn t ON t.id = e.turn WHERE b.kind = 'trait' AND b.state = 'active' AND b.provenance = 'user'
    AND b.locked = 0 AND b.tags GLOB 'trait:*' AND e.kind IN ('said', 'restated') AND t.text <> ''
    GROUP BY b.id ORDER BY b.id
"""
#: what a model described, in an earlier release, as if it were any belief: by its words it is found again
UNTAGGED = "SELECT id, scope, text FROM belief WHERE kind = 'trait' AND tags NOT GLOB 'trait:*' ORDER BY id"
#: of each attribute that nothing holds of, what was told last of it, where an earlier release put it away as unused
FADED = """
    SELECT b.id, max(b.valid_from) FROM belief b WHERE b.kind = 'trait' AND b.state = 'archived'
    AND EXISTS (SELECT 1 FROM evidence e WHERE e.belief = b.id AND e.kind = 'faded')
    AND NOT EXISTS (SELECT 1 FROM belief o WHERE o.scope = b.scope AND o.tags = b.tags AND o.kind = 'trait'
        AND o.state = 'active')
    GROUP BY b.scope, b.tags ORDER BY b.id
"""


def live(db: Database, scope: int, tag: str) -> list[tuple[int, str, float]]:
    """What holds of an attribute now: `(id, text, valid_from)`, newest first."""
    return [(int(a), str(b), float(c)) for a, b, c in db.execute(LIVE, (scope, tag)).fetchall()]


def read_from(db: Database) -> list[tuple[int, int, str, str, list[int]]]:
    """`(id, scope, tag, text, turns that said it)` of what was read from turns and holds."""
    return [(*row[:4], json.loads(row[4])) for row in db.execute(READ_FROM).fetchall()]


def untagged(db: Database) -> list[tuple[int, int, str]]:
    """`(id, scope, text)` of traits whose attribute an earlier release lost."""
    return [(int(a), int(b), str(c)) for a, b, c in db.execute(UNTAGGED).fetchall()]


def faded(db: Database) -> list[int]:
    """What an earlier release put away as unused, of each attribute that is unknown now the last."""
    return [int(row[0]) for row in db.execute(FADED).fetchall()]


def every(db: Database, scopes: Sequence[int]) -> list[tuple[int, str, str, str, str, float, float | None, int | None]]:
    """`(id, tag, value, text, state, valid_from, valid_to, first turn)` of all traits, with their history."""
    return [tuple(row) for row in db.execute(ALL.format(marks(scopes)), tuple(scopes)).fetchall()]


def current(db: Database, scopes: Sequence[int]) -> dict[str, str]:
    """What holds now: attribute -> value; the nearest of *scopes* (nearest first) has the word."""
    out: dict[str, str] = {}
    for scope in reversed(scopes):
        for _, tag, value, _, state, *_ in every(db, [scope]):
            if state == "active":
                out[tag.partition(":")[2]] = value
    return out
