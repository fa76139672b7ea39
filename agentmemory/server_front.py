"""The door of `agentmemory mcp`: answers what a client asks while it connects, then lets the real server in.

Loading the SDK takes 0.6 s, and the client's first request to the model does not wait that long. What a client
asks while connecting has one answer per release; `data/mcp.json` holds it, printed from the real server
(`server_answers.py`, a test compares). Whatever is not in there, or not quite in order, loads the server,
which then gets the whole conversation from its beginning.
"""

from __future__ import annotations

import gc
import json
import os
import select
import sys
from collections.abc import AsyncIterator
from typing import Any

from agentmemory import __version__

ANSWERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "mcp.json")
META = "io.modelcontextprotocol/"
IDLE = 1.0  # seconds of silence after the tools were listed: the client is up, the model thinks, we load
LAST_WAIT = 500  # hundredths of a second for answers that are due when the client has closed its side
NEWLINE = b"\n"
UNREADABLE = -32602  # JSON-RPC's "invalid params"

Message = dict[str, Any]


def main() -> int:
    """Serve MCP on standard input and output until the client closes them."""
    pipe = Pipe(*_take_over_stdio())
    door = Door(_read_answers())
    idle: float | None = None
    while True:
        line = pipe.read(idle)
        if line is None:
            _load()
            idle = None
            continue
        if not line:
            return 0
        reply = door.answer(line)
        if reply is None:
            _let_in(pipe, [*door.opening, line], door.opened_with)
            return 0
        if reply:
            pipe.write(json.dumps(reply, separators=(",", ":"), ensure_ascii=False) + "\n")
            idle = IDLE if door.listed else None


class Door:
    """What has been said so far, and the answer to the next line."""

    def __init__(self, answers: Message) -> None:
        self.answers = answers
        self.opening: list[bytes] = []  # what the real server must hear first
        self.opened_with: Any = None  # id of the request that opened the connection and was answered here
        self.listed = False
        self._version = ""  # agreed in a handshake; the newer era has none and says its version every time

    def answer(self, line: bytes) -> Message | None:
        """The reply to a line; {} when it needs none; None when the real server has to be asked."""
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return None
        if not self.answers or not isinstance(message, dict) or not isinstance(message.get("method"), str):
            return None
        method, params = message["method"], message.get("params") or {}
        if "id" not in message:
            if method == "notifications/initialized" and self._version:
                self.opening.append(line)
            return {}
        result = self._result(method, params) if isinstance(params, dict) else None
        if result is None:
            return None
        if not self.opening:
            self.opening, self.opened_with = [line], message["id"]
        self.listed = self.listed or method == "tools/list"
        return {"jsonrpc": "2.0", "id": message["id"], "result": result}

    def _result(self, method: str, params: Message) -> Message | None:
        known: dict[str, dict[str, Message]] = self.answers["results"]
        meta = params.get("_meta") or {}
        if not isinstance(meta, dict):
            return None
        spoken = meta.get(META + "protocolVersion")  # the newer era says it with every request
        if method == "initialize":
            return None if self.opening or spoken else self._shake_hands(params)
        if set(params) - {"_meta"}:
            return None
        if not spoken:
            return known.get(self._version, {}).get(method)
        if self._version or not isinstance(spoken, str) or not _in_order(meta):
            return None
        return known.get(spoken, {}).get(method)

    def _shake_hands(self, params: Message) -> Message | None:
        asked, client = params.get("protocolVersion"), params.get("clientInfo")
        if not isinstance(asked, str) or not _named(client) or not isinstance(params.get("capabilities"), dict):
            return None
        known = self.answers["results"]
        self._version = asked if "initialize" in known.get(asked, {}) else self.answers["newest_handshake"]
        result: Message = known[self._version]["initialize"]
        return result


