"""Session ids as odd clients write them: each has a file of its own, and what it was given is filed under it."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn import arrivals
from agentmemory.store import beliefs, inbox
from agentmemory.store.turns import session as open_session

NOW = 1_770_000_000.0
ODD = ["a/b", "a_b", "a\nb", "../../etc/passwd", "x" * 300, "x" * 301, "sé", "s\ud800", "a b", ".", ""]


def test_no_two_sessions_share_a_file(home: Path) -> None:
    for i, session in enumerate(ODD):
        inbox.note_seen(str(home), session, f'{{"belief": {i}}}')

    assert [inbox.seen(str(home), session) for session in ODD] == [[f'{{"belief": {i}}}'] for i in range(len(ODD))]
    assert sorted(home.rglob("*.log")) == sorted((home / "seen").glob("*.log"))
    assert max(len(path.name) for path in (home / "seen").iterdir()) < 200


@pytest.mark.parametrize("session", ["a/b", "a\nb", "x" * 300, "plain-1"])
def test_what_a_session_was_given_is_filed_under_its_own_id(db: apsw.Connection, home: Path, session: str) -> None:
    belief = beliefs.add(db, beliefs.New(1, "fact", "the port is 8443", "user", valid_from=1.0, created=1.0))
    open_session(db, session, 1, NOW)
    inbox.note_seen(str(home), session, f'{{"belief": {belief}, "at": {NOW}}}')

    arrivals.overlooked(db, str(home), NOW)

    assert db.execute("SELECT session, belief FROM injection").fetchall() == [(session, belief)]
