"""A night: bounded, resumable, incremental, told afterwards."""

from __future__ import annotations

import itertools
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
from agentmemory.learn import entities
from agentmemory.sleep import night, report
from agentmemory.sleep.night import sleep
from agentmemory.sleep.tiers import Tiers
from agentmemory.store import beliefs, forget, inbox, jobs, meta, nights, scopes, writer
from agentmemory.store.beliefs import New
from tests.sleep.talk import DAY, NOW, TOPICS, a_project, name, say, topic

TABLES = (
    "SELECT id, scope, kind, level, text, keywords, state, superseded_by FROM belief ORDER BY id",
    "SELECT belief, turn FROM summarizes ORDER BY 1, 2",
    "SELECT type, src, dst, weight FROM edge ORDER BY 1, 2, 3",
    "SELECT id, round(importance, 9) FROM turn ORDER BY id",
    "SELECT turn, ask, did FROM habit ORDER BY 1, 2, 3",
    "SELECT belief, kind, turn FROM evidence ORDER BY id",
    "SELECT belief, at, turn, times FROM promoted ORDER BY belief",
    "SELECT stem, other, weight FROM bridge ORDER BY 1, 2",
    "SELECT belief, text, brief FROM gist ORDER BY belief",
    "SELECT key, value FROM meta WHERE key GLOB 'sleep*' ORDER BY key",
)


