"""`undo` takes back the last change that was made here, and nothing that something newer stands on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentmemory import confidence
from agentmemory.cli import main as cli
from agentmemory.learn import contradictions, outcomes
from agentmemory.learn.revise import revise
from agentmemory.memory import Memory
from agentmemory.sleep.forgetting import FADES_AFTER
from agentmemory.sleep.night import sleep
from agentmemory.store import beliefs, changes, guards, jobs, undo, writer
from agentmemory.values import Candidate
from tests.conftest import git
from tests.sleep.talk import NOW, say, topic


def counts(memory: Memory, belief: int) -> tuple[float, float, float]:
    row = memory.belief(belief)
    return row.alpha, row.beta, row.confirmed


@pytest.fixture
def memory(project: Path) -> Memory:
    with Memory() as memory:
        memory.remember("the api port is 8000")
        memory.remember("the cache lives on host athena")
        yield memory


@pytest.mark.parametrize("outcome", ["helped", "wrong"])
def test_feedback_is_taken_back_and_nothing_else(memory: Memory, outcome: str) -> None:
    before = counts(memory, 1)
    memory.feedback(1, outcome)
    assert counts(memory, 1) != before

    assert memory.undo() == [(f"evidence {outcome}", 1)]
    assert counts(memory, 1) == before
    assert [row["state"] for row in memory.export()] == ["active", "active"]


def test_feedback_on_what_is_gone_is_one_sentence(memory: Memory) -> None:
    memory.forget(1)

    with pytest.raises(beliefs.UnknownBelief, match="there is no belief 1"):
        memory.feedback(1, "helped")


def test_being_told_again_is_taken_back_and_the_belief_stays(memory: Memory) -> None:
    before = counts(memory, 1)
    memory.remember("the api port is 8000")

    assert memory.undo() == [("evidence restated", 1)]
    assert counts(memory, 1) == before
    assert memory.belief(1).state == "active"


def test_evidence_that_came_since_still_counts(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def later(month: int) -> None:
        monkeypatch.setenv("AGENTMEMORY_NOW", f"2026-{month:02d}-01T12:00:00Z")

    later(7)
    memory.feedback(2, "helped")
    later(8)
    memory.feedback(1, "wrong")
    batch = undo.last(memory.db, memory.scopes)
    later(9)
    memory.feedback(1, "helped")
    memory.feedback(2, "helped")
    memory.undo(batch)
    later(7)
    memory.feedback(1, "helped")  # late evidence counts as if it had come in time

    assert counts(memory, 1) == pytest.approx(counts(memory, 2))


def test_what_was_replaced_since_is_not_brought_back(memory: Memory, capsys: pytest.CaptureFixture[str]) -> None:
    second = memory.correct(1, "the api port is 8001")
    batch = undo.last(memory.db, memory.scopes)
    memory.correct(second.id, "the api port is 8002")  # type: ignore[union-attr]
    before = list(memory.export())

    assert cli(["undo", str(batch)]) == 1
    first = int(batch or 0) + 1
    assert capsys.readouterr().err == f"agentmemory: belief 3 was replaced since; undo batch {first} first\n"
    assert list(memory.export()) == before

    memory.undo()
    memory.undo()
    assert [row["text"] for row in memory.export() if row["state"] == "active"] == [
        "the api port is 8000", "the cache lives on host athena",
    ]  # fmt: skip


def test_cues_that_were_changed_since_are_not_overwritten(memory: Memory) -> None:
    for keywords in ("lion", "zebra"):
        with writer.transaction(memory.db):
            changes.begin(memory.db, "sleep")
            beliefs.evolve(memory.db, 1, 2.0, keywords=keywords)
    last = undo.last(memory.db, memory.scopes) or 0

    with pytest.raises(undo.CannotUndo, match=f"belief 1 was changed since; undo batch {last} first"):
        memory.undo(last - 1)


def test_forgetting_cannot_be_taken_back_and_hides_nothing_older(
    memory: Memory, capsys: pytest.CaptureFixture[str], token: str
) -> None:
    memory.forget(memory.remember(f"the word is {token}").id)  # type: ignore[union-attr]

    assert cli(["undo"]) == 1
    said = capsys.readouterr().err
    assert "`forget`, which cannot be taken back" in said and token not in said
    assert [row["state"] for row in memory.export()] == ["active", "active"]
    assert cli(["undo", str((undo.last(memory.db, memory.scopes) or 0) - 2)]) == 0
    assert memory.belief(2).state == "retracted"


def test_the_last_change_is_one_of_this_project_and_is_shown(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other").mkdir()
    git(tmp_path / "other", "init", "-q")
    with Memory(project=str(tmp_path / "other")) as other:
        theirs = other.remember("the queue is drained at night").id  # type: ignore[union-attr]
    everywhere = memory.remember("answers are short", "preference", everywhere=True).id  # type: ignore[union-attr]
    with Memory(project=str(tmp_path / "other")) as other:
        other.feedback(theirs, "helped")

    assert cli(["undo"]) == cli(["undo"]) == 0

    assert capsys.readouterr().out == (
        f"Taken back: added, belief {everywhere} (user): answers are short\n"
        "Taken back: added, belief 2: the cache lives on host athena\n"
    )
    assert memory.belief(theirs).state == "active"


def test_a_guard_that_spoke_changed_nothing(memory: Memory, tmp_path: Path) -> None:
    """What a guard said is written into the batch that is the last then, of whatever project."""
    from agentmemory.store import guards

    rule = memory.lock("NEVER run npm publish").id  # type: ignore[union-attr]
    os.makedirs(tmp_path / "other")
    with Memory(project=str(tmp_path / "other")) as other:
        theirs = other.remember("the queue is drained at night").id  # type: ignore[union-attr]
    with writer.transaction(memory.db):
        (guard,) = guards.listed(memory.db, rule)
        guards.spoke(memory.db, guard.id, "guard denied", {}, 5.0)

    assert ("added", rule) in memory.undo()
    assert memory.belief(theirs).state == "active"


def test_what_a_night_tidies_is_not_what_undo_takes_back(memory: Memory, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with Memory(project=str(other)) as elsewhere:
        say(memory.db, topic("pool"), key="here", scope=memory.scope)
        say(memory.db, ["I live in Oslo.", *topic("pool")], key="there", scope=elsewhere.scope)
        night = sleep(memory.db, NOW)
        assert len(night.summaries) == 2 and len(night.traits) == 1

        assert memory.undo() == [("added", night.traits[0])]  # it was learned of the user
        assert memory.undo() == [("added", 2)]
        assert [memory.belief(id).state for id in night.summaries] == ["active", "active"]


def test_what_the_user_brings_back_is_not_put_away_again(memory: Memory) -> None:
    """Neither what prompts made no use of, nor what nights archive, nor what gave way to a newer word."""
    with writer.transaction(memory.db):
        changes.begin(memory.db, "user")
        heard = revise(
            memory.db, Candidate("fact", "the mirror is hermes", scope=memory.scope, at=NOW, heard=True), NOW
        )
        agents = Candidate("fact", "The orders service listens on port 8443.", "agent", memory.scope, NOW)
        theirs = revise(memory.db, agents, NOW).id  # type: ignore[union-attr]
        beliefs.add(memory.db, beliefs.New(
            scope=memory.scope, kind="fact", text="The orders service listens on port 9443.", provenance="user",
            valid_from=NOW + 9, created=NOW + 9,
        ))  # fmt: skip
        for i in range(outcomes.FADE_SESSIONS):
            memory.db.execute(
                "INSERT INTO injection (session, belief, at, tokens, outcome) VALUES (?, 1, ?, 20, 'unused')",
                (f"s{i}", NOW),
            )
    gone = {1: "archived", heard.id: "archived", theirs: "retracted"}  # type: ignore[union-attr]

    def put_away(now: float) -> list[str]:
        with writer.transaction(memory.db):
            changes.begin(memory.db, "judge")
            outcomes.judge(memory.db, "none", (), now)
        sleep(memory.db, now)
        contradictions.run(memory.db, jobs.Job(1, "contradictions", None, {}, 0), now)
        return [memory.belief(id).state for id in gone]

    assert put_away(NOW + FADES_AFTER + 10) == list(gone.values())
    done = memory.db.execute("SELECT DISTINCT batch FROM change WHERE what IN ('archived', 'retracted')").fetchall()
    assert not {batch for (batch,) in done} & {undo.last(memory.db, (memory.scope,))}  # no change of the user's
    for (batch,) in done:
        memory.undo(batch)
    assert put_away(NOW + FADES_AFTER + 20) == ["active", "heard", "active"]


@pytest.mark.parametrize("who", ["agent", "import"])
def test_consent_that_is_taken_back_leaves_the_proposal_as_it_was(memory: Memory, project: Path, who: str) -> None:
    with Memory(speaker=who) as other:
        other.propose("the billing worker runs on zeus")
    before = memory.db.execute("SELECT * FROM belief WHERE id = 3").fetchone()
    memory.accept(3)
    assert (memory.belief(3).state, memory.belief(3).provenance) == ("active", "user")
    assert counts(memory, 3)[:2] == confidence.prior("user", "preference")

    memory.undo()
    assert memory.db.execute("SELECT * FROM belief WHERE id = 3").fetchone() == before


def test_evidence_from_before_consent_is_no_part_of_what_the_user_said(memory: Memory) -> None:
    """Accepting begins the counts anew: what an agent's word had moved before is not taken out of the user's."""
    with Memory(speaker="agent") as agent:
        agent.propose("the billing worker runs on zeus")
    for outcome in ("helped", "wrong"):
        memory.feedback(3, outcome)
    wrong = undo.last(memory.db, memory.scopes) or 0
    memory.accept(3)

    memory.undo(wrong)
    memory.undo(wrong - 1)
    assert counts(memory, 3)[:2] == confidence.prior("user", "preference")


def test_consent_is_not_taken_back_below_a_lock(memory: Memory) -> None:
    memory.import_beliefs([{"kind": "rule", "text": "Never run prisma migrate reset"}])
    memory.accept(3)
    accepted = undo.last(memory.db, memory.scopes)
    memory.lock(3)
    locked = undo.last(memory.db, memory.scopes)

    with pytest.raises(undo.CannotUndo, match=f"undo batch {locked} first"):
        memory.undo(accepted)
    memory.undo()
    memory.undo()
    assert (memory.belief(3).state, memory.belief(3).locked) == ("proposed", 0)
    assert not guards.listed(memory.db, 3)


def test_what_was_locked_already_is_no_change_to_take_back(memory: Memory) -> None:
    memory.lock(memory.lock("Never push to main").id)
    memory.lock("Never push to main")
    memory.unlock(1)

    taken = [memory.undo(), memory.undo()]
    assert taken[0] == [("evidence restated", 3)] and ("added", 3) in taken[1]
