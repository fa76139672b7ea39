"""Layer 4, first half: what was said again in other words is one fact. One wording stands for all of them, found
by the words of any, and what replaced one of them replaced them all. Sleep found which repeat which."""

from agentmemory.recall import found
from agentmemory.records import Hit, Query, Row, marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

HOPS = 8  # wordings of wordings that are followed
ALIKE = 3  # stems that what replaced one wording has in common with another one, to replace that too

HELD = "SELECT 1 FROM meta WHERE key = 'restated'"  # in most stores nothing was said twice in other words
#: *src* says again, or said before, what *dst* says
LED_BY = """
    SELECT e.src, e.dst, b.terms, n.terms FROM edge e JOIN belief b ON b.id = e.src
    JOIN belief k ON k.id = e.dst LEFT JOIN belief n ON n.id = k.superseded_by
    WHERE e.src IN ({}) AND e.type = 'supports' AND e.detail = 'restates'
"""
WORDINGS = """
    WITH RECURSIVE said(head, id) AS (
        SELECT dst, src FROM edge WHERE dst IN ({}) AND type = 'supports' AND detail = 'restates'
        UNION SELECT said.head, e.src FROM said JOIN edge e ON e.dst = said.id
        WHERE e.type = 'supports' AND e.detail = 'restates')
"""
OTHERS = f"{WORDINGS} SELECT id, head FROM said"
REPLACED = f"""{WORDINGS}
    SELECT said.head, n.id, k.terms, n.terms FROM said
    JOIN belief b ON b.id = said.id JOIN belief k ON k.id = said.head JOIN belief n ON n.id = b.superseded_by
    WHERE k.superseded_by IS NULL AND n.valid_from >= k.valid_from ORDER BY n.id
"""


def restated(db: "Database", query: Query, hits: "list[Hit]") -> "list[Hit]":
    """One hit for all wordings of a fact; the wording that stands for them inherits what the others matched."""
    if not hits or query.as_of is not None:
        return hits
    heads = leading(db, [hit.id for hit in hits], query)
    kept = {hit.id: hit for hit in hits if hit.id not in heads}
    for hit in hits:
        head = heads.get(hit.id)
        if head is None:
            continue
        standing = kept.get(head.id)
        if standing is None:
            standing = kept[head.id] = Hit(head.id, head)
        found.credit(standing, hit)
        standing.reasons += [f"restated: stands for #{hit.id}", *hit.reasons]
    return list(kept.values())


def leading(db: "Database", ids: "list[int]", query: Query) -> "dict[int, Row]":
    """For each of the beliefs that only repeats another one, or whose repetition was replaced: what stands for it."""
    if not ids or db.execute(HELD).fetchone() is None:
        return {}
    to = {id: id for id in ids}
    for _ in range(HOPS):
        front = sorted(set(to.values()))
        steps: dict[int, int] = {}
        for sql in (LED_BY, REPLACED):
            for id, next, said, replacing in db.execute(sql.format(marks(front)), front).fetchall():
                if replacing is None or len(set(said.split()) & set(replacing.split())) >= ALIKE:
                    steps.setdefault(id, next)
        if not steps:
            break
        to = {id: steps.get(at, at) for id, at in to.items()}
    rows = found.rows(db, sorted({at for id, at in to.items() if at != id}), query)
    return {id: rows[at] for id, at in to.items() if at != id and at in rows}


def others(db: "Database", ids: "list[int]") -> "dict[int, int]":
    """The other wordings of these beliefs, each with the one of *ids* that stands for it."""
    if not ids or db.execute(HELD).fetchone() is None:
        return {}
    return dict(db.execute(OTHERS.format(marks(ids)), ids).fetchall())
