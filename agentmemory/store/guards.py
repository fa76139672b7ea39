"""Rows of guards, and what they did. Every change is in the audit trail; callers own the transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agentmemory.store import changes

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

SPOKE = ("guard denied", "guard asked", "guard informed")  # what the hook did, in the audit trail
OVERRIDDEN = "guard overridden"  # the user let it happen

ADD = """
    INSERT INTO guard (belief, scope, mode, tool, spec, says, enabled, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    RETURNING id
"""
SAME = "SELECT id FROM guard WHERE belief = ? AND tool = ? AND spec = ?"
ALL = """
    SELECT g.id, g.belief, g.scope, g.mode, g.tool, g.spec, g.says, g.enabled, b.text, b.state
    FROM guard g JOIN belief b ON b.id = g.belief {} ORDER BY g.id
"""
ENABLE = "UPDATE guard SET enabled = ?, mode = coalesce(?, mode) WHERE id = ? RETURNING belief"
REMOVE = "DELETE FROM guard WHERE id = ? RETURNING belief"
EXISTS = "SELECT belief, mode, enabled FROM guard WHERE id = ?"
COUNT = "SELECT what, count(*) FROM change WHERE what IN (?, ?, ?, ?) GROUP BY what"
COLUMNS = ("id", "belief", "scope", "mode", "tool", "spec", "says", "enabled", "created")
WHOLE = f"SELECT {', '.join(COLUMNS)} FROM guard WHERE id = ?"
PUT_BACK = f"INSERT INTO guard ({', '.join(COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
SPOKEN = "SELECT 1 FROM change WHERE what = ? AND belief = ? AND at = ? LIMIT 1"


class UnknownGuard(Exception):
    """There is no guard of this id."""


@dataclass(frozen=True, slots=True)
class Row:
    """A guard with the rule that it enforces."""

    id: int
    belief: int
    scope: int
    mode: str
    tool: str
    spec: str
    says: str
    enabled: bool
    rule: str
    state: str


def add(
    db: Database, belief: int, scope: int, mode: str, tool: str, spec: str, says: str, now: float, enabled: bool = False
) -> int:
    """Insert a guard, off unless the user has agreed; the same guard of the same rule is not added twice.

    The database refuses it for a rule that the user did not say.
    """
    known = db.execute(SAME, (belief, tool, spec)).fetchone()
    if known:
        return int(known[0])
    new = int(db.execute(ADD, (belief, scope, mode, tool, spec, says, int(enabled), now)).fetchone()[0])
    changes.log(db, "guard added", belief, None, {"guard": new, "mode": mode, "enabled": int(enabled)}, now)
    return new


def set_enabled(db: Database, guard: int, enabled: bool, now: float, mode: str | None = None) -> None:
    """Turn a guard on or off, and choose its mode (inform, ask, deny) where one is given.

    Raises:
        UnknownGuard: there is none of this id.
    """
    belief, old_mode, was = _get(db, guard)
    if (bool(was), old_mode) == (enabled, mode or old_mode):
        return
    db.execute(ENABLE, (int(enabled), mode, guard)).fetchone()
    what = "guard enabled" if enabled else "guard disabled"
    after = {"guard": guard, "enabled": int(enabled), "mode": mode or old_mode}
    changes.log(db, what, belief, {"guard": guard, "enabled": was, "mode": old_mode}, after, now)


def remove(db: Database, guard: int, now: float) -> None:
    """Delete a guard; its rule stays.

    Raises:
        UnknownGuard: there is none of this id.
    """
    belief, *_ = _get(db, guard)
    whole = dict(zip(COLUMNS, db.execute(WHOLE, (guard,)).fetchone()))
    db.execute(REMOVE, (guard,)).fetchone()
    changes.log(db, "guard removed", belief, whole, None, now)


def take_back(db: Database, what: str, before: dict[str, Any] | None, after: dict[str, Any] | None) -> None:
    """Undo one line of the trail about a guard; what a guard said stays said."""
    if what == "guard added" and after:
        db.execute(REMOVE, (after["guard"],)).fetchall()
    elif what == "guard removed" and before:
        db.execute(PUT_BACK, tuple(before[name] for name in COLUMNS))
    elif what in ("guard enabled", "guard disabled") and before:
        db.execute(ENABLE, (before["enabled"], before["mode"], before["guard"])).fetchall()


def listed(db: Database, belief: int | None = None) -> list[Row]:
    """All guards, or those of one rule."""
    of_one, which = ("", ()) if belief is None else ("WHERE g.belief = ?", (belief,))
    rows = db.execute(ALL.format(of_one), which)
    return [
        Row(int(id), int(of), int(scope), mode, tool, spec, says, bool(on), rule, state)
        for id, of, scope, mode, tool, spec, says, on, rule, state in rows.fetchall()
    ]


def spoke(db: Database, guard: int, what: str, detail: dict[str, Any], at: float) -> None:
    """Write to the trail that a guard spoke, or was overridden; once for one moment. Unknown guards are passed over."""
    found = db.execute(EXISTS, (guard,)).fetchone()
    if found and db.execute(SPOKEN, (what, found[0], at)).fetchone() is None:
        changes.log(db, what, int(found[0]), None, {"guard": guard, **detail}, at)


def counts(db: Database) -> dict[str, int]:
    """How often guards denied, asked, informed and were overridden."""
    return {str(what): int(n) for what, n in db.execute(COUNT, (*SPOKE, OVERRIDDEN)).fetchall()}


def _get(db: Database, guard: int) -> tuple[int, str, int]:
    found = db.execute(EXISTS, (guard,)).fetchone()
    if found is None:
        raise UnknownGuard(f"there is no guard {guard}")
    return int(found[0]), str(found[1]), int(found[2])
