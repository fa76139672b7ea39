"""What is said around any request is no statement; what is short and lays something down is one."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from tests.learn.talk import exchanged, held

ANSWER = "I moved the parser into its own module, so that the tests no longer start the server."


@pytest.mark.parametrize(
    ("said", "talk"),
    [
        ("Thank you!", "Thank you!"),
        ("fingers crossed", "fingers crossed"),
        ("So I want it. We leave it open.", "So I want it."),
        ("That is exactly how I like it, thank you. It is all yours now.", "It is all yours now."),
    ],
)
def test_talk_is_neither_held_nor_heard(db: apsw.Connection, tmp_path: Path, token: str, said: str, talk: str) -> None:
    exchanged(db, tmp_path, (f"the parser of {token} lives in lib/parse, always", "Noted."), (said, ANSWER))

    assert not [text for text in (*held(db), *held(db, "heard")) if talk in text]


@pytest.mark.parametrize(
    "said",
    [
        "nothing goes out after thursday noon here, team rule",
        "nothing before ten please, half the team drops kids off",
        "ask me first, always",
        "never on a Friday",
    ],
)
def test_a_rule_of_plain_words_is_held(db: apsw.Connection, tmp_path: Path, said: str) -> None:
    exchanged(db, tmp_path, ("when shall the build go out", "I can put it on a timer. When?"), (said, "Understood."))

    assert [text for text in (*held(db), *held(db, "heard")) if said in text]
