"""Many clients at once on real engines: every answer is its own, a hang-up harms nobody, nothing dies."""

from __future__ import annotations

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from agentmemory.model.engine import Message, Preempted, Prompt, Sampling, Segment
from agentmemory.model.segment_disk import Limits
from agentmemory.model.settings import Settings
from tests.model.conftest import Folder, Open, needs_mlx, words
from tests.serve.conftest import Running, Serve

pytestmark = needs_mlx
SMALL = Limits(budget=8 << 20, floor=0, ttl=1e12)


@pytest.fixture
def running(serve: Serve, model_folder: Folder) -> Running:
    models = {"llama": model_folder("llama"), "hybrid": model_folder("qwen3_next")}
    return serve({}, memory, Settings(models=models, limits=SMALL, hot_bytes=4 << 20, step=64))


def memory(agent: str, project: str, messages: list[Message], session: str) -> list[Segment]:  # type: ignore[override]
    return [Segment("profile", words(40, "p"), (1,)), Segment("digest", words(40, f"d{agent}"), (2,))]


def question(i: int) -> dict:
    messages = [
        {"role": "system", "content": words(30, f"s{i % 3}")},
        {"role": "user", "content": words(5 + i % 40, i)},
    ]
    return {
        "model": ("llama", "hybrid")[i % 2], "messages": messages, "temperature": 0, "max_tokens": 6 + i % 5,
        "metadata": {"agent": f"a{i % 4}"},
    }  # fmt: skip


def test_sixteen_clients_two_models_and_hang_ups(running: Running, tmp_path: Path) -> None:
    client = running.client()
    alone = {i: client.chat.completions.create(**question(i)).choices[0].message.content for i in range(24)}
    rng = random.Random(3)
    order = [rng.randrange(24) for _ in range(72)]

    def ask(turn: tuple[int, int]) -> bool:
        at, i = turn
        stream = client.chat.completions.create(**question(i), stream=True)
        if at % 6 == 5:
            next(iter(stream))
            stream.close()
            return True
        return "".join(c.choices[0].delta.content or "" for c in stream if c.choices) == alone[i]

    with ThreadPoolExecutor(16) as pool:
        right = list(pool.map(ask, enumerate(order)))
    assert all(right)
    for engine in running.models.open_engines():
        stats = engine.stats()
        assert stats["tokens"]["failed"] == 0
        assert stats["prefixes"]["hot"]["bytes"] <= 4 << 20
        assert stats["tokens"]["cached"] > 0
    assert sum(p.stat().st_size for p in (tmp_path / "home").rglob("*.safetensors")) <= SMALL.budget
    assert client.chat.completions.create(**question(0)).choices[0].message.content == alone[0]


def test_an_exact_repeat_is_answered_again_and_again(running: Running) -> None:
    client = running.client()
    answers = [client.chat.completions.create(**question(1)) for _ in range(4)]
    assert len({a.choices[0].message.content for a in answers}) == 1
    assert answers[-1].usage.prompt_tokens_details.cached_tokens > 50


@pytest.mark.parametrize(
    "odd",
    [{"top_k": 512}, {"top_k": 10**6}, {"min_p": 1.0, "top_p": 1e-300}, {"temperature": 1e-320}, {"seed": -(10**30)},
     {"frequency_penalty": 2, "presence_penalty": -2}, {"max_tokens": 10**30, "stop": ["e"]}],
    ids=str,
)  # fmt: skip
def test_what_one_asks_for_is_nothing_to_another(running: Running, odd: dict) -> None:
    client = running.client()
    asked = {**question(0), "max_tokens": 300, "stream": True}
    stream = client.chat.completions.create(**asked)
    next(iter(stream))
    theirs = client.chat.completions.create(**{**question(2), "temperature": 1, "extra_body": odd})

    assert theirs.usage.completion_tokens > 0
    assert [c.choices[0].finish_reason for c in stream if c.choices][-1] == "length"


