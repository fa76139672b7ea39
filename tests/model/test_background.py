"""Work that nobody waits for: its task is computed once, its allowance is kept, a person goes first."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from agentmemory.learn import evolution
from agentmemory.model.allowance import Background, Meter, Spent, asked_now, meter, on_battery_by
from agentmemory.model.engine import Piece, Preempted, Prompt, Sampling, Usage
from agentmemory.model.fake import FakeEngine
from agentmemory.model.settings import BadSettings, Settings, read
from agentmemory.model.ticket import Ticket
from agentmemory.sleep import costs, models, wording
from agentmemory.store import writer
from tests.model.conftest import Folder, Open, needs_mlx, words


@pytest.fixture
def asking(tmp_path: Path, model_folder: Folder) -> Iterator[str]:
    """A data folder whose model may be asked."""
    (tmp_path / "sidecar.toml").write_text(f'model = "{model_folder()}"\nfree_gib = 0\non_battery = true\n')
    yield str(tmp_path)
    models.engines(str(tmp_path)).close()


@needs_mlx
@pytest.mark.parametrize("task", [evolution.ASK + "\n", wording.TASK])
def test_the_task_of_many_questions_is_computed_once(asking: str, task: str) -> None:
    ask = models.asker(asking)
    for i in range(6):
        ask(f"{task}{words(12, i)}")
    db = writer.open_store(asking)
    bill = costs.bill(db, {})
    db.close()
    assert bill.calls == 6
    assert bill.cached > 0.6 * bill.prompt


def asked(text: str) -> Prompt:
    return Prompt(({"role": "system", "content": "Be short."}, {"role": "user", "content": text}))


def test_background_work_ends_with_the_day_s_allowance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(day_tokens=400)
    engine = Background(FakeEngine(), str(tmp_path), settings, lambda: False)

    def work() -> None:
        for i in range(100):
            engine.generate(asked(words(30, i)), Sampling(max_tokens=5))

    with pytest.raises(Spent, match="today"):
        work()
    used = meter(str(tmp_path))
    assert 400 <= used.tokens < 600
    assert used.calls > 3
    monkeypatch.setenv("AGENTMEMORY_NOW", "2026-06-02T00:00:00Z")
    assert meter(str(tmp_path)) == Meter("2026-06-02")


def test_background_work_waits_for_mains_power(tmp_path: Path) -> None:
    on_battery = Background(FakeEngine(), str(tmp_path), Settings(), lambda: True)
    with pytest.raises(Spent, match="battery"):
        on_battery.generate(asked("x"))
    allowed = Background(FakeEngine(), str(tmp_path), Settings(on_battery=True), lambda: True)
    assert allowed.generate(asked("x")).text


def test_background_work_begins_only_when_nobody_has_asked_for_a_while(tmp_path: Path) -> None:
    engine = Background(FakeEngine(), str(tmp_path), Settings(), lambda: False)
    asked_now(str(tmp_path))
    with pytest.raises(Spent, match="a person"):
        engine.generate(asked("x"))


@pytest.mark.parametrize("verb", ["generate", "score", "prefill"])
def test_work_that_made_way_is_counted_too(tmp_path: Path, verb: str) -> None:
    class Preempting:
        """An engine whose work is ended by a request after the first piece."""

        name = "preempting"

        def stream(self, prompt: Prompt, sampling: Sampling) -> Any:
            ticket = Ticket()
            ticket.put(Piece("a"))
            ticket.fail(Preempted("a request came in between"))
            return ticket

        def score(self, prompt: Prompt, options: list[str], background: bool) -> list[float]:
            raise Preempted("a request came in between")

        def prefill(self, prompt: Prompt) -> Usage:
            raise Preempted("a request came in between")

        def interrupt(self) -> None: ...

    background = Background(Preempting(), str(tmp_path), Settings(), lambda: False)  # type: ignore[arg-type]
    with pytest.raises(Preempted):
        getattr(background, verb)(asked("x"), *([["yes"]] if verb == "score" else []))
    used = meter(str(tmp_path))
    assert (used.calls, used.tokens) == (1, 0 if verb == "prefill" else 1)


@needs_mlx
def test_background_work_of_another_process_makes_way_for_a_request(tmp_path: Path, open_engine: Open) -> None:
    engine = open_engine()
    background = Background(engine, str(tmp_path), Settings(), lambda: False)

    class Asking:
        """An engine whose stream is answered by a person's request as soon as it begins."""

        name = "asking"

        def stream(self, prompt: Prompt, sampling: Sampling) -> Any:
            stream = engine.stream(prompt, sampling)
            next(iter(stream))
            asked_now(str(tmp_path))
            return stream

    background._engine = Asking()  # type: ignore[assignment]
    with pytest.raises(Preempted):
        background.generate(Prompt(text=words(50, 1)), Sampling(max_tokens=3900))


