"""Layer 4: what is true now. A superseded hit gives way to the head of its chain; a question about time
gets the chain; beliefs that contradict each other say so. With `as_of`, "now" is then."""

from agentmemory.paths import DAY
from agentmemory.recall import found
from agentmemory.records import HOLDS, IN_PART, Hit, Query, Row, marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

HOPS = 24  # links of a chain that are followed
LATELY = 14 * DAY  # a change this fresh is told with what it replaced, asked or not,
TERSE = 60  # and one of so few characters always: "upgraded prod to 1.33" does not say of what
STALE = 0.9  # share of its bits that a head keeps when only a predecessor matched

PREDECESSORS = f"""
    SELECT (SELECT e.detail FROM edge e WHERE e.type = 'supersedes' AND e.src = superseded_by AND e.dst = belief.id),
        {Row.COLUMNS}
    FROM belief WHERE superseded_by IN ({{}}) ORDER BY valid_from DESC, id DESC
"""
CONTRADICTING = "SELECT src, dst FROM edge WHERE type = 'contradicts' AND src IN ({0}) AND dst IN ({0})"


def supersession(db: "Database", query: Query, hits: "list[Hit]") -> "list[Hit]":
    """Replace what is no longer true by what is; tell what it was where the question is about time."""
    kept: dict[int, Hit] = {}
    for hit in hits:
        head = standing(db, hit.row, query)
        if head is None:
            continue
        standing_hit = kept.get(head.id)
        if standing_hit is None:
            standing_hit = kept[head.id] = hit if head.id == hit.id else Hit(head.id, head)
        if standing_hit is not hit:
            inherit(standing_hit, hit)
    out = list(kept.values())
    tell_history(db, out, query)
    flag_contradictions(db, out)
    return out


def standing(db: "Database", row: Row, query: Query) -> "Row | None":
    """The belief that stands where *row* stood, at the time the query looks from; None when nothing does."""
    for _ in range(HOPS):
        if query.as_of is not None and (row.valid_to is None or row.valid_to > query.as_of):
            return row if row.valid_from <= query.as_of else None
        if row.superseded_by is None:
            break
        nearer = found.rows(db, [row.superseded_by], query, live=False).get(row.superseded_by)
        if nearer is None:
            return None
        row = nearer
    return row if row.state in HOLDS else None


def inherit(head: Hit, old: Hit) -> None:
    """The head answers most of what its predecessor matched, and all of what it matched itself further down."""
    found.credit(head, old, 1.0 if old.id == head.id else STALE)
    if old.id != head.id:
        head.reasons.append(f"supersession: stands for #{old.id}")
    head.reasons.extend(reason for reason in old.reasons if reason not in head.reasons)


def tell_history(db: "Database", hits: "list[Hit]", query: Query, always: bool = False) -> None:
    """Give each of the hits what it replaced, newest first, where that is asked or the change is fresh, or *always*;
    always what was changed in part, or by a few words."""
    whole = {hit.id for hit in hits if always or query.about_past or query.now - hit.row.valid_from < LATELY}
    front = {hit.id: hit for hit in hits}
    for _ in range(HOPS):
        if not front:
            return
        ids = list(front)
        further: dict[int, Hit] = {}
        for how, *columns in db.execute(PREDECESSORS.format(marks(ids)), ids).fetchall():
            row = Row(*columns)
            if row.superseded_by is not None and row.scope in query.scopes and row.state == "superseded":
                hit = front[row.superseded_by]
                row.in_part = how == IN_PART
                # of the same words: the user said what somebody else had said before
                told = row.in_part or hit.id in whole or (hit.id == row.superseded_by and leaves_out(hit.row, row))
                if told and row.terms != hit.row.terms:
                    hit.was.append(row)
                further[row.id] = hit
        front = further


def leaves_out(row: Row, old: Row) -> bool:
    """Whether the few words of a belief leave out some of what it replaced, other than numbers."""
    words = set(old.terms.split()) - set(row.terms.split()) if len(row.text) <= TERSE else ()
    return any(not word.isdigit() for word in words)


def flag_contradictions(db: "Database", hits: "list[Hit]") -> None:
    """Note on both sides that two of the hits contradict each other."""
    by_id = {hit.id: hit for hit in hits}
    ids = list(by_id)
    if len(ids) < 2:
        return
    for src, dst in db.execute(CONTRADICTING.format(marks(ids)), (*ids, *ids)).fetchall():
        for hit, other in ((by_id[src], dst), (by_id[dst], src)):
            hit.against = hit.against or other
            hit.reasons.append(f"contradicts: #{other}")
