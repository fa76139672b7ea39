"""`agentmemory mcp` as a process: what a client hears at once, and the hand-over to the real server."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from agentmemory import server_answers, server_front
from tests.conftest import REPOSITORY

REMAKE = "python -m agentmemory.server_answers > agentmemory/data/mcp.json"
KEY = "io.modelcontextprotocol/"
CLIENT = {"name": "test", "version": "1"}
MODERN = {"_meta": {KEY + "protocolVersion": "2026-07-28", KEY + "clientInfo": CLIENT, KEY + "clientCapabilities": {}}}
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT}
SECONDS = 60


def talk(*lines: str, forever: bool = False) -> list[dict[str, Any]]:
    """What a fresh process says to these lines; every line of its output is JSON.

    forever: at their end it waits for answers that are due as long as this test lasts.
    """
    patient = "from agentmemory import server_front as f; f.LAST_WAIT = 1 << 40; raise SystemExit(f.main())"
    done = subprocess.run(
        [sys.executable, *(["-c", patient] if forever else ["-m", "agentmemory", "mcp"])],
        input="".join(line + "\n" for line in lines), capture_output=True, text=True, timeout=SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def line(method: str, params: dict[str, Any] | None = None, id: Any = None) -> str:
    """One message, a notification without an id."""
    message = {"jsonrpc": "2.0", "method": method, "params": params, "id": id}
    return json.dumps({key: value for key, value in message.items() if value is not None})


def by_id(said: list[dict[str, Any]]) -> dict[Any, dict[str, Any]]:
    """Replies by request; each request is answered once."""
    replies = [message for message in said if "id" in message]
    assert len({message["id"] for message in replies}) == len(replies)
    return {message["id"]: message for message in replies}


def test_the_prepared_answers_are_those_of_the_real_server() -> None:
    prepared = json.loads(Path(server_front.ANSWERS).read_text())

    assert prepared == server_answers.answers(), f"the server has changed: {REMAKE}"


def test_the_documented_tools_are_those_of_the_server() -> None:
    prepared = json.loads(Path(server_front.ANSWERS).read_text())

    assert server_answers.table(prepared) in (REPOSITORY / "docs" / "mcp.md").read_text()


def test_connecting_loads_no_sdk(tmp_path: Path) -> None:
    asked = [line("initialize", HELLO, 0), line("notifications/initialized"), line("tools/list", id=1)]
    script = f"""
