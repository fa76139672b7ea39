"""What memory asks of a model: answers that do not fit leave nothing; the instruction is computed once."""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import Any

import pytest

from agentmemory.model import tasks
from agentmemory.model.allowance import Background, Meter, Spent, asked_now, meter, on_battery_by
from agentmemory.model.engine import EngineError, Preempted, Prompt, Sampling
from agentmemory.model.fake import FakeEngine
from agentmemory.model.settings import BadSettings, Settings, read
from tests.model.conftest import Open, needs_mlx, words

NOTE = "The billing-api exhausts its Postgres pool at 200 clients; raise max_connections in db/pool.toml."


def saying(text: str) -> FakeEngine:
    return FakeEngine(reply=lambda prompt: text)


def test_importance_is_between_nothing_and_all_and_repeats() -> None:
    marks = [tasks.importance(FakeEngine(), words(9, i)) for i in range(20)]
    assert all(0 <= mark <= 1 for mark in marks)
    assert marks == [tasks.importance(FakeEngine(), words(9, i)) for i in range(20)]
    assert len(set(marks)) > 10


def test_an_annotation_keeps_only_keywords_the_note_holds() -> None:
    invented = secrets.token_hex(4)
    said = {
        "keywords": ["billing-api", invented, "Postgres"],
        "context": "a pool that is too small",
        "tags": ["database"],
    }
    found = tasks.annotate(saying(f"Sure! {json.dumps(said)} Anything else?"), NOTE)
    assert found.keywords == ["billing-api", "Postgres"]
    assert found.context == "a pool that is too small"


@pytest.mark.parametrize(
    "said",
    ["", "no", "{", "[1]", '{"keywords": []}', '{"keywords": ["zebra"], "context": "abc", "tags": ["x"]}', "null"],
)
def test_an_answer_that_is_no_annotation_is_unfit(said: str) -> None:
    with pytest.raises(tasks.Unfit):
        tasks.annotate(saying(said), NOTE)


def test_a_summary_may_say_less_and_nothing_else() -> None:
    text = f"{NOTE} We found it on Monday after the third outage, and the fix went out with release 4.2.1."
    fit = "billing-api exhausts its pool at 200 clients; raised in db/pool.toml, released as 4.2.1."
    assert tasks.summarise(saying(fit), text) == fit
    for bad in (
        "",
        "It was 300 clients in db/pool.toml.",
        text + text,
        "See db/other.toml for what was changed there.",
    ):
        with pytest.raises(tasks.Unfit):
            tasks.summarise(saying(bad), text)


def test_a_model_that_fails_raises_and_says_nothing() -> None:
    engine = FakeEngine()
    engine.close()
    for ask in (tasks.importance, tasks.annotate, tasks.summarise):
        with pytest.raises(EngineError):
            ask(engine, NOTE)


@needs_mlx
def test_the_instruction_is_computed_once(open_engine: Open) -> None:
    engine = open_engine()
    texts = [words(12, i) for i in range(12)]
    marks = [tasks.importance(engine, text) for text in texts]
    used = engine.stats()["tokens"]
    assert len(set(marks)) == len(marks)
    assert used["prompt"] > 4 * (used["prompt"] - used["cached"])


def test_background_work_ends_with_the_day_s_allowance(tmp_path: Path) -> None:
    settings = Settings(day_tokens=400)
    engine = Background(FakeEngine(), str(tmp_path), settings, lambda: False)

    def work() -> None:
        for i in range(100):
            engine.generate(tasks.prompt("Be short.", words(30, i)), Sampling(max_tokens=5))

    with pytest.raises(Spent, match="today"):
        work()
    used = meter(str(tmp_path))
    assert 400 <= used.tokens < 600
    assert used.calls > 3
    assert meter(str(tmp_path), now=86_400.0 * 365) == Meter("1971-01-01")


def test_background_work_waits_for_mains_power(tmp_path: Path) -> None:
    on_battery = Background(FakeEngine(), str(tmp_path), Settings(), lambda: True)
    with pytest.raises(Spent, match="battery"):
        on_battery.generate(tasks.prompt("Be short.", "x"))
    allowed = Background(FakeEngine(), str(tmp_path), Settings(on_battery=True), lambda: True)
    assert allowed.generate(tasks.prompt("Be short.", "x")).text


def test_background_work_begins_only_when_nobody_has_asked_for_a_while(tmp_path: Path) -> None:
    engine = Background(FakeEngine(), str(tmp_path), Settings(), lambda: False)
    asked_now(str(tmp_path))
    with pytest.raises(Spent, match="a person"):
        engine.generate(tasks.prompt("Be short.", "x"))


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
