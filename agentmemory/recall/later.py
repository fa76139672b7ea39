"""Hits and what was said later about the same matter, without a word such as "now" or "instead".

Nobody can tell whether the later statement replaces the earlier one or adds to it. So a prompt that finds the earlier
one also finds the later one, the more the likelier the two speak of one matter; and if both are chosen they share a
line, the later one first, so that the earlier one never stands alone.
"""

from agentmemory.recall import found
from agentmemory.recall.render import MOST_LINKS
from agentmemory.recall.restated import leading, others
from agentmemory.recall.supersession import STALE, standing
from agentmemory.records import Hit, Query, marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.records import Row
    from agentmemory.store.rows import Database

#: the earlier one, the later one, how likely it speaks of the same matter; learn/match.py draws the links
AGAIN = "SELECT dst, src, weight FROM edge WHERE dst IN ({}) AND type = 'relates' AND detail = 'later' ORDER BY id"
TIED = 0.05  # likelihood of speaking of one matter from which any number share a line; what is less likely joins a pair
EXCHANGE = 600.0  # seconds within which one statement after another belongs to one exchange
LIKELY = 0.4  # from which the earlier one is told as what was said before; below, as what was said also


def later(db: "Database", query: Query, hits: "list[Hit]") -> "list[Hit]":
    """The hits and, beside them, what was said last about the matter of each. A later statement gets the bits of the
    earlier one, scaled by how likely both speak of one matter. `Hit.again` then lists an earlier hit's later ones."""
    kept = {hit.id: hit for hit in hits}
    for id, head, likely in _again(db, query, hits):
        old, hit = kept.get(id), kept.get(head.id)
        if old is None:
            continue
        old.again.append((head.id, likely))
        if old.steps:
            continue
        if hit is None:
            hit = kept[head.id] = Hit(head.id, head)
            hit.reasons.append(f"later: may speak of the matter of #{id}")
        found.credit(hit, old, STALE * likely)
        hit.score = max(hit.score, old.score * STALE * likely)
    brought = list(kept.values())[len(hits) :]
    for id, head, likely in _again(db, query, brought):
        if id in kept:
            kept[id].again.append((head.id, likely))
    return list(kept.values())


def beside(chosen: "list[Hit]") -> "list[Hit]":
    """The chosen hits, an earlier one moved onto the line of a later one about the same matter while that line has
    room. Of several later ones the line is that which is likeliest to be about the matter, and to be needed. Two that
    hardly are about one matter share a line with nothing else."""
    kept = {hit.id: hit for hit in chosen}
    line = {hit.id: hit.id for hit in chosen if not hit.steps}
    line.update({row.id: hit.id for hit in chosen if not hit.steps for row in hit.was})
    ties = _ties([hit for hit in chosen if not hit.steps], line)
    for _, id, head, likely in sorted(
        ((likely * kept[line[head]].likely, id, head, likely) for (id, head), likely in ties.items()), reverse=True
    ):
        old, hit = kept.get(id), kept[line[head]]
        if old is None or hit is old or len(hit.was) + len(old.was) >= MOST_LINKS:
            continue
        if likely < TIED and (line[head] != head or _shared(hit) or _shared(old)):
            continue
        said = "may speak" if likely < LIKELY else "said again"
        _tell(hit, kept.pop(id), likely < LIKELY, f"{said} of the matter of #{id}")
        line.update({each: hit.id for each, of in line.items() if of == id})
    return list(kept.values())


def _ties(hits: "list[Hit]", line: "dict[int, int]") -> "dict[tuple[int, int], float]":
    """`(earlier, later)` of what is in *line*, and how likely both speak of one matter. Two that may speak of a third
    one's matter may speak of each other's, as likely as both do."""
    said = {hit.id: hit.row.valid_from for hit in hits}
    ties: dict[tuple[int, int], float] = {}
    for hit in hits:
        for head, likely in hit.again:
            if head in line:
                ties[hit.id, head] = max(likely, ties.get((hit.id, head), 0.0))
    for hit in hits:
        heads = [(said[head], head, likely) for head, likely in hit.again if head in said]
        for when, one, likely in heads:
            for then, other, too in heads:
                if then - when > EXCHANGE and likely * too >= TIED:
                    ties.setdefault((one, other), likely * too)
    return ties


def _again(db: "Database", query: Query, hits: "list[Hit]") -> "list[tuple[int, Row, float]]":
    """`(earlier, later belief, how likely both speak of one matter)`, one of them a hit. What speaks again of another
    wording of a hit, or of what it replaced, counts as well; a later belief that was replaced since is represented by
    what replaced it. Of several that hardly do the likeliest alone counts."""
    mine = {hit.id: hit.row for hit in hits}
    ids = [*mine]
    if not ids or query.as_of is not None:
        return []
    wordings = {row.id: hit.id for hit in hits for row in hit.was} | others(db, ids)
    asked = [*ids, *wordings]
    again = db.execute(AGAIN.format(marks(asked)), asked).fetchall()
    said = sorted({src for _, src, _ in again})
    rows = mine | found.rows(db, [src for src in said if src not in mine], query) | leading(db, said, query)
    heads = {src: standing(db, row, query) for src, row in rows.items()}
    out = [(mine[wordings.get(dst, dst)], heads.get(src), likely) for dst, src, likely in again]
    ties = [
        (row.id, head, likely) if row.valid_from <= head.valid_from else (head.id, row, likely)
        for row, head, likely in out if head is not None and head.id != row.id
    ]  # fmt: skip
    best: dict[int, float] = {}
    for id, _, likely in ties:
        best[id] = max(likely, best.get(id, 0.0))
    return [tie for tie in ties if tie[2] >= TIED or tie[2] == best[tie[0]]]


def _shared(hit: Hit) -> bool:
    """Whether another statement stands on the line of a hit, beside what it replaced."""
    return any(row.state != "superseded" for row in hit.was)


def _tell(hit: Hit, old: Hit, perhaps: bool, why: str) -> None:
    """Put what another hit says, and what was said before it, on the line of a hit."""
    old.row.perhaps = perhaps
    for row in old.was:
        if row.state == "superseded":
            row.of = row.of or old.id
    hit.was = sorted([*hit.was, old.row, *old.was], key=lambda row: (-row.valid_from, -row.id))
    hit.reasons.append(f"later: {why}")
