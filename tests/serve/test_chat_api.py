"""The chat API as its official client sees it."""

from __future__ import annotations

import json
import logging
import secrets
import socket
import threading
from collections.abc import Sequence

import httpx
import openai
import pytest

from agentmemory.model.engine import DEFAULT, Message, Prompt, Sampling, Segment
from agentmemory.model.fake import FakeEngine
from agentmemory.model.ticket import Ticket
from tests.model.conftest import chat, words
from tests.serve.conftest import Running, Serve

IMAGE = {"type": "image_url", "image_url": {"url": "x"}}
LONG = {"model": "other", "messages": [{"role": "user", "content": "word " * 3000}]}
ASKED = [{"role": "system", "content": words(60, "s")}, {"role": "user", "content": "how do we deploy?"}]


@pytest.fixture
def running(serve: Serve) -> Running:
    return serve({"fake": FakeEngine("fake"), "other": FakeEngine("other", context=2000)})


def test_an_answer_with_usage(running: Running) -> None:
    client = running.client()
    first = client.chat.completions.create(model="fake", messages=ASKED, max_tokens=7)
    again = client.chat.completions.create(model="fake", messages=ASKED, max_tokens=7, temperature=0)
    assert first.choices[0].finish_reason == "length"
    assert first.usage.completion_tokens == 7
    assert first.usage.total_tokens == first.usage.prompt_tokens + 7
    assert first.usage.prompt_tokens_details.cached_tokens == 0
    assert 0 < again.usage.prompt_tokens_details.cached_tokens < again.usage.prompt_tokens
    assert first.model == "fake"


def test_a_stream_is_the_same_answer_with_usage_at_its_end(running: Running) -> None:
    client = running.client()
    whole = client.chat.completions.create(model="fake", messages=ASKED, temperature=0, max_tokens=30)
    chunks = list(client.chat.completions.create(
        model="fake", messages=ASKED, temperature=0, max_tokens=30, stream=True, stream_options={"include_usage": True}
    ))  # fmt: skip
    assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == whole.choices[0].message.content
    assert chunks[0].choices[0].delta.role == "assistant"
    assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] == "length"
    assert chunks[-1].usage.completion_tokens == 30
    assert len({c.id for c in chunks}) == 1


def test_stop_strings_end_an_answer_unseen(running: Running) -> None:
    client = running.client()
    free = client.chat.completions.create(model="fake", messages=ASKED, temperature=0, max_tokens=40)
    free = free.choices[0].message.content
    stop = free.split()[5]
    cut = client.chat.completions.create(model="fake", messages=ASKED, temperature=0, max_tokens=40, stop=[stop, "zzz"])
    assert cut.choices[0].message.content == free[: free.index(stop)]
    assert cut.choices[0].finish_reason == "stop"


def test_models_are_listed_and_told_apart(running: Running) -> None:
    client = running.client()
    assert [m.id for m in client.models.list()] == ["fake", "other"]
    assert client.models.retrieve("other").id == "other"
    assert client.models.retrieve("default").id == "fake"
    answers = {client.chat.completions.create(model=m, messages=ASKED).model for m in ("fake", "other", "default")}
    assert answers == {"fake", "other"}


