"""The worker: every line that a hook left is taken exactly once, whatever happens to the program."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import apsw
import pytest

from agentmemory import paths, worker
from agentmemory.learn import arrivals as intake
from agentmemory.learn.revise import revise
from agentmemory.store import arrivals, inbox, jobs, writer
from agentmemory.values import Added, Candidate

TODAY, NOW = "2026-06-01", paths.parse_time("2026-06-01T12:00:00Z")


def line(home: Path, day: str = TODAY, **event: object) -> None:
    inbox.append(str(home), day, json.dumps({"event": "stop", "at": NOW, **event}))


def waiting(db: apsw.Connection) -> list[str]:
    return [job.payload["path"] for job in jobs.due(db, "digest", NOW)]


def believe(db: apsw.Connection, text: str) -> int:
    with writer.transaction(db):
        done = revise(db, Candidate("fact", text, scope=1, at=NOW), NOW)
    assert isinstance(done, Added)
    return done.id


def test_a_line_becomes_a_job_once(db: apsw.Connection, home: Path) -> None:
    line(home, session_id="s", transcript_path="/t/one.jsonl")
    line(home, session_id="s", transcript_path="/t/two.jsonl")

    assert intake.take(db, str(home), NOW) == 2
    assert intake.take(db, str(home), NOW) == 0
    assert waiting(db) == ["/t/one.jsonl", "/t/two.jsonl"]


def test_a_line_that_is_still_being_written_waits(db: apsw.Connection, home: Path) -> None:
    line(home, session_id="s", transcript_path="/t/one.jsonl")
    with open(home / "inbox" / f"{TODAY}.jsonl", "a") as f:
        f.write('{"event": "stop", "transcript_path": "/t/tw')
        f.flush()
        assert intake.take(db, str(home), NOW) == 1
        f.write('o.jsonl"}\n')
    intake.take(db, str(home), NOW)

    assert waiting(db) == ["/t/one.jsonl", "/t/two.jsonl"]


GARBAGE = (
    "", "no json", "[1, 2]", '{"transcript_path": 7}', "\x00\xff", '"text"',
    r'{"event": "session-end", "session_id": "s\ud800", "cwd": "/\udcff"}', "[" * 100_000,
    '{"event": "guard", "guard": 1e999, "mode": "deny"}', f'{{"event": "guard", "guard": {2**64}, "mode": "deny"}}',
)  # fmt: skip


@pytest.mark.parametrize("garbage", GARBAGE)
def test_a_line_that_means_nothing_stops_nothing(db: apsw.Connection, home: Path, garbage: str) -> None:
    inbox.append(str(home), TODAY, garbage)
    line(home, session_id="s", transcript_path="/t/one.jsonl")

    intake.take(db, str(home), NOW)

    assert waiting(db) == ["/t/one.jsonl"]


def test_a_path_that_no_file_can_have_stops_nothing(db: apsw.Connection, home: Path) -> None:
    line(home, event="session-end", session_id="s", transcript_path="/t/\0.jsonl")

    intake.take(db, str(home), NOW)
    intake.overlooked(db, str(home), NOW)

    assert waiting(db) == []


def test_a_line_behind_one_that_was_cut_is_taken(db: apsw.Connection, home: Path) -> None:
    (home / "inbox").mkdir()
    (home / "inbox" / f"{TODAY}.jsonl").write_text('{"event": "stop", "at": 17')  # the disk was full
    line(home, session_id="s", transcript_path="/t/one.jsonl")

    intake.take(db, str(home), NOW)

    assert waiting(db) == ["/t/one.jsonl"]


def test_a_worker_that_cannot_take_a_line_in_ends_and_the_line_waits(db: apsw.Connection, home: Path) -> None:
    refuse = "CREATE TRIGGER refused BEFORE INSERT ON job WHEN new.kind = 'digest' BEGIN SELECT RAISE(ABORT, 'no'); END"
    db.execute(refuse)
    line(home, session_id="s", transcript_path="/t/one.jsonl")

    assert worker.once(str(home), sleep_seconds=0) == 0

    db.execute("DROP TRIGGER refused")
    intake.take(db, str(home), NOW)
    assert waiting(db) == ["/t/one.jsonl"]


def test_a_transcript_that_is_no_file_holds_nobody_up(db: apsw.Connection, home: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "t.jsonl")
    for path in (tmp_path, tmp_path / "t.jsonl"):
        line(home, session_id="s", transcript_path=str(path))
        line(home, event="session-end", session_id=path.name, transcript_path=str(path))

    assert worker.once(str(home), sleep_seconds=0) == 5  # both are read, both are judged, and what they contradict


def test_what_a_session_was_given_becomes_injections_once(db: apsw.Connection, home: Path, token: str) -> None:
    first, second = believe(db, f"{token} one"), believe(db, f"other {token} thing")
    for given in ({"belief": first, "tokens": 12.0}, {"belief": second}, {"belief": 999, "tokens": 1.0}):
        inbox.note_seen(str(home), "s", json.dumps({**given, "at": NOW, "prompt": "p"}))
    line(home, session_id="s")
    intake.take(db, str(home), NOW)
    inbox.note_seen(str(home), "s", json.dumps({"belief": first, "at": NOW + 60}))
    line(home, session_id="s")
    intake.take(db, str(home), NOW)
    intake.take(db, str(home), NOW)

    rows = db.execute("SELECT session, belief, at, tokens FROM injection ORDER BY id").fetchall()
    assert [(r[0], r[1], r[2]) for r in rows] == [("s", first, NOW), ("s", second, NOW), ("s", first, NOW + 60)]
    assert rows[0][3] == 12 and rows[1][3] > 0


def test_files_of_past_days_go_when_they_are_read(db: apsw.Connection, home: Path) -> None:
    for day in ("2026-05-29", "2026-05-31", TODAY):
        line(home, day, session_id="s", transcript_path=f"/t/{day}.jsonl")
    intake.take(db, str(home), NOW)
    line(home, "2026-05-28", session_id="s", transcript_path="/t/late.jsonl")

    intake.tidy(db, str(home), NOW)

    assert sorted(os.listdir(home / "inbox")) == ["2026-05-28.jsonl", "2026-05-31.jsonl", "2026-06-01.jsonl"]
    assert arrivals.known(db, arrivals.INBOX) == ["inbox:2026-05-31", "inbox:2026-06-01"]


def test_a_second_worker_leaves_at_once(home: Path) -> None:
    home.mkdir()
    with worker.holding(str(home)) as mine:
        assert mine
        assert worker.once(str(home)) == -1
    assert worker.once(str(home), sleep_seconds=0) == 0


def test_work_that_a_wrong_clock_put_far_ahead_is_done(db: apsw.Connection, home: Path) -> None:
    with writer.transaction(db):
        jobs.add(db, "contradictions", NOW + 3e8)
        jobs.add(db, "anchor", NOW + 3600.0, ref=1)
    worker.drain(db, str(home), NOW)
    done = dict(db.execute("SELECT kind, state FROM job").fetchall())
    assert done == {"contradictions": "done", "anchor": "pending"}


def test_a_job_that_fails_is_logged_and_tried_later(db: apsw.Connection, home: Path) -> None:
    with writer.transaction(db):
        jobs.add(db, "digest", NOW)  # of nothing

    assert worker.once(str(home), sleep_seconds=0) == 0

    assert "attempt 1) failed" in (home / "worker.log").read_text()
    state, attempts, due = db.execute("SELECT state, attempts, due FROM job").fetchone()
    assert (state, attempts) == ("pending", 1) and due > NOW


def test_the_log_has_a_bound(home: Path) -> None:
    home.mkdir()
    for i in range(30):
        worker.log(str(home), f"{i} " + "x" * 100_000)

    log = (home / "worker.log").read_text()
    assert len(log) < 1_200_000 and log.splitlines()[-1].split()[1] == "29"
    assert oct((home / "worker.log").stat().st_mode)[-3:] == "600"


def test_a_correction_in_a_transcript_is_believed_after_the_hook(
    db: apsw.Connection, home: Path, tmp_path: Path
) -> None:
    transcript = tmp_path / "s.jsonl"
    said = {"role": "user", "text": "NEVER use git push github directly. Use scripts/publish.sh.", "at": TODAY}
    transcript.write_text(json.dumps(said) + "\n")
    line(home, session_id="s", transcript_path=str(transcript))

    assert worker.once(str(home), sleep_seconds=0) == 2  # the transcript, and the code it names
    assert worker.once(str(home), sleep_seconds=0) == 0

    texts = [row[0] for row in db.execute("SELECT text FROM belief").fetchall()]
    assert any("scripts/publish.sh" in text for text in texts)
    assert db.execute("SELECT count(*) FROM turn").fetchone() == (1,)


def test_killed_at_any_moment_nothing_is_lost_and_nothing_is_double(home: Path) -> None:
    db = writer.open_store(str(home))
    belief = believe(db, "something that is put before agents")
    for i in range(300):
        inbox.note_seen(str(home), f"s{i}", json.dumps({"belief": belief, "at": NOW}))
        line(home, session_id=f"s{i}", transcript_path=f"/nowhere/{i}.jsonl")
    for pause in (0.05, 0.15, 0.25, 0.35, 0.5):
        running = subprocess.Popen([sys.executable, "-m", "agentmemory", "worker", "--once", "--no-sleep"])
        time.sleep(pause)  # where it is killed does not matter: the claim holds for every point
        running.send_signal(signal.SIGKILL)
        running.wait()
    worker.once(str(home), sleep_seconds=0)

    assert db.execute("SELECT count(*), count(DISTINCT session) FROM injection").fetchone() == (300, 300)
    assert db.execute("SELECT count(*), count(DISTINCT payload) FROM job WHERE kind = 'digest'").fetchone() == (
        300,
        300,
    )
    assert jobs.count(db)["digest"] == {"done": 300}


def test_the_end_of_a_session_judges_what_it_was_given(db: apsw.Connection, home: Path, token: str) -> None:
    belief = believe(db, f"{token} is deployed from main")
    inbox.note_seen(str(home), "s", json.dumps({"belief": belief, "at": NOW}))
    line(home, event="session-end", session_id="s")
    worker.once(str(home), sleep_seconds=0)

    (outcome,) = db.execute("SELECT outcome FROM injection").fetchone()
    assert outcome is not None
    assert jobs.count(db)["judge"] == {"done": 1}


def test_a_staying_worker_follows_transcripts_and_ends_by_itself(
    db: apsw.Connection, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agentmemory import worker_follow

    transcript = tmp_path / "s.jsonl"
    transcript.write_text(json.dumps({"role": "user", "text": "NEVER push to main.", "at": TODAY}) + "\n")
    line(home, session_id="s", transcript_path=str(transcript))
    monkeypatch.setattr(worker_follow, "PAUSE_SECONDS", 0.0)
    wait = worker_follow._Touched.wait

    def one_more_turn(touched: worker_follow._Touched, seconds: float) -> set[str]:
        if "twice" not in transcript.read_text():
            with open(transcript, "a") as f:
                f.write(json.dumps({"role": "user", "text": "ALWAYS test twice.", "at": TODAY}) + "\n")
            return wait(touched, 30.0)
        return wait(touched, 0.2)

    monkeypatch.setattr(worker_follow._Touched, "wait", one_more_turn)
    assert worker_follow.follow(str(home), idle_seconds=1.0) >= 1
    said = [row[0] for row in db.execute("SELECT text FROM turn ORDER BY id").fetchall()]
    assert said == ["NEVER push to main.", "ALWAYS test twice."]
    with worker.holding(str(home)) as mine:
        assert mine


def test_a_line_that_comes_as_a_staying_worker_ends_is_taken_in(
    db: apsw.Connection, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agentmemory import worker_follow

    transcript = tmp_path / "s.jsonl"
    transcript.write_text(json.dumps({"role": "user", "text": "NEVER push to main.", "at": TODAY}) + "\n")
    stay = worker_follow._follow

    def with_a_late_line(db: apsw.Connection, folder: str, idle_seconds: float) -> int:
        done = stay(db, folder, idle_seconds)
        line(home, session_id="s", transcript_path=str(transcript))
        return done

    monkeypatch.setattr(worker_follow, "_follow", with_a_late_line)
    worker_follow.follow(str(home), idle_seconds=0.0)

    assert db.execute("SELECT text FROM turn").fetchall() == [("NEVER push to main.",)]


def test_a_session_start_warms_the_prefix_of_a_local_model(db: apsw.Connection, home: Path) -> None:
    line = json.dumps({"event": "session-start", "session_id": "s", "cwd": "/"})
    inbox.append(str(home), "2026-06-01", line)
    intake.take(db, str(home), 1.0)
    assert jobs.due(db, "prefill", 2.0) == []  # no model was ever used here

    (home / "segments").mkdir()
    (home / "segments" / "heads.json").write_text("{}")
    inbox.append(str(home), "2026-06-01", line)
    intake.take(db, str(home), 1.0)
    assert len(jobs.due(db, "prefill", 2.0)) == 1


def killed_session(home: Path, tmp_path: Path, belief: int) -> Path:
    """A session that was given a belief, did right by it, and whose client was killed before any hook said so."""
    transcript = tmp_path / "killed-1.jsonl"
    entries = [
        {"type": "user", "sessionId": "killed-1", "cwd": str(tmp_path), "timestamp": "2026-06-01T12:00:05Z",
         "message": {"role": "user", "content": "publish the new version please"}},
        {"type": "assistant", "sessionId": "killed-1", "cwd": str(tmp_path), "timestamp": "2026-06-01T12:00:09Z",
         "message": {"role": "assistant", "content": [
             {"type": "text", "text": "I am on it."},
             {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "bash scripts/publish.sh"}}]}},
    ]  # fmt: skip
    line(home, event="session-start", session_id="killed-1", transcript_path=str(transcript))
    transcript.write_text("")
    worker.once(str(home), sleep_seconds=0)
    transcript.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    inbox.note_seen(str(home), "killed-1", json.dumps({"belief": belief, "at": NOW + 6, "tokens": 12}))
    return transcript


@pytest.fixture
def publish(db: apsw.Connection) -> int:
    return believe(db, "Never use git push github by hand. Use scripts/publish.sh")


def outcomes_of(db: apsw.Connection) -> list[tuple[str, str | None]]:
    return [tuple(row) for row in db.execute("SELECT session, outcome FROM injection").fetchall()]  # type: ignore[misc]


def test_a_session_whose_end_nobody_saw_is_read_and_judged_when_it_has_long_been_silent(
    db: apsw.Connection, home: Path, tmp_path: Path, publish: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed_session(home, tmp_path, publish)
    worker.once(str(home), sleep_seconds=0)
    assert outcomes_of(db) == [("killed-1", None)]  # it may go on

    monkeypatch.setenv("AGENTMEMORY_NOW", "2026-06-01T20:00:00Z")
    worker.once(str(home), sleep_seconds=0)

    assert outcomes_of(db) == [("killed-1", "heeded")]
    assert db.execute("SELECT count(*) FROM turn").fetchone() == (2,)
    assert db.execute("SELECT ended IS NOT NULL FROM session").fetchone() == (1,)


@pytest.mark.parametrize("read_before", [True, False])
@pytest.mark.parametrize(("silent_for", "read"), [("2 hours", False), ("a day", True), ("two months", False)])
def test_what_was_said_last_in_a_killed_session_is_learned(
    db: apsw.Connection, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    read_before: bool, silent_for: str, read: bool,
) -> None:  # fmt: skip
    transcript = tmp_path / "s.jsonl"
    first = json.dumps({"role": "user", "text": "list the routes", "at": TODAY}) + "\n"
    transcript.write_text(first if read_before else "")
    line(home, event="session-start", session_id="s", transcript_path=str(transcript))
    worker.once(str(home), sleep_seconds=0)
    with open(transcript, "a") as f:
        f.write(json.dumps({"role": "user", "text": "ALWAYS version the routes under /v2.", "at": TODAY}) + "\n")
        f.write('{"role": "assistant", "text": "On')
    seconds = {"2 hours": 7_200, "a day": 86_400, "two months": 5_000_000}[silent_for]
    os.utime(transcript, (NOW - seconds, NOW - seconds))

    worker.once(str(home), sleep_seconds=0)

    assert ("ALWAYS version the routes under /v2." in [row[0] for row in db.execute("SELECT text FROM turn")]) is read


def test_a_transcript_that_is_gone_is_no_longer_looked_for(db: apsw.Connection, home: Path, tmp_path: Path) -> None:
    transcript = tmp_path / "s.jsonl"
    transcript.write_text(json.dumps({"role": "user", "text": "list the routes", "at": TODAY}) + "\n")
    line(home, session_id="s", transcript_path=str(transcript))
    worker.once(str(home), sleep_seconds=0)
    assert arrivals.known(db, arrivals.DIGEST) == [f"digest:{transcript}"]

    transcript.unlink()
    worker.once(str(home), sleep_seconds=0)

    assert arrivals.known(db, arrivals.DIGEST) == []


def test_a_judged_session_that_goes_on_is_judged_again_for_what_is_new(
    db: apsw.Connection, home: Path, tmp_path: Path, publish: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed_session(home, tmp_path, publish)
    monkeypatch.setenv("AGENTMEMORY_NOW", "2026-06-01T20:00:00Z")
    worker.once(str(home), sleep_seconds=0)
    inbox.note_seen(str(home), "killed-1", json.dumps({"belief": publish, "at": NOW + 9 * 3600, "tokens": 12}))

    monkeypatch.setenv("AGENTMEMORY_NOW", "2026-06-02T09:00:00Z")
    worker.once(str(home), sleep_seconds=0)
    assert worker.once(str(home), sleep_seconds=0) == 0

    assert outcomes_of(db) == [("killed-1", "heeded"), ("killed-1", "unused")]


def test_a_night_looks_for_contradictions_without_any_session_having_ended(
    db: apsw.Connection, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for at, text in ((1.0, "the staging api listens on port 8080"), (2.0, "the staging api listens on port 9090")):
        with writer.transaction(db):
            revise(db, Candidate("fact", text, provenance="tool" if at == 1.0 else "agent", scope=1, at=NOW + at), NOW)
    killed_session(home, tmp_path, 1)
    monkeypatch.setenv("AGENTMEMORY_NOW", "2026-06-01T20:00:00Z")

    worker.once(str(home))

    done = dict(db.execute("SELECT kind, state FROM job WHERE kind IN ('judge', 'contradictions')").fetchall())
    assert done == {"judge": "done", "contradictions": "done"}
