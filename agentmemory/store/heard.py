"""The state of what was heard once and may not last: its migration, and what of it fades."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmemory.store.archive import BROUGHT_BACK

if TYPE_CHECKING:
    import apsw

    from agentmemory.store.rows import Database

#: SQLite documents this way for a constraint that changes no content (lang_altertable.html)
ALLOW = """
    UPDATE sqlite_schema SET sql = replace(sql, "('active', 'superseded',", "('active', 'heard', 'superseded',")
    WHERE type = 'table' AND name = 'belief'
"""
FADED = f"""
    SELECT b.id FROM belief b WHERE b.state = 'heard' AND b.confirmed < :before AND NOT {BROUGHT_BACK}
    AND NOT EXISTS (SELECT 1 FROM injection i WHERE i.belief = b.id AND i.at >= :before)
    AND NOT EXISTS (SELECT 1 FROM change c WHERE c.belief = b.id AND c.what = 'heard' AND c.at >= :before)
    ORDER BY b.id LIMIT :most
"""


def heard(db: apsw.Connection) -> None:
    """Migration: a belief may be `heard`."""
    ((version,),) = db.execute("PRAGMA schema_version").fetchall()
    db.execute("PRAGMA writable_schema = ON")
    db.execute(ALLOW)
    db.execute(f"PRAGMA schema_version = {int(str(version)) + 1}")
    db.execute("PRAGMA writable_schema = RESET")


def faded(db: Database, before: float, most: int) -> list[int]:
    """What was heard before a time and neither said again, shown nor put aside since."""
    return [int(row[0]) for row in db.execute(FADED, {"before": before, "most": most}).fetchall()]
