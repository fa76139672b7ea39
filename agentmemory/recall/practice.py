"""What is usually so here: what was said last of the project, whatever the prompt's words are.

A rule may bind a request that shares no word with it. Where a prompt is about our own work, the last beliefs of the
project stand beside what was found, as likely as their kind and age make them: once a session, with its first block.
"""

from agentmemory.recall.floor import ODDS
from agentmemory.recall.restated import leading
from agentmemory.records import Hit, Query, Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

LAST = 48  # beliefs looked at

LATEST = f"""
    SELECT {Row.COLUMNS} FROM belief
    WHERE scope = ? AND state = 'active' AND +kind <> 'summary' ORDER BY confirmed DESC LIMIT {LAST}
"""


def practice(db: "Database", query: Query, hits: "list[Hit]") -> "list[Hit]":
    """The hits, and what was said last where the prompt is about our own work."""
    if not query.scopes or query.as_of is not None or query.surely < ODDS:
        return hits
    return everything(db, query, hits)


def everything(db: "Database", query: Query, hits: "list[Hit]") -> "list[Hit]":
    """The hits, and what was said last beside them."""
    rows = [Row(*row) for row in db.execute(LATEST, (query.scopes[0],)).fetchall()]
    held = {row.id for hit in hits for row in [hit.row, *hit.steps, *hit.was]}
    held.update(leading(db, [row.id for row in rows], query))  # one wording of a fact is enough
    out = list(hits)
    for row in rows:
        if row.id not in held:
            hit = Hit(row.id, row)
            hit.reasons.append("practice: said last of the project's work")
            out.append(hit)
    return out
