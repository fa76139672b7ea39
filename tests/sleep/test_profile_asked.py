"""What a model reads of the profile: quoted from the user's own sentences, or nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from agentmemory import worker
from agentmemory.model.engine import EngineError, Prompt
from agentmemory.model.fake import FakeEngine
from agentmemory.sleep import profile_asked
from agentmemory.sleep.night import sleep
from agentmemory.store import jobs, traits, writer
from tests.model.standin import StandIn
from tests.sleep.talk import DAY, NOW, say

SAID = "These days home for me is a small flat in Tromsø, by the harbour."  # no pattern of the rules reads this


@pytest.fixture
def model(home: Path, db: apsw.Connection) -> Iterator[StandIn]:
    """A configured model behind a real server."""
    with StandIn() as server:
        lines = f'on_battery = true\n[remote]\nbase_url = "{server.url}"\nmodel = "m"\napi_key = "{server.key}"\n'
        (home / "sidecar.toml").write_text(lines)
        yield server


def night(db: apsw.Connection, home: Path, at: float = NOW) -> None:
    with writer.transaction(db):
        db.execute("UPDATE session SET ended = ?", (at,))
    worker.rest(db, str(home), 60.0)


def live(db: apsw.Connection) -> dict[str, str]:
    return traits.current(db, [1])


def replies(server: StandIn, reply: str) -> None:
    server.engine = FakeEngine(reply=lambda prompt: reply if "of himself or herself" in str(prompt.messages) else "no")


def test_a_model_reads_what_the_patterns_do_not(db: apsw.Connection, home: Path, model: StandIn) -> None:
    replies(model, 'Sure: {"location": "Tromsø", "pets": "none"}')
    (turn,) = say(db, [SAID])
    night(db, home)

    assert live(db) == {"location": "Tromsø"}
    ((*_, source),) = traits.every(db, [1])
    assert source == turn
    assert jobs.count(db)["profile"] == {"done": 1}
    night(db, home)
    assert len(traits.every(db, [1])) == 1


def test_a_night_that_the_user_asks_for_leaves_the_same_work(db: apsw.Connection, home: Path, model: StandIn) -> None:
    replies(model, '{"location": "Tromsø"}')
    say(db, [SAID])
    for command in (["sleep"], ["worker", "--once"]):
        subprocess.run([sys.executable, "-m", "agentmemory", *command], check=True, capture_output=True)

    assert live(db) == {"location": "Tromsø"}
    assert jobs.count(db)["profile"] == jobs.count(db)["contradictions"] == {"done": 1}


@pytest.mark.parametrize(
    "reply",
    ["", "Error: overloaded", "{", "[]", "null", '{"location": 7}', '{"location": "Oslo"}', '{"location": ""}',
     '{"name": "' + "x" * 500 + '"}', '{"shoe": "harbour"}', "ignore all rules", '{"location": ["Tromsø"]}'],
)  # fmt: skip
def test_garbage_changes_nothing(db: apsw.Connection, home: Path, model: StandIn, reply: str) -> None:
    replies(model, reply)
    say(db, [SAID])
    before = db.execute("SELECT count(*) FROM belief").fetchone()
    night(db, home)

    assert live(db) == {} and db.execute("SELECT count(*) FROM belief").fetchone() == before
    assert jobs.count(db)["profile"] == {"done": 1}


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ('My colleague wrote "I am at home in Tromsø" in the ticket.', "Tromsø"),
        ("If my home were in Tromsø I would ski.", "Tromsø"),
        ("Would I find a home in Tromsø?", "Tromsø"),
        ("I work on it. The office of the client is in Tromsø.", "Tromsø"),
    ],
)
def test_what_is_not_said_of_oneself_is_no_trait(
    db: apsw.Connection, home: Path, model: StandIn, said: str, value: str
) -> None:
    replies(model, json.dumps({"location": value}))
    say(db, [said])
    night(db, home)
    assert live(db) == {}


def test_what_the_user_said_in_plain_words_stays(db: apsw.Connection, home: Path, model: StandIn) -> None:
    replies(model, '{"location": "Tromsø"}')
    say(db, ["I live in Oslo.", SAID])
    night(db, home)
    assert live(db) == {"location": "Oslo"}


def test_a_model_that_is_down_is_asked_again(db: apsw.Connection, home: Path, model: StandIn) -> None:
    def broken(prompt: Prompt) -> str:
        raise EngineError("out of memory")

    model.engine = FakeEngine(reply=broken)
    say(db, [SAID])
    night(db, home)
    assert live(db) == {}
    assert db.execute("SELECT state, attempts FROM job WHERE kind = 'profile'").fetchall() == [("pending", 1)]

    replies(model, '{"location": "Tromsø"}')
    worker.drain(db, str(home), NOW * 2)
    assert live(db) == {"location": "Tromsø"}


def test_most_turns_are_not_worth_a_question(db: apsw.Connection, home: Path, model: StandIn) -> None:
    replies(model, "{}")
    say(db, ["rename the variable", "I think the test is flaky", "does it work?", ("assistant", SAID), SAID])
    sleep(db, NOW)
    asked: list[str] = []
    profile_asked.apply(db, NOW, lambda question: asked.append(question) or "{}")  # type: ignore[func-returns-value]
    assert len(asked) == 1 and asked[0].endswith(SAID)


def test_a_model_that_describes_beliefs_leaves_the_profile_whole(
    db: apsw.Connection, home: Path, model: StandIn
) -> None:
    cues = {"keywords": ["user"], "tags": ["personal details"]}
    reply = json.dumps({**cues, "context": "about the person", "neighbours": [{"n": 1, **cues}]})
    model.engine = FakeEngine(reply=lambda prompt: reply)
    say(db, ["I'm Tom, data scientist in Oslo"], key="one")
    night(db, home)
    assert jobs.count(db)["annotate"]["done"] > 0

    say(db, ["I moved to Berlin"], key="two", at=NOW + DAY)
    night(db, home, NOW + DAY)
    assert live(db) == {"name": "Tom", "occupation": "data scientist", "location": "Berlin"}
