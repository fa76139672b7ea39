"""A stand-in on the loopback interface for the models that real clients talk to: it keeps what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ANSWER = "fine"
USAGE = {"input_tokens": 1, "output_tokens": 1}


class Standin:
    """Answers every request with one word; with `call`, first with a call of that tool wherever it is offered."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.call: tuple[str, dict[str, Any]] | None = None
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Standin:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def prompts(self) -> list[dict[str, Any]]:
        """The requests that asked a model something, in order."""
        return [r for r in self.requests if r.get("messages") or r.get("input")]

    def tools_of_first(self) -> list[str]:
        """Names of the tools in the first request."""
        return [tool.get("name", "") for tool in self.prompts()[0].get("tools", [])]

    def text_of(self, number: int) -> str:
        """Everything a model reads in a request."""
        request = self.prompts()[number]
        parts = (request.get("system"), request.get("messages"), request.get("instructions"), request.get("input"))
        return "\n".join(_texts(parts))

    def result_of_call(self) -> str:
        """What the model was told about the tool that it called."""
        blocks = [b for m in self.prompts()[-1]["messages"] if isinstance(m["content"], list) for b in m["content"]]
        return "\n".join(_texts([b.get("content") for b in blocks if b["type"] == "tool_result"]))

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        standin = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def do_HEAD(self) -> None:
                self._reply(b"", "application/json")

            def do_GET(self) -> None:
                self._reply(b'{"data": [], "models": []}', "application/json")

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("content-length") or 0))
                try:
                    asked = json.loads(raw)
                except ValueError:
                    asked = {}
                asked = asked if isinstance(asked, dict) else {}
                if self.path.split("?")[0].endswith("/count_tokens"):
                    self._reply(b'{"input_tokens": 1}', "application/json")
                    return
                standin.requests.append(asked)
                events = list(standin.events(self.path, asked))
                if events and asked.get("stream"):
                    lines = (f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events)
                    self._reply("".join(lines).encode(), "text/event-stream")
                else:
                    self._reply(json.dumps(_whole(events)).encode(), "application/json")

            def _reply(self, body: bytes, kind: str) -> None:
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        return Handler

    def events(self, path: str, asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The answer as the events of a stream, in the words of the API that was asked."""
        if path.startswith("/v1/messages"):
            return _message(self._wants(asked))
        if not path.split("?")[0].endswith("/responses"):
            return iter(())
        return _response(None if '"custom_tool_call_output"' in json.dumps(asked.get("input", [])) else self.call)

    def _wants(self, asked: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
        offered = any(self.call and tool.get("name") == self.call[0] for tool in asked.get("tools", []))
        answered = '"type": "tool_result"' in json.dumps(asked.get("messages", []))
        return self.call if offered and not answered else None


def _message(call: tuple[str, dict[str, Any]] | None) -> Iterator[dict[str, Any]]:
    start = {"id": "msg_1", "type": "message", "role": "assistant", "model": "standin", "content": [], "usage": USAGE}
    yield {"type": "message_start", "message": {**start, "stop_reason": None, "stop_sequence": None}}
    block: dict[str, Any] = {"type": "text", "text": ""}
    delta: dict[str, Any] = {"type": "text_delta", "text": ANSWER}
    if call:
        block = {"type": "tool_use", "id": "toolu_1", "name": call[0], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call[1])}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    reason = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": reason, "usage": USAGE}
    yield {"type": "message_stop"}


def _response(call: tuple[str, dict[str, Any]] | None) -> Iterator[dict[str, Any]]:
    said = {"type": "output_text", "text": ANSWER, "annotations": []}
    item: dict[str, Any] = {"type": "message", "role": "assistant", "status": "completed", "content": [said]}
    if call:  # a program that calls the tool
        program = f"text(JSON.stringify(await tools.{call[0]}({json.dumps(call[1])})));"
        item = {"type": "custom_tool_call", "call_id": "call_1", "name": "exec", "namespace": "functions"}
        item |= {"input": program, "status": "completed"}
    item["id"] = "item_1"
    usage = {**USAGE, "total_tokens": 2}
    yield {"type": "response.created", "response": {"id": "resp_1"}}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield {"type": "response.completed", "response": {"id": "resp_1", "usage": usage, "output": [item]}}


def _whole(events: list[dict[str, Any]]) -> dict[str, Any]:
    """The same answer for a client that does not stream."""
    if not events or events[0]["type"] != "message_start":
        return {}
    return {**events[0]["message"], "content": [{"type": "text", "text": ANSWER}], "stop_reason": "end_turn"}


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)
