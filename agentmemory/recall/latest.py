"""What a session begins with: the standing rules, in a line each what changed lately and what sleep did."""

from agentmemory import paths
from agentmemory.recall.anchors import moved
from agentmemory.recall.render import STATE, clean, render
from agentmemory.recall.rules import locked
from agentmemory.records import Query, Row, marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

DAYS = 7 * paths.DAY
MOST = 3  # changes that are named
MOST_TEXT = 120  # characters of each

CHANGED = f"""
    SELECT {Row.COLUMNS} FROM belief b WHERE b.scope IN ({{}}) AND b.state = 'active' AND b.confirmed >= ?
        AND b.valid_from >= ? AND b.created <= ? AND EXISTS (SELECT 1 FROM belief o WHERE o.superseded_by = b.id)
    ORDER BY b.valid_from DESC, b.id DESC LIMIT ?
"""

SLEPT = "SELECT value FROM meta WHERE key = 'sleep_line'"


def opening(db: "Database", scopes: tuple[int, ...], now: float, folder: str = "") -> str:
    """The block of SessionStart, "" when nothing stands and nothing changed. *folder*: where the session works."""
    query = Query("", now, scopes)
    rules = locked(db, query)
    block = render(query, rules, [], moved(db, scopes[0], folder, rules, []))
    rows = changed(db, scopes, now, MOST)
    lines = []
    if rows:
        changes = "; ".join(f'"{clean(row.text, MOST_TEXT, row.provenance == "user")}"' for row in rows)
        lines.append(f"- changed in the last week: {changes}")
    slept = db.execute(SLEPT).fetchone()
    if slept and slept[0][:10] >= paths.date(now - paths.DAY):  # numbers only: sleep/night.py writes it
        lines.append(f"- last sleep, {slept[0]}")
    return "\n".join(filter(None, [block, *([STATE, *lines] if lines else [])]))


def changed(db: "Database", scopes: tuple[int, ...], at: float, most: int) -> "list[Row]":
    """What replaced something in the week before *at*, as far as it still holds; the newest first."""
    since = at - DAYS
    sql = CHANGED.format(marks(scopes))
    return [Row(*row) for row in db.execute(sql, (*scopes, since, since, at, most)).fetchall()]
