"""A change that says what it gives up: every statement of that gives way, and nothing beside it."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn.stated import announces
from agentmemory.paths import DAY
from tests.learn.talk import WEEK, held, play, told


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            ("the orders service is on port 7421", "remember that orders answers on 7421 when you curl it locally"),
            "orders no longer listens on 7421, it is 7533 from now on",
        ),
        (
            ("errors go to the channel #err-web", "web errors are posted to #err-web"),
            "errors of the web do not go to #err-web any more, they go to #web-alerts",
        ),
        (
            ("the backup runs every 6 hours", "a backup is taken every 6 hours"),
            "backups run hourly from now on, no longer every 6 hours",
        ),
        (
            (
                "before you push sove always run tox -e zezela",
                "the tests of sove run with tox -e zezela, never pytest",
            ),
            "for sove we do not run tox -e zezela anymore, from now on its checks are tox -e otter",
        ),
    ],
)
def test_all_that_holds_what_is_given_up_gives_way(
    db: apsw.Connection, tmp_path: Path, old: tuple[str, str], new: str
) -> None:
    told(db, tmp_path, "the invoices service listens on port 7600", *old, apart=3 * DAY)
    assert set(old) <= set(held(db))

    play(db, tmp_path, new, at=WEEK, reply="Noted.")

    assert held(db) == ["the invoices service listens on port 7600", new]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("log over the usb serial", "logging is over rtt now, not usb serial"),
        ("captions are burned in with ffmpeg", "captions are made in the player now, not with ffmpeg"),
        ("dialogue lines are in a google sheet", "dialogue lines are in csv files, we stopped using the sheet"),
        ("the roster is kept in a wiki table", "the roster is a file in the repo, we quit using the wiki table"),
    ],
)
def test_what_is_turned_away_or_used_no_more_gives_way(db: apsw.Connection, tmp_path: Path, old: str, new: str) -> None:
    told(db, tmp_path, "the project is a radio drama, in godot", old, new, reply="OK, I put that into the config.")

    assert old in held(db, "superseded") and new in held(db)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("the project logs over the usb serial", "the tape is digitised at 96 khz now, not 48"),
        ("captions are burned in with ffmpeg", "run the demo with mpv, not with ffmpeg"),
    ],
)
def test_what_is_turned_away_for_something_else_stays(db: apsw.Connection, tmp_path: Path, old: str, new: str) -> None:
    told(db, tmp_path, "the project is a radio drama, in godot", old, new, reply="OK, I put that into the config.")

    assert old in held(db)


@pytest.mark.parametrize(
    ("old", "other", "new"),
    [
        (
            "sove-api listens on port 9862",
            "sove-web listens on port 9870",
            "sove-api moved: it is not on port 9862 anymore but on port 8943 from now on",
        ),
        (
            "sove-api listens on port 9862",
            "for sove-api we do not run tox -e zezela anymore, from now on its checks are tox -e rodupe",
            "sove-api moved: it is not on port 9862 anymore but on port 8943 from now on",
        ),
    ],
)
def test_what_does_not_hold_it_stays(db: apsw.Connection, tmp_path: Path, old: str, other: str, new: str) -> None:
    told(db, tmp_path, old, other, apart=3 * DAY)
    assert {old, other} <= set(held(db))

    play(db, tmp_path, new, at=WEEK, reply="Noted.")

    assert old not in held(db)
    assert {other, new} <= set(held(db))


@pytest.mark.parametrize("reply", ["Noted.", "Noted. I will keep to it."])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("we deploy with {}", "we deploy with ansible from now on"),
        ("our linter is {}", "{} is dead, ruff it is"),
        ("the staging box is called {}", "staging moved to heron, {} is gone"),
        ("the docs are built with {}", "we dropped {}, docs are mkdocs"),
        ("line length is 100 in {}", "line length is 120 in {} now"),
        ("never deploy {} on fridays", "deploying {} on fridays is fine now"),
    ],
)
def test_a_plain_change_is_heard_in_a_store_of_one_statement(
    db: apsw.Connection, tmp_path: Path, token: str, old: str, new: str, reply: str
) -> None:
    """Also where the answer tells nothing of what was said."""
    play(db, tmp_path, old.format(token), reply=reply)
    assert held(db) == [old.format(token)]

    play(db, tmp_path, new.format(token), at=WEEK, reply=reply)

    assert held(db) == [new.format(token)]


def test_talk_that_announces_another_value_replaces_it_at_once(db: apsw.Connection, tmp_path: Path, token: str) -> None:
    old, new = f"{token}'s default timeout is 5s", f"{token}'s default timeout is 10s now"

    play(db, tmp_path, old, "and what does the runner use?", new, reply="Noted.")

    assert held(db) == [new]


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("Then it's procrastinate, the tasks are in PostgreSQL. Huey out.", True),
        ("Astronomer sent an invoice. I am moving us to MWAA.", True),
        ("vodafone wont have the bg95. its going to be the nRF9160.", True),
        ("The contract of the satellites is in place.", False),
        ("i'm putting the tags to the side for today", False),
    ],
)
def test_what_is_brought_elsewhere_or_out_announces_a_change(text: str, changes: bool) -> None:
    assert announces(text) == changes
