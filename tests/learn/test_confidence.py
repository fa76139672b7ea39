"""The mathematics of belief: claims that hold for all numbers, not for chosen ones."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from agentmemory import confidence
from agentmemory.values import KINDS

DAY = confidence.DAY
kinds = st.sampled_from(KINDS)
PROVENANCES = ("user", "agent", "tool", "import")
provenances = st.sampled_from(PROVENANCES)
weights = st.floats(0.01, 20.0)
times = st.floats(0.0, 3_000.0 * DAY)


@given(provenances, kinds, weights, times, st.booleans())
def test_evidence_for_raises_and_evidence_against_lowers(
    provenance: str, kind: str, weight: float, at: float, locked: bool
) -> None:
    a, b = confidence.prior(provenance, kind)

    up = confidence.observe(a, b, 0.0, provenance, kind, locked, weight, at)
    down = confidence.observe(a, b, 0.0, provenance, kind, False, -weight, at)

    assert confidence.mean(*up[:2]) > confidence.mean(a, b) > confidence.mean(*down[:2])


@given(provenances, kinds, weights, weights, st.floats(0.0, 100.0 * DAY))
def test_more_evidence_of_one_sign_moves_further(
    provenance: str, kind: str, less: float, extra: float, at: float
) -> None:
    a, b = confidence.prior(provenance, kind)
    some = confidence.observe(a, b, 0.0, provenance, kind, False, less, at)
    more = confidence.observe(a, b, 0.0, provenance, kind, False, less + extra, at)

    assert confidence.mean(*more[:2]) > confidence.mean(*some[:2])


@given(provenances, kinds, st.lists(st.floats(-5.0, 5.0), max_size=8))
def test_what_nothing_confirms_returns_to_its_prior(provenance: str, kind: str, given_weights: list[float]) -> None:
    a, b = confidence.prior(provenance, kind)
    written = 0.0
    alpha, beta = a, b
    for weight in given_weights:
        alpha, beta, written = confidence.observe(alpha, beta, written, provenance, kind, False, weight, written)

    later = confidence.at_time(alpha, beta, provenance, kind, False, 60 * confidence.HALF_LIVES[kind] * DAY)

    assert abs(later[0] - a) < 1e-9 and abs(later[1] - b) < 1e-9


@given(provenances, kinds, weights, times, times)
def test_decay_is_one_way_and_needs_no_schedule(
    provenance: str, kind: str, weight: float, first: float, second: float
) -> None:
    a, b = confidence.prior(provenance, kind)
    at_once = confidence.at_time(a + weight, b, provenance, kind, False, first + second)
    half_way = confidence.at_time(a + weight, b, provenance, kind, False, first)
    in_two = confidence.at_time(*half_way, provenance, kind, False, second)

    assert a <= at_once[0] <= a + weight
    assert abs(at_once[0] - in_two[0]) < 1e-6


@given(provenances, kinds, st.lists(st.tuples(st.floats(-3.0, 3.0), st.floats(0.0, 900.0)), min_size=2, max_size=4))
def test_the_order_of_independent_evidence_does_not_matter(
    provenance: str, kind: str, seen: list[tuple[float, float]]
) -> None:
    ends = []
    for order in itertools.permutations(seen):
        alpha, beta = confidence.prior(provenance, kind)
        written = 0.0
        for weight, day in order:
            alpha, beta, written = confidence.observe(
                alpha, beta, written, provenance, kind, False, weight, day * DAY
            )  # fmt: skip
        ends.append((alpha, beta, written))

    for alpha, beta, written in ends:
        assert abs(alpha - ends[0][0]) < 1e-6 and abs(beta - ends[0][1]) < 1e-6 and written == ends[0][2]


@given(kinds, weights, times)
def test_a_lock_neither_decays_nor_yields(kind: str, weight: float, at: float) -> None:
    a, b = confidence.prior("user", kind)

    alpha, beta, _ = confidence.observe(a + 3, b, 0.0, "user", kind, True, -weight, at)

    assert (alpha, beta) == (a + 3, b)
    assert confidence.at_time(a + 3, b, "user", kind, True, at) == (a + 3, b)


@given(kinds)
def test_the_users_word_weighs_more_than_anybodys(kind: str) -> None:
    user = confidence.mean(*confidence.prior("user", kind))

    assert all(user > confidence.mean(*confidence.prior(p, kind)) for p in PROVENANCES if p != "user")


def test_a_half_life_halves() -> None:
    for kind, days in confidence.HALF_LIVES.items():
        a, b = confidence.prior("user", kind)
        alpha, _ = confidence.at_time(a + 8, b, "user", kind, False, days * DAY)
        assert abs(alpha - (a + 4)) < 1e-9
