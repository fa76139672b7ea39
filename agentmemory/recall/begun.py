"""What came to hold in a time that a question names and asks nothing else of: "what changed in August?", "what did we
decide last week?". Knows nothing of words: those of such a question are no matter."""

from agentmemory.paths import begin_of
from agentmemory.recall import dates
from agentmemory.recall.supersession import supersession
from agentmemory.records import FOLLOWED, Hit, Query, Row, marks
from agentmemory.text import words

TYPE_CHECKING = False  # the hot path does not import typing
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

MOST = 100  # beliefs of a time, the latest
CHANGE = ("change", "changed", "changes")

#: a belief is confirmed when it begins, at the earliest: the index leaves out what was last heard of before
BEGUN = f"""
    SELECT {Row.COLUMNS} FROM belief b WHERE b.scope IN ({{}}) AND b.state IN {FOLLOWED} AND b.kind <> 'summary'
        AND b.confirmed >= ? AND b.valid_from >= ? AND b.valid_from < ?
        AND (? OR EXISTS (SELECT 1 FROM belief o WHERE o.superseded_by = b.id))
    ORDER BY b.valid_from DESC, b.id DESC LIMIT {MOST}
"""


def begun(db: "Database", query: Query) -> "list[Hit]":
    """The beliefs that began then, what says most first, where later ones took their place these; of what changed only
    what replaced something. Nothing where the question asks for more than a time, or not for what came to hold."""
    now = query.now if query.as_of is None else query.as_of
    spoken = words(query.text)
    windows = dates.said(query.text, now)
    if not (windows and dates.alone(query.text) and not dates.BECAME.isdisjoint(spoken)):
        return []
    any_kind = not any(word in CHANGE for word in spoken)
    hits: dict[int, Hit] = {}
    for first, last in windows:
        since, end = begin_of(first), begin_of(last + 1)
        bound = (*query.scopes, since, since, min(end, now + 1.0), any_kind)
        for columns in db.execute(BEGUN.format(marks(query.scopes)), bound).fetchall():
            row = Row(*columns)
            hits[row.id] = Hit(row.id, row)
            hits[row.id].reasons.append("begun: in the time that is asked for")
    out = supersession(db, query, list(hits.values()))
    for hit in out:
        size = len(hit.row.terms.split())
        hit.score = size / (1.0 + size)
    return out
