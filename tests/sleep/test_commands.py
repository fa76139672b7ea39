"""The commands of sleep and of agents, as processes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from agentmemory import worker
from agentmemory.memory import Memory
from agentmemory.model.settings import BadSettings
from agentmemory.sleep import costs, settings
from agentmemory.store import inbox, jobs, writer
from tests.sleep.talk import NOW, name, rise, say, topic, transcript


def run(*args: str, status: int = 0) -> str:
    done = subprocess.run([sys.executable, "-m", "agentmemory", *args], text=True, capture_output=True, check=False)
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


def test_sleep_tells_what_it_learned_and_the_profile_shows_it(db: apsw.Connection, project: Path) -> None:
    assert "Nothing was slept on yet" in run("sleep", "--report")
    say(db, ["I'm Tom, data scientist in Oslo", *topic("pool")])
    told = run("sleep")
    assert "The user lives in Oslo." in told
    assert run("sleep", "--report") == told
    assert "Nothing new" in run("sleep")
    profile = json.loads(run("profile", "--json"))
    assert {(t["attribute"], t["value"], t["state"]) for t in profile} >= {("location", "Oslo", "active")}


def test_the_report_tells_of_nothing_that_was_replaced_or_taken_back(db: apsw.Connection, project: Path) -> None:
    say(db, ["I'm Tom, data scientist in Oslo", "I moved to Lyon", *topic("pool")])
    told = run("sleep")
    assert "lives in Lyon" in told and "lives in Oslo" not in told
    rows = [json.loads(line) for line in run("log", "--limit", "100", "--json").splitlines()]
    for batch in sorted({row["batch"] for row in rows if row["actor"] == "sleep"}, reverse=True):
        run("undo", str(batch))
    told = run("sleep", "--report")
    assert "lives in" not in told and "Topics" not in told


def test_what_was_taken_back_is_quoted_by_no_summary(home: Path, project: Path) -> None:
    billing = (
        "We deploy the billing service with Kamal from the ops box.", "The staging database of billing is on dbstage2.",
        "The billing invoices are rendered with WeasyPrint since March.", "The billing queue is Sidekiq, not Celery.",
        "We keep the billing secrets in Vault, path kv/billing.", "Always run make check before you push billing.",
    )  # fmt: skip
    run("learn", str(transcript(project, [("user", text) for text in billing])))
    assert "Sidekiq" in run("sleep")
    rows = [json.loads(line) for line in run("log", "--limit", "100", "--json").splitlines()]
    run("undo", str(next(row["batch"] for row in rows if row["actor"] == "learn")))
    assert "Sidekiq" not in run("sleep", "--report")
    run("sleep")
    exported = [json.loads(line) for line in run("export").splitlines()]
    assert not [row for row in exported if row["state"] == "active" and "Sidekiq" in row["text"]]


def test_a_summary_is_read_with_the_turns_that_it_sums_up(db: apsw.Connection, project: Path) -> None:
    said = topic("pool")
    say(db, said)
    run("sleep")
    (summary,) = db.execute("SELECT id FROM belief WHERE kind = 'summary'").fetchall()
    told = json.loads(run("read", str(summary[0]), "--json"))
    assert [each["text"] for each in told["sums_up"]] == said
    assert all(each["session"] and each["role"] for each in told["sums_up"])


def test_the_report_outlives_what_is_forgotten_of_it(db: apsw.Connection, project: Path) -> None:
    say(db, ["I'm Tom, data scientist in Oslo", *topic("pool")])
    run("sleep")
    (trait,) = (each["id"] for each in json.loads(run("profile", "--json")) if each["attribute"] == "location")
    run("forget", str(trait))
    told = run("sleep", "--report")
    assert "Oslo" not in told and "Topics (1):" in told


def test_a_night_that_only_archives_is_told_of(home: Path, project: Path) -> None:
    with Memory() as memory:
        for _ in range(3):
            memory.remember(f"{name()} keeps its {name()} in {name()}")
    (home / "sleep.toml").write_text("cap = 1\n")
    told = run("sleep")
    assert "Archived (2):" in told and told == run("sleep", "--report")


def test_costs_are_written_in_digits(db: apsw.Connection, home: Path, project: Path) -> None:
    (home / "sleep.toml").write_text('[prices.big]\nprompt = "100"\n[prices.small]\nprompt = "0.01"\n')
    told = []
    for model, tokens in (("big", 1_000_000), ("small", 5)):
        with writer.transaction(db):
            costs.record(db, NOW, model, tokens, 0)
        told.append(json.loads(run("usage", "--json"))["cost"])
    assert told == ["100", "100.00000005"]


def test_a_terminal_obeys_nothing_that_is_remembered(project: Path) -> None:
    of = name()
    with Memory() as memory:
        memory.remember(f"the queue of {of} drains \x1b[31m at night \x07, \u202eshe said")
        memory.lock(f"never push {of} \x1b]0;title\x07 to the remote")
    for asked in (("wonder", of), ("reason", f"does the queue of {of} drain at night?"), ("locked",)):
        told = run(*asked)
        assert of in told and not {"\x1b", "\x07", "\u202e"} & set(told)


def test_sleep_leaves_a_working_worker_alone(db: apsw.Connection, home: Path) -> None:
    with worker.holding(str(home)):
        assert "a worker is at work" in run("sleep", status=1)


def test_a_session_that_ended_while_it_slept_is_learned(db: apsw.Connection, home: Path, project: Path) -> None:
    transcript = project / "s.jsonl"
    transcript.write_text(json.dumps({"role": "user", "text": "NEVER push to main.", "at": "2026-06-01"}) + "\n")
    inbox.append(str(home), "2026-06-01", json.dumps({"event": "session-end", "transcript_path": str(transcript)}))

    run("sleep")

    assert [row[0] for row in db.execute("SELECT text FROM turn")] == ["NEVER push to main."]


def test_usage_and_eval_print_json(db: apsw.Connection, project: Path) -> None:
    assert json.loads(run("usage", "--json"))["calls"] == 0
    scores = json.loads(run("eval", "--shuffles", "1", "--json"))["scores"]
    assert scores["memory"]["lcs"] == 1.0 and scores["recent only"]["lcs"] == scores["off"]["lcs"] == 0.0


@pytest.mark.parametrize(
    ("wrong", "status"),
    [(("--shuffles", "-3"), 2), (("talk", "--shuffles", "0"), 2), (("talk", "--ways", "memory,nonsense"), 1)],
    ids=str,
)
def test_what_cannot_be_judged_is_one_sentence(project: Path, wrong: tuple[str, ...], status: int) -> None:
    said = run("eval", *wrong, status=status)
    assert "Traceback" not in said and ("from 1 on" in said or "no way 'nonsense'" in said)


def test_agents_share_ask_trust_and_fork(project: Path) -> None:
    of = name()
    with Memory(agent="one") as one, Memory(agent="two"):
        assert run("agents", "share", "one") == "New among what is shared: 0.\n"
        risen = rise(one.db, one.scope, of)
    assert run("agents", "share", "one") == "New among what is shared: 1.\n"
    (found,) = json.loads(run("agents", "ask", "two", "the pool of", of, "--json"))
    assert found["id"] == risen and of in found["text"]
    assert run("agents", "trust", "two", "one").strip().endswith("0.500")
    assert run("agents", "trust", "two", "one", "wrong").strip().endswith("0.400")
    assert "begins with" in run("agents", "fork", "one", "three")
    assert "reads what" in run("agents", "reads", "two", "one")
    assert "no longer" in run("agents", "reads", "two", "one", "--no")


def test_a_turn_that_is_read_says_how_important_sleep_found_it(db: apsw.Connection, project: Path) -> None:
    chat, fact = say(db, ["alright, that works for me then, thank you", "Rotate the Vault token on db-7 before 14:30"])
    assert json.loads(run("read", f"turn:{fact}", "--json"))["importance"] is None

    run("sleep")

    worth = {id: json.loads(run("read", f"turn:{id}", "--json"))["importance"] for id in (chat, fact)}
    assert 0.0 < worth[chat] < worth[fact] < 1.0


def test_agents_are_listed_with_what_they_come_from_read_trust_and_share(project: Path) -> None:
    assert run("agents", "list").strip() == "There are no agents in this project."
    with Memory(agent="one") as one, Memory(agent="two"):
        rise(one.db, one.scope, name())
    for verb in ("share one", "fork one heir", "fork heir grandchild", "reads two one", "trust two one right"):
        run("agents", *verb.split())

    assert json.loads(run("agents", "list", "--json")) == [
        {"agent": "one", "lineage": [], "reads": [], "trusts": {}, "shared": 1},
        {"agent": "two", "lineage": [], "reads": ["one"], "trusts": {"one": 0.6}, "shared": 0},
        {"agent": "heir", "lineage": ["one"], "reads": [], "trusts": {}, "shared": 0},
        {"agent": "grandchild", "lineage": ["heir", "one"], "reads": [], "trusts": {}, "shared": 0},
    ]
    assert "heir, one" in run("agents", "list")


def test_settings_of_models_that_make_no_sense_hold_up_neither_learning_nor_sleep(
    db: apsw.Connection, home: Path, project: Path, tmp_path: Path, token: str
) -> None:
    with Memory() as memory:
        memory.remember("mail goes through brevo")  # what it is found by waits for a model
        with writer.transaction(memory.db):
            jobs.add(memory.db, "annotate", 0.0, ref=1)
    (home / "sidecar.toml").write_text("temperature = 0.7\n")
    say(db, topic("pool"))
    transcript = tmp_path / "s.jsonl"
    said = {"role": "user", "text": f"From now on releases go through scripts/{token}.sh", "at": "2026-06-01"}
    transcript.write_text(json.dumps(said) + "\n")
    event = {"event": "session-end", "session_id": "s", "transcript_path": str(transcript), "cwd": str(project)}
    inbox.append(str(home), "2026-06-01", json.dumps(event))

    run("worker", "--once")

    assert any(token in text for (text,) in db.execute("SELECT text FROM belief").fetchall())
    assert "Nothing was slept on yet" not in run("sleep", "--report")
    log = (home / "worker.log").read_text()
    assert "unknown setting 'temperature'" in log and "Traceback" not in log


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("threshold = 'x'", "threshold is a number"),
        ("threshold = true", "threshold is a number"),
        ("threshold = 1.5", "threshold is a share of the window"),
        ("window = 1.5", "window is a whole number from 1 on"),
        ("slice_seconds = nan", "slice_seconds is a number"),
        ("[cap]\na = 1", "cap is a whole number"),
        ("prices = 3", "prices are tables"),
        ("[prices.m]\nprompt = 'much'", "a price is no number"),
        ("[prices.m]\nprompt = nan", "a price of m"),
    ],
)
def test_a_setting_of_sleep_that_cannot_be_is_named(tmp_path: Path, wrong: str, said: str) -> None:
    (tmp_path / "sleep.toml").write_text(wrong)
    with pytest.raises(BadSettings, match=said) as raised:
        settings.read(str(tmp_path))
    assert "sleep.toml" in str(raised.value)