def test_two_agents_share_their_profile_and_nothing_else(running: Running) -> None:
    client = running.client()
    asked = question(0)
    client.chat.completions.create(**{**asked, "metadata": {"agent": "one"}})
    mine = client.chat.completions.create(**{**asked, "metadata": {"agent": "one"}}).usage
    theirs = client.chat.completions.create(**{**asked, "metadata": {"agent": "two"}}).usage
    assert 0 < theirs.prompt_tokens_details.cached_tokens < mine.prompt_tokens_details.cached_tokens


def test_stopping_the_server_writes_what_memory_holds(serve: Serve, model_folder: Folder) -> None:
    settings = Settings(models={"llama": model_folder()}, limits=Limits(1 << 30, 0, 1e12), step=64)
    talk = [{"role": "user", "content": words(80, 1)}, {"role": "assistant", "content": words(80, 2)}]
    asked = {
        "model": "llama",
        "messages": [*talk, {"role": "user", "content": "and?"}],
        "max_tokens": 3,
        "temperature": 0,
    }
    first = serve({}, settings=settings)
    one = first.client().chat.completions.create(**asked)
    first.stop()
    again = serve({}, settings=settings).client().chat.completions.create(**asked)
    assert again.usage.prompt_tokens_details.cached_tokens > 100
    assert again.choices[0].message.content == one.choices[0].message.content


def test_admin_explains_prefills_and_forgets(running: Running) -> None:
    headers = running.headers(**{"X-Admin-Key": running.admin})

    def admin(what: str, body: dict) -> dict:
        return (
            httpx.post(f"{running.url}/admin/{what}", json=body, headers=headers, timeout=60).raise_for_status().json()
        )

    assert "never computed" in admin("explain", question(0))["segments"][0]
    admin("prefill", question(0))
    assert all("missing" not in line for line in admin("explain", question(0))["segments"])
    assert admin("forget", {"beliefs": [2]})["deleted"] >= 1
    assert "forgotten" in admin("explain", question(0))["segments"][2]


def test_a_request_goes_before_background_work(open_engine: Open) -> None:
    engine = open_engine()
    background = engine.stream(Prompt(text=words(100, 1)), Sampling(max_tokens=3000, background=True))
    next(iter(background))
    done = threading.Event()

    def person() -> None:
        engine.generate(Prompt(text=words(10, 2)), Sampling(max_tokens=2))
        done.set()

    threading.Thread(target=person).start()
    with pytest.raises(Preempted):
        list(background)
    assert done.wait(timeout=60)
    assert engine.stats()["tokens"]["preempted"] == 1


def test_more_models_than_memory_holds_answer_all_who_ask_at_once(serve: Serve, model_folder: Folder) -> None:
    names = ["one", "two", "three"]
    folders = {name: model_folder("llama", seed) for seed, name in enumerate(names)}
    client = serve({}, memory, Settings(models=folders, limits=SMALL, hot_bytes=4 << 20, step=64, loaded=1)).client()

    def ask(i: int) -> tuple[str, str | None]:
        asked = {**question(i), "model": names[i % 3]}
        stream = client.chat.completions.create(**asked, stream=True)
        chosen = [choice for chunk in stream for choice in chunk.choices]
        return "".join(c.delta.content or "" for c in chosen), chosen[-1].finish_reason

    alone = [ask(i) for i in range(6)]
    with ThreadPoolExecutor(12) as pool:
        assert list(pool.map(ask, [i % 6 for i in range(48)])) == alone * 8


def test_admin_explains_what_a_header_asks_for_too(running: Running) -> None:
    asked = {**question(0), "metadata": {}}
    running.client().chat.completions.create(**asked, extra_headers={"X-Agentmemory-Agent": "reviewer"})
    headers = running.headers(**{"X-Admin-Key": running.admin})
    for agent, kept in (("reviewer", True), ("other", False)):
        named = {**headers, "X-Agentmemory-Agent": agent}
        told = httpx.post(f"{running.url}/admin/explain", json=asked, headers=named, timeout=60).json()["segments"]
        assert all("missing" not in line for line in told) is kept
