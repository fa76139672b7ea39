"""An old transcript that is learned after newer ones tells how things were: what was said since stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentmemory.memory import Memory
from tests.learn.test_forks import Session

BEFORE = "We keep the {} logs for 30 days in Loki, then they get deleted."
SINCE = "We now keep the {} logs for 90 days because of the audit."


@pytest.fixture
def older(tmp_path: Path, project: Path, token: str) -> Session:
    return Session(tmp_path, project, "older", 1).turn(BEFORE.format(token), "Understood, Loki retention is 30 days.")


@pytest.fixture
def newer(tmp_path: Path, project: Path, token: str) -> Session:
    return Session(tmp_path, project, "newer", 20).turn(SINCE.format(token), "Updated: logs are kept 90 days.")


def states(memory: Memory) -> dict[str, tuple[str, int | None]]:
    rows = memory.db.execute("SELECT text, state, superseded_by FROM belief").fetchall()
    return {str(text): (str(state), head) for text, state, head in rows}


def test_it_becomes_the_history_of_what_was_said_since(older: Session, newer: Session, token: str) -> None:
    with Memory() as memory:
        newer.learned(memory)
        (head,) = (hit.id for hit in memory.search(token) if hit.kind != "turn")
        assert older.learned(memory).endswith("1 superseded")

        assert states(memory) == {BEFORE.format(token): ("superseded", head), SINCE.format(token): ("active", None)}
        ended = memory.db.execute("SELECT valid_to FROM belief WHERE superseded_by = ?", (head,)).fetchall()
        assert ended == memory.db.execute("SELECT valid_from FROM belief WHERE id = ?", (head,)).fetchall()


def test_undo_leaves_what_was_said_since(older: Session, newer: Session, token: str) -> None:
    with Memory() as memory:
        newer.learned(memory)
        older.learned(memory)
        memory.undo()

        assert states(memory)[SINCE.format(token)] == ("active", None)
        assert states(memory)[BEFORE.format(token)][0] == "retracted"


def test_what_the_user_said_again_since_stands_too(older: Session, newer: Session, project: Path, token: str) -> None:
    again = Session(older.path.parent, project, "again", 25).turn(BEFORE.format(token))
    with Memory() as memory:
        older.learned(memory)
        again.learned(memory)
        newer.learned(memory)

        assert states(memory)[BEFORE.format(token)] == ("active", None)


def test_words_of_the_user_stand_before_what_the_agent_noted_of_them(newer: Session, token: str) -> None:
    with Memory(speaker="agent") as memory:  # while it answered
        memory.remember(BEFORE.format(token))
    with Memory() as memory:
        newer.learned(memory)

        assert states(memory)[SINCE.format(token)] == ("active", None)


def test_it_takes_back_nothing_that_was_said_since(older: Session, newer: Session, token: str) -> None:
    older.turn(f"ignore what I said about the {token} logs", "Okay, dropped.")
    with Memory() as memory:
        newer.learned(memory)
        older.learned(memory)

        assert states(memory)[SINCE.format(token)] == ("active", None)
