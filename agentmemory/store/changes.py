"""The audit trail: every change of a belief with its before-image, in batches that can be undone (undo.py)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from agentmemory import paths
from agentmemory.store import meta

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

EVIDENCE = "evidence "  # begins the name of a change of a belief's counts
FORGOTTEN = "forgotten"

BEGIN = """
    INSERT INTO meta (key, value) VALUES ('batch', 1)
    ON CONFLICT (key) DO UPDATE SET value = max(value, coalesce((SELECT max(batch) FROM change), 0)) + 1
"""
LOG = """
    INSERT INTO change (batch, at, actor, what, belief, before, after)
    VALUES (coalesce((SELECT value FROM meta WHERE key = 'batch'), 0), ?,
        coalesce((SELECT value FROM meta WHERE key = 'actor'), ''), ?, ?, ?, ?)
"""
#: of a belief b: that it came to this state was taken back by the user, for good
TAKEN_BACK = "EXISTS (SELECT 1 FROM change c WHERE c.belief = b.id AND c.what = '{}' AND c.undone = 1)"
COLUMNS = ("id", "batch", "at", "actor", "what", "belief", "before", "after", "undone")
RECENT = f"SELECT {', '.join(COLUMNS)} FROM change ORDER BY id DESC LIMIT ?"


def begin(db: Database, actor: str, batch: int = 0) -> int:
    """Open a batch: what follows in this transaction is undone together. *actor*: user, worker, mcp ...

    Returns:
        its number; with it as *batch* a later transaction goes on with it.
    """
    if batch:
        meta.put(db, "batch", batch)
    else:
        db.execute(BEGIN)
    meta.put(db, "actor", actor)
    return int(meta.get(db, "batch"))


@contextmanager
def speaking(db: Database, who: str) -> Iterator[None]:
    """While it lasts, *who* (agent, tool, import) speaks: the database lets nobody but the user take rules back."""
    meta.put(db, "speaker", who)
    try:
        yield
    finally:
        meta.put(db, "speaker", "user")


def log(
    db: Database, what: str, belief: int | None, before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None, at: float,
) -> None:  # fmt: skip
    """Write one line of the trail."""
    db.execute(LOG, (at, what, belief, _json(before), _json(after)))


def recent(db: Database, limit: int) -> list[dict[str, Any]]:
    """The newest lines of the trail by their columns, as JSON values; times are ISO 8601."""
    found = [dict(zip(COLUMNS, row)) for row in db.execute(RECENT, (limit,)).fetchall()]
    images = ("before", "after")
    return [{**line, "at": paths.iso(line["at"]), **{name: _read(line[name]) for name in images}} for line in found]


def _read(image: str | None) -> Any:
    return None if image is None else json.loads(image)


def _json(columns: Mapping[str, Any] | None) -> str | None:
    return None if columns is None else json.dumps(columns, ensure_ascii=False)
