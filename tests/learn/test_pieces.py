"""A routine told piece by piece, in few words and on several days, comes back whole; orders of the moment are no pieces
of it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import apsw
import pytest

from agentmemory.learn import pieces
from agentmemory.memory import Memory
from agentmemory.paths import DAY
from tests.learn.talk import SHOP, exchanged, held, play, told

RELEASE = ("when we cut a release, bump the changelog first", "then tag it with the version")


def _told(db: apsw.Connection, folder: Path, *said: str, answer: str = "OK.") -> None:
    """Each on a day of its own."""
    told(db, folder, SHOP, *said, apart=DAY, reply=answer)


def _tied(db: apsw.Connection) -> list[tuple[str, str]]:
    return list(
        db.execute(
            "SELECT a.text, b.text FROM edge e JOIN belief a ON a.id = e.src JOIN belief b ON b.id = e.dst "
            "WHERE e.type = 'next' ORDER BY e.src, e.dst"
        )
    )


def test_a_reason_behind_a_colon_lists_no_steps(db: apsw.Connection, tmp_path: Path) -> None:
    chosen = "Decided with {}: it's the only one that came through, ten thousand cuts, zero broken mounts."
    assert not pieces.lists(chosen) and pieces.lists("New tenant: create the schema, seed it, run the smoke script")

    _told(db, tmp_path, chosen.format("Jonas"), "then say 37 in the sheet")

    assert not _tied(db)


@pytest.mark.parametrize(
    "routine",
    [
        (
            "when we cut a release, bump the changelog first",
            "and then tag it",
            "after that push the tag and wait for ci",
        ),
        (
            "to cut a build first clean the derived data",
            "second: bump the build number",
            "4) mail the changelog around",
        ),
        ("for a restore, first stop the writers", "next, mount the snapshot read only", "and then copy it over"),
        ("onboarding a vendor: first the contract goes to legal", "forgot one: check the vat id before that"),
        ("to cut a build first clean the data", "oh between clean and archive also regenerate the strings"),
        ("wenn wir einen server aufsetzen, zuerst das image laden", "dann die firewall einschalten"),
        ("para publicar la app primero firmamos el apk", "luego subirlo a la beta", "al final avisar a soporte"),
        ("pour publier un article d'abord relire le texte", "ensuite ajouter les images", "à la fin vider le cache"),
    ],
)
@pytest.mark.parametrize("answer", ["OK.", "Understood, added to the steps in RELEASING.md."])
def test_each_piece_is_tied_to_the_one_before_it(
    db: apsw.Connection, tmp_path: Path, routine: tuple[str, ...], answer: str
) -> None:
    _told(db, tmp_path, *routine, answer=answer)

    said = [each.removeprefix("4) ") for each in routine]
    assert _tied(db) == list(pairwise(said)) and set(said) <= set(held(db))


def test_the_whole_routine_comes_back_when_it_is_asked_for(db: apsw.Connection, tmp_path: Path, project: Path) -> None:
    routine = (*RELEASE, "after that push the tag")
    for i, each in enumerate(("no secrets in the repo", *routine)):
        play(db, tmp_path, each, cwd=str(project), at=i * DAY, reply="OK.")

    with Memory() as memory:
        block = memory.recall("what are the steps of a release?")
    assert all(each in block for each in routine)


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("and then fix the header", "Fixed the header."),
        ("second: rename the button to save", "Done."),
        ("and now run the tests", "42 passed."),
        ("then why is the icon blurry?", "It is scaled up."),
        ("and then the app crashed again", "OK, which screen?"),
        ("finally it works", "Great."),
        ("second question: where is the api key read", "In config.swift."),
        ("first of all, thanks", "Sure."),
        ("icons are 24 px", "OK."),
    ],
)
def test_what_is_done_at_once_asked_or_told_of_something_else_is_no_piece(
    db: apsw.Connection, tmp_path: Path, said: str, answer: str
) -> None:
    _told(db, tmp_path, *RELEASE)
    exchanged(db, tmp_path, (said, answer), at=5 * DAY)

    assert _tied(db) == [RELEASE]


def test_nothing_goes_on_where_no_routine_was_told(db: apsw.Connection, tmp_path: Path) -> None:
    _told(db, tmp_path, "and then tag it", "second: bump the build number")

    assert _tied(db) == [] and not {"and then tag it", "second: bump the build number"} & set(held(db))


@pytest.mark.parametrize(
    "text",
    ["when i open the first page it is blank", "for the first time it works", "to be honest, first of all thanks"],
)
def test_not_all_that_says_first_opens_a_routine(text: str) -> None:
    assert not pieces.opens(text)


@pytest.mark.parametrize(
    "routine",
    [
        ("when a scanner batch comes: check the md5, move it to incoming, do a dry run",
         "when that dry run is clean run it for real with --commit"),
        ("for a db upgrade: snapshot, upgrade the replica, fail over",
         "if the replica looks good after an hour, upgrade the old primary too"),
        ("runbook disk full: first journalctl --vacuum-size=2G",
         "if it's still over 80 after that, delete the rotated logs", "if that doesn't help either grow the lv by 20G"),
        ("wenn eine Lieferung kommt: wiegen, Etikett scannen, ins Kühlhaus",
         "wenn das Etikett nicht lesbar ist, von Hand eintragen"),
        ("para cerrar el mes: cuadrar caja, exportar, ir a la gestoría", "si la gestoría confirma, archivar el zip"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("answer", ["Noted.", "Added."])
def test_what_is_done_in_a_case_of_a_routine_is_tied_to_it(
    db: apsw.Connection, tmp_path: Path, routine: tuple[str, ...], answer: str
) -> None:
    first, *others = routine
    told(db, tmp_path, SHOP, [(first, "Noted.")], *([(each, answer)] for each in others), apart=DAY)

    assert _tied(db) == list(pairwise(routine))


@pytest.mark.parametrize(
    "said",
    [
        "if the helpdesk is closed call Jonas",
        "when the invoice is over 5000 a second person signs",
        "if a test is flaky open a ticket",
        "when the md5 of my own file failed yesterday i deleted it",
        "once a year we change the theme",
    ],
)
def test_what_is_done_in_another_case_is_not(db: apsw.Connection, tmp_path: Path, said: str) -> None:
    _told(db, tmp_path, "when a scanner batch comes: check the md5, move it to incoming, do a dry run", said)

    assert _tied(db) == []
