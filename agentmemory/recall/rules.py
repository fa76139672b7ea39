"""Locked rules of the scopes a prompt may read: they always stand, whatever the prompt says."""

from agentmemory.records import Query, Row, marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

LOCKED = f"""
    SELECT {Row.COLUMNS} FROM belief WHERE locked = 1 AND +state = 'active' AND scope IN ({{}}) ORDER BY id
"""


def locked(db: "Database", query: Query) -> "list[Row]":
    """The rules, in an order that only a changed rule changes."""
    return [Row(*row) for row in db.execute(LOCKED.format(marks(query.scopes)), query.scopes).fetchall()]
