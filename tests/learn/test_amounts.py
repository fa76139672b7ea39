"""Amounts in words: half an hour, a dozen seats, two gigs."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn.measures import spelled_as
from agentmemory.learn.valued import values
from tests.learn.talk import held, taken_up


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("sessions expire after 45 minutes", "sessions expire after half an hour"),
        ("the export takes 20 minutes", "the export takes half an hour these days"),
        ("a shift lasts 7 hours", "a shift lasts half a day"),
        ("a team can have a dozen seats", "a team can have 25 seats"),
        ("the upload limit is 512 MB", "the upload limit is 2 gigs"),
    ],
)
def test_an_amount_in_words_replaces_another(db: apsw.Connection, tmp_path: Path, old: str, new: str) -> None:
    taken_up(db, tmp_path, old, new)

    assert old in held(db, "superseded") and new in held(db)


@pytest.mark.parametrize("text", ["we deploy twice a day", "half a loaf", "half of it and a day", "the tenant quota"])
def test_no_amount_is_what_only_begins_like_one(text: str) -> None:
    assert not values(text)


def test_a_number_in_words_is_a_whole_word() -> None:
    """Not "six" of "ty", nor a day in "and"."""
    assert {"amount of short time": {"sixty seconds"}} == values("the timeout is sixty seconds")
    assert {"amount of share": {"eighty percent"}} == values("alert from eighty percent")
    assert spelled_as("the deadline and the demo as well", "24 hours, 1 second") == "the deadline and the demo as well"
    assert spelled_as("sixty minutes and one day", "1 hour or 24 hours") == "1 hour and 24 hours"