def a_week(db: apsw.Connection) -> None:
    """Five hundred turns of ten sessions and 250 beliefs, the same ones at every call: three batches, and two."""
    names = [f"{kind}{i}" for i in range(4) for kind in ("Orba", "Tivel", "Makon", "Zufir")]
    for s in range(10):
        said = [text for kind in TOPICS for text in topic(kind, names[(s * 3 + len(kind)) % 16])]
        pairs = [t for i in range(9) for t in (("user", f"it crashes in part {i}"), ("assistant", f"```\n{i}\n```"))]
        say(db, [*said, *pairs], key=f"s{s}", at=NOW - DAY + 1000 * s)
    with writer.transaction(db):
        for i in range(250):
            told = ("ok so the {0}-api listens on port {1}, please", "the port of {0}-api is {1}, we keep it")[i % 2]
            text = told.format(names[i // 2 % 16], 4000 + i // 2)
            belief = beliefs.add(db, New(scopes.USER, "fact", text, "user", NOW - DAY + i, NOW - DAY + i))
            entities.mention(db, scopes.USER, text, belief, NOW - DAY + i)


def rows(db: apsw.Connection) -> list[list[tuple[object, ...]]]:
    return [db.execute(sql).fetchall() for sql in TABLES]


def test_a_slice_is_bounded_and_the_next_one_goes_on(db: apsw.Connection) -> None:
    a_week(db)
    clock = itertools.count(0.0, 1.0).__next__  # every look at it takes a second

    first = sleep(db, NOW, seconds=1.0, clock=clock)
    assert not first.finished and 0 < first.turns < 500
    for _ in range(9):
        last = sleep(db, NOW, seconds=1.0, clock=clock)
        if last.finished:
            break
    assert last.finished and last.turns == 500
    assert int(nights.mark(db, night.TURNS)) == nights.last(db)


def test_slices_end_with_the_rows_of_one_long_sleep(db: apsw.Connection, tmp_path: Path) -> None:
    other = writer.open_store(str(tmp_path / "other"))
    for each in (db, other):
        a_week(each)
    sleep(db, NOW)
    clock = itertools.count(0.0, 1.0).__next__
    while not sleep(other, NOW, seconds=1.0, clock=clock).finished:
        pass
    assert rows(db) == rows(other)


def test_what_is_forgotten_between_two_slices_does_not_stop_the_night(db: apsw.Connection, home: Path) -> None:
    a_week(db)
    (home / "sidecar.toml").write_text('[models]\nlocal = "/nowhere"\n')
    first = sleep(db, NOW, seconds=0.0)
    assert not first.finished and first.summaries
    with writer.transaction(db):
        forget.erase(db, first.summaries[:1], [])
    assert sleep(db, NOW).finished
    assert f"[{first.summaries[0]}]" not in str(report.told(db))
    assert first.summaries[0] not in [job.ref for job in jobs.due(db, "consolidate", NOW)]


def test_a_killed_night_ends_with_the_rows_of_a_quiet_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    quiet, killed = tmp_path / "quiet", tmp_path / "killed"
    for place in (quiet, killed):
        a_week(writer.open_store(str(place)))
    monkeypatch.setenv("AGENTMEMORY_NOW", "2026-06-01T12:00:00Z")
    command = [sys.executable, "-m", "agentmemory", "sleep"]
    subprocess.run(command, env={**os.environ, "AGENTMEMORY_HOME": str(quiet)}, check=True, capture_output=True)
    for pause in (0.3, 0.5, 0.7, 0.9, 1.2):  # wherever it is then
        running = subprocess.Popen(command, env={**os.environ, "AGENTMEMORY_HOME": str(killed)}, stdout=-3)
        time.sleep(pause)
        running.send_signal(signal.SIGKILL)
        running.wait()
    subprocess.run(command, env={**os.environ, "AGENTMEMORY_HOME": str(killed)}, check=True, capture_output=True)

    assert rows(writer.open_store(str(killed))) == rows(writer.open_store(str(quiet)))


def test_a_quiet_day_costs_nothing_and_keeps_the_report(db: apsw.Connection) -> None:
    say(db, ["I live in Oslo.", *topic("pool")])
    sleep(db, NOW)
    told, changed = str(report.told(db)), db.execute("SELECT count(*) FROM change").fetchone()
    assert sleep(db, NOW + DAY).turns == 0
    assert str(report.told(db)) == told
    assert db.execute("SELECT count(*) FROM change").fetchone() == changed


def test_the_report_says_what_was_learned(db: apsw.Connection) -> None:
    of = name()
    say(db, ["I live in Oslo.", *topic("pool", of)])
    sleep(db, NOW)
    told = str(report.told(db))
    assert "The user lives in Oslo." in told and of.lower() in told.lower() and "9 turns of 1 session read" in told
    assert "\n" not in meta.get(db, report.LINE)


def test_the_report_tells_each_project_of_itself_alone(db: apsw.Connection) -> None:
    places = {a_project(db, f"/{n}"): name() for n in range(2)}
    for scope, of in places.items():
        say(db, topic("pool", of), key=of, scope=scope)
    sleep(db, NOW)

    for scope, of in places.items():
        told = (report.told(db, (scope, scopes.USER)) or "").lower()
        assert [each for each in places.values() if each.lower() in told] == [of]


def test_the_worker_sleeps_when_a_session_has_ended(db: apsw.Connection, home: Path) -> None:
    ids = say(db, topic("pool"))
    worker.rest(db, str(home), 60.0)
    assert nights.mark(db, night.TURNS) == 0

    with writer.transaction(db):
        db.execute("UPDATE session SET ended = ?", (NOW,))
    worker.rest(db, str(home), 60.0)
    assert nights.mark(db, night.TURNS) == ids[-1]
    assert not (home / "worker.log").exists()


def test_importance_is_written_and_moves_when_the_session_goes_on(db: apsw.Connection) -> None:
    first = say(db, ["Deploy Orion to Frankfurt on port 8443 by 3 May"])
    sleep(db, NOW)
    (before,) = db.execute("SELECT importance FROM turn WHERE id = ?", (first[0],)).fetchone()
    say(db, ["ok"] * 20)
    sleep(db, NOW + DAY)
    (after,) = db.execute("SELECT importance FROM turn WHERE id = ?", (first[0],)).fetchone()
    assert 0.0 < after < before < 1.0


def test_a_session_begins_with_a_line_about_the_last_night(db: apsw.Connection) -> None:
    from agentmemory.recall.latest import opening

    now = 1_780_000_000.0
    meta.put(db, "sleep_line", report.line(report.Night(turns=7, summaries=[1, 2]), now))

    assert "7 turns slept on, topics 2" in opening(db, (1,), now + 3600)
    assert opening(db, (1,), now + 10 * 86_400) == ""


def test_what_each_session_taught_is_a_batch_of_its_own(db: apsw.Connection) -> None:
    """One can be undone without the other, though one night read both."""
    for n, kind in enumerate(("red", "blue")):
        for day in range(3):
            said = [f"{kind}.py fails again", ("assistant", f"I ran `make {kind}` and it works."), "great"]
            say(db, said, key=f"{kind} {day}", at=NOW + (n + day) * DAY)
    found = sleep(db, NOW + 9 * DAY).procedures

    batches = [db.execute("SELECT batch FROM change WHERE belief = ?", (id,)).fetchone() for id in found]
    assert len(found) == len(set(batches)) == 2


def test_rules_stay_however_many_beliefs_a_project_holds(db: apsw.Connection) -> None:
    with writer.transaction(db):
        rules = [beliefs.add(db, New(1, "rule", f"never touch file {n}", "user", NOW, NOW)) for n in range(3)]
        facts = [beliefs.add(db, New(1, "fact", f"port {n} is open", "user", NOW, NOW)) for n in range(3)]

    assert sorted(sleep(db, NOW, cap=2).archived) == facts
    assert [beliefs.get(db, rule).state for rule in rules] == ["active"] * 3


def test_a_night_takes_away_guesses_whose_time_is_over(db: apsw.Connection) -> None:
    texts = ("the lighthouse is white", "the harbour has a crane", "the mayor likes crabs")
    with writer.transaction(db):
        ids = [beliefs.add(db, beliefs.New(1, "fact", text, "user", NOW, NOW)) for text in texts]
        beliefs.link(db, "speculates", ids[0], ids[1], NOW, 0.4, NOW + DAY, "old")
        beliefs.link(db, "speculates", ids[1], ids[2], NOW, 0.4, NOW + 9 * DAY, "young")

    sleep(db, NOW + 2 * DAY)

    left = db.execute("SELECT src, dst FROM edge WHERE type = 'speculates'").fetchall()
    assert left == [(ids[1], ids[2])]


def test_a_session_that_ended_before_anything_of_it_was_read_is_slept_on(
    db: apsw.Connection, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its last answer and its end came while no worker ran: both lines are taken in at once."""
    monkeypatch.setenv("AGENTMEMORY_NOW", paths.iso(NOW + DAY))
    path = tmp_path / "s1.jsonl"
    said = {"role": "user", "content": "I'm Tom, data scientist in San Francisco"}
    path.write_text(json.dumps({
        "type": "user", "sessionId": "s1", "uuid": "u1", "cwd": str(tmp_path), "timestamp": paths.iso(NOW),
        "message": said,
    }) + "\n")  # fmt: skip
    for event in ("stop", "session-end"):
        line = {"event": event, "at": NOW + 9, "session_id": "s1", "transcript_path": str(path)}
        inbox.append(str(home), "2026-06-01", json.dumps(line))

    worker.once(str(home))

    assert Tiers(db, 1).profile() == {"name": "Tom", "occupation": "data scientist", "location": "San Francisco"}
