"""What an earlier release held of talk at work is judged anew in the first night after an upgrade, once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentmemory import paths
from agentmemory.learn.revise import revise
from agentmemory.memory import Memory
from agentmemory.sleep.night import sleep
from agentmemory.store import anew, beliefs, changes, meta, writer
from agentmemory.values import Candidate
from tests.conftest import older_store

TASKS = [
    "can you look why the build fails on main", "ok fix it", "the test should also check the empty list",
    "why is that file so long? split it", "hm the second one still fails, look again", "run the linter please",
    "the spinner should be in the header", "what does this function return when the list is empty?", "commit it",
    "rename the variable to rows", "no, the other file", "and now the docs",
]  # fmt: skip
ONCE = "the spinner should be in the header"
RULE = "from now on never commit without running the linter"
NOW = paths.parse_time("2026-06-01T12:00:00Z")


@pytest.fixture
def at_work(tmp_path: Path, project: Path, home: Path) -> dict[str, int]:
    """A store of an earlier release, which held each of these of a day at work."""
    home.mkdir()
    older_store(home, anew.to_be_judged).close()
    path = tmp_path / "day.jsonl"
    said = [*TASKS, RULE, *TASKS[:4], "the spinner needs a label", "the header should be blue", "use the other icon"]
    lines = [
        {"role": role, "text": text, "at": NOW - 9_000 + 20 * i, "session": "day", "cwd": str(project)}
        for i, each in enumerate(said)
        for role, text in (("user", each), ("assistant", "Done."))
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with Memory() as memory:
        memory.learn(str(path))
        db = memory.db
        scope = next(iter(db.execute("SELECT scope FROM session").fetchall()))[0]
        with writer.transaction(db):
            meta.put(db, anew.WAITS, scope)  # as the upgrade does where turns are
            for text in (*TASKS[2:3], ONCE, *said[-3:]):
                turn = db.execute("SELECT id FROM turn WHERE text = ?", (text,)).fetchall()[0][0]
                revise(db, Candidate("fact", text, scope=scope, at=NOW, turn=turn, start=0, end=len(text)), NOW)
        return {str(row["text"]): int(str(row["id"])) for row in memory.export() if row["state"] == "active"}


def states(memory: Memory) -> dict[str, str]:
    return {str(row["text"]): str(row["state"]) for row in memory.export()}


def test_what_the_learner_would_not_hold_today_is_heard_and_all_else_stands(at_work: dict[str, int]) -> None:
    assert ONCE in at_work and RULE in at_work
    with Memory() as memory:
        with writer.transaction(memory.db):
            changes.begin(memory.db, "user")
            beliefs.set_state(memory.db, at_work["use the other icon"], "active", NOW)  # a person put it right
        memory.remember("the header should be blue")
        sleep(memory.db, NOW)

        found = states(memory)
        assert found[ONCE] == found["the spinner needs a label"] == "heard"
        assert found[RULE] == found["use the other icon"] == found["the header should be blue"] == "active"


def test_it_is_judged_once_and_can_be_undone(at_work: dict[str, int]) -> None:
    with Memory() as memory:
        sleep(memory.db, NOW)
        logged = memory.db.execute("SELECT count(*) FROM change WHERE what = 'heard' AND actor = 'upgrade'").fetchall()
        assert logged[0][0] == sum(state == "heard" for state in states(memory).values()) > 0
        with writer.transaction(memory.db):
            changes.begin(memory.db, "user")
            beliefs.set_state(memory.db, at_work[ONCE], "active", NOW)
        sleep(memory.db, NOW + 1)

        assert states(memory)[ONCE] == "active"


def test_what_was_said_long_ago_is_heard_for_a_while_too(at_work: dict[str, int]) -> None:
    with Memory() as memory:
        sleep(memory.db, NOW + 400 * 86_400)
        assert states(memory)[ONCE] == "heard"
        sleep(memory.db, NOW + 800 * 86_400)

        assert states(memory)[ONCE] == "archived"


def test_a_store_that_begins_with_this_release_has_nothing_to_judge(home: Path) -> None:
    with Memory() as memory:
        assert meta.get(memory.db, anew.WAITS) is None
        assert anew.project(memory.db) is None


def test_the_upgrade_of_a_store_with_turns_lets_its_projects_wait(at_work: dict[str, int], home: Path) -> None:
    with Memory() as memory:
        with writer.transaction(memory.db):
            memory.db.execute("DELETE FROM meta WHERE key = ?", (anew.WAITS,))
            anew.to_be_judged(memory.db)

        assert anew.project(memory.db) is not None
