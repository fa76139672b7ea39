"""Work that is undone right after something was told and only taken note of: what was told stays."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn.digest import digest
from agentmemory.learn.transcripts import read
from tests.learn.talk import exchanged, held
from tests.learn.test_transcripts import claude, transcript
from tests.learn.test_used import answer, call

NOW = 1_790_000_000.0
RULE = "every button has a label for screen readers"
WORKED = call("Edit", file_path="a.dart", new_string="maxAge: 7")
AGAIN = call("Edit", file_path="a.dart", new_string="maxAge: 1")
RAN = call("Bash", command="git mv run.py train.py")


def done(*calls: str, reply: str) -> list[str]:
    result = claude("user", [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}], toolUseResult="ok")
    return [*(line for each in calls for line in (each, result)), answer(reply)]


def session(first: list[str], back: str, then: list[str]) -> list[str]:
    """The user asks for something, tells a rule of which the agent takes note, and takes something back."""
    begin = [claude("user", "hi"), answer("Hi."), claude("user", "cache the avatars for a week"), *first]
    return [*begin, claude("user", RULE), answer("Noted."), claude("user", back), *then]


@pytest.mark.parametrize(
    ("back", "reply"),
    [
        ("undo that, people complain", "Undone."),
        ("put it back, it is too slow", "The cache is what it was."),
        ("revert please", "Reverted."),
        ("no, roll it back", "Rolled back."),
    ],
)
@pytest.mark.parametrize("made", [WORKED, RAN])
def test_what_was_told_after_the_work_stays(
    db: apsw.Connection, tmp_path: Path, back: str, reply: str, made: str
) -> None:
    lines = session(done(made, reply="Done."), back, done(AGAIN, reply=reply))
    digest(db, str(transcript(tmp_path, *lines)), NOW)

    assert RULE in held(db)


@pytest.mark.parametrize(
    ("back", "reply"),
    [
        ("scratch that", "OK, dropped."),
        ("undo that", "Undone."),
        ("undo that", "Okay, I've dropped it."),
        ("take that back", "Taken back."),
    ],
)
def test_what_was_told_is_taken_back_where_nothing_was_done(
    db: apsw.Connection, tmp_path: Path, back: str, reply: str
) -> None:
    digest(db, str(transcript(tmp_path, *session([answer("How?")], back, [answer(reply)]))), NOW)

    assert RULE in held(db, "retracted")


def test_what_was_told_with_the_work_goes_with_it(db: apsw.Connection, tmp_path: Path) -> None:
    rule = "from now on the avatars are cached for a week"
    lines = [claude("user", "hi"), answer("Hi."), claude("user", rule), *done(WORKED, reply="Set to 7 days.")]
    lines += [claude("user", RULE), answer("Noted."), claude("user", "undo that"), *done(AGAIN, reply="Undone.")]
    digest(db, str(transcript(tmp_path, *lines)), NOW)

    assert rule in held(db, "retracted") and RULE in held(db)


def test_how_long_ago_the_agent_worked_is_known(tmp_path: Path) -> None:
    lines = session(done(RAN, reply="Done."), "undo that", done(AGAIN, reply="Undone."))
    path = transcript(tmp_path, *lines, claude("user", "thanks"))

    assert [h.said.worked for h in read(str(path)) if h.said and h.said.role == "user"] == [None, None, 0, 1, 0]


@pytest.mark.parametrize(("rule", "back", "reply"), [
    ("never commit without running the tests", "revert your last commit", "Reverted."),
    ("commit messages start with the ticket number", "undo the last commit, i forgot a file", "Undone."),
    ("always add a migration test", "revert the migration you just made", "Reverted the migration."),
])  # fmt: skip
@pytest.mark.parametrize("before", [(), (("fix the header", "Fixed and committed."),)])
def test_what_the_agent_did_is_undone_and_not_the_rule_on_it(
    db: apsw.Connection, tmp_path: Path, rule: str, back: str, reply: str, before: tuple[tuple[str, str], ...]
) -> None:
    exchanged(db, tmp_path, *before, (rule, "Understood."), (back, reply), ("next", "ok"))

    assert rule in held(db)


@pytest.mark.parametrize("back", ["undo that rule", "drop that rule again", "take back that last rule please"])
def test_a_rule_that_was_just_laid_down_is_taken_back_without_its_words(
    db: apsw.Connection, tmp_path: Path, back: str
) -> None:
    exchanged(db, tmp_path, ("never commit without running the tests", "OK, tests first."), (back, "Dropped."))

    assert held(db) == []
