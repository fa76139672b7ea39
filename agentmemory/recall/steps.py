"""Procedures come whole: when one piece hits, the pieces linked to it by `next` come along, in order."""

from agentmemory.recall import found
from agentmemory.recall.supersession import standing
from agentmemory.records import Hit, Query, Row, marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

OTHERS = 0.8  # what another piece matched counts less: of many pieces some match by chance
MOST = 12  # pieces of one procedure that are shown

NEIGHBOURS = """
    SELECT src, dst FROM edge WHERE src IN ({0}) AND +type = 'next'
    UNION SELECT src, dst FROM edge WHERE dst IN ({0}) AND +type = 'next'
"""


def steps(db: "Database", query: Query, hits: "list[Hit]") -> "list[Hit]":
    """One hit for each procedure that a hit is a piece of, with all its pieces; other hits stay."""
    after: dict[int, set[int]] = {}
    seen: set[int] = set()
    front = [hit.id for hit in hits]
    for hit in hits:
        front.extend(row.id for row in hit.was)
    for _ in range(MOST):
        front = [id for id in front if id not in seen]
        if not front:
            break
        seen.update(front)
        links = db.execute(NEIGHBOURS.format(marks(front)), (*front, *front)).fetchall()
        for src, dst in links:
            after.setdefault(src, set()).add(dst)
        front = [id for link in links for id in link]
    if not after:
        return hits
    return gather(db, query, hits, after)


def gather(db: "Database", query: Query, hits: "list[Hit]", after: "dict[int, set[int]]") -> "list[Hit]":
    """Merge the hits that are pieces of one procedure into its first, and give it the pieces."""
    linked = sorted({*after, *(id for ids in after.values() for id in ids)})
    rows = found.rows(db, linked, query)
    out: list[Hit] = []
    of: dict[int, Hit] = {}
    for chain in chains(after):
        pieces: list[Row] = []
        for id in chain[:MOST]:
            row = standing(db, rows[id], query) if id in rows else None
            if row is not None and all(row.id != other.id for other in pieces):
                pieces.append(row)
        members = {*chain, *(row.id for row in pieces)}
        # who asks of the past is told what a piece was before, on a line of its own
        inside = [hit for hit in hits if hit.id in members and not (query.about_past and hit.was)]
        if not inside or len(pieces) < 2:
            continue
        whole = max(inside, key=lambda hit: sum(hit.matched.values()))
        for hit in inside:
            of[hit.id] = whole
            found.credit(whole, hit, OTHERS)
        whole.steps = pieces
        whole.meant = any(hit.meant for hit in inside)
        whole.reasons.append("steps: " + " ".join(f"#{row.id}" for row in pieces))
    for hit in hits:
        if of.get(hit.id, hit) is hit:
            out.append(hit)
    return out


def chains(after: "dict[int, set[int]]") -> "list[list[int]]":
    """The linked pieces as lists, each in the order of its links."""
    before: dict[int, set[int]] = {}
    for src, dsts in after.items():
        for dst in dsts:
            before.setdefault(dst, set()).add(src)
    nodes = sorted({*after, *before})
    done: set[int] = set()
    out: list[list[int]] = []
    for start in nodes:
        if start in done or before.get(start):
            continue
        out.append(walk(start, after, before, done))
    return out


def walk(start: int, after: "dict[int, set[int]]", before: "dict[int, set[int]]", done: "set[int]") -> "list[int]":
    """The pieces reachable from *start*; a piece comes when all that leads to it has come (Kahn's order)."""
    order: list[int] = []
    ready = [start]
    while ready:
        id = ready.pop(0)
        if id in done:
            continue
        done.add(id)
        order.append(id)
        ready.extend(dst for dst in sorted(after.get(id, ())) if before[dst] <= done)
    return order
