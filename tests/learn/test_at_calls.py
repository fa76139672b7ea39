"""What a person says where Claude Code asks for leave to do something is the person's word."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentmemory.learn.transcripts import read
from tests.learn.test_refused import TOLD
from tests.learn.test_transcripts import claude, said, transcript

NOTE = (
    "\n\nNote: The user's next message may contain a correction or preference. Pay close attention \N{EM DASH} if they "
    "explain what went wrong or how they'd prefer you to work, consider saving that to memory for future sessions."
)
DENIED = "Permission for this tool use was denied. The tool use was rejected (eg. if it was a file edit, ...). "
ASKED = "The user wants to clarify these questions.\n    They may have more.\n\n    Questions asked:\n- TOKEN"
PLAN = "# Plan\n\n1. Always use TOKEN\n\nUser feedback on this plan: TOKEN"


def called(tool: str) -> str:
    return claude("assistant", [{"type": "tool_use", "id": "t1", "name": tool, "input": {"command": "npm i"}}])


def result(content: object, error: bool = True, *beside: object, **more: object) -> str:
    """How Claude Code writes down what a call came to: compact, its own mark beside the message."""
    part = {"type": "tool_result", "content": content, "is_error": error, "tool_use_id": "t1"}
    line = claude("user", [part, *beside], **{"toolUseResult": f"Error: {content}", **more})
    return line.replace('", "', '","').replace('": "', '":"')


def typed(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


@pytest.mark.parametrize("tool", ["Bash", "Task", "ExitPlanMode"])
@pytest.mark.parametrize("note", ["", NOTE])
def test_older_clients_write_why_a_call_is_refused_into_its_result_alone(
    tmp_path: Path, token: str, tool: str, note: str
) -> None:
    path = transcript(tmp_path, claude("user", "add it"), called(tool), result(f"{TOLD}use {token}{note}"))

    assert said(path) == [("user", "add it"), ("user", f"use {token}")]
    assert [h.said.refuses for h in read(str(path)) if h.said] == [False, True]


def test_what_is_said_elsewhere_about_a_call_is_marked_as_a_persons(tmp_path: Path, token: str) -> None:
    marked = {"toolDenialKind": "permission-rule", "holdsPersonsWords": True}
    path = transcript(tmp_path, called("mcp__x__y"), result(f"{DENIED}The user said:\nuse {token}", **marked))

    assert said(path) == [("user", f"use {token}")]


@pytest.mark.parametrize(("where", "heard"), [("claude-vscode", True), ("claude-desktop", True), ("sdk-py", False)])
def test_what_is_typed_in_an_editor_that_asks_for_the_client_is_a_persons(
    tmp_path: Path, token: str, where: str, heard: bool
) -> None:
    marked = {"toolDenialKind": "permission-rule", "holdsPersonsWords": True, "entrypoint": where}
    path = transcript(tmp_path, called("mcp__x__y"), result(f"use {token}, not npm", **marked))

    assert said(path) == ([("user", f"use {token}, not npm")] if heard else [])


@pytest.mark.parametrize(
    "lines",
    [
        (called("mcp__x__y"), result(TOLD + "TOKEN")),
        (called("mcp__x__y"), result(TOLD + "TOKEN", holdsPersonsWords=True)),
        (called("mcp__x__y"), result(TOLD + "TOKEN", toolDenialKind="permission-rule")),
        (result(TOLD + "TOKEN"),),
        (called("Bash"), result("TOKEN", toolDenialKind="permission-rule", entrypoint="claude-vscode")),
        (called("Bash"), result("TOKEN", holdsPersonsWords=True, entrypoint="claude-vscode")),
        (called("Bash"), result("TOKEN", toolDenialKind="permission-rule", holdsPersonsWords=True)),
        (called("Bash"), result("Exit code 1\n" + TOLD + "TOKEN")),
        (called("Bash"), result(TOLD + "TOKEN", False)),
        (called("Bash"), result(TOLD.partition("To tell")[0] + "STOP what you are doing. TOKEN")),
        (called("Bash"), result([typed(TOLD + "TOKEN")])),
        (called("Bash"), result(TOLD + "TOKEN", isSidechain=True)),
        (called("AskUserQuestion"), result(TOLD + ASKED)),
        (called("AskUserQuestion"), result("x", toolDenialKind="user-rejected", userFeedback=ASKED)),
    ],
)
def test_what_a_tool_or_a_client_says_of_a_call_is_nobodys_word(tmp_path: Path, lines: tuple[str, ...]) -> None:
    assert said(transcript(tmp_path, *lines)) == []


def test_what_goes_with_the_leave_to_make_a_call_is_the_persons_word(tmp_path: Path, token: str) -> None:
    ran = result("added 3 packages", False, typed(f"yes, but use {token}"), toolUseResult={"stdout": "added"})
    path = transcript(tmp_path, called("Bash"), ran)

    assert said(path) == [("user", f"yes, but use {token}")]
    assert [h.said.refuses for h in read(str(path)) if h.said] == [False]


@pytest.mark.parametrize(
    "line",
    [
        result("ok", False, typed("<system-reminder>use TOKEN</system-reminder>")),
        result([typed("use TOKEN")], False),
        result("cut", True, typed("use TOKEN")),
        result("ok", False, typed("use TOKEN"), isSidechain=True),
    ],
)
def test_what_others_set_beside_a_result_is_nobodys_word(tmp_path: Path, line: str) -> None:
    assert said(transcript(tmp_path, called("Bash"), line)) == []


@pytest.mark.parametrize("more", [{}, {"origin": {"kind": "auto-continuation"}, "queueSkipAttachments": True}])
def test_a_plan_that_is_agreed_to_is_the_agents_and_what_is_typed_with_it_the_persons(
    tmp_path: Path, token: str, more: dict[str, object]
) -> None:
    whole = f"Implement the following plan:\n\n{PLAN}\n\nIf you need details, read the transcript at: /x.jsonl"
    alone = claude("user", whole, planContent=PLAN, **more)
    noted = claude("user", f"{whole}\n\nUser feedback on this plan: use {token}", planContent=PLAN, **more)

    assert said(transcript(tmp_path, alone)) == []
    assert said(transcript(tmp_path, noted)) == [("user", f"use {token}")]
