"""Fewer than a rule asks for are said to be enough: the rule is lifted; of other things, or not enough, it stays."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from tests.learn.talk import SHOP, held, told


def _later(db: apsw.Connection, folder: Path, rule: str, new: str) -> None:
    told(db, folder, (*SHOP, (rule, f"Understood: {rule}.")), new, reply="OK.")


@pytest.mark.parametrize(
    ("rule", "fewer"),
    [
        ("every pr needs two reviews", "one review is enough"),
        ("every pr needs two reviews", "from now on one review is enough"),
        ("changes need two approvals", "a single approval will do"),
        ("always train with three seeds", "one seed is fine"),
        ("every level needs three playtests", "one playtest per level is enough"),
        ("texts are proofread by two people", "one person is enough for the texts"),
        ("three people must confirm a restore", "two people are enough to confirm a restore"),
        ("zwei leute müssen die texte lesen", "einer reicht für die texte"),
    ],
)
def test_fewer_that_are_enough_lift_a_rule(db: apsw.Connection, tmp_path: Path, rule: str, fewer: str) -> None:
    _later(db, tmp_path, rule, fewer)

    assert rule in held(db, "superseded") and fewer in held(db)


@pytest.mark.parametrize(
    ("rule", "other"),
    [
        ("every pr needs two reviews", "one review is still missing"),
        ("every pr needs two reviews", "one review is not enough"),
        ("every pr needs two reviews", "one screenshot is enough"),
        ("every pr needs two reviews", "is one review enough?"),
        ("every pr needs two reviews", "for docs one review is enough"),
        ("every pr needs two reviews", "one review is enough for now"),
        ("every pr needs two reviews", "three reviews are fine"),
        ("every level needs three playtests", "one coin per level is enough"),
        ("texts are proofread by two people", "one person is ill"),
    ],
)
def test_what_is_not_enough_or_of_another_thing_lifts_none(
    db: apsw.Connection, tmp_path: Path, rule: str, other: str
) -> None:
    _later(db, tmp_path, rule, other)

    assert rule in held(db)
