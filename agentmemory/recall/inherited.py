"""What a fork knows from its ancestors: beliefs that had risen to level 2 and sure procedures, as they stood then.

Nothing is copied; what either side learns later is its own, and turns are never inherited.
"""

from agentmemory.recall.scopes import compared, overruled
from agentmemory.records import Hit, Query, Row
from agentmemory.text import stems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

LEVEL = 2
SURE = 0.7  # confidence of a procedure that a fork takes along
MOST = 500  # beliefs of one ancestor that are looked at, the last confirmed first

PARENTS = "SELECT dst, weight, created FROM scope_edge WHERE type = 'inherits' AND src = ? ORDER BY created, dst"
STOOD = f"""
    SELECT {Row.COLUMNS} FROM belief
    WHERE scope = :scope AND created <= :at AND (level >= :level OR kind = 'procedure')
    AND (state = 'active' OR (state = 'superseded' AND valid_to > :at)) ORDER BY confirmed DESC, id LIMIT :most
"""


def ancestors(db: "Database", scope: int) -> "list[tuple[int, float, float]]":
    """`(scope, weight, as of)` of what a scope was forked from, nearest first; weights multiply along the way. One
    that several ways lead to comes once, by the shortest."""
    out: list[tuple[int, float, float]] = []
    front = [(scope, 1.0, float("inf"))]
    known = {scope}
    while front:
        parents = [
            (int(dst), weight * share, min(at, created))
            for src, weight, at in front
            for dst, share, created in db.execute(PARENTS, (src,)).fetchall()
        ]
        front = []
        for each in parents:
            if each[0] not in known:
                known.add(each[0])
                front.append(each)
        out += front
    return out


def stood(db: "Database", scope: int, at: float, now: float) -> "list[Row]":
    """What an heir sees of one ancestor as of *at*, oldest first."""
    from agentmemory import confidence  # few prompts are those of a fork

    values = {"scope": scope, "at": at, "level": LEVEL, "most": MOST}
    found = [Row(*row) for row in db.execute(STOOD, values).fetchall()]
    kept = [row for row in found if row.kind != "procedure" or confidence.of(row, now) >= SURE]
    return sorted(kept, key=lambda row: row.id)


def inherited(db: "Database", query: Query, hits: "list[Hit]") -> "list[Hit]":
    """Add the ancestors' beliefs that share words with the query, weighed down; a belief of one's own about the same
    thing stands in front of an inherited one."""
    known = ancestors(db, query.scopes[0]) if query.scopes else []
    if not known:
        return hits
    out = list(hits)
    own = [compared(hit.row) for hit in hits]
    for scope, weight, since in known:
        at = since if query.as_of is None else min(since, query.as_of)
        for row in stood(db, scope, at, query.now):
            words = set(stems(row.text))
            matched = {stem: bits * weight for stem, bits in query.weights.items() if stem in words}
            if matched and not overruled(compared(row), own):
                hit = Hit(row.id, row)
                hit.matched = matched
                hit.scores["lexical"] = sum(matched.values())
                hit.reasons.append(f"inherited: from scope {scope}, weighed {weight:.2f}")
                out.append(hit)
    return out
