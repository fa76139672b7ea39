"""A neighbourhood holds so many beliefs and no more, however long the histories are that lead into it."""

from __future__ import annotations

from itertools import pairwise

import apsw

from agentmemory.explore.graph import MOST
from agentmemory.explore.wonder import look
from agentmemory.store import beliefs
from agentmemory.store.writer import transaction
from tests.explore.worlds import project


def test_long_histories_fill_no_more_than_the_room(db: apsw.Connection, token: str) -> None:
    w = project(db)
    with transaction(db):
        for n in range(260):
            texts = [f"room {n} was painted {i}" for i in range(4)] + [f"port {n} of {token} is {n}"]
            said = [beliefs.add(db, beliefs.New(w.scope, "fact", text, "user", w.now, w.now)) for text in texts]
            for old, new in pairwise(said):
                beliefs.supersede(db, old, new, w.now)

    found = look(db, f"which ports has {token}", w.scopes, w.now)

    assert found is not None
    assert MOST // 4 < len(found.rows) <= MOST
    assert all(found.rows[found.heads[id]].state == "active" for id in found.heads)
