"""Rows of beliefs: what may change, what may not, and how it is taken back."""

from __future__ import annotations

import sqlite3
import stat
from pathlib import Path

import apsw
import pytest

from agentmemory import paths
from agentmemory.learn import arrivals
from agentmemory.memory import Memory
from agentmemory.store import beliefs, bridges, changes, check, forget, inbox, jobs, retrievals, turns, undo, writer
from agentmemory.store.db import NewerStore, open_read
from agentmemory.store.schema import MIGRATIONS
from agentmemory.values import Utterance


def belief(db: apsw.Connection, text: str, kind: str = "fact", provenance: str = "user", **more: object) -> int:
    new = beliefs.New(scope=1, kind=kind, text=text, provenance=provenance, valid_from=1.0, created=1.0, **more)  # type: ignore[arg-type]
    return beliefs.add(db, new)


def matches(db: apsw.Connection, word: str) -> list[int]:
    return [row[0] for row in db.execute("SELECT rowid FROM belief_fts WHERE belief_fts MATCH ?", (word,))]


def test_a_belief_is_superseded_once(db: apsw.Connection) -> None:
    old, new, newer = (belief(db, f"port {n}") for n in (1, 2, 3))
    beliefs.supersede(db, old, new, at=2.0)

    with pytest.raises(beliefs.UnknownBelief):
        beliefs.supersede(db, old, newer, at=3.0)
    assert beliefs.get(db, old).superseded_by == new


def test_supersession_cannot_make_a_cycle(db: apsw.Connection) -> None:
    a, b, c = (belief(db, f"port {n}") for n in (1, 2, 3))
    beliefs.supersede(db, a, b, at=2.0)
    beliefs.supersede(db, b, c, at=3.0)
    beliefs.set_state(db, c, "active", 4.0)

    with pytest.raises(apsw.ConstraintError):
        beliefs.supersede(db, c, a, at=4.0)


@pytest.mark.parametrize("provenance", ["agent", "tool", "import"])
def test_only_the_user_makes_a_rule_or_a_lock(db: apsw.Connection, provenance: str) -> None:
    with pytest.raises(apsw.ConstraintError):
        belief(db, "always do as I say", kind="rule", provenance=provenance)
    with pytest.raises(apsw.ConstraintError):
        belief(db, "a fact", provenance=provenance, locked=True)
    fact = belief(db, "a fact", provenance=provenance)
    with pytest.raises(apsw.ConstraintError):
        beliefs.set_locked(db, fact, True, 2.0)
    with pytest.raises(apsw.ConstraintError):
        db.execute("UPDATE belief SET kind = 'rule' WHERE id = ?", (fact,))
    with pytest.raises(apsw.ConstraintError):
        db.execute("UPDATE belief SET provenance = 'user' WHERE id = ?", (fact,))


def test_a_rule_is_replaced_by_the_user_only(db: apsw.Connection) -> None:
    rule = belief(db, "never push to main", kind="rule")
    rumour = belief(db, "pushing to main is fine", provenance="agent")

    with pytest.raises(apsw.ConstraintError):
        beliefs.supersede(db, rule, rumour, at=2.0)


def test_a_rule_that_waits_gives_way_to_what_waits_too_and_comes_from_where_it_came(db: apsw.Connection) -> None:
    waits = belief(db, "never push to main", kind="rule", provenance="import", state="proposed")
    later = belief(db, "never push to main or next", kind="rule", provenance="import", state="proposed")
    rumour = belief(db, "pushing to main is fine", provenance="agent", state="proposed")
    stands = belief(db, "pushing to main is fine by us", provenance="import")

    for other in (rumour, stands):
        with pytest.raises(apsw.ConstraintError):
            beliefs.supersede(db, waits, other, at=2.0)
    beliefs.supersede(db, waits, later, at=2.0)
    assert beliefs.get(db, waits).superseded_by == later


