"""Every MCP verb and its twin on the command line: the same JSON from equal stores, the verb asked over real stdio.

The clock stands (AGENTMEMORY_NOW), so nothing is normalised, with one exception that the protocol makes: a result must
be an object, so the list that `search --json` prints stands under `hits`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import mcp_types as mcp
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from agentmemory.memory import Memory

TEXT = "the port of {token} is 8443"
#: verb -> its arguments, its twin's words, what the person answers when asked
TWINS: dict[str, list[tuple[dict[str, Any], list[str], str]]] = {
    "search": [
        ({"query": "which port has {token}"}, ["which", "port", "has", "{token}"], ""),
        ({"query": "{token}", "limit": 1, "as_of": "2026-05-01"}, ["{token}", "--limit", "1", "--as-of", "2026-05-01"],
         ""),
        ({"query": "nothing of the kind"}, ["nothing of the kind"], ""),
    ],
    "remember": [
        ({"text": "{token} runs on mars"}, ["{token} runs on mars"], ""),
        ({"text": TEXT}, [TEXT], ""),  # said again
        ({"text": "run {token}.sh first", "kind": "procedure", "when": "deploy", "everywhere": True},
         ["run {token}.sh first", "--kind", "procedure", "--when", "deploy", "--everywhere"], ""),
    ],
    "lock": [
        ({"text": "never push {token}"}, ["never push {token}", "--propose"], ""),
        ({"text": "never push {token}"}, ["never push {token}"], "accept"),
        ({"text": "keep {token} dry", "when": "deploy"}, ["keep {token} dry", "--when", "deploy"], "accept"),
    ],
    "wonder": [({"topic": "{token}"}, ["{token}"], "")],
    "reason": [({"question": "is the port of {token} 8443?"}, ["is the port of {token} 8443?"], "")],
    "feedback": [
        ({"id": 1, "outcome": "helped"}, ["1", "helped"], ""),
        ({"id": 2, "outcome": "outdated", "detail": "moved"}, ["2", "outdated", "--detail", "moved"], ""),
    ],
    "forget": [({"id": 1}, ["1"], "accept"), ({"id": 2}, ["2"], "")],
    "stats": [({}, [], "")],
}  # fmt: skip
CASES = [(verb, *case) for verb, cases in TWINS.items() for case in cases]


def server(project: Path, home: Path) -> StdioServerParameters:
    """The MCP server as a process over a data folder."""
    env = {"AGENTMEMORY_HOME": str(home), "AGENTMEMORY_NOW": os.environ["AGENTMEMORY_NOW"]}
    return StdioServerParameters(command=sys.executable, args=["-m", "agentmemory", "mcp"], cwd=str(project), env=env)


def verbs(project: Path, home: Path) -> list[str]:
    """The tools that the server lists."""

    async def ask() -> list[str]:
        async with Client(server(project, home)) as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    return anyio.run(ask)


def call(project: Path, home: Path, verb: str, arguments: dict[str, Any], answer: str) -> Any:
    """The structured result of one call, which is also its text."""

    async def person(context: Any, params: Any) -> mcp.ElicitResult:
        return mcp.ElicitResult(action="accept", content={"agree": True})

    async def ask() -> Any:
        async with Client(server(project, home), elicitation_callback=person if answer else None) as client:
            return await client.call_tool(verb, arguments)

    done = anyio.run(ask)
    assert not done.is_error, done.content
    assert json.loads(done.content[0].text) == done.structured_content
    return done.structured_content


def filled(value: Any, token: str) -> Any:
    """The value with the test's own word in its texts."""
    if isinstance(value, dict):
        return {key: filled(each, token) for key, each in value.items()}
    if isinstance(value, list):
        return [filled(each, token) for each in value]
    return value.replace("{token}", token) if isinstance(value, str) else value


def test_every_verb_has_a_twin(project: Path, home: Path) -> None:
    assert verbs(project, home) == list(TWINS)


@pytest.mark.parametrize(("verb", "arguments", "words", "answer"), CASES, ids=lambda v: v if isinstance(v, str) else "")
def test_a_verb_and_its_twin_say_the_same(
    project: Path, home: Path, tmp_path: Path, token: str, verb: str, arguments: dict[str, Any], words: list[str],
    answer: str,
) -> None:  # fmt: skip
    with Memory() as memory:
        memory.remember(TEXT.replace("{token}", token))
    with Memory(speaker="agent") as memory:
        memory.remember(f"{token} was restarted twice")
    twin = tmp_path / "twin"
    shutil.copytree(home, twin)

    said = call(project, home, verb, filled(arguments, token), answer)
    printed = subprocess.run(
        [sys.executable, "-m", "agentmemory", verb, *filled(words, token), "--json"],
        env={**os.environ, "AGENTMEMORY_HOME": str(twin)}, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip

    shown = said["hits"] if verb == "search" else said
    assert json.dumps(shown, indent=1).splitlines() == json.dumps(json.loads(printed), indent=1).splitlines()
