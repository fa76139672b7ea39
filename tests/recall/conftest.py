"""Beliefs by hand and prompts against them, for the tests of recall."""

from __future__ import annotations

from collections.abc import Callable

import apsw
import pytest

from agentmemory.learn.revise import revise
from agentmemory.records import Query
from agentmemory.store import beliefs, scopes, writer
from agentmemory.values import Candidate, Superseded

DAY = 86_400.0
NOW = 1_780_000_000.0

Teach = Callable[..., int]
Ask = Callable[..., Query]


@pytest.fixture
def project_scope(db: apsw.Connection) -> int:
    with writer.transaction(db):
        return scopes.project(db, "/p/.git", "", NOW)


@pytest.fixture
def teach(db: apsw.Connection, project_scope: int) -> Teach:
    """`teach(text, kind=..., days=age, replaces=id, after=id, ...)` holds a belief and returns its id."""

    def one(
        text: str, kind: str = "fact", *, days: float = 100.0, replaces: int = 0, after: int = 0,
        scope: int = 0, **more: object,
    ) -> int:  # fmt: skip
        at = NOW - days * DAY
        with writer.transaction(db):
            done = revise(
                db,
                Candidate(
                    kind=kind, text=text, scope=scope or project_scope, at=at,
                    supersedes=(replaces,) if replaces else (), **more,  # type: ignore[arg-type]
                ),
                at,
            )  # fmt: skip
            id = done.id  # type: ignore[union-attr]
            assert not replaces or isinstance(done, Superseded)
            if after:
                beliefs.link(db, "next", after, id, at)
            return int(id)

    return one


@pytest.fixture
def ask(project_scope: int) -> Ask:
    """`ask(prompt)`: the query of a session in the project."""

    def one(text: str, as_of: float | None = None) -> Query:
        return Query(text, NOW, (project_scope, scopes.USER), as_of)

    return one


@pytest.fixture
def clutter(teach: Teach) -> None:
    """What a project also remembers."""
    for text in (
        "the onboarding mail goes out two hours after signup",
        "postgres runs on port 5433 in the compose file",
        "we keep screenshots of the audit in the shared drive",
        "the mobile team ships on its own train every second week",
        "feature branches are deleted after the merge",
        "grafana lives at grafana.ops.example.org",
        "the parser was rewritten in rust last summer",
        "invoices are numbered without gaps",
    ):
        teach(text)
