"""Anthropic's messages API over the same engine: other names for the same things."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from pydantic import ConfigDict, Field
from starlette.responses import JSONResponse

from agentmemory.loopback import App, Receive, Scope, Send
from agentmemory.model.engine import Completion, EngineError, Piece, Stream, Usage
from agentmemory.serve import wire

REASONS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}
KINDS = {400: "invalid_request_error", 404: "not_found_error", 413: "request_too_large", 503: "overloaded_error"}


class CountRequest(wire.Sent):
    """`POST /v1/messages/count_tokens`: what a message would read.

    A field that is not known is taken for a hint: coding agents send new ones with every release.
    """

    model_config = ConfigDict(extra="ignore")
    messages: list[wire.ChatMessage] = Field(min_length=1)
    model: str = ""
    system: str | list[dict[str, Any]] | None = None
    metadata: dict[str, str | None] | None = None
    tools: list[dict[str, Any]] | None = None
    tool_choice: dict[str, Any] | None = None
    container: Any = None
    mcp_servers: list[Any] | None = None

    def as_chat(self) -> wire.ChatRequest:
        """The same request in the other API's words. Raises BadRequest."""
        with wire.refusing():
            return self._as_chat()

    def _as_chat(self) -> wire.ChatRequest:
        messages: list[wire.ChatMessage] = []
        if self.system:
            messages.append(wire.ChatMessage(role="system", content=_words(self.system)))
        for message in self.messages:
            messages += _messages(message)
        for name, given in (("container", self.container), ("mcp_servers", self.mcp_servers)):
            if given:
                raise wire.BadRequest(f"{name}: nothing is run here for a model", name)
        foreign = [t.get("type") for t in self.tools or [] if t.get("type") not in (None, "custom")]
        if foreign:
            raise wire.BadRequest(f"a tool of type {foreign[0]!r} is not understood here", "tools")
        tools = [
            {"type": "function", "function": {
                "name": t.get("name"), "description": t.get("description", ""), "parameters": t.get("input_schema", {}),
            }} for t in self.tools or []
        ]  # fmt: skip
        choice = self.tool_choice or {}
        return wire.ChatRequest(
            messages=messages,
            model=self.model,
            tools=tools or None,
            tool_choice=choice.get("type"),
            parallel_tool_calls=not choice.get("disable_parallel_tool_use"),
            metadata={k: v for k, v in (self.metadata or {}).items() if v},
        )


class OutputConfig(wire.Sent):
    """`format`: a schema that the answer is to obey."""

    model_config = ConfigDict(extra="ignore")
    format: dict[str, Any] | None = None


class MessagesRequest(CountRequest):
    """`POST /v1/messages`."""

    max_tokens: int = Field(ge=1)
    stream: bool | None = None
    stop_sequences: list[str] | None = None
    temperature: float | None = Field(default=None, ge=0, le=1)
    top_p: float | None = Field(default=None, gt=0, le=1)
    top_k: int | None = Field(default=None, ge=0)
    output_config: OutputConfig | None = None
    output_format: dict[str, Any] | None = None  # its older name

    def _as_chat(self) -> wire.ChatRequest:
        config = self.output_config or OutputConfig()
        sampling = {
            "stop": self.stop_sequences, "max_tokens": self.max_tokens, "temperature": self.temperature,
            "top_p": self.top_p, "top_k": self.top_k, "response_format": config.format or self.output_format,
        }  # fmt: skip
        return super()._as_chat().model_copy(update=sampling)


class KeyAsToken:
    """This API's clients send their key as `x-api-key`; at the door it counts like the other's bearer token."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = list(scope["headers"])
            given = [v for k, v in headers if k.lower() == b"x-api-key"]
            if given and not any(k.lower() == b"authorization" for k, _ in headers):
                scope = {**scope, "headers": [*headers, (b"authorization", b"Bearer " + given[0])]}
        await self.app(scope, receive, send)


def message(id: str, model: str, made: Completion, reasoning: str) -> dict[str, Any]:
    """The body of a whole answer. A thought is left out: this API's have a signature that nobody here can give."""
    content: list[dict[str, Any]] = [{"type": "text", "text": made.text}] if made.text or not made.tool_calls else []
    content += [_tool_use(call) for call in made.tool_calls]
    return {**_head(id, model, made.usage), "content": content, **_ended(made)}


