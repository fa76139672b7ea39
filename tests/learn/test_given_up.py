"""A change that says what it gives up: every statement of that gives way, and nothing beside it."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from tests.learn.talk import held, play

DAYS = 3 * 86_400


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
    ],
)
def test_all_that_holds_what_is_given_up_gives_way(
    db: apsw.Connection, tmp_path: Path, old: tuple[str, str], new: str
) -> None:
    play(db, tmp_path, "the invoices service listens on port 7600", name="other")
    for day, text in enumerate(old, 1):
        play(db, tmp_path, text, name=f"s{day}", at=day * DAYS)
    assert set(old) <= set(held(db))

    play(db, tmp_path, new, name="change", at=5 * DAYS, reply="Noted.")

    assert held(db) == ["the invoices service listens on port 7600", new]


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
    play(db, tmp_path, old, name="s0")
    play(db, tmp_path, other, name="s1", at=DAYS)
    assert {old, other} <= set(held(db))

    play(db, tmp_path, new, name="change", at=5 * DAYS, reply="Noted.")

    assert old not in held(db)
    assert {other, new} <= set(held(db))
