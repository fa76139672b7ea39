"""Every request that the server answers is in the bill, with the tokens its answer named."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pytest

from agentmemory.cli import main
from agentmemory.memory import Memory
from agentmemory.model.fake import FakeEngine
from agentmemory.serve.injection import FromMemory
from tests.model.conftest import Folder, needs_mlx, words
from tests.serve.conftest import Running, Serve

ASKED = [{"role": "system", "content": words(60, "s")}, {"role": "user", "content": "how do we deploy?"}]
LIMIT = {"messages": ASKED, "max_tokens": 9, "temperature": 0}


def told(running: Running) -> dict[str, Any]:
    """The bill as the server shows it."""
    headers = running.headers(**{"X-Admin-Key": running.admin})
    usage: dict[str, Any] = httpx.get(f"{running.url}/admin/stats", headers=headers).raise_for_status().json()["usage"]
    return usage


def test_whole_streamed_and_anthropic_answers_are_counted_and_priced(
    serve: Serve, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home.mkdir()
    (home / "sleep.toml").write_text('[prices.big]\nprompt = 3.00\ncompletion = "15.00"\ncached = "0.30"\n')
    running = serve({"big": FakeEngine("big")})
    client = running.client()
    whole = client.chat.completions.create(model="big", **LIMIT).usage
    options = {"include_usage": True}
    streamed = list(client.chat.completions.create(model="big", stream=True, stream_options=options, **LIMIT))[-1].usage
    client_of_the_other_api = httpx.post(
        f"{running.url}/v1/messages", headers=running.headers(), json={**LIMIT, "model": "big", "messages": ASKED[1:]}
    )
    third = client_of_the_other_api.raise_for_status().json()["usage"]

    cached = [u.prompt_tokens_details.cached_tokens for u in (whole, streamed)] + [third["cache_read_input_tokens"]]
    prompt = whole.prompt_tokens + streamed.prompt_tokens + third["input_tokens"] + cached[2]
    made = whole.completion_tokens + streamed.completion_tokens + third["output_tokens"]
    assert cached[1] > 0
    cost = (3 * Decimal(prompt - sum(cached)) + Decimal("0.3") * sum(cached) + 15 * Decimal(made)) / 1_000_000
    expected = {"calls": 3, "prompt": prompt, "completion": made, "cached": sum(cached), "cost": str(cost.normalize())}
    assert told(running) == expected

    for command in (["usage", "--json"], ["stats", "--json"]):
        assert main(command) == 0
        printed = json.loads(capsys.readouterr().out)
        assert printed.get("usage", printed) == expected


def test_what_is_refused_costs_nothing(serve: Serve) -> None:
    running = serve({"fake": FakeEngine(context=50)})
    for model, messages in (("none", ASKED), ("fake", [{"role": "user", "content": words(200, 1)}])):
        with pytest.raises(Exception, match=r"no model|tokens"):
            running.client().chat.completions.create(model=model, messages=messages)
    assert told(running)["calls"] == 0


def test_nothing_is_lost_when_the_server_stops(serve: Serve, home: Path) -> None:
    running = serve({"fake": FakeEngine()})
    for _ in range(5):
        running.client().chat.completions.create(model="fake", **LIMIT)
    running.stop()
    with Memory(str(home)) as memory:
        assert memory.stats()["usage"]["calls"] == 5


@needs_mlx
def test_who_hangs_up_has_still_used_what_was_computed(serve: Serve, model_folder: Folder, home: Path) -> None:
    from agentmemory.model.settings import Settings

    running = serve({}, settings=Settings(models={"llama": model_folder()}, step=64))
    stream = running.client().chat.completions.create(model="llama", stream=True, **{**LIMIT, "max_tokens": 3000})
    next(iter(stream))
    stream.close()
    running.stop()
    with Memory(str(home)) as memory:
        usage = memory.stats()["usage"]
    assert usage["calls"] == 1
    assert usage["prompt"] > 60
    assert 0 < usage["completion"] < 3000


def test_counting_and_remembering_at_once_harm_neither(serve: Serve, home: Path, tmp_path: Path) -> None:
    """Both open and close the store all the time; two copies of SQLite in one process would undo each other's locks."""
    (tmp_path / "shop").mkdir()
    seam = FromMemory(str(home), str(tmp_path / "shop"))
    with Memory(seam.home, seam.project) as memory:
        memory.lock("Releases go through the smoke suite first.")
    client = serve({"fake": FakeEngine()}, seam).client()

    def ask(i: int) -> int:
        said = [{"role": "user", "content": f"how do we release? {words(9, i)}"}]
        return int(client.chat.completions.create(model="fake", messages=said, max_tokens=2).usage.prompt_tokens)

    with ThreadPoolExecutor(8) as pool:
        assert all(tokens > 10 for tokens in pool.map(ask, range(160)))
