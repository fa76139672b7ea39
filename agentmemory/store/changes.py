"""The audit trail: every change of a belief with its before-image, in batches that can be undone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

UNDOABLE = frozenset("state valid_to superseded_by locked keywords context tags triggers cues alpha beta level".split())

BEGIN = """
    INSERT INTO meta (key, value) VALUES ('batch', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1
"""
SPEAKER = "INSERT INTO meta (key, value) VALUES ('speaker', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
NAME = "INSERT INTO meta (key, value) VALUES ('actor', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
LOG = """
    INSERT INTO change (batch, at, actor, what, belief, before, after)
    VALUES (coalesce((SELECT value FROM meta WHERE key = 'batch'), 0), ?,
        coalesce((SELECT value FROM meta WHERE key = 'actor'), ''), ?, ?, ?, ?)
"""
LAST_BATCH = "SELECT max(batch) FROM change WHERE undone = 0 AND what <> 'undone'"
OF_BATCH = """
    SELECT id, what, belief, before, after FROM change
    WHERE batch = ? AND undone = 0 AND what <> 'undone' ORDER BY id DESC
"""
MARK = "UPDATE change SET undone = 1 WHERE id = ?"
CUT_EDGE = "DELETE FROM edge WHERE type = 'supersedes' AND src = ? AND dst = ?"
RECENT = "SELECT id, batch, at, actor, what, belief, before, after, undone FROM change ORDER BY id DESC LIMIT ?"


def begin(db: Database, actor: str) -> None:
    """Open a batch: what follows in this transaction is undone together. *actor*: user, worker, mcp ..."""
    db.execute(BEGIN)
    db.execute(NAME, (actor,))


@contextmanager
def speaking(db: Database, who: str) -> Iterator[None]:
    """While it lasts, *who* (agent, tool, import) speaks: the database lets nobody but the user take rules back."""
    db.execute(SPEAKER, (who,))
    try:
        yield
    finally:
        db.execute(SPEAKER, ("user",))


def log(
    db: Database, what: str, belief: int | None, before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None, at: float,
) -> None:  # fmt: skip
    """Write one line of the trail."""
    db.execute(LOG, (at, what, belief, _json(before), _json(after)))


def undo(db: Database, batch: int | None, at: float) -> list[tuple[str, int]]:
    """Take back a batch (the last one when None): `[(what, belief)]` in the order undone, newest first."""
    chosen = batch if batch is not None else db.execute(LAST_BATCH).fetchone()[0]
    done: list[tuple[str, int]] = []
    for id, what, belief, before, after in db.execute(OF_BATCH, (chosen,)).fetchall():
        if what.startswith("guard "):
            from agentmemory.store import guards

            guards.take_back(db, what, *(json.loads(side) if side else None for side in (before, after)))
            db.execute(MARK, (id,))
            done.append((what, int(belief)))
            continue
        old = json.loads(before) if before else {"state": "retracted", "valid_to": at}
        columns = [name for name in old if name in UNDOABLE]
        sets = ", ".join(f"{name} = ?" for name in columns)
        db.execute(f"UPDATE belief SET {sets} WHERE id = ?", (*(old[name] for name in columns), belief))
        if what == "superseded" and after:
            db.execute(CUT_EDGE, (json.loads(after)["superseded_by"], belief))
        db.execute(MARK, (id,))
        done.append((what, int(belief)))
    if done:
        log(db, "undone", None, None, {"batch": chosen}, at)
    return done


def recent(db: Database, limit: int) -> list[tuple[Any, ...]]:
    """The newest lines of the trail."""
    return [tuple(row) for row in db.execute(RECENT, (limit,)).fetchall()]


def _json(columns: Mapping[str, Any] | None) -> str | None:
    return None if columns is None else json.dumps(columns, ensure_ascii=False)