def test_texts_of_beliefs_and_turns_cannot_be_rewritten(db: apsw.Connection) -> None:
    id = belief(db, "we use tabs")
    session = turns.session(db, "s", 1, 1.0)
    turns.add(db, session, [Utterance(0, "user", "we use tabs", 1.0)])

    with pytest.raises(apsw.ConstraintError):
        db.execute("UPDATE belief SET text = 'we use spaces' WHERE id = ?", (id,))
    with pytest.raises(apsw.ConstraintError):
        db.execute("UPDATE turn SET text = 'we use spaces'")


def test_evolved_cues_are_found_and_undone(db: apsw.Connection, token: str) -> None:
    with writer.transaction(db):
        changes.begin(db, "user")
        id = belief(db, "we use tabs")
    with writer.transaction(db):
        changes.begin(db, "sleep")
        beliefs.evolve(db, id, 2.0, keywords=token)
    assert matches(db, token) == [id]
    with writer.transaction(db):
        assert undo.undo(db, undo.last(db, (1,)) or 0, 3.0) == [("evolved", id)]
    assert matches(db, token) == []
    assert check.word_counts(db) == []


def test_words_of_the_text_count_also_where_a_cue_goes(db: apsw.Connection, token: str) -> None:
    with writer.transaction(db):
        id = belief(db, f"we use {token}", keywords=token)
        beliefs.evolve(db, id, 2.0, keywords="tabs")
        assert check.word_counts(db) == []
        beliefs.evolve(db, id, 3.0, keywords=token)  # and where it comes again

    assert check.word_counts(db) == []


def test_a_summary_is_not_among_the_words_that_find_beliefs(db: apsw.Connection, token: str) -> None:
    belief(db, f"{token} was spoken of", kind="summary", provenance="agent", keywords=token)

    assert matches(db, token) == []
    assert db.execute("SELECT count(*) FROM term").fetchone() == (0,)


@pytest.mark.parametrize("state", ["heard", "proposed", "archived"])
def test_what_is_locked_stands_whatever_it_was_before(db: apsw.Connection, state: str) -> None:
    id = belief(db, "a fact", state=state)
    beliefs.set_locked(db, id, True, 2.0)

    assert (beliefs.get(db, id).state, beliefs.get(db, id).locked) == ("active", 1)


def test_undo_of_a_supersession_lets_the_old_belief_stand_again(db: apsw.Connection) -> None:
    with writer.transaction(db):
        changes.begin(db, "user")
        old = belief(db, "port 1")
    with writer.transaction(db):
        changes.begin(db, "user")
        new = belief(db, "port 2")
        beliefs.supersede(db, old, new, at=2.0)
    with writer.transaction(db):
        undo.undo(db, undo.last(db, (1,)) or 0, 3.0)

    assert (beliefs.get(db, old).state, beliefs.get(db, old).superseded_by) == ("active", None)
    assert beliefs.get(db, new).state == "retracted"


def test_a_turn_is_stored_once_and_verbatim(db: apsw.Connection) -> None:
    said = [Utterance(i, "user", f"  line {i}\n\n", float(i)) for i in range(3)]
    session = turns.session(db, "s", 1, 1.0)

    assert [id is not None for id in turns.add(db, session, said)] == [True] * 3
    assert turns.add(db, session, said) == [None] * 3
    assert [row[3] for row in turns.recent(db, session, 2)] == ["  line 1\n\n", "  line 2\n\n"]
    again = [Utterance(3, "user", "once", 3.0), Utterance(3, "user", "twice", 3.0)]
    assert [id is not None for id in turns.add(db, session, again)] == [True, False]


def test_forgetting_leaves_no_byte(db: apsw.Connection, home: Path, token: str) -> None:
    with writer.transaction(db):
        session = turns.session(db, "s", 1, 1.0)
        (turn,) = turns.add(db, session, [Utterance(0, "user", f"it is {token}", 1.0)])
        id = belief(db, f"it is {token}", keywords=token)
        beliefs.witness(db, id, "said", 0.0, 1.0, turn)
    with writer.transaction(db):
        forget.erase(db, [id], forget.said_in(db, id))
    forget.scrub(db)

    assert [p for p in home.rglob("*") if p.is_file() and token.encode() in p.read_bytes()] == []
    with writer.transaction(db):  # and reading the transcript again does not bring it back
        assert turns.add(db, session, [Utterance(0, "user", f"it is {token}", 1.0)]) == [None]


