"""Hits and what was said later about the same matter, without a word such as "now" or "instead".

Nobody can tell whether the later statement replaces the earlier one or adds to it. So a prompt that finds the earlier
one also finds the later one, the more the likelier the two speak of one matter; and if both are chosen they share a
line, the later one first, so that the earlier one never stands alone. What is news and what follows from it are often
two statements of one message; so what was said in one with a statement that changes something comes onto its line.
"""

from itertools import pairwise

from agentmemory.recall import found
from agentmemory.recall.render import MOST_LINKS, replaces
from agentmemory.recall.restated import leading, others
from agentmemory.recall.supersession import STALE, standing
from agentmemory.records import Hit, Query, marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.records import Row
    from agentmemory.store.rows import Database

#: the earlier one, the later one, how likely it speaks of the same matter; learn/match.py draws the links
AGAIN = "SELECT dst, src, weight FROM edge WHERE dst IN ({}) AND type = 'relates' AND detail = 'later' ORDER BY id"
EXCHANGE = 600.0  # seconds within which one statement after another belongs to one exchange
MOST_WITH = 2  # of a message that come onto the line of another
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
    room. Of several later ones the line is that which is likeliest to be about the matter, and to be needed."""
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
        said = "may speak" if likely < LIKELY else "said again"
        _tell(hit, kept.pop(id), likely < LIKELY, f"{said} of the matter of #{id}")
        line.update({each: hit.id for each, of in line.items() if of == id})
    return together(list(kept.values()))


def together(hits: "list[Hit]") -> "list[Hit]":
    """The hits, what was said next to one that changes something, in one message, moved onto its line or the other way
    round. What replaced something leads, else what is likelier to be needed."""
    said = sorted(
        (hit for hit in hits if not (hit.steps or hit.row.locked)), key=lambda hit: (hit.row.valid_from, hit.id)
    )
    line = {hit.id: hit for hit in said}
    for first, then in pairwise(said):
        one, two = line[first.id], line[then.id]
        if first.row.valid_from != then.row.valid_from or not (one.was or two.was):
            continue
        if len(one.was) + len(two.was) >= MOST_LINKS:
            continue
        hit, other = sorted((one, two), key=lambda hit: (not replaces(hit), -hit.likely))
        moved = sum([of is one or of is two for of in line.values()]) - 2
        if replaces(other) or moved >= MOST_WITH:
            continue
        _tell(hit, other, True, f"said with #{other.id}")
        line.update({id: hit for id, of in line.items() if of is other})
    return [hit for hit in hits if line.get(hit.id, hit) is hit]


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
                if then - when > EXCHANGE:
                    ties.setdefault((one, other), likely * too)
    return ties


def _again(db: "Database", query: Query, hits: "list[Hit]") -> "list[tuple[int, Row, float]]":
    """`(earlier, later belief, how likely both speak of one matter)`, one of them a hit. What speaks again of another
    wording of a hit, or of what it replaced, counts as well; a later belief that was replaced since is represented by
    what replaced it."""
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
    return [
        (row.id, head, likely) if row.valid_from <= head.valid_from else (head.id, row, likely)
        for row, head, likely in out if head is not None and head.id != row.id
    ]  # fmt: skip


def _tell(hit: Hit, old: Hit, perhaps: bool, why: str) -> None:
    """Put what another hit says, and what was said before it, on the line of a hit."""
    old.row.perhaps = perhaps
    for row in old.was:
        if row.state == "superseded":
            row.of = row.of or old.id
    hit.was = sorted([*hit.was, old.row, *old.was], key=lambda row: (-row.valid_from, -row.id))
    hit.reasons.append(f"later: {why}")
