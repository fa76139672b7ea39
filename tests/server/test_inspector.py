"""The MCP Inspector, a strict client that is not built on our SDK, in both protocol eras."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY

MODULES = REPOSITORY / ".cache" / "inspector" / "node_modules"
SECONDS = 120


@pytest.fixture(params=["modern", "legacy"])
def era(request: pytest.FixtureRequest) -> str:
    """Each test once per era."""
    return str(request.param)


def inspect(era: str, home: Path, *options: str) -> dict[str, Any]:
    """What the inspector prints about our server."""
    assert (MODULES / ".bin" / "mcp-inspector").exists(), "the inspector is missing: run `make setup`"
    (node,) = MODULES.glob("node-*/bin")
    done = subprocess.run(
        [
            MODULES / ".bin" / "mcp-inspector", "--cli", sys.executable, "-m", "agentmemory", "mcp",
            "-e", f"AGENTMEMORY_HOME={home}", "--format", "json", "-q", "--protocol-era", era, *options,
        ],
        env={**os.environ, "PATH": f"{node}:{os.environ['PATH']}"}, cwd=REPOSITORY,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return dict(json.loads(done.stdout)["result"])


def test_the_schemas_are_portable(era: str, home: Path) -> None:
    listed = inspect(era, home, "--method", "tools/list", "--strict")

    assert len(listed["tools"]) == 8


def test_a_tool_can_be_called(era: str, home: Path, token: str) -> None:
    inspect(
        era,
        home,
        "--method",
        "tools/call",
        "--tool-name",
        "remember",
        "--tool-arg",
        f"text=the port of {token} is 8443",
    )

    found = inspect(era, home, "--method", "tools/call", "--tool-name", "search", "--tool-arg", f"query={token}")

    assert found["structuredContent"]["hits"][0]["text"] == f"the port of {token} is 8443"
