"""Forks: what comes from ancestors, from how far, as of when; circles end."""

from __future__ import annotations

import apsw
import pytest

from agentmemory.learn.revise import revise
from agentmemory.recall.explain import why
from agentmemory.recall.inherited import ancestors, stood
from agentmemory.recall.search import search
from agentmemory.records import Query
from agentmemory.sleep import federation
from agentmemory.store import writer
from agentmemory.values import Added, Candidate
from tests.sleep.talk import DAY, NOW, a_project


def hold(db: apsw.Connection, text: str, scope: int, kind: str = "fact", at: float = NOW, level: int = 2) -> int:
    with writer.transaction(db):
        done = revise(db, Candidate(kind, text, scope=scope, at=at, level=level), at)
    assert isinstance(done, Added)
    return done.id


def fork(db: apsw.Connection, parent: int, child: int, at: float) -> None:
    with writer.transaction(db):
        federation.fork(db, parent, child, at)


def bits(db: apsw.Connection, scope: int, words: str) -> dict[int, float]:
    """Evidence of each belief that a search from this scope brings."""
    return {hit.id: sum(hit.matched.values()) for hit in search(db, Query(words, NOW + 9 * DAY, (scope, 1)), 10)}


def test_weights_multiply_along_the_line(db: apsw.Connection, token: str) -> None:
    a, b, c = (a_project(db, agent=n) for n in "abc")
    belief = hold(db, f"{token} is stored in the cellar", a)
    fork(db, a, b, NOW + DAY)
    fork(db, b, c, NOW + 2 * DAY)

    assert [(scope, round(weight, 4)) for scope, weight, _ in ancestors(db, c)] == [(b, 0.85), (a, 0.7225)]
    whole = bits(db, a, token)[belief]
    assert bits(db, b, token)[belief] == pytest.approx(0.85 * whole)
    assert bits(db, c, token)[belief] == pytest.approx(0.7225 * whole)


def test_what_an_ancestor_took_along_later_is_not_inherited(db: apsw.Connection, token: str) -> None:
    a, b, c = (a_project(db, agent=n) for n in "abc")
    fork(db, b, c, NOW + DAY)
    hold(db, f"{token} is stored in the cellar", a, at=NOW + 2 * DAY)
    fork(db, a, b, NOW + 3 * DAY)

    assert bits(db, b, token) and bits(db, c, token) == {}


def test_what_two_parents_have_from_one_ancestor_is_inherited_once(db: apsw.Connection, token: str) -> None:
    a, b, c, d = (a_project(db, agent=n) for n in "abcd")
    hold(db, f"{token} is stored in the cellar", a)
    for parent, child, at in ((a, b, NOW + DAY), (a, c, NOW + DAY), (b, d, NOW + 2 * DAY), (c, d, NOW + 2 * DAY)):
        fork(db, parent, child, at)
    query = Query(token, NOW + 9 * DAY, (d, 1))

    assert [scope for scope, _, _ in ancestors(db, d)] == [b, c, a]
    assert len(search(db, query, 10)) == 1
    assert "stored in the cellar" in why(db, query)


def test_a_circle_of_forks_ends(db: apsw.Connection, token: str) -> None:
    a, b = (a_project(db, agent=n) for n in "ab")
    belief = hold(db, f"{token} is stored in the cellar", a)
    fork(db, a, b, NOW + DAY)
    fork(db, b, a, NOW + DAY)

    assert [scope for scope, *_ in ancestors(db, a)] == [b]
    assert list(bits(db, a, token)) == [belief]


def test_a_search_of_an_earlier_day_sees_what_stood_then(db: apsw.Connection, token: str) -> None:
    a, b = (a_project(db, agent=n) for n in "ab")
    first = hold(db, f"{token} is stored in the cellar", a)
    hold(db, f"the key of {token} hangs by the door", a, at=NOW + 2 * DAY)
    fork(db, a, b, NOW + 3 * DAY)
    asked = Query(token, NOW + 9 * DAY, (b, 1), as_of=NOW + DAY)

    assert [hit.id for hit in search(db, asked, 10)] == [first]


def test_only_sure_procedures_are_taken_along(db: apsw.Connection, token: str) -> None:
    a = a_project(db, agent="a")
    sure = hold(db, f"run make {token} before a release", a, "procedure", level=1)
    unsure = hold(db, f"perhaps restart {token} twice a week", a, "procedure", level=1)
    with writer.transaction(db):
        db.execute("UPDATE belief SET alpha = 1, beta = 3 WHERE id = ?", (unsure,))

    assert [row.id for row in stood(db, a, NOW + DAY, NOW + DAY)] == [sure]
