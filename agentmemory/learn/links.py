"""Links from a new belief to those it belongs with: a named thing and a topic in common, or most of the rare words."""

from __future__ import annotations

import heapq
import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentmemory.learn.likeness import alike, idf
from agentmemory.learn.valued import marks
from agentmemory.records import Row
from agentmemory.store import beliefs
from agentmemory.store import graph as read

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

MOST = 5  # links drawn from one belief: more are found by walking
POSTINGS = 4_000  # index rows read for one belief: 3 ms
PER_STEM = 500  # newest of them that hold one word
LOOKED_AT = 160  # beliefs that share the most, before scope and state are asked
COMPARED = 48  # of them, compared word by word
NAMED_TOGETHER = 0.12  # cosine from which two beliefs that share a named thing are related
RELATED = 0.30  # cosine from which they are related without one
SAYS_THE_SAME = 0.55  # cosine from which one supports the other, unless they differ in a value or a denial
PER_NAME = 50  # newest beliefs looked at of one named thing
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
    found = related(db, belief)[:MOST]
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
    """Active beliefs of the same scope that share a rare word or a named thing with this one, closest first.

    At most `COMPARED` of them, whatever the size of the store.
    """
    mine = beliefs.get(db, belief)
    words = set(mine.terms.split())
    total = read.size(db)
    mentioned = read.mentioned(db, [belief])
    named = {head for _, _, head, _, _ in mentioned}
    rows = _promising(db, mine, words, {entity for _, entity, *_ in mentioned}, total)
    theirs: dict[int, set[int]] = {}
    for other, _, head, _, _ in read.mentioned(db, rows):
        theirs.setdefault(other, set()).add(head)
    held = {id: set(row.terms.split()) for id, row in rows.items()}
    counts = read.frequencies(db, words.union(*held.values()), MOST_STEMS)
    worth = {stem: idf(counts.get(stem, 1), total) for stem in words.union(*held.values())}
    found = [
        _compare(mine, row, alike(words, held[id], worth.__getitem__), bool(named & theirs.get(id, set())))
        for id, row in rows.items()
    ]
    return sorted(found, key=lambda near: (-near.cosine, -near.id))


def _promising(db: Database, mine: Row, words: set[str], entities: set[int], total: int) -> dict[int, Row]:
    """The beliefs worth comparing: those that share the most of the rare words and named things."""
    shared: defaultdict[int, float] = defaultdict(float)
    left = POSTINGS
    for stem, count in read.frequencies(db, words).items():
        if left <= 0 or count > max(20, total // 10):  # what a tenth of all beliefs says tells nothing
            break
        found = read.postings(db, stem, min(left, PER_STEM))
        left -= len(found)
        worth = idf(count, total) ** 2
        for id in found:
            shared[id] += worth
    for entity in entities:
        found = read.mentioning(db, entity, PER_NAME)
        worth = idf(len(found), total) ** 2
        for id in found:
            shared[id] += worth
    shared.pop(mine.id, None)
    best = heapq.nsmallest(LOOKED_AT, shared, key=lambda id: (-shared[id], -id))
    live = read.within(db, best, (mine.scope,), ("active",))
    return read.rows(db, [id for id in best if id in live][:COMPARED])


def _compare(mine: Row, row: Row, cosine: float, shares_name: bool) -> Near:
    same = cosine >= SAYS_THE_SAME and marks(mine.terms.split()) == marks(row.terms.split())
    agrees = same and bool(DENIES.search(mine.text)) == bool(DENIES.search(row.text))
    return Near(row.id, "supports" if agrees else "relates", round(cosine, 3), shares_name)
