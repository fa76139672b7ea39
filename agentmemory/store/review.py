"""What was learned of the user's talk and nobody has looked at yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agentmemory.records import Row, marks
from agentmemory.store.changes import EVIDENCE

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

KEPT = "kept"
#: said in a turn and taken up from there; what the user typed to be remembered needs no second look
UNSEEN = f"""
    FROM belief b WHERE b.scope IN ({{}}) AND b.state IN ('active', 'heard') AND b.provenance = 'user'
    AND b.locked = 0 AND b.level = 1
    AND EXISTS (SELECT 1 FROM evidence e WHERE e.belief = b.id AND e.turn IS NOT NULL)
    AND NOT EXISTS (SELECT 1 FROM evidence e WHERE e.belief = b.id AND e.kind = 'said' AND e.turn IS NULL)
    AND NOT EXISTS (SELECT 1 FROM change c WHERE c.belief = b.id AND c.what = '{EVIDENCE}{KEPT}' AND c.undone = 0)
"""
WAITING = f"""
    SELECT {Row.COLUMNS} {UNSEEN}
    ORDER BY b.state = 'heard', b.valid_from DESC, b.id DESC LIMIT ?
"""
COUNT = f"SELECT count(*) {UNSEEN}"


def waiting(db: Database, scopes: Sequence[int], most: int) -> list[Row]:
    """What stands first, then what was heard once; of each the newest first."""
    return [Row(*row) for row in db.execute(WAITING.format(marks(scopes)), (*scopes, most)).fetchall()]


def count(db: Database, scopes: Sequence[int]) -> int:
    """How many wait."""
    return int(db.execute(COUNT.format(marks(scopes)), tuple(scopes)).fetchone()[0])
