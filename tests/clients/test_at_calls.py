"""The real Claude Code asks a person before it goes on: what it writes down of the answer is what we read."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import Any

from agentmemory.learn.transcripts import read
from tests.clients.conftest import CLIENTS, MINUTES, Person

TOLD = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n"
MANAGER = "Which package manager should we use?"


def typed(person: Person, prompt: str, decide: Callable[[dict[str, Any]], dict[str, Any]]) -> list[str]:
    """What is the person's word of one session with one prompt; what the client asks leave for is decided as an editor
    around it does."""
    talk = ("--input-format", "stream-json", "--output-format", "stream-json", "--verbose")
    running = subprocess.Popen(
        [str(CLIENTS / "claude"), "-p", *talk, "--permission-prompt-tool", "stdio"], cwd=person.project,
        env=person.environment(ENABLE_TOOL_SEARCH="false"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    assert running.stdin is not None and running.stdout is not None
    say = running.stdin
    begin = {"type": "control_request", "request_id": "begin", "request": {"subtype": "initialize"}}
    first = {"type": "user", "message": {"role": "user", "content": prompt}}
    say.write(json.dumps(begin) + "\n" + json.dumps(first) + "\n")
    say.flush()
    for line in running.stdout:
        told = json.loads(line)
        if told["type"] == "control_request":
            decided = {"request_id": told["request_id"], "subtype": "success", "response": decide(told["request"])}
            say.write(json.dumps({"type": "control_response", "response": decided}) + "\n")
            say.flush()
        if told["type"] == "result":
            break
    running.communicate(timeout=MINUTES)
    assert running.returncode == 0
    (path,) = (person.home / ".claude" / "projects").rglob("*.jsonl")
    return [heard.said.text for heard in read(str(path)) if heard.said and heard.said.role == "user"]


def test_what_is_chosen_where_the_client_asks_is_read_with_the_question(person: Person, token: str) -> None:
    options = [{"label": label, "description": "x"} for label in ("npm", f"{token} (Recommended)")]
    asked = {"question": MANAGER, "header": "Package", "options": options, "multiSelect": False}
    person.standin.call = ("AskUserQuestion", {"questions": [asked]})
    answers = {"answers": {MANAGER: f"{token} (Recommended)"}}

    said = typed(person, "set it up", lambda call: {"behavior": "allow", "updatedInput": {**call["input"], **answers}})

    assert said == ["set it up", f"{MANAGER} {token}"]


def test_why_a_call_is_refused_is_read(person: Person, token: str) -> None:
    person.standin.call = ("Bash", {"command": "npm install zod", "description": "x"})
    why = {"behavior": "deny", "message": f"{TOLD}{token}, not npm"}

    said = typed(person, "set it up", lambda _: why)

    assert said == ["set it up", f"{token}, not npm"]
