"""An exchange of a user and an agent, as the clients write it into their transcripts, with the tools that were used."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from agentmemory import paths

STEP = 20.0  # seconds between two steps of an agent
Case = dict[str, Any]


def lines(case: Case, folder: str, first: bool) -> list[Case]:
    """The lines that an exchange adds to the transcript of its session; *first*: it begins it."""
    if case["client"] == "codex":
        return [*([codex_head(case, folder)] if first else []), *of_codex(case, folder)]
    return list(of_claude(case, folder))


def codex_head(case: Case, folder: str) -> Case:
    """The line that a transcript of codex begins with."""
    return {"timestamp": case["at"], "type": "session_meta", "payload": {"id": case["session"], "cwd": folder}}


def of_claude(case: Case, folder: str) -> Iterator[Case]:
    """An exchange as Claude Code writes it."""

    def line(role: str, content: str | list[Case], at: float, **more: str) -> Case:
        about = {"sessionId": case["session"], "cwd": folder, "isSidechain": False, "uuid": f"{case['id']}/{at}"}
        message = {"role": role, "content": content}
        return {"type": role, "timestamp": paths.iso(at), "message": message, **about, **more}

    start = paths.parse_time(case["at"])
    yield line("user", case["user"], start)
    for at, step in _steps(case, start):
        if "say" in step:
            yield line("assistant", [{"type": "text", "text": step["say"]}], at)
            continue
        if "edit" in step:
            path, new = step["edit"]
            use = {"name": "Edit", "input": {"file_path": f"{folder}/{path}", "old_string": "x", "new_string": new}}
        else:
            use = {"name": "Bash", "input": {"command": step["run"]}}
        call = f"toolu_{case['id']}_{at:.0f}"
        yield line("assistant", [{"type": "tool_use", "id": call, **use}], at)
        done = [{"type": "tool_result", "tool_use_id": call, "content": "ok"}]
        yield line("user", done, at + 1, toolUseResult="ok")


def of_codex(case: Case, folder: str) -> Iterator[Case]:
    """An exchange as Codex writes it."""

    def line(at: float, **payload: Any) -> Case:
        return {"timestamp": paths.iso(at), "type": "response_item", "payload": payload}

    def message(role: str, kind: str, text: str, at: float) -> Case:
        return line(at, type="message", role=role, content=[{"type": kind, "text": text}])

    start = paths.parse_time(case["at"])
    yield message("user", "input_text", case["user"], start)
    for at, step in _steps(case, start):
        if "say" in step:
            yield message("assistant", "output_text", step["say"], at)
            continue
        call = f"call_{case['id']}_{at:.0f}"
        if "edit" in step:
            path, new = step["edit"]
            patch = f"*** Begin Patch\n*** Update File: {path}\n-x\n+{new}\n*** End Patch"
            yield line(at, type="custom_tool_call", name="apply_patch", call_id=call, input=patch)
        else:
            command = json.dumps({"command": ["bash", "-lc", step["run"]]})
            yield line(at, type="function_call", name="shell", call_id=call, arguments=command)
        yield line(at + 1, type="function_call_output", call_id=call, output="ok")


def _steps(case: Case, start: float) -> Iterator[tuple[float, Case]]:
    for n, step in enumerate(case.get("steps") or [{"say": case["answer"]}]):
        yield start + STEP / 2 + STEP * n, step
