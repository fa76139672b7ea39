"""What lies in the data folder beside what hooks leave there holds nothing up."""

from __future__ import annotations

import json
import os
from pathlib import Path

import apsw

from agentmemory import worker
from agentmemory.learn import arrivals
from agentmemory.memory import Memory
from agentmemory.store import inbox, jobs

NOW = 1_770_000_000.0
DAY = "2026-02-02"


def stop(home: Path, path: str, **more: str) -> None:
    inbox.append(str(home), DAY, json.dumps({"event": "stop", "at": NOW, "transcript_path": path, **more}))


def waiting(db: apsw.Connection) -> list[str]:
    return [job.payload["path"] for job in jobs.due(db, "digest", NOW)]


def test_lines_behind_one_without_end_are_taken(db: apsw.Connection, home: Path) -> None:
    stop(home, "/t/a.jsonl")
    stop(home, "/t/b.jsonl", cwd="x" * (2 * arrivals.CHUNK))
    stop(home, "/t/c.jsonl")

    arrivals.take(db, str(home), NOW)

    assert waiting(db) == ["/t/a.jsonl", "/t/c.jsonl"]
    assert arrivals.waiting(db, str(home)) == ""


def test_a_long_line_that_is_still_being_written_is_waited_for(db: apsw.Connection, home: Path) -> None:
    stop(home, "/t/a.jsonl")
    with open(home / "inbox" / f"{DAY}.jsonl", "ab") as f:
        f.write(b'{"event": "' + b"x" * (2 * arrivals.CHUNK))

    arrivals.take(db, str(home), NOW)
    arrivals.take(db, str(home), NOW)
    with open(home / "inbox" / f"{DAY}.jsonl", "ab") as f:
        f.write(b'"}\n')
    stop(home, "/t/c.jsonl")
    arrivals.take(db, str(home), NOW)

    assert waiting(db) == ["/t/a.jsonl", "/t/c.jsonl"]


def test_folders_where_files_are_meant_to_lie_keep_nothing_from_being_forgotten(project: Path, home: Path) -> None:
    with Memory() as memory:
        memory.remember("the port is 8443")
    for folder in (home / "inbox" / "2001-01-01.jsonl", home / "seen" / "old"):
        folder.mkdir(parents=True)
        os.utime(folder, (1, 1))
    (home / "seen" / "gone.log").symlink_to(home / "nowhere")

    worker.once(str(home), sleep_seconds=0)

    log = home / worker.LOG
    assert not log.exists() or "tidying" not in log.read_text()


def test_a_damaged_job_and_a_log_that_cannot_be_written_hold_nobody_up(db: apsw.Connection, home: Path) -> None:
    for path in ("/t/a.jsonl", "/t/b.jsonl"):
        stop(home, path)
    arrivals.take(db, str(home), NOW)
    db.execute("UPDATE job SET payload = substr(payload, 3) WHERE payload LIKE '%a.jsonl%'")
    (home / worker.LOG).mkdir()
    worker.log(str(home), "nothing")

    assert worker.once(str(home), sleep_seconds=0) >= 1
    assert arrivals.overlooked(db, str(home), NOW) == 0
    assert waiting(db) == []
