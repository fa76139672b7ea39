"""A server that speaks the API in its own way: what it says is understood, or told in its words."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from agentmemory.model import remote
from agentmemory.model.engine import EngineError, Piece, Prompt, Usage
from agentmemory.model.remote import RemoteEngine
from tests.model.standin import StandIn

ASKED = Prompt(({"role": "user", "content": "How do we deploy?"},))
ENDS = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}

ENDLESS = {"usage": {"prompt_tokens": float("inf")}}


def streamed(*events: dict[str, Any] | str) -> list[Piece]:
    with StandIn() as server:
        server.events = list(events)
        return list(RemoteEngine(server.url, "stand-in", server.key).stream(ASKED))


def delta(**said: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": said, "finish_reason": None}]}


@pytest.mark.parametrize("first", [
    {"choices": None}, {"choices": [], "error": None}, {"choices": [{"index": 0, "delta": None}]}, delta(content=None),
])  # fmt: skip
def test_an_event_that_says_nothing_is_none(first: dict[str, Any]) -> None:
    assert "".join(p.text for p in streamed(first, delta(content="with terraform"), ENDS)) == "with terraform"


def test_an_answer_may_come_in_parts() -> None:
    parts = [{"type": "thinking", "thinking": []}, {"type": "text", "text": "with terraform"}]
    assert [p.text for p in streamed(delta(content=parts), ENDS)] == ["with terraform", ""]


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_what_a_model_thinks_is_told_apart(name: str) -> None:
    thought, said, _ = streamed(delta(**{name: "hm"}), delta(content="with terraform"), ENDS)
    assert (thought.reasoning, thought.text, said.text) == ("hm", "", "with terraform")


@pytest.mark.parametrize("error", ["the model is overloaded", {"message": "the model is overloaded", "code": 503}])
def test_an_error_is_told_in_the_server_s_words(error: Any) -> None:
    with pytest.raises(EngineError, match=r"^the model is overloaded$"):
        streamed({"error": error})


@pytest.mark.parametrize(
    "event", [ENDLESS, delta(tool_calls=[{"index": float("inf")}]), {"choices": [[]]}, "[" * 100_000]
)
def test_an_event_in_another_shape_breaks_the_stream(event: Any) -> None:
    with pytest.raises(EngineError, match=r"^the server's stream broke: "):
        streamed(event, ENDS)


@pytest.mark.parametrize("shown", [[None], [["yes"]], []])
def test_log_probabilities_in_another_shape_are_none(shown: Any) -> None:
    with StandIn() as server:
        server.answers = {"choices": [{"logprobs": {"top_logprobs": shown}}]}
        with pytest.raises(EngineError, match="shows no log-probabilities"):
            RemoteEngine(server.url, "stand-in", server.key).score(Prompt(text="yes or no:"), ["yes"])


@pytest.mark.parametrize("index", [{}, {"index": None}])
def test_tool_calls_without_a_place_are_told_apart(index: dict[str, None]) -> None:
    calls = [{**index, "id": name, "type": "function", "function": {"name": name, "arguments": {"a": 1}}}
             for name in ("ls", "cat")]  # fmt: skip
    end = streamed(delta(tool_calls=calls), ENDS)[-1]
    assert [c["function"] for c in end.tool_calls] == [{"name": n, "arguments": '{"a": 1}'} for n in ("ls", "cat")]


def test_a_tool_call_whose_arguments_come_later_has_them_once() -> None:
    first = {"index": 0, "id": "c1", "function": {"name": "ls"}}
    later = [{"index": 0, "function": {"arguments": text}} for text in (None, '{"a"', ": 1}")]
    end = streamed(*(delta(tool_calls=[call]) for call in (first, *later)), ENDS)[-1]
    assert [c["function"] for c in end.tool_calls] == [{"name": "ls", "arguments": '{"a": 1}'}]


@pytest.mark.parametrize("vector", [[float("nan"), 1.0], [1e200, 1e200]])
def test_a_vector_that_is_none_is_no_answer(vector: list[float]) -> None:
    with StandIn() as server:
        server.vectors = [vector]
        with pytest.raises(EngineError, match="something else"):
            RemoteEngine(server.url, "stand-in", server.key).embed(["deploy"])


@pytest.mark.parametrize("answer", [[], None, "none", {"usage": 5}, {"usage": {"prompt_tokens": "x"}}, ENDLESS])
def test_an_answer_in_another_shape_cannot_be_read(answer: Any) -> None:
    with StandIn() as server:
        server.answers = answer
        engine = RemoteEngine(server.url, "stand-in", server.key)
        for asked in (lambda: engine.embed(["deploy"]), lambda: engine.score(ASKED, ["yes"])):
            with pytest.raises(EngineError, match=r"^the server's answer cannot be read: "):
                asked()


def test_a_server_that_does_not_stream_is_understood() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
    message = {"role": "assistant", "content": "with terraform", "tool_calls": [call]}
    with StandIn() as server:
        server.streams = False
        server.answers = {
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 2},
        }
        made = RemoteEngine(server.url, "stand-in", server.key).generate(ASKED)
        assert (made.text, made.usage, [c["function"]["name"] for c in made.tool_calls]) == (
            "with terraform", Usage(9, 2), ["ls"],
        )  # fmt: skip
        server.answers = {"error": {"message": "the model is overloaded"}}
        with pytest.raises(EngineError, match=r"^the model is overloaded$"):
            RemoteEngine(server.url, "stand-in", server.key).generate(ASKED)


def test_a_vector_too_few_is_no_answer() -> None:
    with StandIn() as server:
        server.answers = {"data": [{"index": 0, "embedding": [1.0]}]}
        with pytest.raises(EngineError, match=r"^the server gave 1 vector for 2 texts$"):
            RemoteEngine(server.url, "stand-in", server.key).embed(["deploy", "test"])


def test_a_server_that_takes_no_connection_is_not_waited_for_as_long_as_for_an_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(remote, "CONNECTING", 0.05)
    with socket.socket() as full, socket.socket() as waiting:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        waiting.connect(full.getsockname())  # the one that its queue holds
        url = f"http://127.0.0.1:{full.getsockname()[1]}/v1"
        with pytest.raises(EngineError, match=r"cannot be reached: timed out$"):
            RemoteEngine(url, "stand-in").embed(["deploy"])

    with StandIn() as server:
        response = RemoteEngine(server.url, "stand-in", server.key)._post("/embeddings", {"input": ["deploy"]})
        with response:
            assert response.fp.raw._sock.gettimeout() == remote.TIMEOUT  # type: ignore[attr-defined]
