"""What is pasted beside a statement changes nothing of what is learned from it."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn import register
from agentmemory.learn.passages import pasted, typed
from tests.learn.talk import held, play

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
