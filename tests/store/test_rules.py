"""While anybody but the user speaks, the database lets nothing happen to the user's rules, locks and guards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from agentmemory.memory import Memory
from agentmemory.store import beliefs, changes, rules, schema, sleep_tables, writer
from tests.conftest import older_store

TAKEN = (
    "DELETE FROM guard",
    "UPDATE guard SET enabled = 0",
    "DELETE FROM belief WHERE locked = 1",
    "UPDATE belief SET kind = 'fact' WHERE locked = 1",
    "UPDATE belief SET scope = 1 WHERE locked = 1",
    "UPDATE belief SET valid_to = 1 WHERE locked = 1",
    "UPDATE belief SET state = 'superseded' WHERE locked = 1",
    "UPDATE belief SET state = 'retracted' WHERE locked = 1",
    "UPDATE belief SET locked = 0",
)


@pytest.mark.parametrize("who", ["agent", "tool", "import"])
@pytest.mark.parametrize("change", TAKEN)
def test_a_locked_rule_and_its_guards_are_the_users_alone(project: Path, who: str, change: str) -> None:
    with Memory() as memory:
        memory.lock("Never push to main")
        with (
            pytest.raises(apsw.ConstraintError, match="only the user"),
            writer.transaction(memory.db),
            changes.speaking(memory.db, who),
        ):
            memory.db.execute(change).fetchall()


@pytest.mark.parametrize("change", TAKEN)
def test_the_user_may_do_all_of_it(project: Path, change: str) -> None:
    with Memory() as memory:
        memory.lock("Never push to main")
        with writer.transaction(memory.db):
            memory.db.execute(change).fetchall()
            assert memory.db.changes()


@pytest.mark.parametrize("before", [beliefs.few_segments, sleep_tables.sharing_is_asked_for])
def test_a_store_of_a_checkout_that_had_the_steps_in_another_order_is_opened(
    tmp_path: Path, before: Callable[[apsw.Connection], None]
) -> None:
    db = older_store(tmp_path, before)
    rules.who_may_alter(db)
    db.execute(f"PRAGMA user_version = {schema.MIGRATIONS.index(before) + 1}")
    db.close()

    db = writer.open_store(str(tmp_path))

    assert db.execute("PRAGMA user_version").fetchone() == (len(schema.MIGRATIONS),)
    assert db.execute("SELECT count(*) FROM shares").fetchone() == (0,)


@pytest.mark.parametrize("who", ["agent", "tool", "import"])
def test_only_the_users_consent_makes_a_suggestion_theirs(project: Path, tmp_path: Path, who: str) -> None:
    older_store(tmp_path, rules.consent_makes_it_theirs).close()
    with Memory(str(tmp_path), speaker=who) as memory:
        memory.propose("Always run the smoke suite before a release")
        with (
            pytest.raises(apsw.ConstraintError, match="who said it is not rewritten"),
            writer.transaction(memory.db),
            changes.speaking(memory.db, who),
        ):
            memory.db.execute("UPDATE belief SET provenance = 'user', state = 'active'").fetchall()

        memory.accept(1)
        assert (memory.belief(1).provenance, memory.belief(1).state) == ("user", "active")
