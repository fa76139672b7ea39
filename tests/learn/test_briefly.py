"""What is told in a sentence or two and answered in a word is judged by itself; what it may change shares its line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import apsw
import pytest

from agentmemory.learn import answered, succession
from agentmemory.learn.compared import Likeness
from agentmemory.paths import DAY
from agentmemory.recall.pipeline import block
from agentmemory.records import Query
from experiments import changes
from tests.learn.talk import AT, held, play, told

Likenesses = Iterable[tuple[int, Likeness]]
FACTS = (
    "the route optimiser of {} runs with a budget of 90 seconds per depot",
    "{} uses Redis for the cache, with a TTL of ten minutes",
    "Refinement of {} takes place on Tuesdays.",
    "logs of {}: splunk, index vellum",
    "tests of {} run against postgres 15, never sqlite",
)
PASSING = (
    "run the tests of {} again",
    "is {} already on the new branch?",
    "the build of {} just crashed",
    "maybe we should move {} to redis one day",
    "add a retry to the client of {}",
)


@pytest.mark.parametrize(
    "reply", ["Noted.", "Got it.", "Understood, noted.", "Alright.", "Perfect, thank you.", "Klar, gemerkt."]
)
@pytest.mark.parametrize("said", FACTS)
def test_a_fact_that_the_agent_only_takes_note_of_is_held(
    db: apsw.Connection, tmp_path: Path, token: str, said: str, reply: str
) -> None:
    play(db, tmp_path, "hi", said.format(token), reply=reply)

    assert held(db) == [said.format(token)]


@pytest.mark.parametrize("reply", ["Done.", "On it, one moment."])
@pytest.mark.parametrize("said", PASSING)
def test_what_is_asked_or_passes_is_not(db: apsw.Connection, tmp_path: Path, token: str, said: str, reply: str) -> None:
    play(db, tmp_path, "hi", said.format(token), reply=reply)

    assert held(db) == []


@pytest.mark.parametrize(
    ("old", "new", "value"),
    [
        ("sprints of {} are two weeks, they start on mondays", "the sprints of {} run three weeks", "three weeks"),
        ("max upload of {} is 25 MB per file", "files in {} can be up to 100 MB each", "100 MB"),
    ],
)
def test_later_words_stand_with_what_they_may_change(
    db: apsw.Connection, tmp_path: Path, token: str, old: str, new: str, value: str
) -> None:
    told(db, tmp_path, old.format(token), new.format(token), reply="Noted.")

    scopes = tuple(row[0] for row in db.execute("SELECT id FROM scope"))
    lines = [
        line
        for line in block(db, Query(f"how is it with {token}", AT + 20 * DAY, scopes)).splitlines()
        if token in line
    ]

    assert len(lines) == 1 and value in lines[0]


@pytest.mark.parametrize(
    ("reply", "notes", "acts", "asks"),
    [
        ("Noted.", 1, 0, 0),
        ("Got it: 90 s per depot.", 1, 0, 0),
        ("Understood, done.", 0, 0, 0),
        ("Added a check.", 0, 1, 0),
        ("I've set `x`; tests pass.", 0, 1, 0),
        ("Which database?", 0, 0, 1),
        ("Notiert.", 1, 0, 0),
    ],
)
def test_what_sort_of_answer_it_is(reply: str, notes: int, acts: int, asks: int) -> None:
    sort = answered.sort_of(reply)

    assert (sort["reply notes"], sort["reply acts"], sort["reply asks"]) == (notes, acts, asks)


def test_an_answer_tells_at_length() -> None:
    assert answered.told("Noted.") == 0.0 and answered.told("x" * 1_000) == 1.0
    assert 0.0 < answered.told("x" * 70) < 1.0


def test_the_keys_of_each_history_stand_in_one_message() -> None:
    for row in changes.histories():
        for part, lists in (("before", row["gone"] + row["stays"]), ("after", row["new"])):
            for keys in lists:
                assert any(changes.holds(turn["user"], keys) for turn in row[part]), (row["id"], keys)


LONG = "Done: the timer and the page for operators say so now, and both jobs that start earlier wait from today on."


@pytest.mark.parametrize(("reply", "tied"), [("Noted.", 1), (LONG, 0)])
def test_a_slight_likelihood_ties_where_the_answer_tells_nothing(
    db: apsw.Connection, tmp_path: Path, token: str, monkeypatch: pytest.MonkeyPatch, reply: str, tied: int
) -> None:
    def slight(_: object, __: object, ___: object, alike: Likenesses) -> dict[int, float]:
        return {like.old.id: 0.01 for _, like in alike}

    monkeypatch.setattr(succession, "likelihoods", slight)
    play(db, tmp_path, f"we always import {token} at four in the morning", reply=reply)
    new = f"from now on the exports of {token} are written by the nightly job"
    play(db, tmp_path, new, at=9 * DAY, reply=reply)

    assert len(held(db)) == 2
    assert len(db.execute("SELECT 1 FROM edge WHERE type = 'relates' AND detail = 'later'").fetchall()) == tied