async def events(id: str, model: str, stream: Stream, source: AsyncIterator[Piece]) -> AsyncIterator[bytes]:
    """The events of a streamed answer; *source* has the pieces of *stream*, whose first has come."""
    start = {**_head(id, model, stream.known), "content": [], "stop_reason": None, "stop_sequence": None}
    yield _event("message_start", message=start)
    yield _event("content_block_start", index=0, content_block={"type": "text", "text": ""})
    try:
        async for piece in source:
            if piece.text:
                yield _event("content_block_delta", index=0, delta={"type": "text_delta", "text": piece.text})
            if piece.finish:
                yield _event("content_block_stop", index=0)
                for i, call in enumerate(piece.tool_calls, 1):
                    for one in _tool_events(i, call):
                        yield one
                yield _event("message_delta", delta=_ended(piece), usage=_usage(piece.usage or Usage()))
    except EngineError as e:
        yield _event("error", error={"type": "api_error", "message": str(e)})
        return
    yield _event("message_stop")


def problem(response: JSONResponse) -> JSONResponse:
    """An error of the other API in this one's shape."""
    error = json.loads(bytes(response.body))["error"]
    kind = KINDS.get(response.status_code, "api_error")
    return JSONResponse({"type": "error", "error": {"type": kind, "message": error["message"]}}, response.status_code)


def _messages(message: wire.ChatMessage) -> list[wire.ChatMessage]:
    """Results of tools are messages of their own in the other API, uses of tools a field."""
    if not isinstance(message.content, list):
        return [message]
    out, texts, calls = [], [], []
    for part in message.content:
        match part.get("type"):
            case "text":
                texts.append(_words([part]))
            case "tool_result":
                out.append(wire.ChatMessage.model_validate({
                    "role": "tool", "tool_call_id": part.get("tool_use_id", ""), "content": _words(part.get("content")),
                }))  # fmt: skip
            case "tool_use":
                function = {"name": part.get("name"), "arguments": json.dumps(part.get("input", {}))}
                calls.append({"id": part.get("id"), "type": "function", "function": function})
            case "thinking" | "redacted_thinking":
                continue
            case other:
                raise wire.BadRequest(f"a content block of type {other!r} is not understood here", "messages")
    if texts or calls:
        said: dict[str, Any] = {"role": message.role, "content": "".join(texts)}
        out.append(wire.ChatMessage.model_validate({**said, "tool_calls": calls} if calls else said))
    return out


def _words(content: Any) -> str:
    """Of a text, or of a list of text blocks. Raises BadRequest for any other block."""
    return str(wire.ChatMessage(role="user", content=content).plain()["content"])


def _tool_use(call: Any) -> dict[str, Any]:
    function = call["function"]
    return {"type": "tool_use", "id": call["id"], "name": function["name"], "input": _input(function["arguments"])}


def _input(arguments: str) -> dict[str, Any]:
    """Arguments as this API has them; none where the model wrote none, or was cut before their end."""
    try:
        found = json.loads(arguments)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _tool_events(index: int, call: Any) -> list[bytes]:
    block = _tool_use(call)
    said = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    return [
        _event("content_block_start", index=index, content_block={**block, "input": {}}),
        _event("content_block_delta", index=index, delta=said),
        _event("content_block_stop", index=index),
    ]


def _head(id: str, model: str, used: Usage) -> dict[str, Any]:
    return {
        "id": id, "type": "message", "role": "assistant", "model": model, "usage": _usage(used),
    }  # fmt: skip


def _ended(made: Completion | Piece) -> dict[str, str | None]:
    reason = "stop_sequence" if made.stop else REASONS.get(made.finish, "end_turn")
    return {"stop_reason": reason, "stop_sequence": made.stop or None}


def _usage(used: Usage) -> dict[str, int]:
    return {
        "input_tokens": used.prompt - used.cached, "cache_read_input_tokens": used.cached,
        "cache_creation_input_tokens": 0, "output_tokens": used.completion,
    }  # fmt: skip


def _event(kind: str, **fields: Any) -> bytes:
    return wire.event({"type": kind, **fields}, kind)
