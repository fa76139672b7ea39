"""Importance of a turn, and the average that moves it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmemory.sleep.importance import WEIGHTS, ema
from tests.sleep.talk import worth

CHAT = "ok thanks, that sounds really good to me, great"
FACT = "Deploy Orion to Frankfurt on port 8443 by 3 May"


def test_a_fact_is_worth_more_than_a_courtesy() -> None:
    assert worth(CHAT).total < worth(FACT).total


def test_what_was_just_said_is_not_new() -> None:
    assert worth(FACT, [FACT]).novelty < worth(FACT, [CHAT]).novelty
    assert worth(FACT, [FACT]).novelty == pytest.approx(0.0)


def test_recency_halves_in_twenty_turns() -> None:
    assert worth(FACT, since=20).recency == pytest.approx(0.5, abs=0.001)
    assert worth(FACT, since=0).recency == 1.0


def test_a_lesson_outweighs() -> None:
    assert worth(FACT, lesson=1.0).total - worth(FACT).total == pytest.approx(WEIGHTS["lesson"])


def test_the_average_moves_by_a_fifth() -> None:
    known, seen = 0.5, []
    for _ in range(3):
        known = ema(known, 1.0)
        seen.append(round(known, 3))
    assert seen == [0.600, 0.680, 0.744]


@given(st.text(max_size=300), st.lists(st.text(max_size=60), max_size=4), st.integers(0, 500), st.floats(0, 1))
def test_every_term_stays_between_nothing_and_one(text: str, earlier: list[str], since: int, lesson: float) -> None:
    scored = worth(text, earlier, since, lesson)
    assert all(0.0 <= getattr(scored, name) <= 1.0 for name in (*WEIGHTS, "total"))
