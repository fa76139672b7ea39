"""What a belief had replaced, when that belief is forgotten: it gives way to what replaced that one, or holds again.

Callers own the transaction.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from agentmemory.store import beliefs, changes

if TYPE_CHECKING:
    from agentmemory.records import Row
    from agentmemory.store.rows import Database

REPLACED = "SELECT id FROM belief WHERE superseded_by = ? AND kind <> 'summary' ORDER BY id"
STATE_BEFORE = """
    SELECT before ->> 'state' FROM change WHERE belief = ? AND what = 'superseded' AND undone = 0
    ORDER BY id DESC LIMIT 1
"""
PUT = "UPDATE belief SET superseded_by = ?, valid_to = ?, state = ? WHERE id = ? RETURNING id"
#: where the successor left some of what it replaced as it was, it may have left some of this
DRAW = """
    INSERT INTO edge (type, src, dst, weight, created, detail)
    SELECT 'supersedes', :head, :old, weight, created, (SELECT max(detail) FROM edge
        WHERE type = 'supersedes' AND (src, dst) IN (VALUES (:head, :gone), (:gone, :old)))
    FROM edge WHERE type = 'supersedes' AND src = :head AND dst = :gone ON CONFLICT DO NOTHING
"""
#: undoing what replaced the successor brings this back instead
HAND_ON = """
    INSERT INTO change (batch, at, actor, what, belief, before, after)
    SELECT batch, at, actor, what, :old, json_set(before, '$.state', :state), after FROM change
    WHERE belief = :gone AND what = 'superseded' AND undone = 0 AND after ->> 'superseded_by' = :head
"""


def let_go(db: Database, going: Collection[int], at: float) -> list[int]:
    """Tie what these beliefs had replaced to what replaced them; what nothing replaces now is as it was before.

    A summary replaces no truth and brings none back, nor does what was taken back: what it had replaced and was to
    hold again does so since. Returns what is as it was before.
    """
    again = []
    for gone in sorted(going):
        for old in [int(row[0]) for row in db.execute(REPLACED, (gone,)).fetchall()]:
            was, successor = beliefs.get(db, old), beliefs.get(db, gone)
            if old in going or successor.state == "retracted":
                _put(db, old, None, was.valid_to, was.state)
            elif not _hand_on(db, was, successor, at):
                again.append(old)
    return again


def _hand_on(db: Database, was: Row, gone: Row, at: float) -> bool:
    """Whether what replaced *gone* stands in the place of what *gone* had replaced, too."""
    state = str((db.execute(STATE_BEFORE, (was.id,)).fetchone() or ("active",))[0])
    _put(db, was.id, None, None, state)
    head = None if gone.superseded_by is None else beliefs.get(db, gone.superseded_by)
    if head is None or not _may_replace(head, beliefs.get(db, was.id)):
        changes.log(
            db, "reinstated", was.id, {"state": was.state, "valid_to": was.valid_to, "superseded_by": gone.id},
            {"state": state, "valid_to": None, "superseded_by": None}, at,
        )  # fmt: skip
        return False
    _put(db, was.id, head.id, was.valid_to, was.state)
    tied = {"old": was.id, "gone": gone.id, "head": head.id}
    db.execute(DRAW, tied)
    db.execute(HAND_ON, {**tied, "state": state})
    return True


def _may_replace(head: Row, old: Row) -> bool:
    """A rule or a lock gives way to the user alone; one that waits, to what waits too and comes from where it came."""
    waits = old.state == head.state == "proposed" and old.provenance == head.provenance
    return head.provenance == "user" or waits or not (old.locked or old.kind == "rule")


def _put(db: Database, belief: int, head: int | None, until: float | None, state: str) -> None:
    db.execute(PUT, (head, until, state, belief)).fetchone()