def test_what_was_replaced_by_a_forgotten_belief_leads_to_what_replaced_that(db: apsw.Connection) -> None:
    first, second, third = (belief(db, f"port {n}") for n in (1, 2, 3))
    with writer.transaction(db):
        beliefs.supersede(db, first, second, at=2.0)
        beliefs.supersede(db, second, third, at=3.0)
        forget.erase(db, [second], [])

    assert beliefs.get(db, first).superseded_by == third


@pytest.mark.parametrize("who", ["agent", "tool", "import"])
def test_a_belief_between_a_rule_and_what_somebody_else_said_is_forgotten(db: apsw.Connection, who: str) -> None:
    rule, second, third = belief(db, "never push", "rule"), belief(db, "push"), belief(db, "push it", provenance=who)
    with writer.transaction(db):
        beliefs.supersede(db, rule, second, at=2.0)
        beliefs.supersede(db, second, third, at=3.0)
        forget.erase(db, [second], [])

    assert (beliefs.get(db, rule).state, beliefs.get(db, rule).superseded_by) == ("superseded", None)


def test_what_another_process_has_forgotten_meanwhile_is_passed_over(db: apsw.Connection) -> None:
    gone = belief(db, "the port is 8443", keywords="lighthouse")
    held = forget.matching(db, "lighthouse")
    with writer.transaction(db):
        forget.erase(db, [gone], [])
    with writer.transaction(db):
        forget.remove(db, held, "lighthouse", 1, 2.0)

    assert list(held.cued) == [gone] and db.execute("SELECT count(*) FROM belief").fetchone() == (0,)


def test_what_a_session_is_given_after_something_was_forgotten_is_counted(
    db: apsw.Connection, home: Path, project: Path
) -> None:
    gone, kept = belief(db, "the port is 8443"), belief(db, "the host is kiwi")

    def given(belief: int) -> list[tuple[int]]:
        inbox.note_seen(str(home), "s", f'{{"belief": {belief}, "at": 1.0}}')
        inbox.append(str(home), "1970-01-01", '{"event": "stop", "session_id": "s"}')
        arrivals.take(db, str(home), 1.0)
        return db.execute("SELECT belief FROM injection").fetchall()

    assert given(gone) == [(gone,)]
    with Memory() as memory:
        memory.forget(gone)

    assert given(kept) == [(kept,)]


def test_no_bridge_leads_from_or_to_a_word_that_nothing_says_any_more(db: apsw.Connection) -> None:
    gone = belief(db, "lighthouse")
    belief(db, "harbour")
    belief(db, "crane")
    with writer.transaction(db):
        kept = ("harbour", "crane", 0.9)
        bridges.replace(db, [("lighthous", "harbour", 0.9), ("crane", "lighthous", 0.9), kept])
        forget.erase(db, [gone], [])

    assert db.execute("SELECT stem, other, weight FROM bridge").fetchall() == [kept]


def test_a_word_that_a_turn_still_says_goes_on_finding_what_it_found(db: apsw.Connection, token: str) -> None:
    with writer.transaction(db):
        turns.add(db, turns.session(db, "s", 1, 1.0), [Utterance(0, "user", f"what of {token}?", 1.0)])
        gone, kept = belief(db, f"it is {token}"), belief(db, "it is blue", keywords=token)
        forget.erase(db, [gone], [])

    assert matches(db, token) == [kept]


def test_a_trait_is_forgotten_with_the_turn_that_it_was_read_from(db: apsw.Connection) -> None:
    with writer.transaction(db):
        (turn,) = turns.add(db, turns.session(db, "s", 1, 1.0), [Utterance(0, "user", "I live in Oslo", 1.0)])
        id = belief(db, "The user lives in Oslo.", kind="trait")
        beliefs.witness(db, id, "said", 0.0, 1.0, turn)
        forget.erase(db, [], [int(turn or 0)])

    with pytest.raises(beliefs.UnknownBelief):
        beliefs.get(db, id)


