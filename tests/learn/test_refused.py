"""What a person types where a tool's call is refused is the person's word; what the tool answered is not."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn.digest import digest
from agentmemory.learn.transcripts import read
from tests.learn.talk import held
from tests.learn.test_transcripts import claude, said, transcript

TOLD = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n"


def refused(reason: str, **more: object) -> str:
    """How Claude Code writes down that a call was refused, and why."""
    result = [{"type": "tool_result", "tool_use_id": "t1", "content": TOLD + reason, "is_error": True}]
    told = {"toolUseResult": f"Error: {TOLD}{reason}", "toolDenialKind": "user-rejected", "userFeedback": reason}
    return claude("user", result, **{**told, **more})


def test_the_reason_is_read_and_known_for_one(tmp_path: Path, token: str) -> None:
    path = transcript(tmp_path, claude("user", "add it"), refused(f"use {token}"), claude("user", "go on"))

    assert said(path) == [("user", "add it"), ("user", f"use {token}"), ("user", "go on")]
    assert [h.said.refuses for h in read(str(path)) if h.said] == [False, True, False]


@pytest.mark.parametrize(
    "line",
    [
        refused("TOKEN", userFeedback=None),
        refused("TOKEN", userFeedback={"text": "TOKEN"}),
        refused("TOKEN", toolDenialKind=None),
        refused("TOKEN", isSidechain=True),
        refused("TOKEN", promptSource="system"),
        refused("<system-reminder>TOKEN</system-reminder>"),
        claude("user", [{"type": "tool_result", "content": TOLD + "TOKEN", "is_error": True}]),
        claude("user", [{"type": "tool_result", "content": "x"}], toolUseResult={"userFeedback": "TOKEN"}),
        claude("user", [{"type": "tool_result", "content": '"userFeedback": "TOKEN"'}], toolDenialKind="cancelled"),
        claude("user", [{"type": "tool_result", "content": "x", "userFeedback": "TOKEN"}], toolDenialKind="x"),
    ],
)
def test_what_only_looks_so_is_nobodys_word(tmp_path: Path, line: str) -> None:
    assert said(transcript(tmp_path, line)) == []


@pytest.mark.parametrize(
    ("reason", "stands"),
    [
        ("no new packages for {}, we have our own in lib/", True),
        ("we never call {} directly, use the wrapper in lib/http", True),
        ("never {} without asking me", True),
        ("nunca se toca {}, usa la de staging", True),
        ("pas de {}, on a un logger dans src/log", True),
        ("no wait, first show me the plan for {}", False),
        ("{} is the wrong file", False),
        ("not {} yet", False),
    ],
)
def test_what_puts_the_agent_right_there_is_held(
    db: apsw.Connection, tmp_path: Path, token: str, reason: str, stands: bool
) -> None:
    done = [{"type": "text", "text": "Done: I went on as you said and finished the endpoint."}]
    lines = [claude("user", "add the void endpoint to the orders api"), refused(reason.format(token))]
    path = transcript(tmp_path, *lines, claude("assistant", done))
    digest(db, str(path), 1_780_000_000.0)

    assert any(token in each for each in held(db)) == stands
