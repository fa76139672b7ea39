"""How much more or less something becomes, said in a word behind what was wrong with it, is held with the value that
the answer says it has now."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn.spelled import scaled
from agentmemory.store import listing
from tests.learn.talk import held, told

BEFORE = (("crawlers for a price list", "OK, I looked around."), ("hosts are listed in inventory.ini", "Understood."))


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("the crawler gets banned, triple the delay", "The delay is 6 s now."),
        ("users hit the limit all the time. triple it", "The rate limit is 300 per minute."),
        ("dies on the spikes every time. make em do half", "Spikes deal 10 damage."),
        ("the list stutters on old phones, halve the page size", "Page size is 25."),
        ("the model overfits badly. raise dropout a notch", "Dropout is 0.3."),
        ("nobody reads the small print on phones, make it bigger", "Small print is 16 px."),
        ("the camera makes everybody sick, slow it down", "Camera speed is 0.4."),
        ("die schrift ist kaum zu lesen, mach sie größer", "Die Schrift hat 18 px."),
    ],
)
def test_the_order_behind_a_symptom_is_held_with_its_value(
    db: apsw.Connection, tmp_path: Path, said: str, answer: str
) -> None:
    told(db, tmp_path, BEFORE, [(said, answer)])

    found = [each for each in listing.export(db) if each["state"] == "active" and each["text"] in said]
    assert [said] == [each["text"] for each in found]
    assert any(word in f"{found[0]['context']} {found[0]['keywords']}" for word in answer.rstrip(".").split()[-2:])


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("the build is red, fix it", "Fixed the build."),
        ("the disk is full. delete the old dumps", "Deleted 4 dumps."),
        ("the level doesn't load. check the log", "The log says that node 4 is missing."),
        ("the plot looks odd, make it bigger for a second", "Here it is at 200 px."),
        ("the tests are slow. run half of them", "41 passed in 12 s."),
        ("raise an issue, the docs are stale", "Issue 45 is open."),
    ],
)
def test_a_deed_of_the_moment_is_not(db: apsw.Connection, tmp_path: Path, said: str, answer: str) -> None:
    told(db, tmp_path, BEFORE, [(said, answer)])

    assert not any(each in said for each in held(db))


def test_an_answer_that_tells_no_new_value_or_what_was_done_says_nothing_of_it() -> None:
    assert scaled("triple it", "The limit is 300.") == "The limit is 300."
    assert not scaled("triple it", "Tripled the limit to 300.") and not scaled("make it 300, bigger", "It is 300.")
    assert not scaled("fix it", "The limit is 300.") and not scaled("triple it", "Shall it be 300?")
