"""The shorter wordings that sleep wrote, put on what was chosen: the block shows them, `why` shows the whole.

Choosing goes by the whole text: what a gist spares is spared, not spent on more lines (experiments/LOG.md).
"""

from agentmemory.recall import found
from agentmemory.records import Hit, Query
from agentmemory.text import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

#: who asks for the reason gets the whole text; sleep leaves out stories
REASON = frozenset("why reason reasons rationale cause caused causes because explain story happened".split())

OF = "SELECT belief, text, lost FROM gist WHERE belief IN ({})"


def abridge(db: "Database", query: Query, hits: "list[Hit]") -> "list[Hit]":
    """The chosen hits, with the shorter wording of each text that has one and lacks no word the prompt asks for."""
    rows = [(hit, row) for hit in hits for row in (*(hit.steps or [hit.row]), *hit.was)]
    if not rows or query.about_past or not REASON.isdisjoint(words(query.text)) or not found.has_table(db, "gist"):
        return hits
    ids = [row.id for _, row in rows]
    known = {row[0]: row[1:] for row in db.execute(OF.format(found.marks(ids)), ids).fetchall()}
    for hit, row in rows:
        short, lost = known.get(row.id, ("", ""))
        if short and not row.locked and hit.matched.keys().isdisjoint(lost.split()):
            row.gist = short
    return hits
