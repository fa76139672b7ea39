"""What was said twice in other words is one fact: shown once, found by the words of both, replaced as one."""

from __future__ import annotations

import apsw
import pytest

from agentmemory.learn.entities import mention
from agentmemory.recall.pipeline import block, brought
from agentmemory.records import Query
from agentmemory.sleep.restatements import find
from agentmemory.store import beliefs, lineage, scopes, writer
from agentmemory.store.beliefs import New
from tests.sleep.talk import DAY, NOW

LATER = NOW + 60 * DAY


def believe(db: apsw.Connection, text: str, kind: str = "fact", at: float = NOW) -> int:
    with writer.transaction(db):
        belief = beliefs.add(db, New(scopes.USER, kind, text, "user", at, at))
        mention(db, scopes.USER, text, belief, at)
    return belief


def night(db: apsw.Connection) -> int | None:
    with writer.transaction(db):
        return find(db, NOW)


def hits(db: apsw.Connection, prompt: str) -> list[int]:
    return [hit.id for hit in brought(db, Query(prompt, LATER, (scopes.USER,)))]


def test_one_wording_stands_for_both_and_is_found_by_either(db: apsw.Connection, token: str) -> None:
    old = believe(db, f"{token}-api listens on port 7841, on every machine")
    new = believe(db, f"the port of {token}-api is 7841, please keep it", at=NOW + DAY)
    assert set(hits(db, f"where does {token}-api listen?")) == {old, new}

    assert night(db) == 1
    assert hits(db, f"where does {token}-api listen?") == [new]
    assert night(db) is None


def test_what_binds_is_not_hidden_behind_what_does_not(db: apsw.Connection, token: str) -> None:
    binding = believe(db, f"{token}-api listens on port 7841, on every machine", "rule")
    told = believe(db, f"the port of {token}-api is 7841, please keep it", at=NOW + DAY)

    assert night(db) == 1
    assert db.execute("SELECT src, dst FROM edge").fetchall() == [(told, binding)]


def test_what_replaces_one_wording_replaces_both(db: apsw.Connection, token: str) -> None:
    old = believe(db, f"{token}-api listens on port 7841, on every machine")
    believe(db, f"the port of {token}-api is 7841, please keep it", at=NOW + DAY)
    night(db)
    moved = believe(db, f"{token}-api moved: it listens on port 9102 from now on", at=NOW + 2 * DAY)
    with writer.transaction(db):
        beliefs.supersede(db, old, moved, NOW + 2 * DAY)

    shown = block(db, Query(f"which port does our {token}-api have?", LATER, (scopes.USER,)))
    assert "9102" in shown and "please keep it" not in shown


def test_what_replaces_another_part_of_one_wording_leaves_the_other(db: apsw.Connection, token: str) -> None:
    old = believe(db, f"{token}-api listens on port 7841, on every machine")
    kept = believe(db, f"the port of {token}-api is 7841, please keep it", at=NOW + DAY)
    night(db)
    moved = believe(db, f"{token}-api only runs in Lyon", at=NOW + 2 * DAY)
    with writer.transaction(db):
        beliefs.supersede(db, old, moved, NOW + 2 * DAY)

    assert kept in hits(db, f"which port does our {token}-api listen on?")


def test_what_was_said_later_of_one_wording_stands_above_the_one_that_is_shown(db: apsw.Connection, token: str) -> None:
    old = believe(db, f"{token}-api listens on port 7841, on every machine")
    believe(db, f"the port of {token}-api is 7841, please keep it", at=NOW + DAY)
    night(db)
    again = believe(db, f"9102 is what {token}-api listens on", at=NOW + 2 * DAY)
    with writer.transaction(db):
        beliefs.link(db, "relates", again, old, NOW + 2 * DAY, detail=lineage.LATER)

    shown = block(db, Query(f"which port does our {token}-api listen on?", LATER, (scopes.USER,)))
    (line,) = (line for line in shown.splitlines() if "9102" in line)
    assert line.index("9102") < line.index("7841")


def test_another_value_subject_or_denial_is_no_repetition(db: apsw.Connection, token: str) -> None:
    believe(db, f"{token}-api listens on port 7841 in {token}-lab")
    believe(db, f"{token}-api listens on port 7842 in {token}-lab", at=NOW + DAY)
    believe(db, f"{token}-web listens on port 7841 in {token}-lab", at=NOW + DAY)
    believe(db, f"{token}-api never listens on port 7841 in {token}-lab", at=NOW + DAY)

    assert night(db) == 0


def test_a_wording_that_adds_something_stays_beside_the_other(db: apsw.Connection, token: str) -> None:
    believe(db, f"{token}-api listens on port 7841 and the backup battery dies after winter storms")
    believe(db, f"{token}-api port is 7841 and renewals of certificates arrive through Lisbon", at=NOW + DAY)

    assert night(db) == 0


@pytest.mark.parametrize(("more", "same"), [(2, True), (3, False)])
def test_a_wording_may_add_two_words_that_tell_something(
    db: apsw.Connection, token: str, more: int, same: bool
) -> None:
    for at, said in enumerate((("battery", "winter", "storm"), ("renewal", "invoice", "harbour"))):
        believe(db, f"the port of {token}-api is 7841: {', '.join(said[:more])}", at=NOW + at * DAY)

    assert night(db) == same


def test_one_name_in_common_makes_no_fact_of_two(db: apsw.Connection, token: str) -> None:
    believe(db, f"the {token}-api is slow in winter")
    believe(db, f"in winter the {token}-api is slow", at=NOW + DAY)

    assert night(db) == 0
