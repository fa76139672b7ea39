"""Anthropic's messages API as its official client sees it."""

from __future__ import annotations

import json
from typing import Any

import anthropic
import pytest

from agentmemory.model.engine import DEFAULT, Piece, Prompt, Sampling, Usage
from agentmemory.model.fake import FakeEngine
from agentmemory.model.ticket import Ticket
from tests.model.conftest import words
from tests.serve.conftest import Running, Serve

SYSTEM = words(60, "s")
ASKED: list[Any] = [{"role": "user", "content": "how do we deploy?"}]
GREEDY = {"temperature": 0}  # the newest client has no argument for it
TOOL: Any = {
    "name": "search", "description": "looks things up",
    "input_schema": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
}  # fmt: skip


def client(running: Running, **options: Any) -> anthropic.Anthropic:
    return anthropic.Anthropic(
        **{"base_url": running.url, "api_key": running.token, "max_retries": 0, "timeout": 120, **options}
    )


@pytest.fixture
def running(serve: Serve) -> Running:
    return serve({"fake": FakeEngine("fake"), "other": FakeEngine("other", context=300)})


def test_an_answer_with_usage_and_what_was_cached(running: Running) -> None:
    first, again = (
        client(running).messages.create(model="fake", max_tokens=7, system=SYSTEM, messages=ASKED, extra_body=GREEDY)
        for _ in range(2)
    )
    assert [block.type for block in first.content] == ["text"]
    assert first.content == again.content
    assert (first.stop_reason, first.usage.output_tokens, first.role) == ("max_tokens", 7, "assistant")
    assert first.usage.cache_read_input_tokens == 0
    assert again.usage.cache_read_input_tokens > 0
    assert again.usage.cache_read_input_tokens + again.usage.input_tokens == first.usage.input_tokens


def test_a_stream_is_the_same_answer(running: Running) -> None:
    given: dict[str, Any] = {
        "model": "fake",
        "max_tokens": 30,
        "system": SYSTEM,
        "messages": ASKED,
        "extra_body": GREEDY,
    }
    whole = client(running).messages.create(**given)
    with client(running).messages.stream(**given) as stream:
        text = "".join(stream.text_stream)
        final = stream.get_final_message()
    assert text == whole.content[0].text == final.content[0].text
    assert (final.stop_reason, final.usage.output_tokens) == ("max_tokens", 30)
    assert final.usage.cache_read_input_tokens > 0
    events = list(client(running).messages.create(**given, stream=True))
    begun: Any = events[0]
    assert begun.message.usage.input_tokens == final.usage.input_tokens, "what the prompt costs is told at once"
    assert begun.message.usage.cache_read_input_tokens == final.usage.cache_read_input_tokens
    kinds = [event.type for event in events]
    assert kinds[:2] == ["message_start", "content_block_start"]
    assert kinds[-3:] == ["content_block_stop", "message_delta", "message_stop"]


def test_a_stop_sequence_is_named(running: Running) -> None:
    given: dict[str, Any] = {"model": "fake", "max_tokens": 40, "messages": ASKED, "extra_body": GREEDY}
    free = client(running).messages.create(**given).content[0].text
    stop = free.split()[5]
    cut = client(running).messages.create(**given, stop_sequences=["zzz", stop])
    assert cut.content[0].text == free[: free.index(stop)]
    assert (cut.stop_reason, cut.stop_sequence) == ("stop_sequence", stop)
    with client(running).messages.stream(**given, stop_sequences=[stop]) as stream:
        final = stream.get_final_message()
    assert (final.stop_reason, final.stop_sequence) == ("stop_sequence", stop)


def test_blocks_system_parts_and_what_means_nothing_here(running: Running) -> None:
    given: dict[str, Any] = {"model": "fake", "max_tokens": 9, "extra_body": GREEDY}
    plain = client(running).messages.create(system=SYSTEM, messages=ASKED, **given)
    said: Any = [{"type": "text", "text": "how do "}, {"type": "text", "text": "we deploy?"}]
    parts = client(running).messages.create(
        system=[{"type": "text", "text": SYSTEM, "cache_control": {"type": "ephemeral"}}],
        messages=[{"role": "user", "content": said}], metadata={"user_id": None}, **given,
    )  # fmt: skip
    assert parts.content == plain.content


def test_tools_and_their_results_reach_the_model(serve: Serve) -> None:
    seen: list[Prompt] = []

    def reply(prompt: Prompt) -> str:
        seen.append(prompt)
        return "done"

    running = serve({"fake": FakeEngine(reply=reply)})
    talk: list[Any] = [
        *ASKED,
        {"role": "assistant", "content": [
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "t1", "name": "search", "input": {"query": "deploy"}},
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "by terraform"}]},
            {"type": "text", "text": "and now?"},
        ]},
    ]  # fmt: skip
    client(running).messages.create(model="fake", max_tokens=9, messages=talk, tools=[TOOL])
    roles = [m["role"] for m in seen[0].messages]
    assert roles == ["user", "assistant", "tool", "user"]
    assert json.loads(seen[0].messages[1]["tool_calls"][0]["function"]["arguments"]) == {"query": "deploy"}
    assert (seen[0].messages[2]["content"], seen[0].messages[2]["tool_call_id"]) == ("by terraform", "t1")
    assert seen[0].tools[0]["function"]["name"] == "search"


