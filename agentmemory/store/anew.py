"""Which projects of an earlier release wait to be judged anew, and what in them stands by one word of the user's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmemory.records import marks
from agentmemory.store import meta

if TYPE_CHECKING:
    import apsw

    from agentmemory.store.rows import Database

WAITS = "judge_anew"  # name in `meta`: the last project that was there when the store was upgraded
DONE = "judged_anew"  # the last one that was judged
LAST = "SELECT coalesce(max(s.scope), 0) FROM session s WHERE EXISTS (SELECT 1 FROM turn t WHERE t.session = s.id)"
NEXT = "SELECT min(scope) FROM session WHERE scope > ? AND scope <= ?"
SESSIONS = "SELECT id FROM session WHERE scope = ? ORDER BY started, id"
#: no second word, no outcome that speaks for it, nothing that it replaced or goes on with, no person who put it right
SAID_ONCE = """
    SELECT b.id, e.turn, e.start, e.stop FROM evidence e JOIN belief b ON b.id = e.belief JOIN turn t ON t.id = e.turn
    WHERE t.session IN ({}) AND e.kind = 'said' AND e.stop > e.start
    AND b.state = 'active' AND b.provenance = 'user' AND b.locked = 0 AND b.level = 1
    AND NOT EXISTS (SELECT 1 FROM evidence f WHERE f.belief = b.id AND f.id <> e.id AND f.weight > 0)
    AND NOT EXISTS (SELECT 1 FROM belief o WHERE o.superseded_by = b.id)
    AND NOT EXISTS (SELECT 1 FROM edge n WHERE n.type = 'next' AND b.id IN (n.src, n.dst))
    AND NOT EXISTS (SELECT 1 FROM change c WHERE c.belief = b.id AND c.actor = 'user')
"""


def to_be_judged(db: apsw.Connection) -> None:
    """Migration: what is held of the projects so far is judged anew, once."""
    last = int(str(db.execute(LAST).fetchall()[0][0]))
    if last:
        meta.put(db, WAITS, last)


def project(db: Database) -> int | None:
    """The next project that waits."""
    found = db.execute(NEXT, (meta.get(db, DONE, 0), meta.get(db, WAITS, 0))).fetchone()[0]
    return None if found is None else int(found)


def judged(db: Database, project: int) -> None:
    """Remember that a project was judged; in the transaction of the work itself."""
    meta.put(db, DONE, project)


def sessions(db: Database, project: int) -> list[int]:
    """Its sessions in the order of time."""
    return [int(row[0]) for row in db.execute(SESSIONS, (project,)).fetchall()]


def said_once(db: Database, sessions: list[int]) -> list[tuple[int, int, int, int]]:
    """What stands by one word of the user's: `(belief, turn, start, stop)`."""
    return [tuple(row) for row in db.execute(SAID_ONCE.format(marks(sessions)), sessions).fetchall()]
