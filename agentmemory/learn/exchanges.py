"""How alike the exchanges are in which two statements were made: what the assistant answered, what it had said before,
how many rare words both have. "They post each batch now" has no word of "the PDFs go to the share"; what was answered
both times may.

Cosines of bags of words (likeness.py). How rare a word is is looked up for the words of the new exchange; of these
those count that beliefs are known by, half of them at most: "Noted." is like no other "Noted.". What else an older one
says counts as rare.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from agentmemory.learn.likeness import bag, idf
from agentmemory.learn.retired import VAGUE
from agentmemory.store import lineage

if TYPE_CHECKING:
    from collections.abc import Iterable, Set

    from agentmemory.store.lineage import Known
    from agentmemory.store.rows import Database
    from agentmemory.values import Candidate

TYPICAL = 2  # beliefs that hold a word which nobody looked up
RARE, OF = 5, 10  # that hold a word which tells of few matters, at most; and one of so many beliefs in a small store
ALIKE = 0.5  # cosine from which two exchanges have as much in common as any
SCALE = 5.0
ANSWERS, LED, TOGETHER = "exchange answers", "exchange led", "exchange rare"
#: the most that each feature can be
MOST = {ANSWERS: ALIKE * SCALE, LED: ALIKE * SCALE, TOGETHER: 2.0}
A_WORD = 0.5  # what each rare word of both adds


def alike(db: Database, c: Candidate, old: Iterable[Known]) -> dict[int, dict[str, float]]:
    """For each older statement that a turn said what its exchange and that of a new one have in common, as features;
    nothing for one that no turn said, or that nothing has answered."""
    known = [each.id for each in old]
    if c.turn is None or not c.answer or not known:
        return {}
    answer = bag(c.answer) - VAGUE
    whole = answer | (bag(lineage.told(db, c.turn)[1]) - VAGUE)
    led = bag(lineage.led_to(db, c.turn)) - VAGUE
    counts, total = lineage.counted(db, c.scope, sorted(whole | led))
    rare = {s for s in whole if 0 < counts.get(s, 0) <= min(RARE, total // OF)}
    worth = {s: idf(counts[s], total) ** 2 if 0 < counts.get(s, 0) <= total / 2 else 0.0 for s in answer | led}
    typical = idf(TYPICAL, total) ** 2

    def near(one: Set[str], other: Set[str]) -> float:
        dot = math.fsum(worth[s] for s in one & other)
        looked = worth.keys() & other
        size = math.fsum(worth[s] for s in looked) + typical * (len(other) - len(looked))
        return min(ALIKE, dot / math.sqrt(math.fsum(worth[s] for s in one) * size)) * SCALE if dot else 0.0

    out = {}
    for id, (said, answered) in lineage.exchanges(db, known).items():
        reply = frozenset(answered.split()) - VAGUE
        both = reply | (frozenset(said.split()) - VAGUE)
        out[id] = {
            ANSWERS: near(answer, reply), LED: near(led, both),
            TOGETHER: min(MOST[TOGETHER], A_WORD * len(rare & both)),
        }  # fmt: skip
    return out
