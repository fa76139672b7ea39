"""A rule that is put as a polite question is held; a question that sounds like one is not."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn.courtesy import laid_down
from agentmemory.learn.cues import plain
from tests.learn.talk import exchanged, held

BEFORE = ("the list flickers when i scroll", "The rows were rebuilt each time. I gave them keys.")


@pytest.mark.parametrize(("said", "reply"), [
    ("Could we agree that nobody writes to the {} schema?", "Agreed."),
    ("can you please make it a habit to run the {} linter before you say that you are done", "Will do."),
    ("would you mind never editing the {} files by hand?", "Not at all."),
    ("may I ask you to leave the {} folder alone from now on?", "Of course."),
    ("Can I ask that we don't merge {} on Fridays?", "Sure, no merges on Fridays."),
    ("how about we only ever talk to {} through the spooler?", "Good, only through the spooler."),
    ("can we please stop putting {} into the code?", "Right, issues from here on."),
])  # fmt: skip
@pytest.mark.parametrize("before", [(), (BEFORE,)])
def test_a_rule_that_is_politely_asked_for_is_held(
    db: apsw.Connection, tmp_path: Path, token: str, said: str, reply: str, before: tuple[tuple[str, str], ...]
) -> None:
    exchanged(db, tmp_path, *before, (said.format(token), reply), ("next: the filter", "Which one?"))

    assert [text for text in held(db) if token in text] == [said.format(token)]


@pytest.mark.parametrize(("said", "reply"), [
    ("could we agree on a name for {}?", "How about `fault_t`?"),
    ("would you mind running the {} tests once more?", "All green."),
    ("would you always recommend an index for {}?", "Not for a table this small."),
    ("can we always assume that {} is sorted?", "Yes, by its key."),
    ("could it be that {} never runs on Sundays?", "Yes, the pattern is 1-6."),
    ("can you please look into why {} never finishes", "It loops on a symlink. Fixed."),
    ("could you please always use {} for now?", "Set for now."),
    ("shall we always show {} or only on hover?", "Only on hover."),
])  # fmt: skip
def test_what_only_asks_is_not(db: apsw.Connection, tmp_path: Path, token: str, said: str, reply: str) -> None:
    exchanged(db, tmp_path, BEFORE, (said.format(token), reply), ("next: the filter", "Which one?"))

    assert [text for text in held(db) if token in text] == []


@pytest.mark.parametrize(("said", "stands"), [
    ("no new dependencies in {} without asking me first, got it?", True),
    ("money is always in {} cents here, okay?", True),
    ("the {} customers' names stay out of the logs, agreed?", True),
    ("leave {} as it is for now, alright?", False),
    ("the {} build is green, isn't it?", False),
])  # fmt: skip
@pytest.mark.parametrize("before", [(), (BEFORE,)])
def test_a_rule_that_ends_by_asking_for_assent_is_held(
    db: apsw.Connection, tmp_path: Path, token: str, said: str, stands: bool, before: tuple[tuple[str, str], ...]
) -> None:
    exchanged(db, tmp_path, *before, (said.format(token), "Understood."), ("next: the filter", "Which one?"))

    assert any(token in text for text in held(db)) is stands


@pytest.mark.parametrize("before", [(), (BEFORE,)])
def test_what_begins_as_a_rule_is_held_however_it_is_answered(
    db: apsw.Connection, tmp_path: Path, token: str, before: tuple[tuple[str, str], ...]
) -> None:
    said = f"keep in mind that the client of {token} is colour blind"
    exchanged(db, tmp_path, *before, (said, "I use shapes as well."), ("next: the filter", "Which one?"))

    assert said in held(db)


def test_what_is_wished_for_is_read_without_its_courtesy() -> None:
    assert laid_down("could we agree that nobody writes to it?") == "nobody writes to it"
    assert laid_down("could we agree that this is ugly?") == ""


@pytest.mark.parametrize("said", [
    "can you pin the {} version so it doesn't surprise us in the future?",
    "could you move {} into a module of its own, so that nobody ever imports it by accident",
])  # fmt: skip
def test_what_a_task_is_for_makes_no_rule_of_it(token: str, said: str) -> None:
    assert laid_down(plain(said.format(token))) == ""


def test_a_rule_may_say_what_it_is_for(token: str) -> None:
    rule = f"could you always run the {token} linter so we never break main?"

    assert laid_down(plain(rule)) == f"always run the {token} linter so we never break main"
