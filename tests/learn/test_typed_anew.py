"""A prompt that is taken back and typed anew: the client goes on from what stood before it, the first one is gone."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn.digest import digest
from tests.learn.talk import held
from tests.learn.test_transcripts import claude, transcript

STOPPED = claude("user", [{"type": "text", "text": "[Request interrupted by user]"}], parentUuid="u3")
NOW = 1_790_000_000.0


def answer(text: str) -> str:
    return claude("assistant", [{"type": "text", "text": text}])


def learned(db: apsw.Connection, folder: Path, *lines: str) -> list[str]:
    """What is held after a session of these lines."""
    greeted = claude("user", "hi, let us go on", uuid="u1", parentUuid=None)
    digest(db, str(transcript(folder, greeted, answer("Sure."), *lines)), NOW)
    return held(db)


@pytest.mark.parametrize(
    ("first", "anew"),
    [
        ("from now on use yarn here", "from now on use pnpm here"),
        ("always lint before a commit with yarn", "always lint before a commit with pnpm"),
        ("a partir de ahora usa yarn aquí", "a partir de ahora usa pnpm aquí"),
    ],
)
def test_what_is_typed_anew_counts_and_what_it_stands_for_does_not(
    db: apsw.Connection, tmp_path: Path, first: str, anew: str
) -> None:
    lines = [claude("user", first, uuid="u2", parentUuid="a1"), answer("Let me look."), STOPPED]
    again = claude("user", anew, uuid="u4", parentUuid="a1")

    assert learned(db, tmp_path, *lines, again, answer("Using pnpm.")) == [anew]


@pytest.mark.parametrize("parents", [("a1", "a2"), ("", ""), (None, None)])
def test_what_follows_on_something_else_is_said_beside_it(
    db: apsw.Connection, tmp_path: Path, parents: tuple[str | None, str | None]
) -> None:
    said = ("from now on lint before a commit", "from now on the api docs are in english")
    first, second = (claude("user", text, parentUuid=of) for text, of in zip(said, parents, strict=True))

    assert learned(db, tmp_path, first, answer("Understood."), second, answer("Understood.")) == list(said)


def test_the_same_typed_anew_is_said_once(db: apsw.Connection, tmp_path: Path) -> None:
    line = claude("user", "from now on use pnpm here", parentUuid="a1")

    assert learned(db, tmp_path, line, STOPPED, line.replace("08:00:00", "08:01:00"), answer("Using pnpm.")) == [
        "from now on use pnpm here"
    ]
    assert db.execute("SELECT count(*) FROM evidence").fetchall() == [(1,)]