class Pipe:
    """Lines from the client and to it, on descriptors that nothing else prints to."""

    def __init__(self, source: int, sink: int) -> None:
        self.source = source
        self.sink = sink
        self._rest = b""

    def read(self, patience: float | None = None) -> bytes | None:
        """The next line; empty at the end of input; None when *patience* seconds brought none."""
        while NEWLINE not in self._rest:
            if patience is not None and not _readable(self.source, patience):
                return None
            more = os.read(self.source, 65_536)
            if not more:
                last, self._rest = self._rest, b""
                return last
            self._rest += more
        line, _, self._rest = self._rest.partition(NEWLINE)
        return line + NEWLINE

    def wait(self) -> bytes:
        """The next line, however long it takes; empty at the end of input."""
        return self.read() or b""

    def write(self, text: str) -> None:
        """Send text as it is."""
        data = text.encode("utf-8", "replace")
        while data:
            data = data[os.write(self.sink, data) :]


def _load() -> None:
    """Import the server. The SDK makes a million objects that stay: looking for garbage among them takes a tenth."""
    gc.disable()
    import agentmemory.server  # noqa: F401

    gc.freeze()
    gc.enable()


def _let_in(pipe: Pipe, first: list[bytes], answered: Any) -> None:
    """Run the real server: it hears *first*, then the client; the reply *answered* was given already."""
    _load()
    import anyio
    import anyio.to_thread
    import mcp_types

    from agentmemory.server import serve

    waiting: set[str] = set()  # ids of requests that the server has not answered yet
    held_back = [answered] if answered is not None else []

    async def lines() -> AsyncIterator[str]:
        for line in first:
            yield heard(line)
        while line := await anyio.to_thread.run_sync(pipe.wait):
            yield heard(line)
        for _ in range(LAST_WAIT):  # the client said its last, but may still listen
            if not waiting:
                return
            await anyio.sleep(0.01)

    def heard(line: bytes) -> str:
        """The line for the server, which drops what it cannot read: a request among that is answered here."""
        text = line.decode("utf-8", "replace")
        try:
            message = mcp_types.jsonrpc_message_adapter.validate_json(text, by_name=False)
        except ValueError:
            refusal = _refusal(text)
            if refusal:
                pipe.write(json.dumps(refusal) + "\n")
            return text
        if isinstance(message, mcp_types.JSONRPCRequest):
            waiting.add(json.dumps(message.id))
        elif isinstance(message, mcp_types.JSONRPCNotification) and message.method == "notifications/cancelled":
            waiting.discard(json.dumps((message.params or {}).get("requestId")))
        return text

    def write(text: str) -> None:
        message = json.loads(text)
        if "method" not in message:
            waiting.discard(json.dumps(message.get("id")))
            if held_back and message.get("id") == held_back[0]:
                held_back.clear()
                return
        pipe.write(text)

    serve(lines(), write)


def _refusal(text: str) -> Message | None:
    """The error for a request that is JSON, but no message of the protocol; None for what is no request."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or "method" not in message or not isinstance(message.get("id"), str | int):
        return None
    why = "the request cannot be read: its params have to be an object, and its texts whole characters"
    return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": UNREADABLE, "message": why}}


def _take_over_stdio() -> tuple[int, int]:
    """Private copies of standard input and output; what anything prints by accident goes to standard error."""
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return source, sink


def _read_answers() -> Message:
    """The prepared answers, none when they are of another release."""
    try:
        with open(ANSWERS, encoding="utf-8") as f:
            answers: Message = json.load(f)
    except (OSError, ValueError):
        return {}
    return answers if answers.get("release") == __version__ else {}


def _in_order(meta: Message) -> bool:
    """Whether the envelope of a request of the newer era is one that the server would accept."""
    client = meta.get(META + "clientInfo")
    return isinstance(meta.get(META + "clientCapabilities"), dict) and (client is None or _named(client))


def _named(client: Any) -> bool:
    return isinstance(client, dict) and isinstance(client.get("name"), str) and isinstance(client.get("version"), str)


def _readable(source: int, patience: float) -> bool:
    """Whether input comes within *patience* seconds; pipes cannot be asked on Windows, so it just waits there."""
    return sys.platform == "win32" or bool(select.select([source], [], [], patience)[0])
