"""Damage of every kind is seen, by somebody: flipped bits, wrong indexes, wrong counts, lost commits."""

from __future__ import annotations

import contextlib
from pathlib import Path

import apsw
import pytest

from agentmemory.memory import Memory
from agentmemory.store import backup, check, turns, writer
from agentmemory.values import Utterance


@pytest.fixture
def full(db: apsw.Connection, project: Path, token: str) -> apsw.Connection:
    """A store with beliefs, a correction, something forgotten and a session."""
    with Memory() as memory:
        port = memory.remember(f"the port of {token} is 8443").id  # type: ignore[union-attr]
        memory.remember(f"never push {token}", "rule")
        memory.correct(port, f"the port of {token} is 9000")
        memory.forget(memory.remember(f"the colour of {token} is red").id)  # type: ignore[union-attr]
        scope = memory.scope
    with writer.transaction(db):
        session = turns.session(db, "s", scope, 1.0)
        turns.add(db, session, [Utterance(n, "user", f"{token} said {n} words", 1.0 + n) for n in range(30)])
    return db


def everything(db: apsw.Connection, home: Path) -> list[str]:
    """All that the checks say."""
    return [
        *check.structure(db), *check.texts(db), *check.indexes(db), *check.word_counts(db),
        *check.high_water(db, str(home)),
    ]  # fmt: skip


def test_a_whole_store_is_whole(full: apsw.Connection, home: Path) -> None:
    assert everything(full, home) == []


def test_a_flipped_letter_is_seen(full: apsw.Connection, home: Path) -> None:
    full.execute("DROP TRIGGER belief_text_is_immutable")
    full.execute("DROP TRIGGER turns_are_immutable")
    full.execute("UPDATE belief SET text = replace(text, '9000', '9001')")
    full.execute("UPDATE turn SET text = replace(text, 'said 7 ', 'sajd 7 ')")

    assert [said.split(" ")[3] for said in check.texts(full)] == ["belief", "turn"]


def test_an_index_that_lost_a_row_is_seen_and_made_anew(full: apsw.Connection, home: Path, token: str) -> None:
    id, terms = full.execute("SELECT id, terms FROM turn WHERE idx = 5").fetchone()
    full.execute("INSERT INTO turn_fts(turn_fts, rowid, terms) VALUES ('delete', ?, ?)", (id, terms))
    assert check.indexes(full) == ["the index turn_fts does not agree with its rows"]

    with writer.transaction(full):
        check.rebuild(full)

    assert everything(full, home) == []


def test_wrong_word_counts_are_seen_and_made_anew(full: apsw.Connection, home: Path) -> None:
    right = full.execute("SELECT * FROM term WHERE beliefs <> 0 OR turns <> 0 ORDER BY stem").fetchall()
    full.execute("UPDATE term SET beliefs = beliefs + 3 WHERE beliefs > 0")
    assert len(check.word_counts(full)) == 1

    with writer.transaction(full):
        check.rebuild(full)

    assert full.execute("SELECT * FROM term ORDER BY stem").fetchall() == right


def test_a_row_that_points_at_nothing_is_seen(full: apsw.Connection, home: Path) -> None:
    full.execute("PRAGMA foreign_keys = OFF")
    full.execute("INSERT INTO evidence (belief, kind, at) VALUES (4711, 'said', 1)")

    assert check.structure(full) == ["rows of evidence point at rows that are gone"]


def test_acknowledged_changes_that_are_missing_are_counted(full: apsw.Connection, home: Path) -> None:
    full.execute("UPDATE meta SET value = value - 2 WHERE key = 'commits'")

    assert check.high_water(full, str(home)) == ["the last 2 acknowledged changes are missing from the file"]


def test_lost_changes_stay_known_after_later_ones(full: apsw.Connection, home: Path, tmp_path: Path) -> None:
    full.execute("UPDATE meta SET value = value - 2 WHERE key = 'commits'")

    with Memory() as memory:
        memory.remember("the first thing said after the loss")

    assert check.high_water(full, str(home)) == ["2 acknowledged changes are missing from the file"]
    backup.accept_loss(str(home), full)
    assert check.high_water(full, str(home)) == []


def test_a_restored_store_has_lost_nothing(full: apsw.Connection, home: Path, tmp_path: Path) -> None:
    full.execute("UPDATE meta SET value = value - 2 WHERE key = 'commits'")
    with writer.transaction(full):
        pass
    full.close()

    backup.restore(str(home), backup.backup(str(home)))

    with contextlib.closing(writer.open_store(str(home))) as db:
        assert check.high_water(db, str(home)) == []


def test_the_hooks_sqlite_is_asked_whether_it_can_search() -> None:
    assert check.hook_can_search()
