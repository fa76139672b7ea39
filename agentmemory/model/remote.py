"""The engine contract in front of a server that speaks OpenAI's API (vLLM, SGLang, another sidecar), by base URL.

Segments keep their order, stable ones first, so that the server's own prefix cache hits. What it keeps cannot be
deleted from here: `forget` says 0.
"""

from __future__ import annotations

import json
import math
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any

from agentmemory.model.engine import (
    DEFAULT,
    DRAIN_SECONDS,
    Answers,
    Away,
    BadPrompt,
    Closed,
    EngineError,
    Piece,
    Prompt,
    PromptTooLong,
    Sampling,
    Usage,
)  # fmt: skip
from agentmemory.model.prompt import SEPARATOR, with_memory
from agentmemory.model.ticket import Ticket
from agentmemory.values import counted

CONNECTING = 10.0  # seconds until a server that is there has taken a connection
TIMEOUT = 600.0  # seconds without a byte: a long prompt on a slow machine
#: what is sent where a request says another value than this; top_k and min_p are known to vLLM, SGLang and their likes
UNSET = {"top_p": 1.0, "top_k": 0, "min_p": 0.0, "frequency_penalty": 0.0, "presence_penalty": 0.0, "seed": None}
STOPPED = ("stop_reason", "matched_stop")  # where vLLM and SGLang say which stop string ended an answer
THOUGHTS = ("reasoning_content", "reasoning")  # where servers put what a model thinks before it answers
TOP = 20  # log-probabilities that the API shows at most
#: what an answer raises that is JSON, but not the API's
NOT_THE_APIS = (AttributeError, LookupError, OverflowError, TypeError, ValueError)


