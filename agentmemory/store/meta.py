"""Single values that the store remembers by name. Callers own the transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

GET = "SELECT value FROM meta WHERE key = ?"
PUT = "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"


def get(db: Database, key: str, otherwise: Any = None) -> Any:
    """The value of this name; *otherwise* when there is none."""
    found = db.execute(GET, (key,)).fetchone()
    return found[0] if found else otherwise


def put(db: Database, key: str, value: Any) -> None:
    """Remember a value instead of the one before."""
    db.execute(PUT, (key, value))
