"""Links from a new belief to those it belongs with: a named thing and a topic in common, or most of the rare words."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from agentmemory.store import beliefs
from agentmemory.store import graph as read

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

MOST = 5  # links drawn from one belief: more are found by walking
POSTINGS = 4_000  # index rows read for one belief: 3 ms
NAMED_TOGETHER = 0.12  # cosine from which two beliefs that share a named thing are related
RELATED = 0.30  # cosine from which they are related without one
SAYS_THE_SAME = 0.55  # cosine from which one supports the other, unless they differ in a value or a denial
DENIES = re.compile(r"\b(?:not?|never|none|nothing|without|cannot|dont|avoid|stop|\w+n['’]t|no longer)\b", re.I)


def draw(db: Database, belief: int, at: float) -> list[tuple[str, int, float]]:
    """Link a belief to those it belongs with: `[(type, other belief, weight)]`. The caller owns the transaction."""
    found = [link for link in related(db, belief) if link[1] != belief][:MOST]
    for type, other, weight in found:
        beliefs.link(db, type, belief, other, at, weight)
    return found


def related(db: Database, belief: int) -> list[tuple[str, int, float]]:
    """`(type, other, cosine)` of active beliefs of the same scope that belong with this one, closest first."""
    mine = beliefs.get(db, belief)
    words = set(mine.terms.split())
    total = read.size(db)
    named = {head for _, _, head, _, _ in read.mentioned(db, [belief])}
    nearby = _sharing(db, words, total)
    for _, entity, *_ in read.mentioned(db, [belief]):
        nearby.update(read.mentioning(db, entity, 50))
    nearby.discard(belief)
    rows = read.rows(db, read.within(db, nearby, (mine.scope,), ("active",)))
    theirs_named: dict[int, set[int]] = {}
    for other, _, head, _, _ in read.mentioned(db, rows):
        theirs_named.setdefault(other, set()).add(head)
    counts = read.frequencies(db, words.union(*(row.terms.split() for row in rows.values())) if rows else words, 4_000)
    out = []
    for other, row in rows.items():
        theirs = set(row.terms.split())
        cosine = _cosine(words, theirs, counts, total)
        shares = bool(named & theirs_named.get(other, set()))
        if cosine >= RELATED or (shares and cosine >= NAMED_TOGETHER):
            same = cosine >= SAYS_THE_SAME and _values(words) == _values(theirs)
            agrees = same and bool(DENIES.search(mine.text)) == bool(DENIES.search(row.text))
            out.append(("supports" if agrees else "relates", other, round(cosine, 3)))
    return sorted(out, key=lambda link: (-link[2], -link[1]))


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