import sys
from agentmemory.server_front import ANSWERS, Door, _read_answers
door = Door(_read_answers())
replies = [door.answer(line) for line in {[a.encode() for a in asked]!r}]
assert len(replies[2]["result"]["tools"]) == 8
assert door.listed
print(*sorted({{"mcp", "pydantic", "anyio", "apsw", "agentmemory.memory"}} & set(sys.modules)))
"""
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout

    assert loaded.split() == []


@pytest.mark.parametrize("era", ["auto", "legacy"])
def test_a_client_connects_calls_and_leaves(era: str, project: Path, token: str, home: Path) -> None:
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "agentmemory", "mcp"], cwd=str(project), env={"AGENTMEMORY_HOME": str(home)}
    )

    async def visit() -> Any:
        async with Client(command, mode=era) as client:
            tools = await client.list_tools()
            await client.call_tool("remember", {"text": f"the port of {token} is 8443"})
            again = await client.list_tools()
            found = await client.call_tool("search", {"query": token})
            return tools, again, found

    tools, again, found = anyio.run(visit)

    assert [t.name for t in tools.tools] == [t.name for t in again.tools]
    assert token in found.structured_content["hits"][0]["text"]


def test_the_handshake_is_answered_once_though_it_is_heard_twice() -> None:
    said = talk(
        line("initialize", HELLO, "a"), line("notifications/initialized"), line("tools/list", id="b"),
        line("tools/call", {"name": "stats", "arguments": {}}, "c"),
    )  # fmt: skip

    replies = by_id(said)
    assert set(replies) == {"a", "b", "c"}
    assert replies["a"]["result"]["protocolVersion"] == "2025-06-18"
    assert replies["c"]["result"]["isError"] is False


def test_the_newer_era_needs_no_handshake() -> None:
    replies = by_id(talk(
        line("server/discover", MODERN, 0), line("tools/list", MODERN, 1),
        line("tools/call", {"name": "stats", "arguments": {}, **MODERN}, 2),
    ))  # fmt: skip

    assert replies[0]["result"]["supportedVersions"] == ["2026-07-28"]
    assert replies[2]["result"]["resultType"] == "complete"


def test_an_unknown_version_is_answered_with_ours() -> None:
    (reply,) = talk(line("initialize", {**HELLO, "protocolVersion": "1999-01-01"}, 0))

    assert reply["result"]["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize(
    ("odd", "code"),
    [
        ([line("tools/list", id=1)], -32602),  # before any handshake
        ([line("initialize", HELLO, 0), line("resources/list", id=1)], -32601),
        ([line("initialize", HELLO, 0), line("initialize", HELLO, 1)], None),
        ([line("initialize", HELLO, 0), line("tools/list", {"cursor": 3}, 1)], -32602),
        ([line("initialize", {"protocolVersion": "2025-06-18"}, 1)], -32602),
        ([line("tools/list", {"_meta": {KEY + "protocolVersion": "2099-01-01"}}, 1)], -32602),
        ([line("tools/list", MODERN, 0), line("initialize", HELLO, 1)], -32022),
        ([line("initialize", HELLO, 0), line("tools/list", MODERN, 1)], -32600),
    ],
)
def test_what_is_out_of_order_is_left_to_the_real_server(odd: list[str], code: int | None) -> None:
    reply = by_id(talk(*odd))[1]

    assert reply.get("error", {}).get("code") == code


def test_noise_does_not_end_the_conversation() -> None:
    said = talk("this is no JSON", "[" * 100_000, line("initialize", HELLO, 0), line("tools/list", id=1))

    assert len(by_id([m for m in said if m.get("id") is not None])[1]["result"]["tools"]) == 8


CALL = {"name": "stats", "arguments": {}}


@pytest.mark.parametrize(
    "odd",
    [line("tools/call", {"name": "remember", "arguments": {"text": "cut \ud83d"}}, 7),
     '{"id": 7, "method": "resources/list"}',
     line("tools/call", 5, 7)],  # type: ignore[arg-type]
    ids=["half an emoji", "no version", "no object"],
)  # fmt: skip
@pytest.mark.parametrize("before", [[], [line("tools/call", CALL, 1)]], ids=["at the door", "inside"])
def test_a_request_that_cannot_be_read_is_answered(before: list[str], odd: str) -> None:
    replies = by_id(talk(line("initialize", HELLO, 0), *before, odd, line("tools/call", CALL, 2), forever=True))

    assert replies[7]["error"]["code"] == -32602
    assert "result" in replies[2]


def test_nobody_waits_for_the_answer_to_a_cancelled_call() -> None:
    asks = {**HELLO, "capabilities": {"elicitation": {}}}
    lock = {"name": "lock", "arguments": {"text": "never release on a Friday"}}
    cancelled = line("notifications/cancelled", {"requestId": 3})
    said = talk(line("initialize", asks, 0), line("notifications/initialized"), line("tools/call", CALL, 2),
                line("tools/call", lock, 3), cancelled, forever=True)  # fmt: skip

    assert "result" in by_id([m for m in said if "method" not in m])[2]


def test_a_client_that_leaves_at_once_is_no_failure() -> None:
    assert talk() == []


def test_answers_of_another_release_are_not_given(tmp_path: Path) -> None:
    answers = json.loads(Path(server_front.ANSWERS).read_text())
    door = server_front.Door(answers if answers["release"] == "another" else {})

    assert door.answer(line("initialize", HELLO, 0).encode()) is None
