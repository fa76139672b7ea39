"""What puts right with what the agent works, in a word or two: its tool call says what is turned away."""

from __future__ import annotations

import json
from pathlib import Path

import apsw
import pytest

from agentmemory.learn.digest import digest
from agentmemory.learn.transcripts import read
from agentmemory.learn.used import by_code, by_command
from tests.learn.talk import held
from tests.learn.test_transcripts import claude, message, rollout, transcript

NOW = 1_790_000_000.0
CODE = "import moment from 'moment'\nfrom unittest import mock\nconst a = require('axios')\n.footer { left: 1px }\n"


def call(tool: str, **given: str) -> str:
    return claude("assistant", [{"type": "tool_use", "id": "t1", "name": tool, "input": given}])


def answer(text: str) -> str:
    return claude("assistant", [{"type": "text", "text": text}])


def work(said: str, *calls: str, reply: str = "Switched.") -> list[str]:
    """A session in which the agent makes calls, and the user says something to it."""
    done = claude("user", [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}], toolUseResult="ok")
    begin = [claude("user", "hi, let us go on"), answer("Sure."), claude("user", "add it"), answer("On it.")]
    return [*begin, *(line for each in calls for line in (each, done)), claude("user", said), answer(reply)]


@pytest.mark.parametrize("reply", ["Switched.", "Sorry about that, fixed.", "Done."])
@pytest.mark.parametrize(
    ("said", "made"),
    [
        ("pnpm not npm", call("Bash", command="cd web && npm install zod")),
        ("uv instead of pip", call("Bash", command="pip install requests")),
        ("date-fns, not moment", call("Edit", file_path="a.ts", new_string=CODE)),
        ("no mocks", call("Write", file_path="t.py", content=CODE)),
        ("ohne mocks bitte", call("Write", file_path="t.py", content=CODE)),
        ("pnpm, nicht npm", call("Bash", command="npm ci")),
        ("sin axios, usa fetch", call("Write", file_path="a.ts", content=CODE)),
        ("pas npm, pnpm", call("Bash", command="npm install")),
        ("podman instead of docker", call("Bash", command="docker compose up")),
        ("fetch au lieu d'axios", call("Write", file_path="a.ts", content=CODE)),
    ],
)
def test_what_the_agent_is_not_to_work_with_is_held(
    db: apsw.Connection, tmp_path: Path, said: str, made: str, reply: str
) -> None:
    digest(db, str(transcript(tmp_path, *work(said, made, reply=reply))), NOW)

    assert said in held(db)


@pytest.mark.parametrize(
    ("said", "made"),
    [
        ("header not footer", call("Edit", file_path="a.css", new_string=CODE)),
        ("the right one, not left", call("Edit", file_path="a.css", new_string=CODE)),
        ("staging not production", call("Bash", command="grep error production.log")),
        ("try it without npm", call("Bash", command="npm test")),
        ("rerun without npx this time", call("Bash", command="npx jest")),
        ("why not npm?", call("Bash", command="npm ci")),
        ("not the footer", call("Bash", command="git commit -m 'move; footer it'")),
        ("test not build", call("Bash", command="make build")),
    ],
)
def test_what_only_the_task_is_about_is_not(db: apsw.Connection, tmp_path: Path, said: str, made: str) -> None:
    digest(db, str(transcript(tmp_path, *work(said, made))), NOW)

    assert said not in held(db)


def test_what_is_said_a_turn_later_is_still_of_the_last_calls(db: apsw.Connection, tmp_path: Path) -> None:
    *lines, said, reply = work("pnpm not npm", call("Bash", command="npm ci"))
    path = transcript(tmp_path, *lines, answer("Installed."))
    digest(db, str(path), NOW)
    with path.open("a") as f:
        f.write(said + reply)
    digest(db, str(path), NOW)

    assert "pnpm not npm" in held(db)


def test_what_was_used_is_forgotten_once_the_user_speaks(tmp_path: Path) -> None:
    lines = work("go on", call("Bash", command="npm ci"))
    path = transcript(tmp_path, *lines, claude("user", "thanks"))

    used = [h.said.used for h in read(str(path)) if h.said and h.said.role == "user"]
    assert used == [frozenset(), frozenset(), frozenset({"npm"}), frozenset()]


@pytest.mark.parametrize(
    "given",
    [
        {"command": ["bash", "-lc", "cd web && npm ci"]},
        {"command": ["npm", "ci"]},
        {"command": "npm ci"},
        {"cmd": "npm ci", "workdir": "/x"},
    ],
)
def test_what_codex_ran_is_known_as_well(tmp_path: Path, given: dict[str, object]) -> None:
    call = rollout("response_item", type="function_call", name="shell", arguments=json.dumps(given), call_id="c1")
    odd = rollout("response_item", type="function_call", name="shell", arguments='["npm", {"cmd": 3', call_id="c2")
    path = transcript(tmp_path, message("user", "add it"), odd, call, message("user", "pnpm not npm"))

    assert ["npm" in h.said.used for h in read(str(path)) if h.said and h.said.role == "user"] == [False, True]


def test_what_runs_and_what_is_imported_is_known() -> None:
    line = "cd x && CI=1 npx jest | tee log; python -m pytest; git commit -m 'a; b'\ncat <<E\nheader\nE"

    assert by_command(line) == {"cd", "jest", "tee", "python", "pytest", "git", "cat"}
    assert {"moment", "mock", "axios"} <= by_code(CODE) and "footer" not in by_code(CODE)
    assert by_code("from the header we go\nuse it\nimport what you like") == set()
    assert {"io", "numpy", "jest"} <= by_code('use std::io;\nimport numpy as np\n} from "jest"')


@pytest.mark.parametrize(
    "odd", ["import " * 600, "from " * 800, "a=1 " * 1_000, "\n" * 4_000, "'" * 4_001, "sudo " * 900]
)
def test_odd_calls_are_read_at_once(odd: str) -> None:
    assert len(by_code(odd)) + len(by_command(odd)) <= 2
