"""In which words a block shows a belief: its whole text or the brief wording that learning wrote, either without the
words that sleep found idle. `why` and searches show the whole text.
"""

from agentmemory.recall import found
from agentmemory.records import Hit, Query, Row, marks
from agentmemory.text import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentmemory.store.rows import Database

#: who asks for the reason gets whole texts; a brief wording may leave out the story
REASON = frozenset("why reason reasons rationale cause caused causes because explain story happened".split())

BRIEF = "SELECT belief, text, rest FROM brief WHERE belief IN ({})"
SPARED = "SELECT belief, text, brief FROM gist WHERE belief IN ({})"
#: what a belief was said to be about before a model wrote otherwise, the latest change first
SAID = """
    SELECT belief, json_extract(before, '$.context') FROM change
    WHERE belief IN ({}) AND what = 'evolved' AND actor = 'annotate' AND undone = 0 ORDER BY id DESC
"""


def briefly(db: "Database", query: Query, hits: "list[Hit]") -> "list[Hit]":
    """The hits, each text with its brief wording, where it has one and the prompt does not ask for the story."""
    if not REASON.isdisjoint(words(query.said)):
        return hits
    brief(db, _rows(hits))
    return hits


def brief(db: "Database", rows: "list[Row]") -> None:
    """Give each belief its brief wording, where it has one."""
    known = _known(db, BRIEF, rows) if found.has_table(db, "brief") else {}
    for row in rows:
        if row.id in known:
            row.brief, row.rest = known[row.id]


def abridge(db: "Database", hits: "list[Hit]") -> "list[Hit]":
    """The chosen hits, each text in the words that the block shows."""
    rows = _rows(hits)
    # a store that no newer writer has opened lacks both tables
    spared = _known(db, SPARED, rows) if rows and found.has_table(db, "brief") else {}
    for row in rows:
        whole, brief = spared.get(row.id, ("", ""))
        row.gist = row.gist or ((brief or row.brief) if row.brief else whole)
    return as_said(db, hits)


def as_said(db: "Database", hits: "list[Hit]") -> "list[Hit]":
    """The hits, each said to be about what it was when it was learned: what a model writes is for finding it, as it may
    hold an order that the model has read somewhere."""
    rows = [*_rows(hits), *(hit.row for hit in hits)]
    said = _known(db, SAID, rows) if rows else {}
    for row in rows:
        if row.id in said:
            (row.context,) = said[row.id]
    return hits


def _rows(hits: "list[Hit]") -> "list[Row]":
    """The rows that the hits' lines tell; locked rules stand word for word."""
    return [row for hit in hits for row in (*(hit.steps or [hit.row]), *hit.was) if not row.locked]


def _known(db: "Database", sql: str, rows: "list[Row]") -> "dict[int, Any]":
    """The two columns behind the id of those of the rows that a statement knows."""
    ids = [row.id for row in rows]
    return {id: rest for id, *rest in db.execute(sql.format(marks(ids)), ids).fetchall()}
