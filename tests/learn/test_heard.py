"""What was heard once and may not last: held apart, recalled as such, a belief like any other when it is said again."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory import paths
from agentmemory.learn.candidates import candidates
from agentmemory.learn.revise import revise
from agentmemory.memory import Memory
from agentmemory.paths import DAY
from agentmemory.recall.pipeline import block
from agentmemory.records import Query
from agentmemory.sleep.forgetting import FADES_AFTER, forget
from agentmemory.store import beliefs, heard, listing, scopes, writer
from agentmemory.values import Added, Candidate, Reinforced, Superseded, Utterance
from tests.conftest import older_store
from tests.learn.talk import AT, held, play

#: an answer at length that takes up nothing of what was said
WORK = (
    "Next is the login page. I moved the form into a component of its own, the validation to the server, and wrote two "
    "tests for each. The old page still answers, so links to it keep working until the next deploy."
)


@pytest.fixture
def scope(db: apsw.Connection) -> int:
    with writer.transaction(db):
        return scopes.project(db, "/project/.git", "", AT)


def say(db: apsw.Connection, scope: int, text: str, at: float = AT, kind: str = "fact", once: bool = False) -> object:
    candidate = Candidate(kind=kind, text=text, scope=scope, at=at, tentative=once, heard=once)
    with writer.transaction(db):
        return revise(db, candidate, at + 10.0)


def states(db: apsw.Connection) -> list[str]:
    return [row["state"] for row in listing.export(db)]


def test_it_is_recalled_as_heard_once_and_binds_nothing(db: apsw.Connection, scope: int, token: str) -> None:
    say(db, scope, f"the {token} importer never starts before nine", kind="rule", once=True)

    found = block(db, Query(f"when does our {token} importer start?", AT + DAY, (scope, 1)))

    assert states(db) == ["heard"]
    assert f"(heard once, {paths.day(AT, AT + DAY)})" in found
    assert "== BACKGROUND ==" in found and "== OPERATIONAL STATE ==" not in found


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("our API base path is /api/v3", "Got it, I will use /api/v3."),
        ("also we use pnpm", "Understood, pnpm from here on."),
        ("the linter is ruff, not flake8", "Noted."),
    ],
)
def test_a_plain_fact_that_the_agent_acknowledges_is_heard(said: str, answer: str) -> None:
    before = (("user", "fix the total of the cart"), ("assistant", "All 12 tests pass; the total was off by one."))

    found = candidates(Utterance(0, "user", said, 1.0), before, tentative=True, reply=answer)

    assert [(c.text, c.heard or not c.tentative) for c in found if c.sequel != "only"] == [(said, True)]


def test_said_again_plainly_it_stands(db: apsw.Connection, scope: int, token: str) -> None:
    once = say(db, scope, f"the {token} importer starts at nine", once=True)
    say(db, scope, f"the {token} importer starts at nine", at=AT + DAY, once=True)
    assert states(db) == ["heard"]

    again = say(db, scope, f"the {token} importer starts at nine", at=AT + 2 * DAY)

    assert isinstance(once, Added) and again == Reinforced(once.id)
    assert states(db) == ["active"]


@pytest.mark.parametrize("who", ["agent", "tool", "import"])
def test_only_the_user_makes_it_stand(db: apsw.Connection, scope: int, token: str, who: str) -> None:
    """An agent that repeats what it was shown, or a file that holds it, would make a rule of the user's of it."""
    text = f"never write tests for the {token} loader"
    say(db, scope, text, kind="rule", once=True)
    before = beliefs.get(db, 1)

    with writer.transaction(db):
        again = Candidate("fact", text, who, scope, AT + DAY, proposal=who == "import")
        assert revise(db, again, AT + DAY) == Reinforced(1)

    after = beliefs.get(db, 1)
    assert (after.state, after.alpha, after.beta) == ("heard", before.alpha, before.beta)


def test_locked_it_stands(home: Path, project: Path, token: str) -> None:
    with Memory() as memory:
        once = say(memory.db, memory.scope, f"the {token} importer never starts before nine", once=True)
        assert isinstance(once, Added)
        memory.lock(once.id)

        (row,) = memory.export()

    assert (row["state"], row["locked"]) == ("active", True)


