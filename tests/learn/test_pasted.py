"""What is pasted beside a statement changes nothing of what is learned from it."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn import manner, register
from agentmemory.learn.passages import pasted, typed
from tests.learn.talk import exchanged, held, play

LOG = "\n".join(
    f"2026-03-02 10:14:{n % 60:02},112 WARN request {n} took {100 + n} ms: retried, see src/pool.ts:{n}"
    for n in range(90)
)
TRACE = 'Traceback (most recent call last):\n  File "/srv/app/run.py", line 12, in run\n    go()\nValueError: 12'
RULE = "never write to the orders table by hand, always go through the ledger service"


@pytest.mark.parametrize(
    "around", ["{}\n\n```\n" + LOG + "\n```", "{}\n\n" + LOG, "```\n" + TRACE + "\n```\n\n{}", "{}\n\n" + TRACE]
)
def test_a_log_beside_a_rule_takes_nothing_from_it(db: apsw.Connection, tmp_path: Path, around: str) -> None:
    play(db, tmp_path, around.format(RULE))

    assert held(db) == [RULE]


def test_a_message_that_is_pasted_alone_teaches_nothing(db: apsw.Connection, tmp_path: Path) -> None:
    play(db, tmp_path, LOG, f"```\n{TRACE}\n```")

    assert held(db) == []


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("we deploy from main", "we deploy from main"),
        (f"it fails again:\n\n```\n{TRACE}\n```\n\nany idea?", "it fails again:\nany idea?"),
        (f"{TRACE}\n\nwhat now", "what now"),
        ("look\n\n$ make test\nERROR: two failed\n", "look"),
    ],
)
def test_what_was_typed_of_a_message(text: str, left: str) -> None:
    assert typed(text, pasted(text)) == left


def test_a_document_is_one_without_what_is_pasted_in_it(db: apsw.Connection, tmp_path: Path) -> None:
    plan = "\n".join(
        f"The export of part {n} is written by a job of its own and read by the importer." for n in range(60)
    )
    play(db, tmp_path, f"# Plan\n\n{plan}\n\n# Rules\n\n{RULE}\n\n```\n{TRACE}\n```")

    assert held(db) == []


def test_a_block_of_code_says_nothing_of_how_a_user_talks_and_a_report_does() -> None:
    said = "from now on every export goes through the ledger, and the nightly job starts at four"
    line = (
        'ERROR: checkout.Service.Submit() failed with "deadline exceeded" in src/checkout/service.go:120 after 3 tries'
    )

    assert register.odds(f"{said}\n\n```\n{line}\n```") > 0.0 > register.odds(f"{said}\n\n{line}")


@pytest.mark.parametrize("said", [
    "the page opens and the console is red. RangeError: {}.next() got 2 values where exactly 1 is allowed",
    "it stops at once. Invariant Violation: every {} row has to have a key of its own",
    "next cmd/{}/main.go:1:9: naming: a package must never have a name of the standard library",
])  # fmt: skip
def test_what_a_program_said_is_not_held_behind_other_words_either(
    db: apsw.Connection, tmp_path: Path, token: str, said: str
) -> None:
    exchanged(db, tmp_path, (said.format(token), "Fixed in `load`, with a test."), ("next: the legend", "Which one?"))

    assert not any(token in text for text in held(db))


def test_who_speaks_of_an_error_is_no_program() -> None:
    assert manner.by_program("IndexError: list index out of range")
    assert not manner.by_program("IndexError: we ignore that one, always")
    assert not manner.by_program("on a TimeoutError: three retries")
