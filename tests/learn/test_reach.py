"""How far back a retraction reaches, and for what."""

from __future__ import annotations

from pathlib import Path

import apsw

from tests.learn.talk import held, play


def test_a_retraction_reaches_only_what_was_just_said(db: apsw.Connection, tmp_path: Path, token: str) -> None:
    play(db, tmp_path, f"never deploy {token} on fridays", "what time is it", "scratch that, i misread the mail")

    assert held(db) == [f"never deploy {token} on fridays"]


def test_what_another_sentence_of_the_turn_is_about_is_not_what_it_takes_back(
    db: apsw.Connection, tmp_path: Path, token: str
) -> None:
    said = f"the invoices of {token} are signed with a code from my telephone, the stick goes into a museum"
    play(
        db, tmp_path, said, "what time is it",
        f"Then I yield: are the invoices of {token} signed? The telephone argument was mine and I withdraw it.",
    )  # fmt: skip

    assert said in held(db) and not held(db, "retracted")


def test_what_a_retraction_itself_names_is_taken_back_some_turns_later(
    db: apsw.Connection, tmp_path: Path, token: str
) -> None:
    said = f"never deploy {token} on fridays"
    play(db, tmp_path, said, "what time is it", f"I take it back, {token} may deploy on fridays")

    assert said not in held(db)
