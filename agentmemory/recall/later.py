"""What was said again, on a later day, of the matter of a hit, without a word of change: it may replace the hit or
add to it, which no rule can tell. Both come on one line, the later one first, so that neither stands alone. What is
less likely of one matter is told so only where both were chosen anyway."""

from agentmemory.recall import found
from agentmemory.recall.render import MOST_LINKS
from agentmemory.recall.restated import leading, others
from agentmemory.recall.supersession import STALE, standing
from agentmemory.records import Hit, Query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

#: what speaks again of a matter, the likeliest last; the detail says whether that is likely
AGAIN = (
    "SELECT dst, src, weight FROM edge WHERE dst IN ({}) AND type = 'relates' AND detail = '{}' ORDER BY weight, src"
)
LIKELY = 0.4  # from which the earlier one is told as what was said before; below, as what was said also


def later(db: "Database", query: Query, hits: "list[Hit]") -> "list[Hit]":
    """The hits, each under what was said last of its matter (learn/match.py draws the links)."""
    single = {hit.id: hit for hit in hits if not hit.steps}
    if not single or query.as_of is not None:
        return hits
    wordings = others(db, list(single))
    asked = [*single, *wordings]
    again = db.execute(AGAIN.format(found.marks(asked), "later"), asked).fetchall()
    heads = leading(db, [src for _, src, _ in again], query)
    after = {wordings.get(dst, dst): heads[src].id if src in heads else src for dst, src, _ in again}
    likely = {wordings.get(dst, dst): weight for dst, _, weight in again}
    rows = found.rows(db, [id for id in after.values() if id not in single], query)
    kept = {hit.id: hit for hit in hits}
    for id in sorted(after):
        newer = single.get(after[id])
        row = newer.row if newer else rows.get(after[id])
        head = standing(db, row, query) if row is not None else None
        old = kept[id]
        if head is None or head.id == id or any(was.id == id for was in old.was):
            continue
        hit = kept.get(head.id)
        if hit is not None and not _fits(hit, old):
            continue
        if hit is None:
            hit = kept[head.id] = single[head.id] = Hit(head.id, head)
        found.credit(hit, old, STALE)
        hit.score = max(hit.score, old.score * STALE)
        _tell(hit, kept.pop(id), likely[id])
    return list(kept.values())


def beside(db: "Database", query: Query, chosen: "list[Hit]") -> "list[Hit]":
    """The chosen hits; two that may speak of one matter, the later and the earlier one, on one line."""
    single = {hit.id: hit for hit in chosen if not hit.steps}
    if len(single) < 2 or query.as_of is not None:
        return chosen
    ids = list(single)
    again = db.execute(AGAIN.format(found.marks(ids), "perhaps"), ids).fetchall()
    rows = found.rows(db, [src for _, src, _ in again if src not in single], query, live=False)
    told = {row.id: hit.id for hit in chosen for row in hit.was}
    after: dict[int, tuple[int, float]] = {}
    for dst, src, weight in again:
        row = single[src].row if src in single else rows.get(src)
        head = standing(db, row, query) if row is not None else None
        line = told.get(head.id, head.id) if head is not None else dst
        if line in single and line != dst:
            after[dst] = (line, weight)
    kept = {hit.id: hit for hit in chosen}
    for id, (line, weight) in sorted(after.items()):
        if line in kept and _fits(kept[line], kept[id]):
            _tell(kept[line], kept.pop(id), weight)
    return list(kept.values())


def _fits(hit: Hit, old: Hit) -> bool:
    """Whether a line can tell all that an older hit says beside its own."""
    return len(hit.was) + len(old.was) < MOST_LINKS


def _tell(hit: Hit, old: Hit, likely: float) -> None:
    """Put what an older hit says, and what was said before it, on the line of a later one."""
    old.row.perhaps = likely < LIKELY
    hit.was = sorted([*hit.was, old.row, *old.was], key=lambda row: (-row.valid_from, -row.id))
    hit.reasons.append(f"later: {'may speak' if old.row.perhaps else 'said again'} of the matter of #{old.id}")
