"""What agents give each other: nothing unasked, and never what somebody said word for word."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.cli import main
from agentmemory.memory import Memory
from agentmemory.sleep import federation
from agentmemory.sleep.night import sleep
from agentmemory.store import federation as rows
from agentmemory.store import nights, sleep_tables, summaries, writer
from tests.conftest import older_store
from tests.sleep.talk import DAY, NOW, a_project, name, rise, say, topic


def shares(db: apsw.Connection, scope: int) -> None:
    """The user says that this agent shares after each night."""
    with writer.transaction(db):
        rows.consent(db, scope, NOW)


def asked(db: apsw.Connection, scope: int, about: str) -> list[str]:
    with writer.transaction(db):
        return [each.text for each in federation.search(db, scope, about)]


def test_nights_share_nothing_of_which_nobody_said_that_it_is_shared(db: apsw.Connection) -> None:
    agents = [a_project(db, agent=name().lower()) for _ in range(3)]
    of = {agent: name() for agent in agents}
    for agent in agents:
        rise(db, agent, of[agent])
    assert [asked(db, agents[0], f"Postgres pool of {of[other]}") for other in agents] == [[]] * 3

    shares(db, agents[1])
    for agent in agents:
        say(db, topic("page", of[agent]), key=f"more {agent}", scope=agent, at=NOW + 9 * DAY)
    assert sleep(db, NOW + 9 * DAY).shared == 1
    found = asked(db, agents[0], f"Postgres pool of {of[agents[1]]}")
    assert len(found) == 1 and of[agents[1]] in found[0]
    assert of[agents[2]] not in str(asked(db, agents[0], f"Postgres pool of {of[agents[2]]}"))


@pytest.mark.parametrize("times", [federation.KEPT_BY - 1, federation.KEPT_BY])
def test_what_hardly_anybody_asks_for_is_shared_no_longer_after_a_month(db: apsw.Connection, times: int) -> None:
    one, other, of = a_project(db, agent="one"), a_project(db, agent="other"), name()
    rise(db, one, of)
    with writer.transaction(db):
        assert federation.promote(db, one, NOW) == 1
    sleep(db, NOW + federation.RETIRES_AFTER - DAY)
    assert asked(db, one, f"Postgres pool of {of}") == [], "its own is not news to an agent"
    for _ in range(times):
        assert len(asked(db, other, f"Postgres pool of {of}")) == 1

    sleep(db, NOW + federation.RETIRES_AFTER + DAY)
    assert len(asked(db, other, f"Postgres pool of {of}")) == (times >= federation.KEPT_BY)


def test_what_was_said_word_for_word_does_not_cross(db: apsw.Connection) -> None:
    one, other, of = a_project(db, agent="one"), a_project(db, agent="other"), name()
    risen = rise(db, one, of)
    said = [turn.text for turn in nights.by_id(db, summaries.turns_of(db, risen))]
    assert any(text in (summary := summaries.live(db, [one])[-1].text) for text in said), summary
    with writer.transaction(db):
        assert federation.promote(db, one, NOW) == 1
    (told,) = asked(db, other, f"the Postgres pool of {of}")
    assert of in told and not any(text.lower() in told.lower() for text in said)


@pytest.mark.parametrize(
    ("summary", "told"),
    [
        ("Pool (in 3 sessions): Raise the pool of Orion to 400. It leaks slowly.",
            "Pool (in 3 sessions): It leaks slowly. It names Orion."),
        ("Orion keeps 400 connections in its pool.", "Orion keeps 400 connections in its pool."),
        ("Pool: The team of Orion decided: raise the pool of Orion to 400 at once.", "Pool: It names Orion."),
        ("Raise the pool of Orion to 400: it was said so.", "It names Orion."),
    ],
)  # fmt: skip
def test_sentences_that_a_model_wrote_are_told(summary: str, told: str) -> None:
    assert federation.told(summary, ["raise the pool of Orion to 400", "ok"]) == told


def test_sharing_is_once_or_of_every_night_and_can_be_taken_back(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def told(*command: str) -> str:
        assert main(["agents", "share", *command]) == 0
        return capsys.readouterr().out

    of, later = name(), name()
    with Memory(agent="bob") as bob, Memory(agent="alice") as alice:
        rise(bob.db, bob.scope, of)
        assert told("bob") == "New among what is shared: 1.\n"
        assert told().split()[-3:] == ["bob", "1", "no"]
        context = alice.respond(f"the Postgres pool of {of}").context
        assert of in context.partition("== FROM OTHER AGENTS ==")[2] and '(from "bob")' in context

        rise(bob.db, bob.scope, later, "page")
        assert told().split()[-3:] == ["bob", "1", "no"]
        assert told("bob", "--always") == "New among what is shared: 1.\n"
        rise(bob.db, bob.scope, name(), "bread")
        assert told().split()[-3:] == ["bob", "3", "yes"]

        told("bob", "--no")
        assert asked(alice.db, alice.scope, f"Postgres pool of {of}") == []
        say(bob.db, topic("trip"), key="more", scope=bob.scope, at=NOW + 9 * DAY)
        assert sleep(bob.db, NOW + 9 * DAY).shared == 0 and "bob" not in told()


@pytest.mark.parametrize("command", [
    "share nobdy", "share --no nobdy", "share --always nobdy", "fork nobdy me", "ask nobdy about pools",
    "trust alice nobdy", "trust nobdy alice wrong", "reads nobdy alice", "reads alice nobdy --no",
])  # fmt: skip
def test_an_agent_that_is_not_there_is_not_made(
    project: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with Memory(agent="alice") as memory:
        assert main(["agents", *command.split()]) == 1
        assert capsys.readouterr().err == "agentmemory: there is no agent 'nobdy' in this project\n"
        assert memory.db.execute("SELECT name FROM scope WHERE kind = 'agent'").fetchall() == [("alice",)]


@pytest.mark.parametrize(("typed", "meant"), [
    ("alcie", "'alice'"), ("Alice", "'alice'"), ("ALICE ", "'alice'"), ("review", "'code-reviewer' or 'reviewer'"),
    ("rewiever", "'reviewer' or 'code-reviewer'"), ("code_reviewer", "'code-reviewer' or 'reviewer'"),
])  # fmt: skip
def test_the_names_near_a_mistyped_one_are_told(
    project: Path, typed: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for agent in ("alice", "zeno", "reviewer", "code-reviewer"):
        Memory(agent=agent).close()

    assert main(["agents", "trust", "zeno", typed, "wrong"]) == 1
    assert capsys.readouterr().err == (
        f"agentmemory: there is no agent {typed!r} in this project; did you mean {meant}?\n"
    )


@pytest.mark.parametrize("command", ["share --no", "fork bob bob", "trust bob bob", "reads bob bob", "fork bob"])
def test_what_takes_two_agents_is_not_done_with_one(
    project: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with Memory(agent="bob") as bob:
        assert main(["agents", *command.split(), *([" "] if command == "fork bob" else [])]) == 1
        assert len(capsys.readouterr().err.splitlines()) == 1
        assert bob.db.execute("SELECT count(*) FROM scope WHERE kind = 'agent'").fetchone() == (1,)
        assert bob.db.execute("SELECT count(*) FROM scope_edge").fetchone() == (0,)


def test_what_nights_once_gave_away_unasked_is_taken_back(tmp_path: Path) -> None:
    db = older_store(tmp_path, sleep_tables.sharing_is_asked_for)
    db.execute(
        "INSERT INTO belief (scope, kind, text, terms, provenance, alpha, beta, valid_from, created, confirmed, digest)"
        " VALUES (1, 'summary', 'a topic', '', 'agent', 1, 1, 0, 0, 0, '')"
    )
    db.execute("INSERT INTO shared (belief, scope, pool, at) VALUES (1, 1, 1, 0)")
    db.close()
    db = writer.open_store(str(tmp_path))
    assert db.execute("SELECT count(*) FROM shared").fetchone() == (0,)
    assert rows.risen(db, 1, 1) == [(1, "a topic")]
