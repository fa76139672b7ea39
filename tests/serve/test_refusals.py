"""What a model makes nothing of is the client's to mend: status 400, which no client tries again."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import anthropic
import httpx
import openai
import pytest

from agentmemory.model.remote import RemoteEngine
from agentmemory.model.settings import Settings
from agentmemory.serve.app import MOST_BYTES
from tests.model import tiny
from tests.model.conftest import Folder, needs_mlx, words
from tests.model.standin import StandIn
from tests.serve.conftest import Running, Serve

ASKED: list[Any] = [{"role": "user", "content": "how do we deploy?"}]
ALTERNATE = (
    "{% for m in messages %}{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('roles must alternate') }}{% endif %}{% endfor %}"
)


def called(*calls: Any) -> list[Any]:
    """A talk in which the model wanted tools."""
    return [*ASKED, {"role": "assistant", "content": "", "tool_calls": list(calls)}, *ASKED]


@pytest.fixture
def strict(serve: Serve, model_folder: Folder, tmp_path: Path) -> Running:
    """A model whose template wants roles to alternate, as Gemma's and Mistral's do."""
    folder = shutil.copytree(model_folder(), tmp_path / "strict")
    (folder / "chat_template.jinja").write_text(ALTERNATE + tiny.TEMPLATE)
    return serve({}, settings=Settings(models={"strict": str(folder)}, step=64))


@needs_mlx
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    "messages",
    [ASKED * 2, called({"id": "1", "type": "function", "function": {"name": "f", "arguments": "{bad"}}), called(5)],
    ids=["roles", "arguments", "calls"],
)
def test_messages_that_the_model_cannot_take(strict: Running, messages: list[Any], stream: bool) -> None:
    with pytest.raises(openai.BadRequestError) as raised:
        strict.client().chat.completions.create(model="strict", messages=messages, max_tokens=3, stream=stream)
    assert "cannot be rendered" in raised.value.body["message"]  # type: ignore[index]
    made = strict.client().chat.completions.create(model="strict", messages=ASKED, max_tokens=3)
    assert made.usage.completion_tokens == 3


@needs_mlx
def test_a_template_without_a_system_role_reads_its_words_before_the_user_s(strict: Running) -> None:
    system: list[Any] = [{"role": "system", "content": words(80, "rules")}]
    create = strict.client().chat.completions.create
    first = create(model="strict", messages=[*system, *ASKED], max_tokens=3)
    again = create(model="strict", messages=[*system, {"role": "user", "content": "what else?"}], max_tokens=3)
    assert first.usage.prompt_tokens > 80
    assert again.usage.prompt_tokens_details.cached_tokens > 80, "they are a prefix of their own"
    with pytest.raises(openai.BadRequestError, match="roles must alternate"):
        create(model="strict", messages=[*system, *ASKED, *ASKED], max_tokens=3)


@pytest.mark.parametrize(("status", "error"), [
    (400, openai.BadRequestError), (422, openai.BadRequestError), (500, openai.InternalServerError),
])  # fmt: skip
def test_what_a_remote_server_refuses(serve: Serve, status: int, error: type) -> None:
    with StandIn() as server:
        server.refuses = status
        running = serve({"far": RemoteEngine(server.url, "stand-in", server.key, "far")})
        with pytest.raises(error, match="temperature is too high"):
            running.client().chat.completions.create(model="far", messages=ASKED)
        theirs = anthropic.BadRequestError if status < 500 else anthropic.InternalServerError
        client = anthropic.Anthropic(base_url=running.url, api_key=running.token, max_retries=0)
        with pytest.raises(theirs, match="temperature is too high"):
            client.messages.create(model="far", messages=ASKED, max_tokens=3)


def test_a_name_that_cannot_be_is_refused(serve: Serve) -> None:
    with pytest.raises(openai.BadRequestError, match="zero byte"):
        serve().client().chat.completions.create(model="", messages=ASKED, metadata={"project": "/home/\0"})


@pytest.mark.parametrize("project", ["shop", "~/shop", "./"])
def test_a_project_is_a_whole_path(serve: Serve, project: str) -> None:
    with pytest.raises(openai.BadRequestError, match="whole path") as raised:
        serve().client().chat.completions.create(model="", messages=ASKED, metadata={"project": project})
    assert raised.value.param == "metadata.project"


@pytest.mark.parametrize("told", [True, False], ids=["told", "in chunks"])
def test_a_request_that_is_too_large_is_refused_whether_its_length_is_told_or_not(serve: Serve, told: bool) -> None:
    running, part = serve(), b"x" * (1 << 20)
    body = part * (MOST_BYTES // len(part) + 1) if told else iter([part] * (MOST_BYTES // len(part) + 1))
    answer = httpx.post(f"{running.url}/v1/chat/completions", content=body, headers=running.headers(), timeout=60)

    assert (answer.status_code, answer.json()["error"]["message"]) == (413, "the request is too large")


@pytest.mark.parametrize(("change", "named"), [
    ({"stop": 5}, "stop"), ({"stop": [5]}, "stop"), ({"tool_choice": 5}, "tool_choice"),
    ({"messages": [{"role": "user", "content": 5}]}, "messages.0.content"),
])  # fmt: skip
def test_a_field_of_the_wrong_kind_is_named_as_the_client_wrote_it(
    serve: Serve, change: dict[str, object], named: str
) -> None:
    running = serve()
    asked = {"messages": ASKED, "max_tokens": 3, **change}
    answer = httpx.post(f"{running.url}/v1/chat/completions", json=asked, headers=running.headers())

    error = answer.json()["error"]
    assert (answer.status_code, error["param"]) == (400, named) and error["message"].startswith(f"{named}: ")


TOOL = {"type": "function", "function": {"name": "search", "parameters": {}}}
HARMLESS = {
    "user": "me", "safety_identifier": "me", "store": True, "service_tier": "flex", "prompt_cache_key": "k",
    "prompt_cache_retention": "24h", "prediction": {"type": "content", "content": "x"}, "reasoning_effort": "low",
    "verbosity": "low", "parallel_tool_calls": True, "modalities": ["text"], "functions": [], "function_call": "auto",
    "logprobs": False, "top_logprobs": 0, "unheard_of": None, "stream_options": {"include_obfuscation": False},
}  # fmt: skip


@pytest.mark.parametrize(("change", "named"), [
    ({"functions": [TOOL["function"]]}, "functions"), ({"function_call": {"name": "f"}}, "function_call"),
    ({"modalities": ["text", "audio"]}, "modalities"), ({"audio": {"voice": "x", "format": "wav"}}, "audio"),
    ({"top_logprobs": 3}, "logprobs"), ({"web_search_options": {}}, "web_search_options"),
    ({"min_tokens": 5}, "min_tokens"), ({"chat_template_kwargs": {"enable_thinking": False}}, "chat_template_kwargs"),
    ({"repetition_penalty": 1.1}, "repetition_penalty"), ({"stream_options": {"every": 5}}, "stream_options.every"),
    ({"tools": [{}]}, "tools"), ({"tools": [{"type": "custom", "custom": {"name": "sql"}}]}, "tools"),
    ({"tools": [{"type": "function", "function": {"parameters": {}}}]}, "tools"),
])  # fmt: skip
def test_what_would_change_an_answer_and_is_not_heeded_is_refused(serve: Serve, change: Any, named: str) -> None:
    with pytest.raises(openai.BadRequestError) as raised:
        serve().client().chat.completions.create(model="", messages=ASKED, extra_body={**HARMLESS, **change})
    assert (raised.value.param, raised.value.status_code) == (named, 400)
    assert len(raised.value.body["message"].split()) > 3  # type: ignore[index]


def test_what_changes_no_answer_is_taken(serve: Serve) -> None:
    create = serve().client().chat.completions.create
    plain, more = (
        create(model="", messages=ASKED, max_tokens=5, extra_body=extra).choices[0].message.content
        for extra in ({"temperature": 0}, {"temperature": 0, **HARMLESS})
    )
    assert plain == more


HINTS = {
    "thinking": {"type": "enabled", "budget_tokens": 1024}, "service_tier": "auto", "output_config": {"effort": "low"},
    "context_management": {"edits": []}, "cache_control": {"type": "ephemeral"}, "speed": "fast", "unheard_of": 1,
}  # fmt: skip


@pytest.mark.parametrize("change", [
    {"mcp_servers": [{"type": "url", "url": "http://x", "name": "x"}]}, {"container": "c1"},
    {"tools": [{"type": "web_search_20250305", "name": "web_search"}]}, {"tools": [{"input_schema": {}}]},
    {"output_config": {"format": {"type": "json_schema"}}},
])  # fmt: skip
def test_the_messages_api_heeds_the_same_rule(serve: Serve, change: Any) -> None:
    running = serve()
    create = anthropic.Anthropic(base_url=running.url, api_key=running.token, max_retries=0).messages.create
    create(model="fake", messages=ASKED, max_tokens=3, extra_body=HINTS)
    with pytest.raises(anthropic.BadRequestError):
        create(model="fake", messages=ASKED, max_tokens=3, extra_body={**HINTS, **change})


def test_a_field_that_an_admin_route_does_not_know_is_refused(serve: Serve) -> None:
    running = serve()
    answer = httpx.post(
        f"{running.url}/admin/forget", json={"belief": [1]}, headers=running.headers(**{"X-Admin-Key": running.admin})
    )
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "belief")


@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"model":' * 100_000, b'{"model": 5}', b"{}", b"\xff", b"[1]"])
def test_a_model_to_load_that_is_none(serve: Serve, body: bytes) -> None:
    running = serve()
    for path in ("/admin/load", "/v1/chat/completions"):
        head = running.headers(**{"X-Admin-Key": running.admin})
        answer = httpx.post(running.url + path, content=body, headers=head)
        assert answer.status_code == 400 and " " in answer.json()["error"]["message"]
