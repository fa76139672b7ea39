"""What stands in front of every conversation with a local model: who the user is, what the project is.

Ordered by id, so that a new belief changes only the end of the text and most of a kept prefix stays true.
"""

from agentmemory.paths import date
from agentmemory.recall.render import quoted
from agentmemory.records import Row, marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

MOST_RULES = 200
MOST_TRAITS = 40
MOST_SUMMARIES = 12

RULES = f"""
    SELECT {Row.COLUMNS} FROM belief
    WHERE locked = 1 AND state = 'active' AND scope IN ({{}}) ORDER BY id LIMIT {MOST_RULES}
"""
TRAITS = f"""
    SELECT {Row.COLUMNS} FROM belief
    WHERE locked = 0 AND state = 'active' AND kind = 'trait' AND scope IN ({{}}) ORDER BY id DESC LIMIT {MOST_TRAITS}
"""
SUMMARIES = f"""
    SELECT {Row.COLUMNS} FROM belief
    WHERE state = 'active' AND kind = 'summary' AND level >= 2 AND scope IN ({{}})
    ORDER BY id DESC LIMIT {MOST_SUMMARIES}
"""


def rows(db: "Database", sql: str, scopes: "tuple[int, ...]") -> "list[Row]":
    """Beliefs of one of the statements above, oldest first."""
    if not scopes:
        return []
    found_rows = db.execute(sql.format(marks(scopes)), scopes).fetchall()
    return sorted((Row(*row) for row in found_rows), key=lambda row: row.id)


def told(heading: str, beliefs: "list[Row]") -> str:
    """The beliefs under a heading, "" for none."""
    if not beliefs:
        return ""
    return "\n".join((heading, *(f"- {quoted(row)} ({row.kind}, {date(row.valid_from)})" for row in beliefs)))
