"""Answers from what is remembered, by a model behind a real HTTP server; without one the context and nothing stored.

The stand-in can only quote the prompt that it is sent, so an answer that holds the seeded city shows that the city
was recalled.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from agentmemory.memory import Memory
from agentmemory.model.engine import EngineError, Prompt
from agentmemory.model.fake import FakeEngine
from agentmemory.model.prompt import plain_text
from agentmemory.sleep.night import sleep
from agentmemory.store import writer
from agentmemory.values import Utterance
from tests.model.standin import StandIn
from tests.sleep.talk import NOW

QUESTION = "Which city do I live in?"


def quoting(prompt: Prompt) -> str:
    """The part of the prompt that speaks of living somewhere, else that it does not know."""
    said = "\n".join(plain_text(message) for message in prompt.messages)
    found = re.search(r"(?:location:|lives in|live in) ([A-Z]\w+)", said)
    return f"You live in {found.group(1)}." if found else "I do not know."


@pytest.fixture
def city(project: Path, token: str) -> str:
    """A city that the user named long ago, before much else was said."""
    named = token.capitalize()
    with Memory() as memory:
        memory.add_turns("old", [Utterance(-1, "user", f"By the way, I live in {named}.", NOW - 86_400.0)])
        memory.add_turns("new", [Utterance(-1, "user", f"rename variable {i}", NOW - 60 + i) for i in range(12)])
    return named


@pytest.fixture
def model(home: Path, city: str) -> Iterator[StandIn]:
    """A server of the chat API that the data folder is set up with."""
    with StandIn() as server:
        server.engine = FakeEngine(reply=quoting)
        lines = f'[remote]\nbase_url = "{server.url}"\nmodel = "stand-in"\napi_key = "{server.key}"\n'
        (home / "sidecar.toml").write_text(lines)
        yield server


def turns(home: Path) -> list[tuple[str, str]]:
    db: apsw.Connection = writer.open_store(str(home))
    found = db.execute("SELECT role, text FROM turn ORDER BY id").fetchall()
    return [(str(role), str(text)) for role, text in found]


def test_the_answer_holds_the_city_that_was_told_long_ago(model: StandIn, city: str, home: Path) -> None:
    before = turns(home)
    with Memory() as memory:
        found = memory.respond(QUESTION)

    assert found.available and city in found.answer and city in found.context
    assert city not in QUESTION
    assert turns(home) == [*before, ("user", QUESTION), ("assistant", found.answer)]


def test_after_sleep_the_city_stands_in_the_prefix_and_a_second_question_finds_it_cached(
    model: StandIn, city: str, home: Path
) -> None:
    with Memory() as memory:
        sleep(memory.db, NOW)
        memory.lock("never push to the public remote without asking, and sign every release with the team key")
        answers = [memory.respond(QUESTION, "talk") for _ in range(2)]

    assert all(city in each.answer for each in answers)
    first, second = (each.usage for each in answers)
    assert first is not None and second is not None and second.cached > first.cached
    used = writer.open_store(str(home)).execute("SELECT sum(prompt), sum(cached) FROM model_use").fetchone()
    assert used == (first.prompt + second.prompt, first.cached + second.cached)


def test_a_server_that_counts_what_was_cached_beside_the_prompt_is_counted(
    model: StandIn, city: str, home: Path
) -> None:
    model.beside = True
    with Memory() as memory:
        found = memory.respond(QUESTION)
        used = memory.stats()["usage"]
    assert found.available and city in found.answer
    assert used["calls"] == 1 and used["prompt"] == used["cached"] + 1 > 1


def test_exchanges_of_two_projects_stay_apart(model: StandIn, city: str, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with Memory() as memory:
        memory.respond(QUESTION)
    with Memory(project=str(other)) as memory:
        found = memory.respond(QUESTION)

        assert found.available and city not in found.answer and city not in found.context
        assert [hit.source for hit in memory.search(QUESTION) if hit.what == "turn"]


def test_a_conversation_goes_on(model: StandIn, city: str) -> None:
    with Memory() as memory:
        memory.respond(QUESTION, "talk")
        memory.respond("and what did I ask before?", "talk")

    assert QUESTION in json.dumps(model.seen[-1]["messages"])


def test_without_a_model_there_is_the_context_and_nothing_is_kept(city: str, home: Path) -> None:
    before = turns(home)
    command = [sys.executable, "-m", "agentmemory", "ask", QUESTION]
    told = json.loads(subprocess.run([*command, "--json"], capture_output=True, text=True, check=True).stdout)
    plain = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert told["available"] is False and "answer" not in told
    assert city in told["context"] and "no model is set" in told["why"]
    assert plain.startswith("No answer: no model is set") and city in plain
    assert turns(home) == before

    (home / "sidecar.toml").write_text("temperature = 0.7\n")
    told = json.loads(subprocess.run([*command, "--json"], capture_output=True, text=True, check=True).stdout)
    assert city in told["context"] and "unknown setting 'temperature'" in told["why"]


@pytest.mark.parametrize("fault", ["down", "wrong key", "silent", "broken"])
def test_a_model_that_fails_answers_nothing_and_nothing_is_kept(
    model: StandIn, city: str, home: Path, fault: str
) -> None:
    def broken(prompt: Prompt) -> str:
        raise EngineError("out of memory")

    if fault == "down":
        (home / "sidecar.toml").write_text('[remote]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "none"\n')
    model.key = "another" if fault == "wrong key" else model.key
    model.engine = {"silent": FakeEngine(reply=lambda prompt: ""), "broken": FakeEngine(reply=broken)}.get(
        fault, model.engine
    )
    before = turns(home)
    with Memory() as memory:
        found = memory.respond(QUESTION)

    assert not found.available and found.answer == "" and city in found.context and found.why
    assert turns(home) == before


def test_the_command_prints_the_answer(model: StandIn, city: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "agentmemory", "ask", QUESTION], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"You live in {city}.\n"


def test_a_terminal_obeys_nothing_in_an_answer(model: StandIn) -> None:
    model.engine = FakeEngine(reply=lambda prompt: "In \x1b[31mTurin\x07.\nBy the river.")
    done = subprocess.run(
        [sys.executable, "-m", "agentmemory", "ask", QUESTION], capture_output=True, text=True, check=True
    )
    assert done.stdout == "In [31mTurin.\nBy the river.\n"


def test_an_exchange_that_was_forgotten_is_no_answer(project: Path, token: str) -> None:
    said = [f"the {token} pin is 4711", "ok", f"rename {token}", "done", *(f"rename variable {i}" for i in range(14))]
    with Memory() as memory:
        memory.add_turns("s", [Utterance(-1, "user", text, NOW - 60 + i) for i, text in enumerate(said)])
        memory.forget("pin is 4711")
        told = memory.respond(f"what is the {token} pin?").context

    assert f"rename {token}" in told and "4711" not in told


def test_a_new_conversation_begins_with_nothing_that_was_said_in_others(project: Path, token: str) -> None:
    with Memory() as memory:
        memory.add_turns("old", [Utterance(-1, "user", f"rename {token}", NOW)])

        assert f'== THE CONVERSATION ==\nuser: "rename {token}"' in memory.respond("how far are we?").context
        assert memory.respond("how far are we?", "new").context == ""
