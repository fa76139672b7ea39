"""What is undone, taken back or lifted by its name, turns or days after it was taught, and what stays."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn import named
from agentmemory.paths import DAY
from tests.learn.talk import exchanged, held

WORK = (("add a health check", "Added `/healthz`."), ("why is the build slow", "The layer cache is cold."))
BEFORE, AFTER = "the batch size of {} is 32", "the batch size of {} is 64 now, the gpu is half empty"


def _told(db: apsw.Connection, folder: Path, day: int, *exchanges: tuple[str, str]) -> None:
    exchanged(db, folder, *exchanges, at=day * DAY)


def _changed(db: apsw.Connection, folder: Path, token: str) -> tuple[str, str]:
    """What was taught on one day, and on another one what replaced it."""
    before, after = BEFORE.format(token), AFTER.format(token)
    _told(db, folder, 0, ("a trainer for speech models", "OK."), (before, "The batch size is 32."), *WORK)
    _told(db, folder, 5, (after, "The batch size is 64."), *WORK)
    assert before in held(db, "superseded")
    return before, after


@pytest.mark.parametrize(
    ("back", "answer"),
    [
        ("undo the batch size change", "Reverted."),
        ("roll back the batch size change, we run out of memory", "The batch size is 32 again."),
        ("the batch size bump was a mistake, undo it", "Back to 32."),
        ("put the batch size back to 32", "Changed train.yaml."),
        ("back to 32 for the batch size", "Changed train.yaml."),
        ("ok, go back to the old batch size please", "Done."),
        ("mach die sache mit der batch size rückgängig", "Erledigt."),
        ("deshaz el cambio de batch size", "Hecho."),
        ("annule le changement de batch size", "Fait."),
    ],
)
@pytest.mark.parametrize("days", [0, 6])
def test_a_change_that_is_named_is_undone_turns_and_days_later(
    db: apsw.Connection, tmp_path: Path, token: str, back: str, answer: str, days: int
) -> None:
    before, after = _changed(db, tmp_path, token)

    _told(db, tmp_path, 5 + days, *WORK, (back, answer))

    assert before in held(db) and held(db, "retracted") == [after]
    assert back not in held(db)


@pytest.mark.parametrize(
    ("then", "answer"),
    [
        ("undo the batch size commit", "Reverted the commit."),
        ("undo the batch", "Undone."),
        ("undo the trainer change", "Reverted."),
        ("revert the trainer thing", "Reverted."),
        ("revert the size of the header", "Reverted."),
        ("revert the batch size change in the eval config", "Reverted."),
        ("undo the batch size change", "I restored `train.py` from the main branch and ran all of the tests again."),
        ("undo the batch size change", "Shall I set it to 32?"),
        ("don't undo the batch size change", "OK."),
        ("should we undo the batch size change", "No."),
        ("if it crashes, undo the batch size change", "OK."),
        ("for now undo the batch size change", "Done."),
        ("add a button to undo the batch size change", "Added."),
        ("put the batch size back where it was in the form", "Moved."),
        ("the batch size warning is back to 32 lines", "I see."),
    ],
)
def test_what_is_undone_elsewhere_is_no_change_that_was_taught(
    db: apsw.Connection, tmp_path: Path, token: str, then: str, answer: str
) -> None:
    _, after = _changed(db, tmp_path, token)

    _told(db, tmp_path, 9, (then, answer))

    assert {after, "a trainer for speech models"} <= set(held(db)) and not held(db, "retracted")


def test_of_two_changes_that_fit_none_is_undone(db: apsw.Connection, tmp_path: Path, token: str) -> None:
    _changed(db, tmp_path, token)
    _told(db, tmp_path, 6, ("the page size of the reports is 20", "The page size is 20."))
    _told(db, tmp_path, 7, ("the page size of the reports is 50 now", "The page size is 50."))
    assert len(held(db, "superseded")) == 2

    _told(db, tmp_path, 9, ("undo the size change", "Reverted."))
    assert not held(db, "retracted")
    _told(db, tmp_path, 10, ("undo the page size change", "Reverted."))
    assert held(db, "retracted") == ["the page size of the reports is 50 now"]


KEPT = (
    "the linter of {} is ktlint",
    "timeouts to the psp of {} are 8s",
    "never run migrations of {} during the day",
    "enemy sprites of {} must be 64x64",
)


@pytest.mark.parametrize(
    ("back", "gone"),
    [
        ("scratch the linter rule", 0),
        ("that ktlint thing, drop it", 0),
        ("we don't use ktlint after all", 0),
        ("vergiss das mit ktlint", 0),
        ("olvida lo de ktlint", 0),
        ("oublie l'histoire de ktlint", 0),
        ("forget about ktlint, we're not doing it after all", 0),
        ("the rule about ktlint is off", 0),
        ("scrap what I said about ktlint", 0),
        ("never mind the psp timeouts", 1),
        ("the 8s limit no longer applies", 1),
        ("drop the rule about migrations", 2),
        ("drop the linter", None),
        ("forget the linter for now", None),
        ("never mind the psp timeouts, why is the build red", None),
        ("scratch the linter tab", None),
        ("cancel the migrations", None),
        ("drop the enemy sprites into assets", None),
        ("should we forget the linter thing", None),
    ],
)
def test_what_is_taken_back_by_name_days_later_goes_alone(
    db: apsw.Connection, tmp_path: Path, token: str, back: str, gone: int | None
) -> None:
    said = [each.format(token) for each in KEPT]
    _told(db, tmp_path, 0, ("a shop", "OK."), *((each, "OK, noted.") for each in said), *WORK)
    assert set(said) <= set(held(db))

    _told(db, tmp_path, 6, (back, "OK."))

    assert [each for each in said if each not in held(db)] == ([] if gone is None else [said[gone]])


@pytest.mark.parametrize(
    "anew",
    ["scratch the ktlint rule, everything goes through detekt now", "undo the batch size change, it is 48 from now on"],
)
def test_what_is_said_to_hold_instead_is_held(db: apsw.Connection, tmp_path: Path, token: str, anew: str) -> None:
    _changed(db, tmp_path, token)
    _told(db, tmp_path, 6, ("the ktlint rule is that each build runs it", "OK, noted."), *WORK)

    _told(db, tmp_path, 8, (anew, "The batch size is 48."))

    assert anew in held(db)


RULES = (
    "no blood in trailers",
    "never run migrations during the day",
    "every commit needs a ticket number",
    "keine rabatte auf bücher",
    "no deploys on fridays",
)


@pytest.mark.parametrize(
    ("lift", "gone"),
    [
        ("blood in trailers is allowed now, we got the M rating", 0),
        ("it's fine to show blood in trailers now", 0),
        ("the blood ban is lifted", 0),
        ("running migrations during the day is fine again", 1),
        ("migrations can be run whenever since we have the replica", 1),
        ("commits don't need tickets any more", 2),
        ("rabatte auf bücher sind wieder erlaubt", 3),
        ("deploying on fridays is fine again", 4),
        ("you can deploy on fridays again", 4),
        ("tickets are optional in commits now", 2),
        ("you can deploy again", None),
        ("deploys are allowed again", None),
        ("fridays are fine for me now", None),
        ("blood is allowed in the game, just not in trailers", None),
        ("blood in trailers is allowed in japan", None),
        ("just this once blood in trailers is allowed", None),
        ("the trailers are fine now", None),
        ("you can run the migrations now", None),
        ("running the migrations is fine again", None),
        ("is blood in trailers allowed now?", None),
    ],
)
def test_a_rule_is_lifted_by_what_allows_all_that_it_forbids(
    db: apsw.Connection, tmp_path: Path, lift: str, gone: int | None
) -> None:
    _told(db, tmp_path, 0, ("a shop", "OK."), *((each, "Understood.") for each in RULES), *WORK)
    assert set(RULES) <= set(held(db))

    _told(db, tmp_path, 6, (lift, "OK."))

    assert [each for each in RULES if each not in held(db)] == ([] if gone is None else [RULES[gone]])
    assert gone is None or (lift in held(db) and held(db, "superseded") == [RULES[gone]])


def test_what_a_sentence_names_is_all_of_it_but_the_word_for_what_it_is() -> None:
    def names(text: str) -> list[set[str]]:
        return [set(each.what) for each in named.undoings(text)][:1]

    assert names("undo the ttl change") == [{"ttl"}] == names("users see stale stuff, revert the ttl")
    assert names("undo the ttl commit") == [{"ttl", "commit"}]
    assert names("undo the last change") == names("the team can undo the ttl change") == []
