"""Where the folder or the time cannot be told, the user's own rules are kept all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentmemory import guard
from agentmemory.cli import main as cli
from tests.guard.verdicts import mode


@pytest.fixture
def heard(project: Path) -> list[str]:
    assert mode("Never push to github", project, command="git push github") == "deny"
    assert cli(["guard", "add", "--yes", "--everywhere", "NEVER use git push github directly"]) == 0
    return []


def verdict(heard: list[str], cwd: object) -> str:
    event = {"cwd": cwd, "tool_name": "Bash", "session_id": "s", "tool_input": {"command": "git push github"}}
    return guard.main(event, lambda event, error: heard.append(event))


@pytest.mark.parametrize("cwd", ["/tmp/\ud800", "/tmp\0x", "/" + "a/" * 5000, "", 5, None])
def test_a_folder_that_is_none(heard: list[str], cwd: object) -> None:
    assert "deny" in verdict(heard, cwd)


def test_a_clock_that_is_none(heard: list[str], project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTMEMORY_NOW", "soon")

    assert "deny" in verdict(heard, str(project))
    assert heard == ["pre-tool"]
