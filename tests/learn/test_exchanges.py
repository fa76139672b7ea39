"""What the exchanges of two statements have in common: what was answered both times, rare words of both."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from agentmemory.learn import exchanges
from agentmemory.learn.candidates import candidates
from agentmemory.paths import DAY
from agentmemory.store import lineage, scopes, turns
from agentmemory.values import Candidate, Utterance
from tests.learn.talk import held, told

SHARE = "The stations always save their PDFs to the intake folder, never anywhere else."
#: what else a project knows, so that not every word is rare
KNOWN = (
    "never deploy on Fridays", "the api listens on port 8081, always has", "always run ruff, never flake8",
    "releases are always cut by pushing a tag", "errors always go to the channel #err-web", "never log a mail",
    "the nightly backup always runs at two", "commits are always in the imperative", "never call the bank from a test",
    "the orders service always runs on k8s", "invoices are always sent as plain text",
)  # fmt: skip


def said(db: apsw.Connection, text: str, reply: str) -> Candidate:
    """What a turn of a new session says, answered so."""
    scope = scopes.project(db, "/project", "", DAY)
    session = turns.session(db, f"new {text[:9]}", scope, 40 * DAY)
    told = [Utterance(0, "user", text, 40 * DAY), Utterance(1, "assistant", reply, 40 * DAY)]
    turn, _ = turns.add(db, session, told)
    (c,) = candidates(told[0], tentative=True, reply=reply)
    return replace(c, scope=scope, turn=turn)


def common(db: apsw.Connection, c: Candidate, old: str) -> dict[str, float]:
    """The features beside an older statement."""
    (id,) = [row[0] for row in db.execute("SELECT id FROM belief WHERE text = ?", (old,))]
    return exchanges.alike(db, c, lineage.known(db, [id])).get(id, {})


@pytest.fixture
def known(db: apsw.Connection, tmp_path: Path) -> apsw.Connection:
    """A store with a dozen statements, one of them answered at length."""
    reply = "The watcher in scanfeed.py now reads the intake folder every ten seconds."
    told(db, tmp_path, *KNOWN, [(SHARE, reply)], apart=DAY, reply="Noted.")
    assert SHARE in held(db)
    return db


def test_what_is_answered_alike_has_something_in_common_without_a_word_of_its_own(known: apsw.Connection) -> None:
    post = "They post each batch over https from now on."
    near = common(
        known, said(known, post, "Done, scanfeed.py takes the batch and no longer watches the folder."), SHARE
    )
    far = common(
        known,
        said(known, "They pay each batch by card from now on.", "Done, the mail goes out with a new subject."),
        SHARE,
    )

    assert near[exchanges.ANSWERS] > far[exchanges.ANSWERS] == 0.0
    assert near[exchanges.TOGETHER] > far[exchanges.TOGETHER] == 0.0
    assert all(0.0 <= value <= exchanges.MOST[name] for name, value in near.items())


def test_answers_that_tell_nothing_are_not_alike(known: apsw.Connection) -> None:
    noted = common(known, said(known, "from now on the tills close at six", "Noted."), KNOWN[0])

    assert noted == {exchanges.ANSWERS: 0.0, exchanges.LED: 0.0, exchanges.TOGETHER: 0.0}


def test_nothing_is_known_of_what_no_turn_said_or_nobody_answered(known: apsw.Connection) -> None:
    c = said(known, "from now on the tills close at six", "Noted.")

    assert common(known, replace(c, turn=None), SHARE) == {}
    assert common(known, replace(c, answer=""), SHARE) == {}
    assert exchanges.alike(known, c, []) == {}