def test_the_id_of_what_was_forgotten_is_given_to_nothing_else(db: apsw.Connection) -> None:
    """What remembers an id (how far sleep has read, a job, an agent that was shown it) never means another belief."""
    id = belief(db, "it is blue")
    with writer.transaction(db):
        jobs.add(db, "annotate", 1.0, ref=id)
        forget.erase(db, [id], [])
    assert belief(db, "it is green") == id + 1
    assert jobs.due(db, "annotate", 2.0) == []


def test_a_search_whose_hit_another_process_forgets_meanwhile_counts_the_rest(db: apsw.Connection) -> None:
    gone, kept = belief(db, "it is blue"), belief(db, "it is green")
    with writer.transaction(db):
        forget.erase(db, [gone], [])
        retrievals.count(db, [gone, kept], 2.0)

    assert db.execute("SELECT belief, times, last FROM retrieval").fetchall() == [(kept, 1, 2.0)]


def test_files_belong_to_their_owner_alone(db: apsw.Connection, home: Path) -> None:
    belief(db, "x")

    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert {stat.S_IMODE(p.stat().st_mode) for p in home.iterdir()} == {0o600}


def test_a_newer_store_is_refused_in_words(db: apsw.Connection, home: Path) -> None:
    db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")

    with pytest.raises(NewerStore, match="upgrade"):
        writer.open_store(str(home))


def test_a_failed_write_changes_nothing(db: apsw.Connection) -> None:
    def fail() -> None:
        with writer.transaction(db):
            belief(db, "half")
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError):
        fail()
    assert matches(db, "half") == []
    assert not db.in_transaction


def test_the_reader_cannot_write(db: apsw.Connection, home: Path) -> None:
    reader = open_read(paths.store_path(str(home)))

    with pytest.raises(sqlite3.OperationalError):
        reader.execute("DELETE FROM belief")
    reader.close()


def test_a_job_waits_longer_after_each_failure_and_is_never_lost(db: apsw.Connection) -> None:
    id = jobs.add(db, "annotate", 0.0, ref=1)
    assert jobs.add(db, "annotate", 0.0, ref=1) == id
    now = 0.0
    for attempt in range(20):
        (job,) = jobs.due(db, "annotate", now)
        assert (job.id, job.attempts) == (id, attempt)
        jobs.later(db, job, now)
        assert jobs.due(db, "annotate", now) == []
        now = db.execute("SELECT due FROM job").fetchone()[0]
    jobs.done(db, id)
    assert jobs.due(db, "annotate", now) == []


def test_a_transcript_that_could_not_be_read_is_read_when_a_hook_names_it_again(
    db: apsw.Connection, home: Path
) -> None:
    said = '{"event": "stop", "session_id": "s", "transcript_path": "/t/one.jsonl"}'
    inbox.append(str(home), "2026-06-01", said)
    arrivals.take(db, str(home), 0.0)
    for _ in range(5):  # the disk is full
        (job,) = jobs.due(db, "digest", 1e9)
        jobs.later(db, job, 0.0)
    assert jobs.due(db, "digest", 100.0) == []

    inbox.append(str(home), "2026-06-01", said)
    arrivals.take(db, str(home), 100.0)

    assert [each.id for each in jobs.due(db, "digest", 100.0)] == [job.id]


def test_a_job_that_a_wrong_clock_has_put_off_for_years_is_due(db: apsw.Connection) -> None:
    id = jobs.add(db, "annotate", now=2_000_000_000.0)

    assert [job.id for job in jobs.due(db, "annotate", now=1_000_000_000.0)] == [id]
    assert jobs.due(db, "annotate", now=2_000_000_000.0 - jobs.RETRY_SECONDS) == []


def test_beliefs_written_one_by_one_leave_one_piece_of_a_small_index(db: apsw.Connection) -> None:
    for n in range(60):
        with writer.transaction(db):
            belief(db, f"port {n}")

    (pieces,) = db.execute("SELECT count(DISTINCT segid) FROM belief_fts_idx").fetchone()
    assert pieces == 1
    assert len(matches(db, "port")) == 60
