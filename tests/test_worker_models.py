"""The worker's jobs on a model whose server is down: they wait, and are done as soon as it is back."""

from __future__ import annotations

import json
from pathlib import Path

import apsw
import pytest

from agentmemory import paths, worker
from agentmemory.memory import Memory
from agentmemory.model.fake import FakeEngine
from agentmemory.store import jobs
from tests.model.standin import StandIn

NOW = paths.parse_time("2026-06-01T12:00:00Z")
REPLY = json.dumps({"keywords": ["kiln"], "context": "firing", "tags": ["pottery"]})


def settings(home: Path, url: str, key: str) -> None:
    there = f'on_battery = true\n[remote]\nbase_url = "{url}"\nmodel = "up"\napi_key = "{key}"\n'
    (home / "sidecar.toml").write_text(there)


def waiting(db: apsw.Connection) -> tuple[str, int, float]:
    state, attempts, due = db.execute("SELECT state, attempts, due FROM job WHERE kind = 'annotate'").fetchone()
    return str(state), int(attempts), float(due)


@pytest.mark.parametrize("status", [502, 503, 504])
def test_what_waits_for_a_server_is_done_a_second_after_it_is_back(
    db: apsw.Connection, home: Path, project: Path, status: int
) -> None:
    with Memory() as memory:
        memory.remember("the kiln fires at noon")
    with StandIn() as server:
        server.refuses, server.engine = status, FakeEngine(reply=lambda asked: REPLY)
        settings(home, server.url, server.key)
        worker.drain(db, str(home), NOW)
        assert waiting(db) == ("pending", 1, NOW + 1)

        server.refuses = 0
        worker.drain(db, str(home), NOW + 1)
        assert waiting(db)[0] == "done"


def test_however_long_a_server_is_down_it_is_asked_once_a_minute(
    db: apsw.Connection, home: Path, project: Path
) -> None:
    with Memory() as memory:
        memory.remember("the kiln fires at noon")
    settings(home, "http://127.0.0.1:9/v1", "key")
    now, pauses = NOW, []
    for _ in range(10):
        worker.drain(db, str(home), now)
        pauses.append(waiting(db)[2] - now)
        now += pauses[-1]
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60, 60]


def test_a_reply_that_does_not_hold_waits_longer_each_time(db: apsw.Connection, home: Path, project: Path) -> None:
    with Memory() as memory:
        memory.remember("the kiln fires at noon")
    with StandIn() as server:
        server.engine = FakeEngine(reply=lambda asked: "no JSON at all")
        settings(home, server.url, server.key)
        worker.drain(db, str(home), NOW)
    assert waiting(db) == ("pending", 1, NOW + jobs.RETRY_SECONDS)
