"""What both SQLite bindings have in common, for code that only reads."""

from __future__ import annotations

from typing import Any, Protocol


class Rows(Protocol):
    """A cursor over the rows of a statement."""

    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Any]: ...


class Database(Protocol):
    """A connection of sqlite3 or of apsw: `execute(sql, values)` gives `Rows`."""

    def execute(self, sql: str, values: Any = ..., /) -> Any: ...
