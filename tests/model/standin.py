"""A loopback server that speaks OpenAI's API the way vLLM does, with its own prefix cache by blocks of characters."""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from agentmemory.model.engine import EngineError, Prompt, PromptTooLong, Sampling
from agentmemory.model.fake import FakeEngine

BLOCK = 64  # characters; vLLM's are 16 tokens


class StandIn:
    """`with StandIn() as server:` serves at `server.url`; `server.seen` has every request's body."""

    def __init__(self) -> None:
        self.key = secrets.token_hex(8)
        self.seen: list[dict[str, Any]] = []
        self.blocks: set[str] = set()
        self.refuses = 0  # status of every answer, where a test wants one
        self.events: list[
            dict[str, Any] | str
        ] = []  # streamed as they are, JSON or not, where a test wants certain ones
        self.vectors: list[list[float]] = []  # every answer of embeddings, where a test wants certain ones
        self.answers: Any = ...  # every answer that is not streamed, where a test wants a certain one
        self.streams = True  # whether it heeds `stream`; some small servers answer with the whole all the same
        self.beside = False  # whether what was cached is counted beside the prompt, as some servers do
        self.engine = FakeEngine()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer._answer(self)

            def log_message(self, format: str, *args: Any) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> StandIn:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, http: BaseHTTPRequestHandler) -> None:
        body = json.loads(http.rfile.read(int(http.headers["Content-Length"])))
        self.seen.append(body)
        if http.headers.get("Authorization") != f"Bearer {self.key}":
            _send(http, 401, {"error": {"message": "wrong key", "type": "auth", "code": None}})
            return
        if self.refuses:
            _send(http, self.refuses, {"error": {"message": "temperature is too high", "code": None}})
            return
        try:
            if self.answers is not ... and not (self.streams and body.get("stream")):
                _send(http, 200, self.answers)
            elif http.path == "/v1/embeddings":
                vectors, used = self.engine.embedded(body["input"])
                vectors = self.vectors or vectors
                rows = [{"index": i, "embedding": v} for i, v in enumerate(vectors)]
                _send(http, 200, {"data": rows, "usage": {"prompt_tokens": used.prompt, "total_tokens": used.prompt}})
            elif body.get("stream"):
                self._stream(http, body)
            else:
                _send(http, 200, self._scored(body))
        except PromptTooLong as e:
            _send(http, 400, {"error": {"message": str(e), "code": "context_length_exceeded"}})
        except EngineError as e:
            _send(http, 500, {"error": {"message": str(e)}})

    def _stream(self, http: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        if self.events:
            http.send_response(200)
            http.end_headers()
            for event in self.events:
                _event(http, event)
            return
        stop = body.get("stop") or []
        sampling = Sampling(body["max_tokens"], body["temperature"], seed=body.get("seed"), stop=tuple(stop))
        pieces = list(self.engine.stream(_prompt(body), sampling))
        cached = self._cached(body)
        http.send_response(200)
        http.send_header("Content-Type", "text/event-stream")
        http.end_headers()
        chat = "messages" in body
        for piece in pieces:
            said = {"delta": {"content": piece.text}} if chat else {"text": piece.text}
            why = {"finish_reason": piece.finish or None, "stop_reason": piece.stop or None}
            _event(http, {"choices": [{"index": 0, **said, **why}]})
        used = pieces[-1].usage
        assert used is not None
        cached = used.prompt - 1 if self.beside else min(cached, used.prompt - 1)
        given = used.prompt - cached if self.beside else used.prompt
        details = {"prompt_tokens_details": {"cached_tokens": cached}}
        usage = {"prompt_tokens": given, "completion_tokens": used.completion, **details}
        _event(http, {"choices": [], "usage": usage})
        http.wfile.write(b"data: [DONE]\n\n")

    def _scored(self, body: dict[str, Any]) -> dict[str, Any]:
        options = ["a", "b", "c", "yes", "no"]
        shown = dict(zip(options, self.engine.score(_prompt(body), options), strict=True))
        if "messages" in body:
            logprobs: Any = {"content": [{"top_logprobs": [{"token": t, "logprob": p} for t, p in shown.items()]}]}
        else:
            logprobs = {"top_logprobs": [shown]}
        return {"choices": [{"logprobs": logprobs}], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}

    def _cached(self, body: dict[str, Any]) -> int:
        """Blocks of the prompt, from the first, that were seen before, in tokens of four characters."""
        text = json.dumps(body.get("messages") or body.get("prompt"))
        cached, whole, digest = 0, True, hashlib.blake2b()
        for at in range(0, len(text) - BLOCK, BLOCK):
            digest.update(text[at : at + BLOCK].encode())
            name = digest.hexdigest()
            whole = whole and name in self.blocks
            cached += BLOCK // 4 if whole else 0
            self.blocks.add(name)
        return cached


def _prompt(body: dict[str, Any]) -> Prompt:
    return Prompt(tuple(body["messages"])) if "messages" in body else Prompt(text=body["prompt"])


def _send(http: BaseHTTPRequestHandler, status: int, value: dict[str, Any]) -> None:
    data = json.dumps(value).encode()
    http.send_response(status)
    http.send_header("Content-Length", str(len(data)))
    http.end_headers()
    http.wfile.write(data)


def _event(http: BaseHTTPRequestHandler, value: dict[str, Any] | str) -> None:
    said = value if isinstance(value, str) else json.dumps(value)
    http.wfile.write(b"data: " + said.encode() + b"\n\n")
