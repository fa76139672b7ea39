"""What the user holds everywhere is found by its name in a project too, and undone there, but for what is said of that
project alone."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.paths import DAY
from agentmemory.store import scopes
from tests.learn.talk import held, play


def _in_another_project(db: apsw.Connection, folder: Path, *said: str, reply: str = "OK.") -> None:
    play(db, folder, "web shop for a tea house", "the css is hand written", cwd="/other", at=5 * DAY)
    for i, each in enumerate(said):
        play(db, folder, each, cwd="/other", at=(9 + i) * DAY, reply=reply)


@pytest.mark.parametrize(
    ("rule", "undone"),
    [
        ("in all my projects commit messages are in german", "forget the commit message rule"),
        ("in all my projects never use semicolons in js", "semicolons are allowed in js again"),
        ("in every repo run prettier before committing", "scratch the prettier rule"),
        ("across all projects we never deploy on fridays", "deploying on fridays is fine again"),
        ("in every project use pnpm instead of npm", "never mind what i said about pnpm"),
        ("in all our repos no emojis in logs", "the emoji ban is lifted"),
        ("in any repo tickets are named in the branch", "tickets in the branch are optional now"),
        ("in every repo a pr needs two reviews", "one review is enough"),
    ],
)
def test_a_rule_for_all_projects_is_taken_back_in_any(
    db: apsw.Connection, tmp_path: Path, rule: str, undone: str
) -> None:
    play(db, tmp_path, rule)
    _in_another_project(db, tmp_path, undone)

    assert rule not in {*held(db), *held(db, "heard")}


def test_a_change_for_all_projects_is_undone_in_any(db: apsw.Connection, tmp_path: Path) -> None:
    before, after = "in all my projects logs are json", "in all my projects logs are plain text now"
    play(db, tmp_path, before)
    _in_another_project(db, tmp_path, after, "undo the logs change", reply="Logs are JSON again.")

    assert before in held(db) and after in held(db, "retracted")


def test_what_lifts_a_rule_for_all_projects_holds_in_all(db: apsw.Connection, tmp_path: Path) -> None:
    play(db, tmp_path, "in all my projects never use semicolons in js")
    _in_another_project(db, tmp_path, lifts := "semicolons are allowed in js again")

    assert db.execute("SELECT scope FROM belief WHERE text = ?", (lifts,)).fetchall() == [(scopes.USER,)]


@pytest.mark.parametrize(
    ("rule", "here"),
    [
        ("in all my projects never use semicolons in js", "semicolons are allowed in this repo"),
        ("across all projects we never deploy on fridays", "deploying on fridays is fine again for this project"),
        ("in every repo never push to main", "pushing to main is allowed here"),
        ("in every repo run prettier before committing", "scratch the eslint rule"),
        ("in every project use pnpm instead of npm", "cancel the pnpm install"),
    ],
)
def test_what_is_said_of_one_project_or_of_something_else_leaves_it(
    db: apsw.Connection, tmp_path: Path, rule: str, here: str
) -> None:
    play(db, tmp_path, rule)
    _in_another_project(db, tmp_path, here)

    assert rule in held(db)


def test_the_rule_of_the_project_itself_goes_first_and_that_of_another_one_never(
    db: apsw.Connection, tmp_path: Path
) -> None:
    everywhere, there = "in all my projects commit messages are in german", "commit messages are in italian there"
    mine = "commit messages are in french in this repo"
    play(db, tmp_path, everywhere, there)
    _in_another_project(db, tmp_path, mine, "forget the commit message rule")

    assert {everywhere, there} <= {*held(db), *held(db, "heard")} and mine in held(db, "retracted")
