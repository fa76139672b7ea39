"""Words that routines use too ("ends with", "the second one") make no routine of a plain statement."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.store import listing
from tests.learn.talk import QUEUE, exchanged


def kinds(db: apsw.Connection, token: str) -> list[str]:
    return [b["kind"] for b in listing.export(db) if token in b["text"] and b["state"] == "active"]


@pytest.mark.parametrize(
    "said",
    [
        "ids of {} end with a check digit",
        "{} ids begin with K",
        "the invoices of {} start with INV-2026",
        "support for {} is Ana, the second one is Ben",
        "{} ids get 7 digits, we reached the end with the swiss collection",
    ],
)
def test_a_plain_statement_is_no_procedure(db: apsw.Connection, tmp_path: Path, token: str, said: str) -> None:
    exchanged(db, tmp_path, QUEUE, (said.format(token), "Noted."))

    assert kinds(db, token)
    assert "procedure" not in kinds(db, token)


@pytest.mark.parametrize(
    "said",
    [
        "every release of {} starts with a changelog",
        "the import of {} begins with the md5 check",
        "the last step of a release of {}: mail the customers",
        "second step for a new tenant of {}: seed the roles",
    ],
)
def test_a_step_is_one(db: apsw.Connection, tmp_path: Path, token: str, said: str) -> None:
    exchanged(db, tmp_path, QUEUE, (said.format(token), "Noted."))

    assert kinds(db, token) == ["procedure"]


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("release routine of {}, you'll do it someday: first the soak for 72 h on two units", "I read the script."),
        ("the watchdog of {} sits at 20 s. the supervisor feeds same as before", "`WDT_MS=20000`."),
        ("subject of {}: subsystem, colon, imperative, under 50. the body of {} says how it was measured", "Amended."),
    ],
)
def test_words_of_thoughts_and_of_taking_back_are_plain_within_a_statement(
    db: apsw.Connection, tmp_path: Path, token: str, said: str, reply: str
) -> None:
    exchanged(db, tmp_path, QUEUE, (said.replace("{}", token), reply))

    assert kinds(db, token)


@pytest.mark.parametrize(
    "said",
    [
        "The vendor changed the fields without a word. Fantastic, from now on we just guess the schema of {}.",
        "today no soak of {}, the hotfix goes straight out",
    ],
)
def test_a_joke_and_what_is_for_today_are_no_rules(db: apsw.Connection, tmp_path: Path, token: str, said: str) -> None:
    exchanged(db, tmp_path, QUEUE, (said.format(token), "I can add a test of the contract, if you like that."))

    assert not kinds(db, token)
