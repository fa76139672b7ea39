"""Counting tokens before a message, and embeddings, as the official clients of the two APIs see them."""

from __future__ import annotations

import base64
import struct
from pathlib import Path
from typing import Any

import anthropic
import httpx
import openai
import pytest

from agentmemory.memory import Memory
from agentmemory.model.fake import DIMENSIONS, FakeEngine
from agentmemory.model.settings import Settings
from agentmemory.serve.injection import FromMemory
from tests import encoders
from tests.model.conftest import Folder, needs_mlx, words
from tests.serve.conftest import Running, Serve
from tests.serve.test_costs import told
from tests.serve.test_messages_api import ASKED, GREEDY, SYSTEM, TOOL, client

TEXTS = ["deploy to staging", "the answer is short", "deploy to staging"]


@pytest.fixture
def running(serve: Serve) -> Running:
    return serve({"fake": FakeEngine("fake"), "small": FakeEngine("small", context=20)})


@pytest.mark.parametrize("more", [{}, {"system": SYSTEM}, {"tools": [TOOL]}, {"system": SYSTEM, "tools": [TOOL]}])
def test_the_count_is_what_the_message_then_reads(running: Running, more: dict[str, Any]) -> None:
    counted = client(running).messages.count_tokens(model="fake", messages=ASKED, **more)
    made = client(running).messages.create(model="fake", max_tokens=3, messages=ASKED, extra_body=GREEDY, **more)
    assert counted.input_tokens == made.usage.input_tokens + made.usage.cache_read_input_tokens > 0


def test_the_count_has_the_memory_in_it_and_costs_nothing(serve: Serve, home: Path) -> None:
    def counted() -> int:
        return client(running).messages.count_tokens(model="fake", messages=ASKED).input_tokens

    running = serve({"fake": FakeEngine("fake")}, FromMemory(str(home)))
    before = counted()
    with Memory(str(home), "") as memory:
        memory.lock("Always answer in British English.", everywhere=True)
    assert counted() > before
    assert told(running)["calls"] == 0


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"messages": []}, anthropic.BadRequestError),
        ({"model": "missing"}, anthropic.NotFoundError),
        ({"messages": [{"role": "user", "content": [{"type": "image", "source": {}}]}]}, anthropic.BadRequestError),
    ],
)
def test_a_count_that_cannot_be_given_is_an_error_of_the_api(running: Running, change: Any, error: type) -> None:
    with pytest.raises(error) as caught:
        client(running).messages.count_tokens(**{"model": "fake", "messages": ASKED, **change})
    assert caught.value.body["type"] == "error"  # type: ignore[attr-defined]


def test_a_prompt_that_is_too_long_is_counted(running: Running) -> None:
    assert client(running).messages.count_tokens(model="small", messages=ASKED, system=SYSTEM).input_tokens > 20
    with pytest.raises(anthropic.BadRequestError):
        client(running).messages.create(model="small", max_tokens=3, messages=ASKED, system=SYSTEM)


def test_texts_have_vectors_in_their_order_with_their_cost(running: Running) -> None:
    made = running.client().embeddings.create(model="fake", input=TEXTS)
    assert [row.index for row in made.data] == [0, 1, 2]
    assert [len(row.embedding) for row in made.data] == [DIMENSIONS] * 3
    assert made.data[0].embedding == made.data[2].embedding != made.data[1].embedding
    alone = running.client().embeddings.create(model="fake", input=TEXTS[1])
    assert alone.data[0].embedding == made.data[1].embedding
    assert made.model == "fake" and made.usage.total_tokens == made.usage.prompt_tokens > alone.usage.prompt_tokens > 0
    bill = told(running)
    assert (bill["calls"], bill["prompt"]) == (2, made.usage.prompt_tokens + alone.usage.prompt_tokens)


def test_both_encodings_say_the_same(running: Running) -> None:
    def shown(**how: str) -> Any:
        asked = httpx.post(
            f"{running.url}/v1/embeddings", headers=running.headers(), json={"model": "fake", "input": "x", **how}
        )
        return asked.raise_for_status().json()["data"][0]["embedding"]

    packed = struct.unpack(f"<{DIMENSIONS}f", base64.b64decode(shown(encoding_format="base64")))
    assert list(packed) == pytest.approx(shown()) == shown(encoding_format="float")


@pytest.mark.parametrize(
    ("change", "param"),
    [
        ({"input": ""}, "input"), ({"input": []}, "input"), ({"input": ["x", ""]}, "input"),
        ({"input": [1, 2, 3]}, "input"), ({"input": [[1], [2]]}, "input"), ({"dimensions": 8}, "dimensions"),
        ({"input": ["x"] * 2049}, "input"), ({"model": "small", "input": words(60, 1)}, "input"),
    ],
)  # fmt: skip
def test_what_cannot_be_embedded_is_named(running: Running, change: dict[str, Any], param: str) -> None:
    with pytest.raises(openai.BadRequestError) as caught:
        running.client().embeddings.create(**{"model": "fake", "input": "x", **change})
    assert caught.value.param == param
    with pytest.raises(openai.NotFoundError):
        running.client().embeddings.create(model="missing", input="x")


def test_the_configured_embedding_answers_where_none_is_named(serve: Serve) -> None:
    settings = Settings(models={"chat": "fake", "vectors": "fake"}, embedding="vectors")
    running = serve(settings=settings)
    models = [running.client().embeddings.create(model=m, input="x").model for m in ("default", "vectors", "chat")]
    assert models == ["vectors", "vectors", "chat"]


def test_a_sentence_encoder_embeds_for_the_client_too(serve: Serve, tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    known = words(6, "known").split()
    encoders.bert(tmp_path / "encoder", known)
    settings = Settings(models={"fake": "fake"}, embedding=str(tmp_path / "encoder"))
    running = serve(settings=settings)
    made = running.client().embeddings.create(model="default", input=[" ".join(known), known[0]])
    assert [len(row.embedding) for row in made.data] == [encoders.DIMENSIONS] * 2
    assert made.usage.prompt_tokens > len(known)
    with pytest.raises(openai.BadRequestError):
        running.client().embeddings.create(model="default", input=" ".join(known * 100))


@needs_mlx
def test_a_real_model_counts_and_embeds(serve: Serve, model_folder: Folder) -> None:
    running = serve(settings=Settings(models={"tiny": model_folder()}, step=32))
    counted = client(running).messages.count_tokens(model="tiny", messages=ASKED, system=SYSTEM).input_tokens
    used = client(running).messages.create(model="tiny", max_tokens=2, messages=ASKED, system=SYSTEM).usage
    assert counted == used.input_tokens + used.cache_read_input_tokens
    made = running.client().embeddings.create(model="tiny", input=TEXTS)
    assert made.data[0].embedding == pytest.approx(made.data[2].embedding)
    assert sum(x * x for x in made.data[0].embedding) == pytest.approx(1.0, rel=1e-4)
