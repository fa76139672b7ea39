"""The worker beside a model: what people say is learned first, whatever the model or its settings do."""

from __future__ import annotations

import json
from pathlib import Path

import apsw

from agentmemory import paths, worker
from agentmemory.learn.revise import revise
from agentmemory.model.engine import Prompt
from agentmemory.model.fake import FakeEngine
from agentmemory.store import inbox, jobs, writer
from agentmemory.values import Candidate
from tests.model.standin import StandIn

RULE = "NEVER use git push github directly. Use scripts/publish.sh."


def session_ends(home: Path, tmp_path: Path) -> None:
    """A session in which a rule was given ends, as its hook tells."""
    transcript = tmp_path / "s.jsonl"
    transcript.write_text(json.dumps({"role": "user", "text": RULE, "at": "2026-06-01"}) + "\n")
    event = {"event": "stop", "at": paths.now(), "session_id": "s", "transcript_path": str(transcript)}
    inbox.append(str(home), "2026-06-01", json.dumps(event))


def to_annotate(db: apsw.Connection, *texts: str) -> None:
    for text in texts:
        with writer.transaction(db):
            revise(db, Candidate("fact", text, scope=1, at=paths.now()), paths.now())


def learned(db: apsw.Connection) -> bool:
    return db.execute("SELECT count(*) FROM belief WHERE text LIKE '%scripts/publish.sh%'").fetchone() == (1,)


def test_a_slip_in_the_models_settings_stops_no_learning(db: apsw.Connection, home: Path, tmp_path: Path) -> None:
    to_annotate(db, "the queue drains slowly at night")
    (home / "sidecar.toml").write_text('modle = "small"\n')
    session_ends(home, tmp_path)

    worker.once(str(home))

    assert learned(db)
    assert jobs.count(db)["annotate"]["pending"] == 2


def test_what_a_session_said_goes_before_work_that_waits_for_a_model(
    db: apsw.Connection, home: Path, tmp_path: Path
) -> None:
    to_annotate(db, "the queue drains slowly at night", "the cellar floods in spring")
    known: list[bool] = []

    def reply(prompt: Prompt) -> str:
        if not known:
            session_ends(home, tmp_path)
        known.append(learned(db))
        return "{}"

    with StandIn() as server:
        server.engine = FakeEngine(reply=reply)
        lines = f'on_battery = true\n[remote]\nbase_url = "{server.url}"\nmodel = "m"\napi_key = "{server.key}"\n'
        (home / "sidecar.toml").write_text(lines)
        worker.once(str(home), sleep_seconds=0)

    assert known == [False, True, True]


def test_a_model_that_cannot_be_asked_is_a_line_in_the_log_and_its_jobs_wait(db: apsw.Connection, home: Path) -> None:
    to_annotate(db, *(f"the lift of house {n} stops at noon" for n in range(20)))
    remote = '[remote]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "m"\n'
    (home / "sidecar.toml").write_text(f"on_battery = true\n{remote}")

    worker.once(str(home), sleep_seconds=0)

    log = (home / "worker.log").read_text().splitlines()
    (why,) = {line.split(" ", 1)[1] for line in log}
    assert why.startswith("jobs of kind annotate wait: the server http://127.0.0.1:9/v1 cannot be reached: [Errno ")
    assert len(log) < 5  # once a look, and not once a job
    assert jobs.count(db)["annotate"]["pending"] == 20


def test_a_prompt_that_a_model_refuses_stops_no_other(db: apsw.Connection, home: Path) -> None:
    to_annotate(db, "the queue drains slowly at night", "the cellar floods in spring")
    with StandIn() as server:
        server.refuses = 400
        lines = f'on_battery = true\n[remote]\nbase_url = "{server.url}"\nmodel = "m"\napi_key = "{server.key}"\n'
        (home / "sidecar.toml").write_text(lines)
        worker.once(str(home), sleep_seconds=0)

        assert len(server.seen) == 2
    told = [line.split(" ", 1)[1] for line in (home / "worker.log").read_text().splitlines()]
    assert [line.endswith("failed: the server refused (400): temperature is too high") for line in told] == [True, True]
