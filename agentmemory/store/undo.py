"""Taking back a batch of changes, where what it changed still stands as it left it. Callers own the transaction."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from agentmemory.records import marks
from agentmemory.store import beliefs, changes, forget, guards

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

UNDOABLE = frozenset(
    "state provenance valid_to superseded_by locked keywords context tags triggers cues alpha beta level".split()
)
#: lines that tell of no change; a guard that speaks does so within whatever batch was the last
IS_CHANGE = "undone = 0 AND what NOT IN ('undone', 'guard denied', 'guard asked', 'guard informed', 'guard overridden')"
#: what is done between sessions: how they turned out, topics summed up, what was hardly used put away, what gave
#: way to the user's newer word, after an upgrade what was read wrongly before
TIDIES = f"""
    actor IN ('upgrade', 'contradictions') OR actor IN ('judge', 'sleep', 'model') AND (
        what LIKE '{changes.EVIDENCE}%' OR what = 'archived'
        OR (SELECT kind FROM belief WHERE belief.id = change.belief) = 'summary')
"""
LAST = f"""
    SELECT batch FROM change WHERE {IS_CHANGE} AND NOT ({TIDIES})
    AND coalesce((SELECT scope FROM belief WHERE belief.id = change.belief), after ->> 'scope') IN ({{}})
    ORDER BY id DESC LIMIT 1
"""
OF_BATCH = f"SELECT id, what, belief, before, after FROM change WHERE batch = ? AND {IS_CHANGE} ORDER BY id DESC"
SINCE = f"""
    SELECT max(batch) FROM change WHERE belief = ? AND batch > ? AND {IS_CHANGE} AND what NOT LIKE '{changes.EVIDENCE}%'
"""
UNDONE = "SELECT 1 FROM change WHERE batch = ? AND undone = 1"
PART = re.compile(r"(?<=[.!?])\s+|\n+")
MARK = "UPDATE change SET undone = 1 WHERE id = ?"


class CannotUndo(ValueError):
    """The batch cannot be taken back, or others must be first; nothing was changed."""


def last(db: Database, scopes: Sequence[int]) -> int | None:
    """The last batch that changed anything of these scopes; what only tidies is no change of the user's."""
    found = db.execute(LAST.format(marks(scopes)), tuple(scopes)).fetchone()
    return int(found[0]) if found else None


def undo(db: Database, batch: int, at: float) -> list[tuple[str, int]]:
    """Take back a batch: `[(what, belief)]` in the order undone, newest first.

    Raises:
        CannotUndo: a belief was replaced or changed since, or the batch removed something for good or changed nothing.
    """
    done: list[tuple[str, int]] = []
    lines = db.execute(OF_BATCH, (batch,)).fetchall()
    if not lines:
        again = db.execute(UNDONE, (batch,)).fetchone()
        said = f"batch {batch} was taken back already" if again else f"batch {batch} changed nothing"
        raise CannotUndo(f"{said}; `log` lists those that can be taken back")
    for id, what, belief, *sides in lines:
        if what == changes.FORGOTTEN:
            raise CannotUndo(f"batch {batch} was `forget`, which cannot be taken back; `log` lists the ones before it")
        before, after = (json.loads(side or "null") for side in sides)
        if what.startswith("guard "):
            guards.take_back(db, what, before, after)
        elif what.startswith(changes.EVIDENCE):
            beliefs.withdraw(db, belief, before, after)
        else:
            _restore(db, batch, belief, before, after or {}, at)
        if what == "superseded" and after:
            beliefs.unlink(db, "supersedes", after["superseded_by"], belief)
        db.execute(MARK, (id,))
        done.append((what, int(belief)))
    for belief in (belief for what, belief in done if what == "added"):
        _unquote(db, belief)
    changes.log(db, "undone", None, None, {"batch": batch}, at)
    return done


def _unquote(db: Database, belief: int) -> None:
    """Summaries that quote what a belief said go: a night sums their turns up again, without it."""
    parts = [part.strip(" .!?") for part in PART.split(beliefs.texts(db, [belief])[belief])]
    held = beliefs.texts(db, forget.derived(db, forget.said_in(db, belief)))
    quoting = [id for id, text in held.items() if id != belief and any(part in text for part in parts if part)]
    forget.erase(db, [id for id in quoting if beliefs.get(db, id).kind == "summary"], [])


def _restore(
    db: Database, batch: int, belief: int, before: dict[str, Any] | None, after: dict[str, Any], at: float
) -> None:
    """Write a before-image back (a belief that was added is retracted) where the change still stands."""
    old = before or {"state": "retracted", "valid_to": at}
    columns = [name for name in old if name in UNDOABLE]
    row = db.execute(f"SELECT superseded_by, {', '.join(columns)} FROM belief WHERE id = ?", (belief,)).fetchone()
    replaced, now = row[0], dict(zip(columns, row[1:]))
    moved = [name for name in columns if now[name] not in (old[name], after.get(name))]
    if moved if before else replaced:
        since = db.execute(SINCE, (belief, batch)).fetchone()[0]
        how = "replaced" if replaced else "changed"
        raise CannotUndo(f"belief {belief} was {how} since{f'; undo batch {since} first' if since else ''}")
    if "cues" in old:
        beliefs.recount(db, belief, now["cues"], old["cues"])
    sets = ", ".join(f"{name} = ?" for name in columns)
    db.execute(f"UPDATE belief SET {sets} WHERE id = ?", (*(old[name] for name in columns), belief))
