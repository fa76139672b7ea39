"""Which prompts are about how things were: told by their words, not by what they are about."""

from __future__ import annotations

import pytest

from agentmemory.recall import past
from agentmemory.recall.structure import structure
from agentmemory.recall.weights import PAST
from agentmemory.records import Query
from agentmemory.text import words


def about_past(prompt: str) -> bool:
    query = Query(prompt, 0.0, ())
    structure(None, query, [])  # type: ignore[arg-type]
    return query.about_past


@pytest.mark.parametrize(
    "prompt",
    [
        "what did we use for {} before the move?",
        "for my talk: every place our {} has lived in, in order, and why each one went",
        "which {} was it in March?",
        "the handbook still says {}, is that true?",
        "the history of the {}, please, with the reasons",
        "Until when did {} go over the old line, and what was there before that?",
        "an image from 20 april turned up, which {} had that one",
    ],
)
def test_a_question_about_how_it_was(prompt: str, token: str) -> None:
    assert about_past(prompt.replace("{}", token))


@pytest.mark.parametrize(
    "prompt",
    [
        "add a test for {}",
        "what do we use for {}?",
        "write the {} page and commit it please",
        "rename {} to something shorter, then run the tests",
        "how do I put a new {} on the machine?",
        "which port does {} listen on?",
    ],
)
def test_a_question_about_how_it_is(prompt: str, token: str) -> None:
    assert not about_past(prompt.replace("{}", token))


def test_months_and_numbers_tell_as_such() -> None:
    march, may = (past.features(words(f"on 20 {month} 2026"), False) for month in ("march", "october"))

    assert march == may and "NUMBER MONTH" in march


def test_every_weight_is_of_a_word_a_pair_or_the_form() -> None:
    assert all(name in ("rest", "asks", "words") or " " in name for name in PAST)
    assert past.likely([], False) < past.FROM