class RemoteEngine(Answers):
    """See `engine.Engine`."""

    def __init__(self, base_url: str, model: str, key: str = "", name: str = "") -> None:
        self.name = name or model
        self._url, self._model, self._key = base_url.rstrip("/"), model, key
        self._lock = threading.Lock()
        self._open: set[Ticket] = set()
        self._closed = False
        self._totals = {"requests": 0, "prompt": 0, "cached": 0, "completion": 0}

    def stream(self, prompt: Prompt, sampling: Sampling = DEFAULT) -> Ticket:
        """See `engine.Engine.stream`."""
        path, body = _request(prompt, sampling)
        body |= {"model": self._model, "stream": True, "stream_options": {"include_usage": True}}
        response = self._post(path, body)
        ticket = Ticket()
        with self._lock:
            self._open.add(ticket)
        threading.Thread(
            target=self._read, args=(response, ticket, sampling), name="remote-stream", daemon=True
        ).start()
        return ticket

    def score(self, prompt: Prompt, options: Sequence[str], background: bool = False) -> list[float]:
        """See `engine.Engine.score`. The API shows only the best few first tokens: an option that begins with none
        of them gets less than the least of them."""
        if not all(options):
            raise EngineError("an option to score has no tokens")
        path, body = _request(prompt, Sampling(max_tokens=1))
        chat = path == "/chat/completions"
        body |= {"logprobs": True, "top_logprobs": TOP} if chat else {"logprobs": TOP}
        answer = self._json(path, {**body, "model": self._model})
        try:
            found = answer["choices"][0]["logprobs"]
            first = found["content"][0]["top_logprobs"] if chat else found["top_logprobs"][0]
            shown = (
                {t["token"]: float(t["logprob"]) for t in first} if chat else {t: float(p) for t, p in first.items()}
            )
        except NOT_THE_APIS as e:
            raise EngineError("the server shows no log-probabilities") from e
        return [_best(shown, option) for option in options]

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """See `engine.Engine.embed`."""
        return self.embedded(texts)[0]

    def embedded(self, texts: Sequence[str]) -> tuple[list[list[float]], Usage]:
        """See `engine.Engine.embedded`: the server's own count."""
        answer = self._json("/embeddings", {"model": self._model, "input": list(texts)})
        try:
            rows = sorted(answer["data"], key=lambda row: int(row["index"]))
            vectors = [_unit([float(x) for x in row["embedding"]]) for row in rows]
        except NOT_THE_APIS as e:
            raise EngineError("the server answered an embedding request with something else") from e
        if len(vectors) != len(texts):
            raise EngineError(f"the server gave {counted(len(vectors), 'vector')} for {counted(len(texts), 'text')}")
        return vectors, _usage(answer) or Usage()

    def prefill(self, prompt: Prompt) -> Usage:
        """See `engine.Engine.prefill`: one token is the least the API makes."""
        return self.generate(prompt, Sampling(max_tokens=1)).usage

    def interrupt(self) -> None:
        """Streams are closed by who reads them; nothing else here takes long."""

    def forget(self, beliefs: Sequence[int], texts: Sequence[str] = ()) -> int:
        """Nothing is kept here."""
        return 0

    def stats(self) -> dict[str, Any]:
        """See `engine.Engine.stats`."""
        return {"model": self.name, "tokens": dict(self._totals), "server": self._url}

    def close(self, patience: float = DRAIN_SECONDS) -> None:
        """See `engine.Engine.close`."""
        self._closed = True
        with self._lock:
            tickets = list(self._open)
        for ticket in tickets:
            ticket.close()

    def _read(self, response: HTTPResponse, ticket: Ticket, sampling: Sampling) -> None:
        """Pass a stream of events on as pieces, in its own thread."""
        why, stop, usage, calls = "", "", None, dict[int, dict[str, Any]]()
        try:
            with response:
                for event in _events(response):
                    if ticket.cancelled:
                        return
                    usage = _usage(event) or usage
                    for choice in event.get("choices") or []:
                        why = choice.get("finish_reason") or why
                        stop = next((s for s in map(choice.get, STOPPED) if s in sampling.stop), stop)
                        delta = choice.get("delta") or choice.get("message") or {"content": choice.get("text")}
                        _gather(calls, delta.get("tool_calls") or [])
                        thought = _said(next(filter(None, map(delta.get, THOUGHTS)), None))
                        text = _said(delta.get("content"))
                        if text or thought:
                            ticket.put(Piece(text, reasoning=thought))
            if not why:
                raise EngineError("the server ended the stream without saying why")
            self._count(usage or Usage())
            handed = tuple(calls[i] for i in sorted(calls)[: 1 if sampling.one_call else None])
            ticket.put(Piece("", why, usage or Usage(), handed, stop=stop))
        except EngineError as e:
            ticket.fail(e)
        except (OSError, HTTPException, RecursionError, *NOT_THE_APIS) as e:
            ticket.fail(EngineError(f"the server's stream broke: {type(e).__name__}: {e}"))
        finally:
            with self._lock:
                self._open.discard(ticket)

    def _count(self, usage: Usage) -> None:
        with self._lock:
            self._totals["requests"] += 1
            for key in ("prompt", "cached", "completion"):
                self._totals[key] += getattr(usage, key)

    def _json(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        try:
            with self._post(path, body) as response:
                answer: dict[str, Any] = json.load(response)
            used = _usage(answer) or Usage()
        except (OSError, HTTPException, ValueError, RecursionError) as e:
            raise EngineError(f"the server's answer cannot be read: {e}") from e
        except NOT_THE_APIS as e:
            raise EngineError("the server's answer cannot be read: it is JSON, but not the API's") from e
        self._count(used)
        return answer

    def _post(self, path: str, body: Mapping[str, Any]) -> HTTPResponse:
        if self._closed:
            raise Closed("the engine is shutting down")
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(self._url + path, json.dumps(body).encode(), headers)
        try:
            return urllib.request.build_opener(_Http, _Https).open(request, timeout=CONNECTING)  # type: ignore[no-any-return]
        except urllib.error.HTTPError as e:
            with e:
                raise _refusal(e.code, e.read(4096)) from e
        except (OSError, HTTPException) as e:
            raise Away(f"the server {self._url} cannot be reached: {getattr(e, 'reason', e)}") from e


class _Patient(HTTPConnection):
    """A connection that waits longer for an answer than for being taken."""

    def connect(self) -> None:
        super().connect()
        self.sock.settimeout(TIMEOUT)


class _PatientTls(HTTPSConnection):
    def connect(self) -> None:
        super().connect()
        self.sock.settimeout(TIMEOUT)


class _Http(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> HTTPResponse:
        return self.do_open(_Patient, req)


class _Https(urllib.request.HTTPSHandler):
    def https_open(self, req: urllib.request.Request) -> HTTPResponse:
        return self.do_open(_PatientTls, req)


def _request(prompt: Prompt, sampling: Sampling) -> tuple[str, dict[str, Any]]:
    body: dict[str, Any] = {"max_tokens": sampling.max_tokens, "temperature": sampling.temperature}
    for name, unset in UNSET.items():
        if getattr(sampling, name) != unset:
            body[name] = getattr(sampling, name)
    if sampling.stop:
        body["stop"] = list(sampling.stop)
    if prompt.messages:
        body["messages"] = with_memory(prompt)
        if prompt.tools:
            body["tools"] = [dict(t) for t in prompt.tools]
            if sampling.one_call:
                body["parallel_tool_calls"] = False
        return "/chat/completions", body
    body["prompt"] = SEPARATOR.join([*(s.text.strip() for s in prompt.segments), prompt.text])
    if not body["prompt"]:
        raise BadPrompt("the prompt is empty")
    return "/completions", body


def _events(response: HTTPResponse) -> Iterator[dict[str, Any]]:
    """The events of a stream; of a server that does not stream, its whole answer as one."""
    for line in response:
        if line.startswith((b"data:", b"{")):
            data = line + response.read() if line.startswith(b"{") else line[5:].strip()
            if data == b"[DONE]":
                return
            event = json.loads(data)
            if event.get("error"):
                raise EngineError(_message(event["error"]))
            yield event


def _said(content: object) -> str:
    """What a piece says: a string, or parts of which those of text count; half a character is none.

    Raises:
        TypeError: it is neither.
    """
    if isinstance(content, list):
        parts = (part for part in content if isinstance(part, dict) and part.get("type") == "text")
        return "".join(_said(part.get("text")) for part in parts)
    if not isinstance(content, str | None):
        raise TypeError("a piece of the answer is no text")
    return (content or "").encode("utf-8", "replace").decode()


def _gather(calls: dict[int, dict[str, Any]], deltas: Sequence[Mapping[str, Any]]) -> None:
    """Tool calls come in pieces: join their arguments."""
    for at, delta in enumerate(deltas):
        nothing, place = {"name": "", "arguments": ""}, delta.get("index")
        call = calls.setdefault(
            at if place is None else int(place), {"id": "", "type": "function", "function": nothing}
        )
        call["id"] = delta.get("id") or call["id"]
        for key, value in (delta.get("function") or {}).items():
            text = value if isinstance(value, str | None) else json.dumps(value)
            call["function"][key] = call["function"].get(key, "") + (text or "")


def _usage(event: Mapping[str, Any]) -> Usage | None:
    """What a server says a call used; one that counts what was cached beside the prompt counts more there."""
    usage = event.get("usage")
    if not usage:
        return None
    details = usage.get("prompt_tokens_details") or {}
    told = usage.get("prompt_tokens"), usage.get("completion_tokens"), details.get("cached_tokens")
    prompt, completion, cached = (max(0, int(n or 0)) for n in told)
    return Usage(prompt + cached if cached > prompt else prompt, completion, cached)


def _refusal(status: int, body: bytes) -> EngineError:
    try:
        error = json.loads(body)["error"]
        message, code = _message(error), str(error.get("code") or "") if isinstance(error, dict) else ""
    except (ValueError, KeyError, TypeError):
        message, code = body.decode("utf-8", "replace")[:200], ""
    if code == "context_length_exceeded" or "maximum context length" in message:
        return PromptTooLong(message)
    kind = BadPrompt if status in (400, 422) else Away if status in (502, 503, 504) else EngineError
    return kind(f"the server refused ({status}): {message}")


def _message(error: Any) -> str:
    """What an error says: a text, or the API's table with one."""
    return str(error.get("message") or error) if isinstance(error, dict) else str(error)


def _best(shown: Mapping[str, float], option: str) -> float:
    """The log-probability of the longest shown token that *option* begins with."""
    begins = [t for t in shown if t.strip() and option.strip().startswith(t.strip())]
    if begins:
        return shown[max(begins, key=lambda t: (len(t.strip()), shown[t]))]
    return min(shown.values(), default=0.0) - 1.0


def _unit(vector: list[float]) -> list[float]:
    length = sum(x * x for x in vector) ** 0.5
    if not math.isfinite(length):
        raise ValueError("a vector has no length")
    return [x / length for x in vector] if length else vector