class Calling(FakeEngine):
    """A model that wants a tool."""

    def __init__(self, arguments: str = '{"query": "deploy"}') -> None:
        super().__init__()
        self.arguments = arguments

    def stream(self, prompt: Prompt, sampling: Sampling = DEFAULT) -> Ticket:
        function = {"name": "search", "arguments": self.arguments}
        ticket = Ticket()
        ticket.put(Piece("I look."))
        call = {"id": "t1", "type": "function", "function": function}
        ticket.put(Piece("", "tool_calls", Usage(9, 3), (call,)))
        return ticket


def test_a_tool_that_the_model_wants_is_a_block(serve: Serve) -> None:
    running = serve({"fake": Calling()})
    given: dict[str, Any] = {"model": "fake", "max_tokens": 9, "messages": ASKED, "tools": [TOOL]}
    whole = client(running).messages.create(**given)
    with client(running).messages.stream(**given) as stream:
        final = stream.get_final_message()
    for made in (whole, final):
        assert [block.type for block in made.content] == ["text", "tool_use"]
        assert (made.content[1].name, made.content[1].input) == ("search", {"query": "deploy"})
        assert made.stop_reason == "tool_use"
    same = running.client().chat.completions.create(model="fake", messages=ASKED).choices[0]
    assert same.message.tool_calls[0].function.name == "search"
    assert same.finish_reason == "tool_calls"


@pytest.mark.parametrize("arguments", ["", '{"query": "dep', "[1]"])
def test_a_tool_without_whole_arguments_gets_none(serve: Serve, arguments: str) -> None:
    running = serve({"fake": Calling(arguments)})
    given: dict[str, Any] = {"model": "fake", "max_tokens": 9, "messages": ASKED, "tools": [TOOL]}
    with client(running).messages.stream(**given) as stream:
        final = stream.get_final_message()
    for made in (client(running).messages.create(**given), final):
        assert (made.content[1].type, made.content[1].input) == ("tool_use", {})


IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": ""}}
RESULT = {"type": "tool_result", "tool_use_id": "t1"}
FORMAT = {"type": "json_schema", "schema": {"type": "object"}}


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"model": "none"}, anthropic.NotFoundError),
        ({"messages": []}, anthropic.BadRequestError),
        ({"extra_body": {"temperature": 3}}, anthropic.BadRequestError),
        ({"max_tokens": 0}, anthropic.BadRequestError),
        ({"tools": [TOOL], "tool_choice": {"type": "any"}}, anthropic.BadRequestError),
        ({"model": "other", "messages": [{"role": "user", "content": words(500, 1)}]}, anthropic.BadRequestError),
        ({"messages": [{"role": "user", "content": [IMAGE]}]}, anthropic.BadRequestError),
        ({"messages": [{"role": "user", "content": [{**RESULT, "content": [IMAGE]}]}]}, anthropic.BadRequestError),
        ({"messages": [{"role": "user", "content": [{**RESULT, "content": 5}]}]}, anthropic.BadRequestError),
        ({"messages": [{"role": "user", "content": []}]}, anthropic.BadRequestError),
        *(({"messages": [{"role": "user", "content": [{"type": "text", "text": text}]}]}, anthropic.BadRequestError)
          for text in (None, 7, ["x"])),
        ({"system": [IMAGE]}, anthropic.BadRequestError),
        ({"tool_choice": {"type": 5}}, anthropic.BadRequestError),
        ({"extra_body": {"output_config": {"format": FORMAT}}}, anthropic.BadRequestError),
        ({"extra_body": {"output_format": FORMAT}}, anthropic.BadRequestError),
    ],
)  # fmt: skip
@pytest.mark.parametrize("stream", [False, True])
def test_errors_have_the_shape_of_the_api(running: Running, change: Any, error: type, stream: bool) -> None:
    with pytest.raises(error) as raised:
        client(running).messages.create(
            **{"model": "fake", "max_tokens": 9, "messages": ASKED, "stream": stream, **change}
        )
    body: Any = raised.value.body  # type: ignore[attr-defined]
    assert body["type"] == "error"
    assert body["error"]["message"]


def test_a_wrong_key_is_refused(running: Running) -> None:
    with pytest.raises(anthropic.AuthenticationError) as raised:
        client(running, api_key="wrong").messages.create(model="fake", max_tokens=9, messages=ASKED)
    assert raised.value.body["error"]["type"] == "authentication_error"  # type: ignore[index]


def test_the_models_are_listed(running: Running) -> None:
    assert [m.id for m in client(running).models.list()] == ["fake", "other"]


def test_who_hangs_up_harms_nobody(running: Running) -> None:
    with client(running).messages.stream(model="fake", max_tokens=400, messages=ASKED) as stream:
        next(iter(stream.text_stream))
    assert client(running).messages.create(model="fake", max_tokens=3, messages=ASKED).usage.output_tokens == 3
