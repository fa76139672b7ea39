"""The 25-turn conversation from end to end, answered by a model behind a real HTTP server, and by the sidecar's own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from agentmemory import eval_talk
from agentmemory.model.engine import Prompt
from agentmemory.model.fake import FakeEngine
from agentmemory.model.prompt import plain_text
from tests.model.conftest import *  # noqa: F403  (fixtures that make models)
from tests.model.conftest import Folder, needs_mlx
from tests.model.standin import StandIn

VALUE = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def reading(prompt: Prompt) -> str:
    """Of the lines of the prompt that hold a value, the value of the one that names what is asked about."""
    said = plain_text(prompt.messages[-1])
    named = re.findall(r"\b[A-Z][a-z]{5}\b", said.split("\n")[0])
    lines = [line for line in said.split("\n")[1:] if VALUE.search(line) and any(n in line for n in named)]
    return VALUE.findall(lines[0])[0] if lines else "I do not know."


def talk(*more: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "agentmemory", "eval", "talk", "--shuffles", "1", "--json", *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture
def told(home: Path, project: Path) -> dict[str, Any]:
    """The conversation with a configured model that costs something."""
    home.mkdir()
    with StandIn() as server:
        server.engine = FakeEngine(reply=reading)
        lines = f'[remote]\nbase_url = "{server.url}"\nmodel = "reader"\napi_key = "{server.key}"\n'
        (home / "sidecar.toml").write_text(lines)
        (home / "sleep.toml").write_text('[prices.reader]\nprompt = "3.00"\ncompletion = "15.00"\ncached = "0.30"\n')
        return talk("--answerer", "configured")


def test_facts_of_turns_1_to_5_are_answered_from_memory_and_not_without(told: dict[str, Any]) -> None:
    ways = told["ways"]
    assert (told["answerer"], told["turns"], told["talk"]["calls"]) == ("reader", 25, 15)
    assert ways["memory"]["calls"] == 10 and set(ways) == set(eval_talk.WAYS)
    assert ways["memory"]["answered"] == ways["memory"]["in_prompt"] == 1.0
    assert ways["off"]["answered"] == ways["recent only"]["answered"] == 0.0


def test_every_tier_is_taken_away_and_taken_alone(told: dict[str, Any]) -> None:
    tiers = ("constraints", "habits", "shared", "knowledge", "episodes", "working")
    assert {f"without {t}" for t in tiers} | {f"{t} alone" for t in tiers} <= set(told["ways"])
    assert told["ways"]["working alone"]["answered"] == 0.0
    assert max(told["ways"][f"{t} alone"]["answered"] for t in ("knowledge", "episodes")) > 0.5


def test_tokens_and_cost_are_counted_exactly(told: dict[str, Any]) -> None:
    assert told["talk"]["cached"] > 0, "a conversation that goes on repeats its beginning"
    for used in (told["talk"], *told["ways"].values()):
        fresh = used["prompt"] - used["cached"]
        cost = (fresh * Decimal("3") + used["cached"] * Decimal("0.3") + used["completion"] * Decimal("15")) / 1_000_000
        assert Decimal(used["cost"]) == cost
    assert told["ways"]["off"]["prompt"] < told["ways"]["memory"]["prompt"]


def test_without_a_model_the_best_line_is_quoted_and_it_is_said(project: Path) -> None:
    one, other = talk(), talk()
    assert one == other and one["answerer"] == "quote"
    assert one["ways"]["memory"]["answered"] > one["ways"]["off"]["answered"] == 0.0


@needs_mlx
@pytest.mark.slow
def test_the_sidecars_own_model_takes_part(project: Path, home: Path, model_folder: Folder) -> None:
    home.mkdir()
    (home / "sidecar.toml").write_text(f'free_gib = 0\n[models]\ntiny = "{model_folder()}"\n')
    told = talk("--answerer", "configured", "--ways", "memory", "--tokens", "4")

    assert told["answerer"] == "tiny" and told["talk"]["cached"] > 0
    assert told["ways"]["memory"]["in_prompt"] == 1.0
    assert told["ways"]["memory"]["answered"] == 0.0  # random weights know how to read nothing
