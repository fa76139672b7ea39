"""Talk at work and talk that tells: of the first only what is surely meant to last is held."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from agentmemory.learn import manner, register
from agentmemory.learn.candidates import candidates
from agentmemory.learn.revise import hear
from agentmemory.recall.explain import why
from agentmemory.records import Query
from agentmemory.store import scopes
from agentmemory.values import Utterance
from experiments import workdays
from tests.learn.talk import AT, held
from tests.learn.talk import play as played

WORK = [
    "fix the failing test in the importer",
    "why does it retry twice?",
    "run the linter",
    "ok do 1 and 3, skip 2",
    "what does the second lock protect",
    "commit and push",
    "can you move that into its own file",
    "hm now the job hangs, yesterday it was fine",
]
TOLD = [
    "Before you go on: the sheets with the prices come from Mara, she mails them on the first Monday of a month.",
    "We had a bad week because somebody edited the sheets by hand, so nobody does that now. She has the only copy.",
    "The old service in Lyon is gone since March. What still points there belongs to the archive and stays as it is.",
    "Our customers are schools, they never order on weekends. That is why the batch runs on Saturday morning.",
]

AT_WORK = register.Talk(register.AT_WORK - 1.0, -1.0)


def works(messages: list[str]) -> bool:
    return register.talk(register.odds(message) for message in messages).works


def play(db: apsw.Connection, folder: Path, *said: str, states: tuple[str, ...] = ("active", "heard")) -> list[str]:
    """What is held after a session in which the assistant says "Done.", by its states."""
    played(db, folder, *said, reply="Done.")
    return [text for state in states for text in held(db, state)]


def test_orders_and_questions_are_work_and_what_explains_itself_tells() -> None:
    assert works(WORK * 2) and not works(TOLD)


@pytest.mark.parametrize("message", ["use tabs", "always use pnpm here, never npm", "the api moved to port 9090"])
def test_who_has_hardly_spoken_is_taken_to_tell(message: str) -> None:
    assert not works([message]) and not works([])


def test_a_session_is_read_by_what_comes_next_in_it(db: apsw.Connection, tmp_path: Path, token: str) -> None:
    """The first message of a working day is not taken for talk that tells, although nothing was said before it."""
    said = f"it should never return nil here, {token} calls it without a check"

    assert play(db, tmp_path, said, *WORK) == []


@pytest.mark.parametrize(
    "said",
    [
        "never push {} to main without asking me",
        "from now on all commits of {} are signed",
        "please always run make {} before a push",
        "remember also you have access to the {} language server",
        "keep in mind that sessions of {} can exist without a branch",
        "for next time, the {} window of the uat database is 6 to 8 pm",
        "nunca hagas push a {} sin preguntarme",
        "our ports:\n- api 8080\n- web 3000\n- {} 5432",
    ],
)
def test_what_is_laid_down_stands_at_work_too(db: apsw.Connection, tmp_path: Path, token: str, said: str) -> None:
    held = play(db, tmp_path, *WORK, said.format(token), *WORK)

    assert len(held) == 1 and token in held[0]


@pytest.mark.parametrize(
    "said",
    [
        "make sure the {} test doesn't depend on the clock",
        "no, that's the wrong {} file, i meant the one in cmd/",
        "don't fix anything yet, just tell me what {} does",
        "instead of the {} map use a slice",
        "i prefer the first version of {}",
        "the {} button must be disabled while it loads",
        "remember to also update the {} mock",
    ],
)
def test_what_sounds_like_a_rule_and_is_a_task_does_not_stand(
    db: apsw.Connection, tmp_path: Path, token: str, said: str
) -> None:
    assert play(db, tmp_path, *WORK, said.format(token), *WORK, states=("active",)) == []


def test_a_pasted_review_leaves_nothing(db: apsw.Connection, tmp_path: Path, token: str) -> None:
    comment = (
        f"The exported LoadRows function is never called outside {token}_test.go, so the branch at line 88 cannot "
        "be reached. Consider removing it, or documenting why it must always stay exported."
    )

    assert manner.reports(comment) and not manner.reports("we call LoadRows from " + "the importer, as I said " * 6)
    assert play(db, tmp_path, *WORK, comment, *WORK) == []


@pytest.mark.parametrize(
    "comment",
    [
        "The {} cache is never invalidated when a plugin is removed (see docs/architecture/cache.md). Without it, "
        "stale entries are always served after a restart.",
        'isStale() only compares "we always wrote it" with the {} entry, so this must never be called for entries of '
        "the other store, whose names have a different prefix.",
        "The {} package is critical for billing and must always be correct, but it lacks unit tests. Consider adding "
        "tests for empty input, and for input that is too long.",
        "lib/{}/store.go:81 the error must always be wrapped",
    ],
)
def test_whatever_a_pasted_review_names_it_leaves_nothing(
    db: apsw.Connection, tmp_path: Path, token: str, comment: str
) -> None:
    said = comment.format(token)

    assert manner.reports(said)
    assert play(db, tmp_path, *WORK, said, *WORK) == []


@pytest.mark.parametrize(
    "said",
    [
        "The {} fixtures live in tests/data, made by make_fixtures.py. never one by hand, it's how the mess began",
        "Fixtures of {} are made by make_fixtures.py and never by hand. that's how we got the mess with the dates",
        "From now on the {} fixtures are made by make_fixtures.py. Please never write one of them by hand",
    ],
)
def test_who_speaks_of_code_writes_no_report(token: str, said: str) -> None:
    assert not manner.reports(said.format(token))


def test_what_changes_something_known_replaces_it_at_work_too(db: apsw.Connection, tmp_path: Path, token: str) -> None:
    play(db, tmp_path, f"the {token} staging database host is db-1.example.org")
    held = play(db, tmp_path, *WORK, f"the {token} staging database host is db-2.example.org now")

    assert [text for text in held if token in text] == [f"the {token} staging database host is db-2.example.org now"]


def test_what_puts_right_what_was_just_told_replaces_it_at_work_too(
    db: apsw.Connection, tmp_path: Path, token: str
) -> None:
    """Although nothing in its words says that it lasts."""
    told = f"from now on the {token} gateway listens on port 8443, never on another"

    assert play(db, tmp_path, *WORK, told, "no wait, it is 9443", *WORK) == ["no wait, it is 9443"]


def test_prompts_know_in_which_register_the_user_talks(db: apsw.Connection, tmp_path: Path) -> None:
    play(db, tmp_path, *WORK * 2)
    (project,) = (row[0] for row in db.execute("SELECT id FROM scope WHERE kind = 'project'"))

    def told() -> str:
        return why(db, Query("run the importer again", AT, (project, scopes.USER)))

    assert scopes.register(db, project) == scopes.WORKS and "the talk in this project is at work" in told()
    play(db, tmp_path, *TOLD)
    assert scopes.register(db, project) == scopes.BETWEEN and "the talk in this project is mostly work" in told()
    play(db, tmp_path, *TOLD * 4)
    assert scopes.register(db, project) == scopes.TELLS and "the talk in this project" not in told()


def test_a_routine_is_not_made_of_talk_at_work() -> None:
    found = candidates(Utterance(0, "user", "then run the second script again", 1.0), tentative=True, talk=AT_WORK)

    assert [c.sequel for c in found if c.sequel == "only"] == []


def test_a_working_day_reads_as_it_was_written(tmp_path: Path) -> None:
    (tmp_path / "shop.txt").write_text(
        "# shop: a comment\n@ s01 2026-03-02T09:10:00Z\n> fix it. and {{push to the fork}}, i have no rights\n"
        "> @decorated is pasted\n< Done.\n! a.py b.py\n"
    )

    (session,) = workdays.day(tmp_path / "shop.txt")

    assert [said.role for said in session.turns] == ["user", "user", "assistant"]
    assert session.turns[0].text == "fix it. and push to the fork, i have no rights"
    assert session.turns[0].lasting == ("push to the fork",) and "```\nb.py\n```" in session.turns[2].text


@pytest.mark.parametrize("path", [*workdays.TALKS, *workdays.TALKS_ASIDE], ids=lambda path: path.stem)
def test_every_message_of_a_talk_is_answered_and_what_lasts_stands_in_it(path: Path) -> None:
    talks = workdays.day(path)

    assert len(talks) > 40
    for talk in talks:
        assert [said.role for said in talk.turns] == ["user", "assistant"] * (len(talk.turns) // 2), talk.name
        assert all(words in " ".join(said.text.split()) for said in talk.turns for words in said.lasting)


@pytest.mark.parametrize("path", [*workdays.DAYS, *workdays.ASIDE], ids=lambda path: path.stem)
def test_what_a_message_of_a_working_day_needs_was_said_in_an_earlier_session(path: Path) -> None:
    told: list[str] = []
    needs = 0
    for session in workdays.day(path):
        assert {words for said in session.turns for words in said.needs} <= set(told)
        needs += sum(len(said.needs) for said in session.turns)
        told += [words for said in session.turns for words in said.lasting]

    later = workdays.later(path)
    assert needs and {words for said in later for words in said.needs} <= set(told)
    assert sum(not said.needs for said in later) >= 10


@pytest.mark.parametrize("works", [False, True])
def test_at_work_only_what_says_that_it_is_a_step_goes_on_with_a_routine(
    db: apsw.Connection, tmp_path: Path, token: str, works: bool
) -> None:
    scope = scopes.project(db, "/project", "", AT)
    taught = f"A release of {token} always starts with make freeze on the build host."
    after = f"after the freeze of {token} you then call make tag, before anybody merges again"
    for said, at, at_work in ((taught, AT, False), (after, AT + 86_400.0, works)):
        found = candidates(
            Utterance(0, "user", said, at), tentative=True, talk=AT_WORK if at_work else register.STRANGERS
        )
        hear(db, [replace(c, scope=scope, at=at, at_work=at_work) for c in found], at)

    assert bool(db.execute("SELECT 1 FROM edge WHERE type = 'next'").fetchone()) is not works


BETWEEN = register.Talk(4.0, 0.2)  # orders, and now and then something that lasts
DONE = "Rewritten: the test starts a container of its own, 1.8 seconds more. It found a missing column at once."


def test_between_telling_and_working_what_is_said_in_passing_lasts() -> None:
    before = (("assistant", "I mocked the repository in the new test, it is green."),)
    said = Utterance(1, "user", "why did u mock that? no mocked db in here, testcontainers or it didnt happen", 1.0)

    kept = [c.text for c in candidates(said, before, tentative=True, reply=DONE, talk=BETWEEN) if not c.tentative]

    assert any("no mocked db" in text for text in kept)


def test_between_telling_and_working_an_order_does_not() -> None:
    before = (("assistant", "I mocked the repository in the new test, it is green."),)
    said = Utterance(1, "user", "ok now run the whole suite again and show me what is slow", 1.0)

    kept = [c for c in candidates(said, before, tentative=True, reply=DONE, talk=BETWEEN) if not c.tentative]

    assert kept == []


def test_talk_is_at_work_when_hardly_anything_else_is_said() -> None:
    assert not register.talk([-1.0] * 8).works
    assert register.talk([-1.0] * 24).works


SITTING = [
    ("add a csv export to the orders page", "Added `ExportButton` and an endpoint `/orders.csv`."),
    ("the date column is empty in it", "The field was called `created`; fixed."),
    ("use semicolons in the csv, excel here is german", "Semicolons as separator now."),
    ("thats the replica you wrote to, never write there", "Moved the write to the primary and reverted the row."),
    ("no testify in the tests, std only", "Rewrote the tests with the standard library."),
    ("rename the helper to parseRow", "Renamed."),
]


def test_what_is_put_right_in_passing_between_orders_stands_and_the_orders_do_not() -> None:
    of = register.talk(register.odds(said) for said, _ in SITTING)
    before: list[tuple[str, str]] = []
    kept: list[str] = []
    for said, reply in SITTING:
        found = candidates(Utterance(1, "user", said, 1.0), tuple(before), tentative=True, reply=reply, talk=of)
        kept += [c.text for c in found if not c.tentative]
        before += [("user", said), ("assistant", reply)]

    assert kept == [SITTING[i][0] for i in (2, 3, 4)]
