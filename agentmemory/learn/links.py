"""Links from a new belief to those it belongs with: a named thing and a topic in common, or most of the rare words."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentmemory.records import Row
from agentmemory.store import beliefs
from agentmemory.store import graph as read

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

MOST = 5  # links drawn from one belief: more are found by walking
POSTINGS = 4_000  # index rows read for one belief: 3 ms
NAMED_TOGETHER = 0.12  # cosine from which two beliefs that share a named thing are related
RELATED = 0.30  # cosine from which they are related without one
SAYS_THE_SAME = 0.55  # cosine from which one supports the other, unless they differ in a value or a denial
PER_NAME = 50  # newest beliefs compared of one named thing
MOST_STEMS = 4_000  # stems looked up for one comparison
DENIES = re.compile(r"\b(?:not?|never|none|nothing|without|cannot|dont|avoid|stop|\w+n['’]t|no longer)\b", re.I)


@dataclass(frozen=True, slots=True)
class Near:
    """A belief near another: the edge it would make, how alike the words are (0 to 1), whether a name is shared."""

    id: int
    type: str
    cosine: float
    shares_name: bool


def draw(db: Database, belief: int, at: float) -> list[tuple[str, int, float]]:
    """Link a belief to those it belongs with: `[(type, other belief, weight)]`. The caller owns the transaction."""
    found = [link for link in related(db, belief) if link[1] != belief][:MOST]
    for type, other, weight in found:
        beliefs.link(db, type, belief, other, at, weight)
    return found


def related(db: Database, belief: int) -> list[tuple[str, int, float]]:
    """`(type, other, cosine)` of active beliefs of the same scope that belong with this one, closest first."""
    return [
        (near.type, near.id, near.cosine)
        for near in nearest(db, belief)
        if near.cosine >= RELATED or (near.shares_name and near.cosine >= NAMED_TOGETHER)
    ]


def nearest(db: Database, belief: int) -> list[Near]:
    """Active beliefs of the same scope that share a rare word or a named thing with this one, closest first."""
    mine = beliefs.get(db, belief)
    words = set(mine.terms.split())
    total = read.size(db)
    mentioned = read.mentioned(db, [belief])
    named = {head for _, _, head, _, _ in mentioned}
    nearby = _sharing(db, words, total)
    for _, entity, *_ in mentioned:
        nearby.update(read.mentioning(db, entity, PER_NAME))
    nearby.discard(belief)
    rows = read.rows(db, read.within(db, nearby, (mine.scope,), ("active",)))
    theirs: dict[int, set[int]] = {}
    for other, _, head, _, _ in read.mentioned(db, rows):
        theirs.setdefault(other, set()).add(head)
    counts = read.frequencies(db, words.union(*(row.terms.split() for row in rows.values())), MOST_STEMS)
    found = [_compare(mine, row, bool(named & theirs.get(id, set())), counts, total) for id, row in rows.items()]
    return sorted(found, key=lambda near: (-near.cosine, -near.id))


def _compare(mine: Row, row: Row, shares_name: bool, counts: dict[str, int], total: int) -> Near:
    a, b = set(mine.terms.split()), set(row.terms.split())
    cosine = _cosine(a, b, counts, total)
    same = cosine >= SAYS_THE_SAME and _values(a) == _values(b)
    agrees = same and bool(DENIES.search(mine.text)) == bool(DENIES.search(row.text))
    return Near(row.id, "supports" if agrees else "relates", round(cosine, 3), shares_name)


def _sharing(db: Database, words: set[str], total: int) -> set[int]:
    """Beliefs that share a rare word, as far as the budget of index rows goes."""
    out: set[int] = set()
    left = POSTINGS
    for stem, count in read.frequencies(db, words).items():
        if left <= 0 or count > max(20, total // 10):  # what a tenth of all beliefs says tells nothing
            break
        found = read.postings(db, stem, min(left, 500))
        left -= len(found)
        out.update(found)
    return out


def _cosine(a: set[str], b: set[str], counts: dict[str, int], total: int) -> float:
    """Cosine of two texts as bags of stems, each worth its idf."""

    def worth(stem: str) -> float:
        return math.log(1.0 + (total + 1.0) / (counts.get(stem, 1) + 0.5)) ** 2

    shared = sum(map(worth, a & b))
    return shared / math.sqrt(sum(map(worth, a)) * sum(map(worth, b))) if shared else 0.0


def _values(stems: set[str]) -> set[str]:
    return {s for s in stems if any(c.isdigit() for c in s)}
