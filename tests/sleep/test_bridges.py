"""Bridges: words that keep company in several sessions stand for each other; chance does not build one."""

from __future__ import annotations

import pytest

from agentmemory.sleep import bridges


def exchanges(pairs: int, *words: str) -> list[tuple[int, set[str]]]:
    return [(i, {*words, f"own{i}"}) for i in range(pairs)]


OTHERS = [(100 + i, {f"a{i}", f"b{i % 30}", f"c{i % 17}"}) for i in range(200)]


def test_company_in_several_sessions_builds_a_bridge() -> None:
    found = bridges.pairs([*exchanges(6, "ship", "smoke"), *OTHERS], {"smoke": 2})
    assert [(a, b) for a, b, _ in found] == [("ship", "smoke")]


@pytest.mark.parametrize(("times", "built"), [(2, False), (3, True)])
def test_company_is_kept_in_three_exchanges_at_least(times: int, built: bool) -> None:
    assert bool(bridges.pairs([*exchanges(times, "ship", "smoke"), *OTHERS], {"smoke": 2})) is built


def test_company_in_one_session_only_is_one_conversation() -> None:
    together = [(1, stems) for _, stems in exchanges(6, "ship", "smoke")]
    assert bridges.pairs([*together, *OTHERS], {"smoke": 2}) == []


def test_a_bridge_ends_at_a_word_that_beliefs_hold() -> None:
    assert bridges.pairs([*exchanges(6, "ship", "smoke"), *OTHERS], {"unsaid": 1}) == []


def test_words_of_everything_build_none() -> None:
    said = [(i % 40, {"ship", "smoke", f"b{i % 30}", f"c{i % 17}"}) for i in range(200)]
    assert bridges.pairs(said, {"smoke": 2}) == []


def test_nothing_is_built_of_nothing() -> None:
    assert bridges.pairs([], {}) == bridges.pairs(OTHERS, {}) == []
