"""What `forget` takes away and what it leaves: what was replaced, the turns that said something else, what sessions
were given."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory import seen, verbs
from agentmemory.learn import review
from agentmemory.memory import Memory
from agentmemory.store import beliefs, changes, check, inbox, undo, writer
from agentmemory.values import Utterance
from tests.learn.talk import play

PORTS = ("the api port is 8001", "the api port is 8002", "the api port is 8003")


def chain(*texts: str) -> list[int]:
    """Beliefs of the user, each put in the place of the one before."""
    with Memory() as memory:
        ids = [memory.remember(texts[0]).id]
        for text in texts[1:]:
            ids.append(memory.correct(ids[-1], text).id)
        return ids


def forget(*ids: int) -> list[int]:
    with Memory() as memory:
        return [again for id in ids for again in memory.forget(id).again]


def standing(db: apsw.Connection) -> list[str]:
    return [row[0] for row in db.execute("SELECT text FROM belief WHERE state = 'active' ORDER BY id")]


def test_what_was_replaced_holds_again_when_what_replaced_it_is_forgotten(project: Path, db: apsw.Connection) -> None:
    first, second = chain(*PORTS[:2])

    with Memory() as memory:
        done = verbs.forget(memory, second)
        assert [hit.text for hit in memory.search("api port")] == [PORTS[0]]

    assert f"What was replaced holds again: {first}." in done["note"]
    row = beliefs.get(db, first)
    assert (row.state, row.superseded_by, row.valid_to) == ("active", None, None)
    assert check.word_counts(db) + check.indexes(db) == []


def test_an_agent_cannot_end_what_the_user_said_by_forgetting_what_it_put_in_its_place(
    project: Path, db: apsw.Connection
) -> None:
    with Memory() as memory:
        said = memory.remember(PORTS[0]).id
    with Memory(speaker="agent") as agent:
        theirs = agent.remember("the api port is another one", replaces=said).id
        agent.forget(theirs)

    assert standing(db) == [PORTS[0]]


def test_in_a_chain_what_replaced_the_forgotten_one_stands_for_all_before(project: Path, db: apsw.Connection) -> None:
    first, second, third = chain(*PORTS)

    assert forget(second) == []

    assert standing(db) == [PORTS[2]]
    assert beliefs.get(db, first).superseded_by == third
    edges = db.execute("SELECT src, dst FROM edge WHERE type = 'supersedes'").fetchall()
    assert edges == [(third, first)]
    assert forget(third) == [first]
    assert standing(db) == [PORTS[0]]


@pytest.mark.parametrize("how", ["undo", "drop"])
def test_after_that_taking_back_what_stands_brings_the_first_back(project: Path, db: apsw.Connection, how: str) -> None:
    first, second, third = chain(*PORTS)
    (batch,) = db.execute("SELECT batch FROM change WHERE belief = ? AND what = 'added'", (third,)).fetchone()
    forget(second)

    with writer.transaction(db):
        changes.begin(db, how)
        if how == "undo":
            undo.undo(db, batch, 5.0)
        else:
            review.drop(db, third, 5.0)

    assert standing(db) == [PORTS[0]]
    assert beliefs.get(db, first).superseded_by is None


def test_what_is_forgotten_together_leaves_nothing_behind(project: Path, db: apsw.Connection) -> None:
    chain("the staging port is 8001", *PORTS[1:])

    with Memory() as memory:
        assert memory.forget("api").again == [1]
        assert standing(db) == ["the staging port is 8001"]
        assert memory.forget("port").again == []

    assert db.execute("SELECT count(*) FROM belief").fetchone() == (0,)


def test_a_rule_holds_again_where_what_is_left_may_not_replace_it(project: Path, db: apsw.Connection) -> None:
    with Memory() as memory:
        rule = memory.remember("never push to main", "rule").id
        fact = memory.remember("pushing to main is fine on fridays", replaces=rule).id
    with Memory(speaker="agent") as agent:
        agent.remember("pushing is fine", replaces=fact)

    assert forget(fact) == [rule]
    assert standing(db) == ["never push to main", "pushing is fine"]


def test_a_proposal_that_was_replaced_waits_again_and_does_not_stand(project: Path, db: apsw.Connection) -> None:
    with Memory(speaker="agent") as agent:
        waits = agent.propose("never push on fridays").id
        agent.forget(agent.remember("pushing on fridays is discouraged", replaces=waits).id)

    assert beliefs.get(db, waits).state == "proposed"


def test_a_locked_rule_is_enforced_again_when_its_correction_is_forgotten(project: Path, db: apsw.Connection) -> None:
    with Memory() as memory:
        rule = memory.lock("NEVER run npm publish").id
        memory.forget(memory.correct(rule, "ask before a release").id)

    row = beliefs.get(db, rule)
    assert (row.state, row.locked) == ("active", 1)
    acting = "SELECT count(*) FROM guard g JOIN belief b ON b.id = g.belief WHERE g.enabled = 1 AND b.state = 'active'"
    assert db.execute(acting).fetchone() == (1,)


def test_the_turn_that_said_what_holds_stays_when_what_it_replaced_is_forgotten(
    project: Path, db: apsw.Connection, tmp_path: Path, token: str
) -> None:
    said = [f"the {token} bird lives on port {port}" for port in ("4001", "4002 now", "4003 now")]
    for n, text in enumerate(said):
        play(db, tmp_path, text, cwd=str(project), at=n * 90_000)
    ids = dict(db.execute("SELECT text, id FROM belief").fetchall())
    assert set(said) == set(ids)

    forget(ids[said[1]])

    turns = [row[0] for row in db.execute("SELECT text FROM turn WHERE role = 'user' ORDER BY id")]
    assert turns == [said[0], "", said[2]]


def test_a_turn_that_took_back_what_is_forgotten_goes_where_it_says_its_words(
    project: Path, db: apsw.Connection
) -> None:
    with Memory() as memory:
        id = memory.remember(PORTS[0]).id
        told = memory.add_turns("s", [
            Utterance(0, "user", f"it is no longer so that THE  API port is 8001: {PORTS[1]}", 1.0),
            Utterance(1, "user", "scratch that", 2.0),
        ])  # fmt: skip
        with writer.transaction(db):
            for turn in told:
                beliefs.witness(db, id, "corrected", -1.0, 3.0, turn)

        assert memory.forget(id)["turns"] == [told[0]]


def test_what_a_session_was_given_is_not_given_again_when_something_else_is_forgotten(
    project: Path, home: Path
) -> None:
    first, second = chain(*PORTS[:2])
    with Memory() as memory:
        other = memory.remember("the cache lives on athena").id
    given = [f'{{"belief": {id}, "at": 1.0, "tokens": 5, "prompt": "0", "called": 1}}' for id in (first, second, other)]
    inbox.note_seen(str(home), "running", *given)
    inbox.note_seen(str(home), "other", given[2])
    size = (home / "seen" / "running.log").stat().st_size

    forget(second)

    assert seen.already(str(home), "running") == (frozenset({other}), False)
    assert seen.already(str(home), "other") == (frozenset({other}), False)
    lines = inbox.seen(str(home), "running")
    assert not any(str(second) in line.partition(",")[0] for line in lines)
    assert lines[:3] == [given[0], " " * len(given[1]), given[2]]
    assert (home / "seen" / "running.log").stat().st_size == size + len(f'{{"past": {first}}}\n')
