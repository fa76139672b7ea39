"""What clients of the chat API send, as pydantic models, and what they get, as plain values."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from agentmemory.model.engine import Completion, Piece, Prompt, Sampling, Segment, Usage

MAX_TOKENS = 4096  # of an answer, where the client sets no limit
T = TypeVar("T", bound=BaseModel)
ROLES = Literal["system", "developer", "user", "assistant", "tool", "function"]


class BadRequest(Exception):
    """The client sent what the API does not allow: one sentence, and the field."""

    def __init__(self, message: str, param: str | None = None, status: int = 400) -> None:
        super().__init__(message)
        self.param, self.status = param, status


class Sent(BaseModel):
    """What a client sends. A field is heeded, or it is in *ignored*, which changes no answer, or it is refused.

    Null is the same as nothing.
    """

    model_config = ConfigDict(extra="forbid")
    ignored: ClassVar[frozenset[str]] = frozenset()

    @model_validator(mode="before")
    @classmethod
    def _said(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        return {key: value for key, value in given.items() if value is not None and key not in cls.ignored}


class ChatMessage(Sent):
    """One message; content is a string or a list of text parts."""

    model_config = ConfigDict(extra="allow")
    role: ROLES
    content: str | list[dict[str, Any]] | None = None

    def plain(self) -> dict[str, Any]:
        """As chat templates want it. Raises BadRequest for parts that are no text."""
        out = {k: v for k, v in self.model_dump(exclude_none=True).items() if k not in ("refusal", "audio")}
        if isinstance(self.content, list):
            texts = [part.get("text") for part in self.content if part.get("type") == "text"]
            if len(texts) != len(self.content) or not all(isinstance(t, str) for t in texts):
                raise BadRequest("only text can be understood here", "messages")
            out["content"] = "".join(str(t) for t in texts)
        out["role"] = "system" if self.role == "developer" else self.role
        out.setdefault("content", "")
        return out


class StreamOptions(Sent):
    """`include_usage` asks for a last chunk that has the usage."""

    ignored = frozenset({"include_obfuscation"})
    include_usage: bool | None = None


class ChatRequest(Sent):
    """`POST /v1/chat/completions`."""

    ignored = frozenset({
        "user", "safety_identifier", "store", "service_tier", "prompt_cache_key", "prompt_cache_options",
        "prompt_cache_retention", "prediction", "reasoning_effort", "verbosity",
    })  # fmt: skip
    messages: list[ChatMessage] = Field(min_length=1)
    model: str = ""
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    stop: str | list[str] | None = None
    max_tokens: int | None = Field(default=None, ge=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)
    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    top_k: int | None = Field(default=None, ge=0)
    min_p: float | None = Field(default=None, ge=0, le=1)
    frequency_penalty: float | None = Field(default=None, ge=-2, le=2)
    presence_penalty: float | None = Field(default=None, ge=-2, le=2)
    seed: int | None = None
    n: int | None = Field(default=None, ge=1, le=1)
    tools: list[dict[str, Any]] | None = None
    tool_choice: str | dict[str, Any] | None = None
    parallel_tool_calls: bool | None = None
    functions: list[Any] | None = None
    function_call: str | dict[str, Any] | None = None
    modalities: list[str] | None = None
    response_format: dict[str, Any] | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = None
    logit_bias: dict[str, float] | None = None
    metadata: dict[str, str] | None = None

    def sampling(self) -> Sampling:
        """How to choose tokens; the API's defaults where the client says nothing."""
        self._refuse_what_cannot_be_kept()
        stop = [self.stop] if isinstance(self.stop, str) else self.stop or []
        if len(stop) > 16 or any(not s for s in stop):
            raise BadRequest("stop takes up to 16 strings, none of them empty", "stop")
        return Sampling(
            max_tokens=self.max_completion_tokens or self.max_tokens or MAX_TOKENS,
            temperature=1.0 if self.temperature is None else self.temperature,
            top_p=self.top_p or 1.0, top_k=self.top_k or 0, min_p=self.min_p or 0.0, seed=self.seed,
            stop=tuple(stop), frequency_penalty=self.frequency_penalty or 0.0,
            presence_penalty=self.presence_penalty or 0.0, one_call=self.parallel_tool_calls is False,
        )  # fmt: skip

    def prompt(self, segments: tuple[Segment, ...]) -> Prompt:
        """The chat with what is remembered."""
        for tool in self.tools or ():
            function = tool.get("function")
            if tool.get("type", "function") != "function" or not (isinstance(function, dict) and function.get("name")):
                raise BadRequest("a tool is a function with a name here", "tools")
        messages = tuple(m.plain() for m in self.messages)
        return Prompt(messages, segments, tuple(self.tools or ()) if self.tool_choice != "none" else ())

    def _refuse_what_cannot_be_kept(self) -> None:
        """What an answer would have to obey, and nothing here makes it: a refusal is better than another answer."""
        if (self.response_format or {}).get("type", "text") != "text":
            raise BadRequest("answers are plain text here: no format can be enforced", "response_format")
        if self.tool_choice not in (None, "auto", "none"):
            raise BadRequest("the model chooses its tools: tool_choice is auto or none here", "tool_choice")
        if self.functions or self.function_call not in (None, "auto", "none"):
            raise BadRequest("functions are sent as tools here", "functions" if self.functions else "function_call")
        if set(self.modalities or ()) - {"text"}:
            raise BadRequest("answers are text here", "modalities")
        if self.logprobs or self.top_logprobs:
            raise BadRequest("log-probabilities are not shown here", "logprobs")
        if self.logit_bias:
            raise BadRequest("logit_bias is not understood here", "logit_bias")


