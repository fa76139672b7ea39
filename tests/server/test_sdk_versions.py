"""The server as clients of both major versions of the SDK meet it, and what it writes to standard output."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from agentmemory.memory import Memory
from agentmemory.sleep.night import sleep
from agentmemory.values import Utterance
from tests.conftest import REPOSITORY
from tests.server.test_front import HELLO, line

SDKS = {"1": REPOSITORY / ".cache" / "mcp1" / "bin" / "python", "2": Path(sys.executable)}
COMMAND = [sys.executable, "-m", "agentmemory", "mcp"]
SECONDS = 120


@pytest.fixture
def known(project: Path) -> None:
    """A memory that slept on what its user said of himself."""
    with Memory() as memory:
        memory.add_turns("s", [Utterance(0, "user", "I'm Tom, data scientist in San Francisco", 0.0)])
        sleep(memory.db, 1_780_000_000.0)


@pytest.mark.parametrize("sdk", SDKS)
def test_a_client_adds_retrieves_and_sees_the_profile(sdk: str, known: None, token: str) -> None:
    assert SDKS[sdk].exists(), "the older SDK is missing: run `make setup`"
    asked = {
        "command": COMMAND,
        "calls": [
            ["remember", {"text": f"the port of {token} is 8443"}],
            ["search", {"query": f"which port has {token}"}],
            ["stats", {}],
        ],
    }
    done = subprocess.run(
        [SDKS[sdk], REPOSITORY / "tests" / "server" / "visit.py"],
        input=json.dumps(asked), capture_output=True, text=True, timeout=SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    got = json.loads(done.stdout)

    assert got["sdk"].split(".")[0] == sdk
    assert got["server"]["name"] == "agentmemory" and len(got["tools"]) == 8
    added, found, stats = (result["structuredContent"] for result in got["results"])
    assert added["id"] in [hit["id"] for hit in found["hits"]]
    assert stats["profile"] == {"name": "Tom", "occupation": "data scientist", "location": "San Francisco"}
    assert "Failed to parse" not in done.stderr


def test_standard_output_carries_json_rpc_and_nothing_else(known: None, token: str) -> None:
    said = [
        line("initialize", HELLO, 0), line("notifications/initialized"), line("tools/list", id=1),
        line("tools/call", {"name": "remember", "arguments": {"text": f"{token} is down"}}, 2),
        line("tools/call", {"name": "wonder", "arguments": {"topic": token}}, 3),
        line("tools/call", {"name": "forget", "arguments": {"id": "all"}}, 4),  # fails
        line("tools/call", {"name": "nothing", "arguments": {}}, 5), "no JSON at all",
    ]  # fmt: skip
    done = subprocess.run(COMMAND, input="\n".join(said) + "\n", capture_output=True, text=True, timeout=SECONDS)

    replies = [json.loads(each) for each in done.stdout.splitlines()]
    assert all(reply["jsonrpc"] == "2.0" and {"result", "error"} & reply.keys() for reply in replies)
    assert {0, 1, 2, 3, 4, 5} <= {reply.get("id") for reply in replies}
