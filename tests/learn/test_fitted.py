"""What the fitted judges share."""

from __future__ import annotations

import math
import random

from hypothesis import given
from hypothesis import strategies as st

from agentmemory.learn import fitted, succession
from agentmemory.learn.likeness import alike, cosine

FOUND = st.dictionaries(st.text(max_size=4), st.floats(-9, 9), max_size=40)


@given(FOUND, st.randoms(use_true_random=False))
def test_what_is_found_weighs_the_same_in_any_order(found: dict[str, float], rng: random.Random) -> None:
    weights = {name: math.sin(i) for i, name in enumerate(found)}
    shuffled = dict(rng.sample(sorted(found.items()), len(found)))

    assert fitted.likelihood(weights, found) == fitted.likelihood(weights, shuffled)
    assert cosine(found, weights) == cosine(shuffled, weights)


@given(st.lists(st.integers(0, 10_000), unique=True, max_size=200), st.randoms(use_true_random=False))
def test_two_bags_are_as_alike_in_any_order(numbers: list[int], rng: random.Random) -> None:
    one = {str(n) for n in numbers}
    other = set(rng.sample(sorted(one), len(one)))  # the same words, put in in another order

    assert alike(one, one, lambda word: math.log(int(word) + 2)) == alike(other, one, lambda w: math.log(int(w) + 2))


def test_a_tree_adds_what_its_leaf_says() -> None:
    tree = fitted.tree(["near", 0.5, ["long", 0.0, -0.25, 0.5], 1.0])
    judge = fitted.Boosted({"near": 2.0, "rest": -1.0}, [tree, 0.125])

    assert judge.odds({"rest": 1.0}) == -1.0 - 0.25 + 0.125
    assert judge.odds({"rest": 1.0, "near": 0.5, "long": 1.0}) == 0.0 + 0.5 + 0.125
    assert judge.odds({"rest": 1.0, "near": 0.75}) == 0.5 + 1.0 + 0.125


def test_what_is_kept_of_a_fit_is_read_as_trees() -> None:
    for judge in (succession.TOLD, succession.UNANSWERED):
        assert judge.trees