def parse(kind: type[T], body: bytes) -> T:
    """A request body as *kind*. Raises BadRequest."""
    with refusing():
        return kind.model_validate_json(body)


@contextmanager
def refusing() -> Iterator[None]:
    """Within it, what does not fit a model of this API is a BadRequest."""
    try:
        yield
    except ValidationError as e:
        first = e.errors()[0]
        names = (str(p) for p in first["loc"])
        where = ".".join(name for name in names if name != "str" and "[" not in name)  # without the kind it might be
        if first["type"] == "extra_forbidden":
            raise BadRequest(f"{where} is not understood here", where) from e
        raise BadRequest(f"{where or 'the body'}: {first['msg']}", where or None) from e


def completion(id: str, model: str, made: Completion, reasoning: str = "") -> dict[str, Any]:
    """The body of a whole answer."""
    message: dict[str, Any] = {"role": "assistant", "content": made.text or None if made.tool_calls else made.text}
    if made.tool_calls:
        message["tool_calls"] = [dict(c) for c in made.tool_calls]
    if reasoning:
        message["reasoning_content"] = reasoning
    choice = {"index": 0, "message": message, "finish_reason": made.finish, "logprobs": None}
    return {**_head(id, model, "chat.completion"), "choices": [choice], "usage": usage(made.usage)}


def chunk(id: str, model: str, piece: Piece, first: bool) -> dict[str, Any]:
    """One event of a streamed answer."""
    delta: dict[str, Any] = {"role": "assistant", "content": ""} if first else {}
    if piece.text:
        delta["content"] = piece.text
    if piece.reasoning:
        delta["reasoning_content"] = piece.reasoning
    if piece.tool_calls:
        delta["tool_calls"] = [{"index": i, **dict(c)} for i, c in enumerate(piece.tool_calls)]
    choice = {"index": 0, "delta": delta, "finish_reason": piece.finish or None, "logprobs": None}
    return {**_head(id, model, "chat.completion.chunk"), "choices": [choice]}


def usage_chunk(id: str, model: str, used: Usage) -> dict[str, Any]:
    """The event after the last, for who asked for usage."""
    return {**_head(id, model, "chat.completion.chunk"), "choices": [], "usage": usage(used)}


def usage(used: Usage) -> dict[str, Any]:
    """Tokens as the API counts them."""
    return {
        "prompt_tokens": used.prompt, "completion_tokens": used.completion,
        "total_tokens": used.prompt + used.completion, "prompt_tokens_details": {"cached_tokens": used.cached},
    }  # fmt: skip


def error(message: str, kind: str, param: str | None = None, code: str | None = None) -> dict[str, Any]:
    """The body of an error as the API has it."""
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def event(value: dict[str, Any] | str, name: str = "") -> bytes:
    """A server-sent event."""
    data = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
    return (f"event: {name}\n" if name else "").encode() + f"data: {data}\n\n".encode()


def _head(id: str, model: str, kind: str) -> dict[str, Any]:
    return {"id": id, "object": kind, "created": int(time.time()), "model": model}
