"""What a model makes nothing of is the client's to mend: status 400, which no client tries again."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest

from agentmemory.model.remote import RemoteEngine
from agentmemory.model.settings import Settings
from tests.model import tiny
from tests.model.conftest import Folder, needs_mlx
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
