"""How far back a retraction reaches, and for what."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from tests.learn.talk import exchanged, held, play


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


#: what was taught a turn before, and how the agent took it
TAUGHT = (
    ("the stream of {} moved to https://radio.dorf.example/live.aac", "Updated config.ts."),
    ("customer emails of {} must never be logged, it's a GDPR thing", "I removed the emails from all log calls."),
    ("from now on we use pnpm in {}, never npm", "Understood, switched the lockfile to pnpm."),
)


@pytest.mark.parametrize(
    ("then", "answer"),
    [
        ("never mind the jingle idea from before, we don't do jingles", "Removed the jingle module."),
        ("never mind the typo, ship it", "Shipped."),
        ("undo the last commit", "Reverted the last commit."),
        ("undo that css change", "Reverted."),
        ("revert the header colour", "Reverted."),
        ("the old footer was better, put it back", "Restored the old footer."),
        ("take the logo out again", "Removed the logo again."),
        ("nah put the sidebar back on the left", "Back on the left."),
        ("please run git revert HEAD", "Reverted HEAD."),
        ("cancel that order in the database, id 4711", "Order 4711 is cancelled."),
        ("scratch the idea with the confetti", "Confetti removed."),
        ("roll back to yesterday's image", "Rolled back to 41."),
        ("should we use redis for that? hm, forget it", "OK."),
        ("usamos redis para eso? no, déjalo", "Vale."),
        ("on prend redis ? non, laisse tomber", "D'accord."),
    ],
)
def test_what_is_undone_elsewhere_takes_nothing_back_that_was_just_taught(
    db: apsw.Connection, tmp_path: Path, token: str, then: str, answer: str
) -> None:
    for said, taken in TAUGHT:
        exchanged(db, tmp_path, (said.format(token), taken), (then, answer))

    assert {said.format(token) for said, _ in TAUGHT} <= set(held(db))


@pytest.mark.parametrize(
    ("said", "answer", "back"),
    [
        ("the headings of {} are orange from now on", "Changed heading.css.", "scratch that, I misread the ticket"),
        ("the headings of {} are orange from now on", "Changed heading.css.", "undo that please"),
        ("the headings of {} are orange from now on", "Changed heading.css.", "undo the headings again"),
        ("the headings of {} are orange from now on", "Changed the font colour.", "revert the font colour"),
        ("from now on we use pnpm in {}, never npm", "Switched the lockfile.", "no, revert that, ops can't read it"),
    ],
)
def test_what_was_just_taught_is_taken_back_where_it_is_pointed_at_or_named(
    db: apsw.Connection, tmp_path: Path, token: str, said: str, answer: str, back: str
) -> None:
    said = said.format(token)
    exchanged(db, tmp_path, (said, answer), (back, "Reverted."))

    assert held(db, "retracted") == [said]
