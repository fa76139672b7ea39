"""What the agent has just done is found wrong and taken back, with the reason said first or in other words."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from tests.learn.talk import QUEUE, SHOP, WORK, exchanged, held

RETRIES = (
    "Increase the retries to 8 from now on, so nothing is lost.",
    "Set to 8 attempts. The total wait is 8 minutes.",
)
LABELS = (
    "please print the labels at 300 dpi from now on, they are hardly readable",
    "The template is for 203 dpi. With another resolution the labels come out too small.",
)


@pytest.mark.parametrize(
    ("said", "back"),
    [
        (
            RETRIES,
            ("Double posting is worse. Ignore what I said, keep it at what it was.", "Reverted, 3 attempts again."),
        ),
        (RETRIES, ("8 minutes? Forget what I said then, only one of them asked.", "Left as it is.")),
        (RETRIES, ("Back. She looked at the sheet of another model.", "Reverted, 3 attempts again.")),
        (LABELS, ("Then please forget my remark about the resolution, the printers cannot do it.", "OK, 203 dpi.")),
        (LABELS, ("the printers are too old for it. ignore my wish about the resolution", "Left as it is.")),
    ],
)
def test_what_was_just_told_is_taken_back(
    db: apsw.Connection, tmp_path: Path, said: tuple[str, str], back: tuple[str, str]
) -> None:
    exchanged(db, tmp_path, *WORK, said, back)

    assert held(db, "retracted") == [said[0]]


@pytest.mark.parametrize(
    "then",
    [
        ("the gateway needs tls 1.3. no wait, ignore what I said, that was the other one", "OK."),
        ("who uses the gateway? forget it, I ask Ana", "Fine."),
        ("Back. I was at lunch. Where were we?", "At the header."),
        ("forget my remark about the weather, the sun is out", "Nice."),
    ],
)
def test_what_is_not_spoken_of_stays(db: apsw.Connection, tmp_path: Path, then: tuple[str, str]) -> None:
    exchanged(db, tmp_path, *WORK, RETRIES, then)

    assert RETRIES[0] in held(db)


@pytest.mark.parametrize(
    "then",
    [
        ("sorry, wrong window, that was for another project", "No problem."),
        ("wait, that was about the other firmware", "OK, ignored."),
    ],
)
def test_what_was_meant_for_something_else_is_taken_back(
    db: apsw.Connection, tmp_path: Path, then: tuple[str, str]
) -> None:
    exchanged(db, tmp_path, *WORK, ("all buttons are red from now on", "Okay, red buttons."), then)

    assert held(db, "retracted") == ["all buttons are red from now on"]


@pytest.mark.parametrize(
    ("said", "stays"),
    [
        ("we always use malloc pools here. hm no wait, that was the other firmware", False),
        ("while you migrate, don't write to the replicas", False),
        ("while you're at it, never write to the replicas", True),
        ("while the import runs, don't ever write to the replicas", True),
    ],
)
def test_what_is_of_another_thing_or_of_this_task_is_not_held(
    db: apsw.Connection, tmp_path: Path, said: str, stays: bool
) -> None:
    exchanged(db, tmp_path, *WORK, (said, "Migrated, and nothing was written there."))

    assert (held(db) != []) is stays


QUEUE_TALK = (*SHOP, QUEUE)
CONFETTI = ("Put confetti on the thank-you page of the shop.", "Added `canvas-confetti`, it fires once per order.")
VERBOSE = ("set the log level to verbose on all the workers", "Set to `verbose` on all six.")
REFUNDS = ("Refunds above 75 need the code of Pilar.", "Refunds above 75 ask for it.")
CREST = ("From today on, all reports shall carry the crest at the top.", "The crest is in the template, 18 mm high.")
MYPY = ("Run mypy on each save in the editor config", "Added to `.vscode/settings.json`.")


@pytest.mark.parametrize(
    ("said", "back"),
    [
        (CONFETTI, ("On reflection no, undo that, I like my customers. Just the page.", "Undone, a plain page again.")),
        (VERBOSE, ("nope, disk fills up, back to info", "Back at info on all six.")),
        (
            CREST,
            ("Ms. Thorup finds it pompous. Please disregard the crest.", "The template is as it was."),
        ),
        (MYPY, ("That was a stupid idea, my fan sounds like a plane. Get rid of it.", "Removed from the settings.")),
    ],
)
def test_what_was_ordered_and_is_undone_at_once_is_taken_back_whatever_else_is_said(
    db: apsw.Connection, tmp_path: Path, said: tuple[str, str], back: tuple[str, str]
) -> None:
    exchanged(db, tmp_path, *QUEUE_TALK, said, back)

    assert said[0] not in held(db)


@pytest.mark.parametrize(
    "then",
    [
        (
            "Also printing. We got network cards, so we're back to the old flame, port 9100.",
            "`Printing` is raw again.",
        ),
        ("the old job, remove it please", "Removed."),
        ("what about the second one, is it as before?", "Yes, it is as before."),
    ],
)
def test_what_goes_back_to_something_else_leaves_what_was_ordered(
    db: apsw.Connection, tmp_path: Path, then: tuple[str, str]
) -> None:
    exchanged(
        db, tmp_path, *QUEUE_TALK, ("Refunds above 75 need the code of Pilar.", "Refunds above 75 ask for it."), then
    )

    assert any("Pilar" in each for each in held(db))