@pytest.mark.parametrize(
    ("change", "error", "code"),
    [
        ({"model": "none"}, openai.NotFoundError, "model_not_found"),
        ({"messages": []}, openai.BadRequestError, None),
        ({"temperature": 7}, openai.BadRequestError, None),
        ({"max_tokens": 0}, openai.BadRequestError, None),
        ({"n": 3}, openai.BadRequestError, None),
        (LONG, openai.BadRequestError, "context_length_exceeded"),
        ({"messages": [{"role": "user", "content": [IMAGE]}]}, openai.BadRequestError, None),
        ({"response_format": {"type": "json_object"}}, openai.BadRequestError, None),
        ({"tool_choice": "required"}, openai.BadRequestError, None),
        ({"logprobs": True}, openai.BadRequestError, None),
        ({"logit_bias": {"5": 3}}, openai.BadRequestError, None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("stream", [False, True])
def test_errors_have_the_shape_of_the_api(
    running: Running, change: dict, error: type, code: str | None, stream: bool
) -> None:
    with pytest.raises(error) as raised:
        running.client().chat.completions.create(**{"model": "fake", "messages": ASKED, "stream": stream, **change})
    assert raised.value.code == code
    assert raised.value.body["message"]


def test_what_is_null_is_not_there(running: Running) -> None:
    names = ("stream", "stop", "n", "tools", "tool_choice", "response_format", "logprobs", "logit_bias", "metadata")
    given = {"model": "fake", "messages": ASKED, "max_tokens": 2, **dict.fromkeys((*names, "stream_options", "seed"))}
    answer = httpx.post(f"{running.url}/v1/chat/completions", json=given, headers=running.headers())
    assert answer.raise_for_status().json()["usage"]["completion_tokens"] == 2


def test_tools_that_are_not_to_be_used_are_not_shown(serve: Serve) -> None:
    seen: list[int] = []
    running = serve({"fake": FakeEngine(reply=lambda prompt: seen.append(len(prompt.tools)) or "done")})
    tool = {"type": "function", "function": {"name": "search", "parameters": {}}}
    for choice in ("auto", "none"):
        running.client().chat.completions.create(model="fake", messages=ASKED, tools=[tool], tool_choice=choice)
    assert seen == [1, 0]


def test_a_huge_request_is_refused(running: Running) -> None:
    answer = httpx.post(f"{running.url}/v1/chat/completions", content=bytes(33 << 20), headers=running.headers())
    assert (answer.status_code, answer.json()["error"]["type"]) == (413, "invalid_request_error")


def test_a_body_that_is_no_json_is_a_bad_request(running: Running) -> None:
    answer = httpx.post(f"{running.url}/v1/chat/completions", content=b"{", headers=running.headers())
    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "invalid_request_error"


def test_a_route_that_is_not_there_says_so_in_the_api_s_words(running: Running) -> None:
    answer = httpx.get(f"{running.url}/v1/nothing", headers=running.headers())
    assert (answer.status_code, answer.json()["error"]["type"]) == (404, "invalid_request_error")
    assert httpx.get(f"{running.url}/v1/chat/completions", headers=running.headers()).status_code == 405


def test_content_may_come_in_parts(running: Running) -> None:
    parts = [{"type": "text", "text": "how do "}, {"type": "text", "text": "we deploy?"}]
    client = running.client()
    one = client.chat.completions.create(model="fake", messages=[{"role": "user", "content": parts}], temperature=0)
    two = client.chat.completions.create(
        model="fake", messages=[{"role": "user", "content": "how do we deploy?"}], temperature=0
    )
    assert one.choices[0].message.content == two.choices[0].message.content


def test_nobody_without_the_token_or_from_elsewhere(running: Running) -> None:
    url = f"{running.url}/v1/models"
    assert httpx.get(url).status_code == 401
    assert httpx.get(url, headers={"Authorization": "Bearer wrong"}).status_code == 401
    assert httpx.get(url, headers=running.headers(Host="evil.example")).status_code == 421
    assert httpx.get(url, headers=running.headers(Origin="https://evil.example")).status_code == 403
    assert httpx.get(url, headers=running.headers(Origin="null")).status_code == 403
    assert httpx.get(url, headers=running.headers()).status_code == 200
    assert httpx.get(f"{running.url}/health").json()["status"] == "ok"
    with pytest.raises(openai.AuthenticationError) as raised:
        running.client(api_key="wrong").models.list()
    assert raised.value.code == "invalid_api_key"


def test_memory_is_injected_for_the_agent_and_project_that_ask(serve: Serve) -> None:
    told: list[tuple[str, str, str]] = []
    secret = secrets.token_hex(6)

    def prefix(agent: str, project: str, messages: Sequence[Message], session: str) -> list[Segment]:
        told.append((agent, project, str(messages[-1]["content"])))
        return [Segment("recall", f"the code is {secret}")] if agent == "reviewer" else []

    def echo(prompt: object) -> str:
        return " ".join(str(s.text) for s in prompt.segments) or "nothing"  # type: ignore[attr-defined]

    client = serve({"fake": FakeEngine(reply=echo)}, prefix).client()
    mine = client.chat.completions.create(model="", messages=ASKED, metadata={"agent": "reviewer", "project": "/p"})
    theirs = client.chat.completions.create(model="", messages=ASKED, extra_headers={"X-Agentmemory-Agent": "tester"})
    assert secret in mine.choices[0].message.content
    assert theirs.choices[0].message.content == "nothing"
    assert told == [("reviewer", "/p", "how do we deploy?"), ("tester", "", "how do we deploy?")]


def test_a_header_and_the_metadata_name_the_same_folder(serve: Serve) -> None:
    told: list[tuple[str, str, str]] = []

    def prefix(agent: str, project: str, messages: Sequence[Message], session: str) -> list[Segment]:
        told.append((agent, project, session))
        return []

    running = serve(prefix=prefix)
    who = {"agent": "Zoë", "project": "/home/Bücher", "session": "ü"}
    named = [(f"X-Agentmemory-{name}".encode(), value.encode()) for name, value in who.items()]
    for headers, metadata in (([], who), (named, None)):
        asked = {"messages": ASKED, "max_tokens": 2, "metadata": metadata}
        url, token = f"{running.url}/v1/chat/completions", (b"Authorization", f"Bearer {running.token}".encode())
        httpx.post(url, json=asked, headers=[token, *headers]).raise_for_status()
    assert told == [tuple(who.values())] * 2


def test_admin_routes_want_their_own_key(running: Running) -> None:
    url = f"{running.url}/admin/stats"
    assert httpx.get(url, headers=running.headers()).status_code == 403
    assert httpx.get(url, headers={"X-Admin-Key": running.admin}).status_code == 401
    both = running.headers(**{"X-Admin-Key": running.admin})
    assert httpx.get(url, headers=both).json()["models"] == ["fake", "other"]
    assert httpx.post(f"{running.url}/admin/forget", json={"beliefs": "x"}, headers=both).status_code == 400
    assert httpx.post(f"{running.url}/admin/load", json={"model": "none"}, headers=both).status_code == 404


def test_anthropics_messages_give_the_same_answer(running: Running) -> None:
    body = {
        "model": "fake", "max_tokens": 9, "temperature": 0, "system": ASKED[0]["content"],
        "messages": [{"role": "user", "content": [{"type": "text", "text": ASKED[1]["content"]}]}],
    }  # fmt: skip
    url, headers = f"{running.url}/v1/messages", {"x-api-key": running.token, "anthropic-version": "2023-06-01"}
    answer = httpx.post(url, json=body, headers=headers).json()
    same = running.client().chat.completions.create(model="fake", messages=ASKED, temperature=0, max_tokens=9)
    assert answer["content"] == [{"type": "text", "text": same.choices[0].message.content}]
    assert (answer["stop_reason"], answer["usage"]["output_tokens"]) == ("max_tokens", 9)
    lines = httpx.post(url, json={**body, "stream": True}, headers=headers).text.splitlines()
    events = [json.loads(line[6:]) for line in lines if line.startswith("data: ")]
    assert [e["type"] for e in events][:2] == ["message_start", "content_block_start"]
    assert events[-1]["type"] == "message_stop"
    assert (
        "".join(e["delta"]["text"] for e in events if e["type"] == "content_block_delta")
        == answer["content"][0]["text"]
    )
    refused = httpx.post(url, json={**body, "model": "none"}, headers=headers)
    assert (refused.status_code, refused.json()["error"]["type"]) == (404, "not_found_error")


class Thinking(FakeEngine):
    """A model that reads a long prompt: no piece comes, until the answer is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.closed = threading.Event(), threading.Event()

    def stream(self, prompt: Prompt, sampling: Sampling = DEFAULT) -> Ticket:
        engine = self

        class Watched(Ticket):
            def close(self) -> None:
                super().close()
                engine.closed.set()

        self.begun.set()
        return Watched()


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/messages"])
def test_nobody_works_for_who_hangs_up_before_the_first_word(serve: Serve, path: str, stream: bool) -> None:
    engine = Thinking()
    running = serve({"fake": engine})
    body = json.dumps({"messages": ASKED[1:], "max_tokens": 9, "stream": stream}).encode()
    head = [f"POST {path} HTTP/1.1", f"Content-Length: {len(body)}"]
    head += [f"{name}: {value}" for name, value in running.headers(Host="localhost").items()]
    with socket.create_connection(("127.0.0.1", int(running.url.rsplit(":")[-1]))) as client:
        client.sendall("\r\n".join([*head, "", ""]).encode() + body)
        assert engine.begun.wait(timeout=30)
    assert engine.closed.wait(timeout=30)


def test_who_hangs_up_in_the_middle_of_a_request_is_no_failure_of_the_server(
    serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    running = serve()
    logging.getLogger("uvicorn.error").addHandler(caplog.handler)
    head = [f"{name}: {value}" for name, value in running.headers(Host="localhost").items()]
    with socket.create_connection(("127.0.0.1", int(running.url.rsplit(":")[-1]))) as client:
        lines = ["POST /v1/chat/completions HTTP/1.1", *head, "Content-Length: 100", "Expect: 100-continue", "", "{"]
        client.sendall("\r\n".join(lines).encode())
        assert b"100 Continue" in client.recv(1000), "it waits for the rest"
    running.stop()
    logging.getLogger("uvicorn.error").removeHandler(caplog.handler)
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_what_is_under_way_ends_before_the_server_does(serve: Serve) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow(prompt: object) -> str:
        begun.set()
        go_on.wait(timeout=30)
        return "late but whole"

    running = serve({"fake": FakeEngine(reply=slow)})
    said: list[str | None] = []

    def ask() -> None:
        said.append(running.client().chat.completions.create(model="", messages=ASKED).choices[0].message.content)

    asking = threading.Thread(target=ask)
    asking.start()
    assert begun.wait(timeout=30)
    running.server.should_exit = True
    go_on.set()
    asking.join(timeout=60)
    running.thread.join(timeout=60)
    assert said == ["late but whole"]
    with pytest.raises(Exception, match="shutting down"):
        running.models.get("fake").generate(chat(), Sampling(max_tokens=1)) if running.models.names else None
