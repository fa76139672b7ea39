"""What is easily lost: forms in braces, what somebody else wants and the user agrees to, who stands in for whom."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.store import listing
from tests.learn.talk import QUEUE, exchanged

DONE = "OK, done.\n\n```\nsrc/a.kt\n```"


def kept(db: apsw.Connection, token: str) -> list[str]:
    return [b["state"] for b in listing.export(db) if token in b["text"] and b["state"] in ("active", "heard")]


@pytest.mark.parametrize(
    "said",
    [
        '{} errors always as {{"error": {{"code":..., "message":...}}}}',
        '{} lines always like {{"ts":...,"msg":...}}, never plain text',
        "ids in {} always like /orders/{{id}}, never ?id=...",
        "ops would like {} logs because loki parses them. not a fan but fine, let's go with it",
        "Hanna wants {} in commit subjects. ok for me, we'll do that",
        "marta: joel wants the errors as {} because his lib can parse it. i don't love it but ok, let's do it",
    ],
)
def test_what_settles_something_is_not_lost(db: apsw.Connection, tmp_path: Path, token: str, said: str) -> None:
    exchanged(db, tmp_path, QUEUE, (said.format(token), DONE))

    assert kept(db, token)


@pytest.mark.parametrize(
    "said",
    [
        "Hanna wants {} in commit subjects. nope",
        "ops would like {} logs. i'll think about it",
        "Kofi prefers {}. should we?",
        'it prints {{"error": "{}"}} when i call it',
        "i'm away from {} for an hour, just go on",
    ],
)
def test_a_wish_that_nobody_agreed_to_is_not_held(db: apsw.Connection, tmp_path: Path, token: str, said: str) -> None:
    exchanged(db, tmp_path, QUEUE, (said.format(token), "OK."))

    assert "active" not in kept(db, token)
