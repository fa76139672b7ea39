"""What both SQLite bindings have in common, for code that only reads."""

from __future__ import annotations

from typing import Any, Protocol


class Database(Protocol):
    """A connection of sqlite3 or of apsw: `execute(sql, values)` gives a cursor with `fetchone` and `fetchall`."""

    def execute(self, sql: str, values: Any = ..., /) -> Any: ...
