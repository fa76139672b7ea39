"""What two answers tell of whether one thing was settled anew: figures, units, their words, the answers' shape."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn import retold
from tests.learn.talk import WORK, beside, held, play, sat, told

BUFFER = ("keep 2000 samples in flash", "The ring holds 2000 samples; the oldest go first.")
LOOP = ("twenty hertz is plenty", "`LOOP_RATE_HZ` is 20.")


def test_a_figure_is_what_was_said_with_its_unit_and_the_words_around_it() -> None:
    (wait,) = retold.figures("hm. 10 sec", "The uploader waits 10 seconds, 3 times, between two tries.")
    (rate,) = retold.figures(*LOOP)

    assert (wait.number, wait.unit) == ("10", "short time") and {"upload", "wait"} <= wait.of
    assert rate.number == "20" and {"loop", "rate"} <= rate.of
    assert retold.figures("make it longer", "The uploader waits 10 seconds.") == ()


def test_the_same_matter_with_another_figure_is_told_from_another_matter() -> None:
    same = retold.features("too short. 8000", "The ring holds 8000 samples, 96 KB.", *BUFFER)
    other = retold.features("30 s", "The modem is off after 30 seconds.", *BUFFER)
    again = retold.features("yes, 2000", "The ring holds 2000 samples.", *BUFFER)

    assert same["told figures"] == other["told figures"] == 1.0 and again["told figures"] == 0.0
    assert same["told figures of"] > other["told figures of"] == 0.0


def test_what_sets_a_value_anew_is_told_from_what_brings_something_new() -> None:
    anew = retold.features("8000", "8000 samples.", *BUFFER)
    new = retold.features("8000", "I added a port option, default 8000. Shall I document it as well?", *BUFFER)

    assert new["answer long"] > anew["answer long"]
    assert (new["answer brings"], new["answer asks"], new["answer of I"]) == (1.0, 1.0, 1.0)
    assert (anew["answer brings"], anew["answer asks"], anew["answer of I"]) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    "reply",
    [
        "I've updated the README accordingly.",
        "Done. I noted that and changed the file.",
        "Edited the notes and ran the tests: 12 passed.",
        "I've updated `docs/notes.md`.",
    ],
)
def test_one_answer_to_everything_makes_no_changes(db: apsw.Connection, tmp_path: Path, reply: str) -> None:
    said = (
        "The nightly backup of Postgres runs at 02:00.",
        "Always run make check before you push.",
        "Invoices are rendered with WeasyPrint.",
        "The staging cluster is called heron.",
        "We keep our secrets in Vault.",
    )

    play(db, tmp_path, *said, reply=reply)

    assert held(db, "superseded") == [] and len(held(db)) >= 4


def test_how_many_tests_passed_makes_no_other_answer() -> None:
    assert retold.alike("Done; all 41 tests passed in 3.2s.", "Done; all 43 tests passed in 2.9s.")
    assert not retold.alike("Reservation is 25 minutes.", "Reservation is 40 minutes.")
    assert not retold.alike("Records are compressed with zstd.", "Records are compressed with lz4.")


def test_without_answers_nothing_is_told() -> None:
    assert retold.features("8000", "", *BUFFER) == {}
    assert not any(name.startswith("told") for name in retold.features("8000", "8000 samples.", "2000", ""))


def test_the_rare_words_of_an_answer_point_at_what_it_speaks_of(db: apsw.Connection, tmp_path: Path) -> None:
    sat(
        db, tmp_path, ("in the app 30 s before it gives up", "The app's socket timeout is 30 seconds."),
        ("in the app 24 rows per page", "The app's pages have 24 rows."),
    )  # fmt: skip

    found = beside(db, "in the app 40, the gateway is slow", "The app's socket timeout is 40 seconds.")

    (time, _), (rows, _) = found["in the app 30 s before it gives up"], found["in the app 24 rows per page"]
    assert time.singled and not rows.singled and time.pointed > rows.pointed


def test_a_short_answer_is_heard_unless_it_only_takes_note(db: apsw.Connection, tmp_path: Path) -> None:
    old = ("uploads over 90 seconds were cut, so 90", "`UPLOAD_TIMEOUT` is 90.")
    sat(db, tmp_path, old)
    said = "the firmware uploads were cut again. 240"

    likely, noted = (beside(db, said, answer)[old[0]][1] for answer in ("`UPLOAD_TIMEOUT` is 240.", "Understood."))

    assert likely > noted


JUNIORS = ("thats silly. 32", "The factor for juniors is 32.")
TAGS = ("the log tag is useless. one tag per module", "Tags are named after the module.")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (JUNIORS, ("it was better high. 36 as a peace deal", "The factor for juniors is 36.")),
        (
            ("5443 with tls, and grafana can stay at 3000", "The registry listens on 5443 with TLS."),
            ("firewall team closed the odd ports, pulls fail from outside. 443 then", "The registry listens on 443."),
        ),
    ],
)
def test_what_shares_no_word_gives_way_for_what_was_answered_both_times(
    db: apsw.Connection, tmp_path: Path, old: tuple[str, str], new: tuple[str, str]
) -> None:
    told(db, tmp_path, (*WORK, old, TAGS), (*WORK, new))

    assert old[0] in held(db, "superseded") and new[0] in held(db)


@pytest.mark.parametrize(
    "new",
    [
        ("seniors complain. 16 for them", "The factor for seniors is 16."),
        ("log level warn then, info is a novel", "The log level is `warn`."),
    ],
)
def test_what_was_answered_of_something_else_ends_nothing(
    db: apsw.Connection, tmp_path: Path, new: tuple[str, str]
) -> None:
    told(db, tmp_path, (*WORK, JUNIORS, TAGS), (*WORK, new))

    assert JUNIORS[0] in held(db)
