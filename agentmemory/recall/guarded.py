"""The guards that hold for a session: enabled rows of active beliefs in its scopes. Read by the hook before a tool."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

ENABLED = """
    SELECT g.id, g.belief, g.mode, g.tool, g.spec, g.says FROM guard g JOIN belief b ON b.id = g.belief
    WHERE g.enabled = 1 AND b.state = 'active' AND g.scope IN ({}) ORDER BY g.id
"""
ANY = "SELECT 1 FROM guard WHERE enabled = 1 LIMIT 1"


def any_enabled(db: "sqlite3.Connection") -> bool:
    """Whether there is any guard at all; most folders have none, and then nothing else needs to be looked up."""
    return db.execute(ANY).fetchone() is not None


def enabled(db: "sqlite3.Connection", scopes: "tuple[int, ...]") -> "list[tuple[int, int, str, str, str, str]]":
    """`(id, belief, mode, tool, spec, says)` of the guards that hold in these scopes."""
    return db.execute(ENABLED.format(", ".join("?" * len(scopes))), scopes).fetchall()