@needs_mlx
@pytest.mark.parametrize("verb", ["score", "prefill"])
def test_scoring_and_prefilling_make_way_too(tmp_path: Path, open_engine: Open, verb: str) -> None:
    engine = open_engine()
    background = Background(engine, str(tmp_path), Settings(), lambda: False)

    class Asking:
        """An engine that is asked by a person as soon as it has begun."""

        name, interrupt = "asking", engine.interrupt

        def score(self, prompt: Prompt, options: list[str], background: bool) -> list[float]:
            asked_now(str(tmp_path))
            return list(engine.score(prompt, options, background))

        def prefill(self, prompt: Prompt) -> Usage:
            asked_now(str(tmp_path))
            return engine.prefill(prompt)  # type: ignore[no-any-return]

    background._engine = Asking()  # type: ignore[assignment]
    prompt = Prompt(({"role": "system", "content": words(1400, 1)}, {"role": "user", "content": "and?"}))
    score, prefill = partial(background.score, prompt, [words(1200, 2)]), partial(background.prefill, prompt)
    with pytest.raises(Preempted):
        (score if verb == "score" else prefill)()
    assert engine.stats()["tokens"]["preempted"] == 1


def test_a_battery_is_told_from_a_mouse_s(tmp_path: Path) -> None:
    def supply(name: str, **files: str) -> None:
        (tmp_path / name).mkdir()
        for file, text in files.items():
            (tmp_path / name / file).write_text(text + "\n")

    assert not on_battery_by(tmp_path)
    supply("hid", type="Battery", status="Discharging", scope="Device")
    assert not on_battery_by(tmp_path)
    supply("BAT0", type="Battery", status="Discharging")
    assert on_battery_by(tmp_path)
    supply("AC", type="Mains", online="1")
    assert not on_battery_by(tmp_path)


def test_settings_are_read_and_nonsense_is_named(tmp_path: Path) -> None:
    assert read(str(tmp_path)).models == {}
    (tmp_path / "sidecar.toml").write_text('model = "/m/tiny"\nkv = "q8"\ndisk_gib = 0.5\n[models]\nbig = "a/b"\n')
    found = read(str(tmp_path))
    assert (dict(found.models), found.kv, found.limits.budget) == ({"tiny": "/m/tiny", "big": "a/b"}, "q8", 1 << 29)
    for wrong in ('kv = "q5"', "modle = 1", "= 3", 'disk_gib = "much"', "models = 3"):
        (tmp_path / "sidecar.toml").write_text(wrong)
        with pytest.raises(BadSettings):
            read(str(tmp_path))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (b"loaded = 0", "loaded is"),
        (b"loaded = -1", "loaded is"),
        (b"step = -5", "step is"),
        (b'on_battery = "no"', "on_battery is"),
        (b"disk_gib = inf", "disk_gib is"),
        (b"disk_gib = -1", "disk_gib is"),
        (b"free_gib = -0.5", "free_gib is"),
        (b"keep_days = nan", "keep_days is"),
        (b"memory_gib = -2", "memory_gib is"),
        (b'memory_gib = "2"', "memory_gib is"),
        (b"day_tokens = -1", "day_tokens is"),
        (b"day_tokens = 1.5", "day_tokens is a whole number"),
        (b"day_seconds = true", "day_seconds is"),
        (b"model = 5", "model is a text"),
        (b"[models]\nbig = 7", "big is a text"),
        (b"[models]\ndefault = 'a/b'", "other than default"),
        (b"model = '/m/tiny'\n[models]\ntiny = '/n/tiny'", "two models have the name"),
        (b"[remote]\nbase_url = 'http://x/v1'\nurl = 'http://y'", r"'url' below \[remote\]"),
        (b"[remote]\nmodel = 'm'", "base_url is"),
        (b"[remote]\nbase_url = 'http://x/v1'", r"model is what the server calls its model below \[remote\]"),
        (b"[remote]\nbase_url = 'localhost:8000'\nmodel = 'm'", "base_url is"),
        (b"[remote]\nbase_url = 'http://[::1'\nmodel = 'm'", "base_url is"),
        (b"[remote]\nbase_url = 'http://'\nmodel = 'm'", "base_url is"),
        (b"[remote]\nbase_url = 'http://127.0.0.1:99999'\nmodel = 'm'", "base_url is"),
        (b"[embedding]\nmodle = 'm'", r"'modle' below \[embedding\]"),
        (b"embedding = 'm'", "embedding is a table"),
        (b'model = "\xff"', "cannot be read"),
        ("model = 'm'".encode("utf-16"), "cannot be read"),
    ],
)
def test_settings_that_cannot_be_are_refused_in_a_sentence(tmp_path: Path, wrong: bytes, said: str) -> None:
    (tmp_path / "sidecar.toml").write_bytes(wrong)
    with pytest.raises(BadSettings, match=said) as raised:
        read(str(tmp_path))
    assert "sidecar.toml" in str(raised.value)
