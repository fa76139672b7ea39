"""Where dots are drawn at first: apart from each other, with what belongs together side by side."""

from __future__ import annotations

import itertools
import math
import random
import statistics

from agentmemory.page.layout import LARGEST, place


def far(a: tuple[float, float], b: tuple[float, float]) -> float:
    return math.hypot(a[0] - b[0], a[1] - b[1])


def test_nothing_and_one() -> None:
    assert place([], []) == []
    assert place([7], [(7, 7), (7, 99)]) == [(0.0, 0.0)]


def test_topics_lie_apart_and_dots_do_not_cover_each_other() -> None:
    rng = random.Random(1)
    ids = list(range(1, 401))
    rng.shuffle(ids)
    topics = [ids[i : i + 20] for i in range(0, 400, 20)]
    pairs = [(rng.choice(t), rng.choice(t)) for t in topics for _ in range(60)]
    at = dict(zip(ids, place(ids, pairs), strict=True))

    within = [far(at[a], at[b]) for t in topics for a, b in itertools.combinations(t, 2)]
    anywhere = [far(at[a], at[b]) for a, b in itertools.combinations(ids, 2)]
    nearest = [min(far(at[a], at[b]) for b in ids if b != a) for a in ids[:100]]

    assert statistics.median(within) < statistics.median(anywhere) / 3
    assert min(nearest) > 0.3


def test_one_web_is_still_told_apart() -> None:
    ids = list(range(4 * LARGEST))
    at = place(ids, [(i, j) for i in ids for j in (i + 1, i + 2, i + 3) if j in ids])

    assert len(set(at)) == len(ids)
    assert max(far((0, 0), p) for p in at) > math.sqrt(len(ids)) / 2


def test_the_same_graph_lies_the_same_way() -> None:
    pairs = [(i, i * 7 % 100) for i in range(100)]

    assert place(range(100), pairs) == place(range(100), pairs)
