"""A time of day that a prompt says in words finds the figures that a belief has for it."""

from __future__ import annotations

import apsw
import pytest

from agentmemory.recall import clock
from agentmemory.recall.pipeline import brought
from agentmemory.recall.structure import wants_all
from agentmemory.text import content, words
from tests.recall.conftest import Ask, Teach


@pytest.mark.parametrize(
    ("said", "figures"),
    [
        ("half past two", "02 2 14 30"),
        ("quarter to six", "05 5 17 45"),
        ("at twenty past nine", "09 21"),
        ("at five o'clock", "05 17"),
        ("2 pm", "14"),
        ("around noon", "12 00"),
        ("back to one of ten", ""),
        ("the last five to do", ""),
    ],
)
def test_times_in_words(said: str, figures: str) -> None:
    found = clock.others(said, content(said))

    assert {figure for each in found.values() for figure in each} >= set(figures.split())
    assert bool(found) == bool(figures)


def test_a_time_in_words_finds_its_figures(db: apsw.Connection, teach: Teach, ask: Ask) -> None:
    teach("the sweep starts at 02:30, when the tills have closed")
    for n in range(6):
        teach(f"rule {n}: colours of part {n} come from the palette")

    assert any("02:30" in hit.row.text and hit.matched for hit in brought(db, ask("what is done at half past two?")))


def test_a_run_book_that_says_something_is_not_asked_for_as_a_whole() -> None:
    assert not wants_all(words("the runbook says 02:30, does it still hold?"))
    assert wants_all(words("what does the runbook for a release say"))
