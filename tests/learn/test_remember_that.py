"""What only asks for a statement to be held ("remember that ...", "note to self: ...") is no part of the statement."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn.candidates import candidates
from agentmemory.values import Utterance
from tests.learn.talk import AT, held, play


@pytest.mark.parametrize(
    ("asks", "said"),
    [
        ("Remember that ", "the staging db is at db2.internal:5433"),
        ("remember that ", "Postgres 15 runs the ledger"),
        ("remember: ", "the API port is 8443"),
        ("Remember, ", "we always squash merge"),
        ("note to self: ", "never deploy on Fridays"),
        ("Please remember: ", "always use pnpm, never npm"),
        ("ok so, remember that ", "we use tabs, not spaces"),
        ("", "never forget to remember: the lock is released by the caller"),
        ("", "remember to always run make lint before a commit"),
        ("", "please always use pnpm"),
    ],
)
def test_the_statement_is_what_follows(asks: str, said: str) -> None:
    text = asks + said

    (found,) = candidates(Utterance(0, "user", text, AT))

    assert (found.text, text[found.start : found.end]) == (said, said)


def test_the_turn_stays_as_it_was_said_and_the_evidence_points_at_the_statement(
    db: apsw.Connection, tmp_path: Path, token: str
) -> None:
    statement = f"the {token} importer never starts before nine"
    play(db, tmp_path, f"Note to self: {statement}", reply="Noted.")

    assert held(db) == [statement]
    ((turn, start, stop),) = db.execute(
        "SELECT t.text, e.start, e.stop FROM evidence e JOIN turn t ON t.id = e.turn WHERE e.kind = 'said'"
    ).fetchall()
    assert (turn, turn[start:stop]) == (f"Note to self: {statement}", statement)
