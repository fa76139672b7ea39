"""Surprisal under a local model: one more term of importance, added once, as a job that may wait."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory import worker
from agentmemory.model.engine import EngineError, Prompt
from agentmemory.model.fake import FakeEngine
from agentmemory.sleep import importance, surprise
from agentmemory.sleep.night import sleep
from agentmemory.store import jobs, nights, writer
from tests.model.conftest import *  # noqa: F403  (fixtures that make models)
from tests.model.conftest import Open, needs_mlx, words
from tests.sleep.talk import NOW, say, topic


def importances(db: apsw.Connection) -> list[float]:
    return [float(row[0]) for row in db.execute("SELECT importance FROM turn ORDER BY id").fetchall()]


def expected(db: apsw.Connection, engine: object, before: list[float]) -> list[float]:
    out = []
    for turn, known in zip(nights.after(db, 0, 1000), before, strict=True):
        given = nights.before(db, turn.session, turn.idx, 3)
        out.append(importance.with_surprisal(known, surprise.surprisal(engine, turn, given)))  # type: ignore[arg-type]
    return out


def test_the_ends_of_the_scale() -> None:
    assert importance.surprisal(0.0, 40) == 0.0
    assert importance.surprisal(-40 * 0.6931471805599453, 40) == pytest.approx(0.5)  # a bit a character
    assert importance.surprisal(-1e9, 40) == pytest.approx(1.0)
    assert importance.with_surprisal(0.6, 1.0) == pytest.approx(0.85 * 0.6 + 0.15)


def test_the_worker_adds_it_after_sleep_and_only_once(db: apsw.Connection, home: Path) -> None:
    (home / "sidecar.toml").write_text('model = "fake"\non_battery = true\n')
    ids = say(db, [*topic("pool"), *topic("trip"), *topic("bread"), "ok"])
    with writer.transaction(db):
        db.execute("UPDATE session SET ended = ?", (NOW,))
    quiet = writer.open_store(str(home / "quiet"))
    say(quiet, [turn.text for turn in nights.by_id(db, ids)])
    sleep(quiet, NOW)

    worker.rest(db, str(home), 60.0)
    found = importances(db)
    assert found == pytest.approx(expected(db, FakeEngine(), importances(quiet)))
    assert found != importances(quiet)
    assert jobs.count(db)["score"] == {"done": 1}

    worker.rest(db, str(home), 60.0)
    assert importances(db) == found and not surprise.ask(db, NOW)


def test_a_model_that_fails_half_way_is_asked_again_for_the_rest(db: apsw.Connection) -> None:
    say(db, [f"sentence {i} of many" for i in range(3 * surprise.AT_ONCE)])
    sleep(db, NOW)
    before, whole = importances(db), FakeEngine()

    class Failing(FakeEngine):
        calls = 0

        def score(self, prompt: Prompt, options: object) -> list[float]:  # type: ignore[override]
            self.calls += 1
            if self.calls > 1.5 * surprise.AT_ONCE:
                raise EngineError("out of memory")
            return whole.score(prompt, options)  # type: ignore[arg-type]

    failing = Failing()
    assert surprise.apply(db, failing) == surprise.AT_ONCE
    with pytest.raises(EngineError):
        surprise.apply(db, failing)
    assert importances(db)[surprise.AT_ONCE :] == before[surprise.AT_ONCE :]
    while surprise.apply(db, whole):
        pass
    assert importances(db) == pytest.approx(expected(db, whole, before))


def test_without_a_local_model_nothing_is_asked(db: apsw.Connection, home: Path) -> None:
    say(db, topic("pool"))
    sleep(db, NOW)
    assert not surprise.ask(db, NOW)
    (home / "sidecar.toml").write_text('[remote]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "none"\n')
    assert not surprise.ask(db, NOW)


@needs_mlx
def test_a_model_of_random_weights_measures_every_turn(db: apsw.Connection, open_engine: Open) -> None:
    engine = open_engine()
    said = [words(9, i) for i in range(4)]
    say(db, said)
    sleep(db, NOW)
    before = importances(db)
    while surprise.apply(db, engine):
        pass

    values = [(now - 0.85 * old) / 0.15 for now, old in zip(importances(db), before, strict=True)]
    assert all(0.0 < value < 1.0 for value in values) and len(set(values)) == 4
    assert importances(db) == pytest.approx(expected(db, engine, before), abs=1e-6)