def test_what_is_said_later_replaces_it(db: apsw.Connection, scope: int, token: str) -> None:
    once = say(db, scope, f"the {token} importer listens on port 8081", once=True)

    with writer.transaction(db):
        later = Candidate(kind="correction", text=f"no, the {token} importer moved to port 9090", scope=scope,
                          at=AT + DAY, updates=True)  # fmt: skip
        done = revise(db, later, AT + DAY)

    assert isinstance(once, Added) and isinstance(done, Superseded) and done.old == (once.id,)


def test_it_fades_unless_it_was_shown(db: apsw.Connection, scope: int, token: str) -> None:
    say(db, scope, f"the {token} importer starts at nine", once=True)
    say(db, scope, f"whoever prints {token} labels asks Ines", once=True)
    say(db, scope, f"reports of {token} go to basel")
    late = AT + FADES_AFTER + DAY
    db.execute("INSERT INTO injection (session, belief, at, tokens) VALUES ('s', 2, ?, 10)", (late - DAY,))

    assert heard.faded(db, AT, 10) == []
    with writer.transaction(db):
        assert forget(db, late) == [1]

    assert states(db) == ["archived", "heard", "active"]


def test_an_export_brings_only_what_stands(home: Path, project: Path, token: str) -> None:
    with Memory() as memory:
        memory.remember(f"reports of {token} go to basel")
        rows = list(memory.export())
        once = {**rows[0], "text": f"the {token} importer starts at nine", "state": "heard"}

        assert len(memory.import_beliefs([*rows, once])) == 1


def test_an_older_store_takes_it(tmp_path: Path) -> None:
    old = older_store(tmp_path, heard.heard)
    scope = scopes.project(old, "/project/.git", "", AT)
    added = beliefs.New(scope=scope, kind="fact", text="it runs", provenance="user", valid_from=AT, created=AT)
    held = beliefs.add(old, added)
    with pytest.raises(apsw.ConstraintError):
        beliefs.set_state(old, held, "heard", AT)
    old.close()

    db = writer.open_store(str(tmp_path))

    with writer.transaction(db):
        beliefs.set_state(db, beliefs.add(db, added), "heard", AT)
    assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert "heard" in states(db)
    db.close()


@pytest.mark.parametrize("answer", ["Understood, I'll ask from now on.", "Done.", "```py\nask = True\n```"])
def test_what_says_plainly_that_it_lasts_and_is_taken_up_stands(answer: str) -> None:
    before = (("assistant", "I ran the tests and pushed the change to main. All green."),)
    said = Utterance(1, "user", "ok great. never push to main without asking me", AT)

    kept = [c for c in candidates(said, before, tentative=True, reply=answer) if c.sequel != "only"]

    assert [(c.kind, c.tentative) for c in kept] == [("rule", False)]


def test_what_the_rules_would_keep_is_heard_at_least() -> None:
    before = (("assistant", "I ran the tests. All green."),)
    said = Utterance(1, "user", "ok great. it runs on port 8443", AT)

    kept = [c for c in candidates(said, before, tentative=True, reply=WORK) if c.sequel != "only"]

    assert [(c.text, c.heard) for c in kept] == [("it runs on port 8443", True)]


def test_what_asks_or_only_goes_on_is_not_heard() -> None:
    before = (("assistant", "I ran the tests. All green."),)
    said = Utterance(1, "user", "ok great. can you fix the typo in the readme? then run it again", AT)

    assert not [c for c in candidates(said, before, tentative=True, reply="Fixed.") if c.heard]


def test_a_transcript_teaches_it(db: apsw.Connection, tmp_path: Path, token: str) -> None:
    play(db, tmp_path, "run the tests", f"ok great. the {token} importer runs on port 8443", reply=WORK)

    assert (held(db), held(db, "heard")) == ([], [f"the {token} importer runs on port 8443"])


@pytest.mark.parametrize(
    ("said", "reply", "heard"),
    [
        ("remember that the api key lives in vault", "Done.", False),
        ("keep in mind that staging is read only", "Understood, I'll keep to that.", False),
        ("I prefer short commit messages", "The readme has both links now, as you asked; the tests pass.", True),
    ],
)
def test_what_asks_to_be_remembered_is_not_lost_after_a_word_of_thanks(said: str, reply: str, heard: bool) -> None:
    before = (("assistant", "I ran the tests and pushed the change to main. All green."),)

    found = candidates(Utterance(1, "user", f"ok great. {said}", AT), before, tentative=True, reply=reply)

    assert [c.heard for c in found if said.removeprefix("remember that ") in c.text and c.sequel != "only"] == [heard]
