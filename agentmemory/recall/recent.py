"""Layer 5: what was learned in the last days and touches the prompt too lightly for the layers above."""

from agentmemory.paths import DAY
from agentmemory.recall import found
from agentmemory.recall.restated import leading
from agentmemory.records import Hit, Query, Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

DAYS = 14 * DAY
NEWEST = 24  # beliefs looked at

LATEST = f"""
    SELECT {Row.COLUMNS} FROM belief
    WHERE scope = ? AND state = 'active' AND confirmed >= ? ORDER BY confirmed DESC LIMIT ?
"""


def recent(db: "Database", query: Query, hits: "list[Hit]") -> "list[Hit]":
    """Add what was learned lately and shares any word with the prompt; fresh hits score by their age."""
    since = (query.as_of or query.now) - DAYS
    fresh: dict[int, Row] = {}
    for scope in query.scopes:
        for row in db.execute(LATEST, (scope, since, NEWEST)).fetchall():
            fresh[row[0]] = Row(*row)
    for id in leading(db, list(fresh), query):  # one wording of a fact is enough
        del fresh[id]
    known = {hit.id for hit in hits}
    scores = {}
    matched = {}
    for id, row in fresh.items():
        words = set(row.terms.split()) | set(row.cues.split())
        shared = {s: w for s, w in query.weights.items() if s in words}
        if (shared or id in known) and row.valid_from > since and found.true_then(row, query):
            scores[id] = 1.0 - (query.now - row.valid_from) / DAYS
            matched[id] = shared
    out = found.bring(hits, {id: fresh[id] for id in scores}, "recent", scores, "learned in the last days")
    for hit in out:
        if hit.id not in known:
            hit.matched.update(matched.get(hit.id, {}))
    return out
