"""Who is gone, and who does now what that one did: the one takes the place of the other, and of nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentmemory.learn import cues, handed_on
from agentmemory.learn.passages import sentences
from agentmemory.store import writer
from tests.learn.talk import WEEK, held, play

PASSED_ON = (
    ("Kofi reviews crs/", "Kofi stepped down, Yara does crs now"),
    ("Kofi reviews crs/", "Kofi stepped down :( , Yara does crs now"),
    ("Kofi reviews crs/", "Kofi stepped down. Yara does crs now"),
    ("the client's contact is Mr. Lo", "mr lo retired!! new contact: Ms. Ferro"),
    ("DM is Tobi", "Tobi burned out, Marlene runs the next campaign"),
    ("Dieter maintains the parser", "Dieter went on parental leave, Hana maintains the parser"),
    ("ansprechpartner bei der bank ist Herr Voss", "Herr Voss ist in rente, neuer ansprechpartner: Frau Abt"),
    ("Luc valide les traductions", "Luc est parti, c'est Inès qui valide les traductions"),
    ("Pablo lleva los pedidos", "Pablo se jubiló, ahora lleva los pedidos Elena"),
    ("Nuria decide los textos de los SMS", "Nuria está de baja, los textos los decide Óscar"),
    ("Rubén lleva los despliegues", "Rubén ya no está en la empresa, los despliegues los lleva Eva"),
    ("Ilse entscheidet über die Texte", "Ilse ist in Elternzeit, über die Texte entscheidet Jonas"),
    ("Birgit pflegt die Preisliste", "Birgit ist nicht mehr da, die Preisliste pflegt Kemal"),
    ("Sophie fait les traductions", "Sophie est en arrêt, les traductions c'est Hugo"),
    ("le contact à la banque est Luc", "Luc a quitté la boîte, le contact à la banque est Anne"),
)


@pytest.mark.parametrize(("old", "new"), PASSED_ON)
def test_what_somebody_did_who_is_gone_is_done_by_who_does_it_now(tmp_path: Path, old: str, new: str) -> None:
    db = writer.open_store(str(tmp_path / "home"))
    play(db, tmp_path, "docs are built with sphinx", "we keep everything in git", old, reply="OK.")
    play(db, tmp_path, new, at=WEEK, reply="OK.")

    assert new in held(db) and old not in held(db)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Petra handles the invoices", "Petra went to lunch, Jonas looks at the invoices now"),
        ("Petra handles the invoices", "Petra left a comment on the invoices, Jonas answers it"),
        ("Bea signs off the budgets", "Bea retired the old budget sheet, Chen writes a new one"),
        ("Petra handles the invoices", "Jonas left, Petra handles the calls now"),
        ("Petra handles the invoices", "if Petra quits Jonas handles the invoices"),
        ("Petra wrote the invoice parser", "Petra left, Jonas does the invoice parser now"),
        ("Petra waters the plants", "Petra left, Jonas does the invoice parser now"),
        ("Petra handles the invoices", "Petra left."),
        ("Nuria decide los textos", "Óscar está de baja, los turnos los hace Pablo"),
        ("Ilse entscheidet über die Texte", "Ilse ist heute nicht da, frag Jonas"),
        ("Karin macht die Abrechnung", "Karin ist in Elternzeit"),
        ("Claire valide les textes", "Claire est en réunion, Paul répond aux mails"),
        ("DM is Tobi", "Sina burned out, Marlene runs the next campaign"),
        ("the cat of the office is called Tobi", "Tobi quit, Marlene runs the next campaign"),
        ("Tobi is in Berlin on fridays", "Tobi quit, Marlene runs the next campaign"),
    ],
)
def test_nothing_else_is_handed_on(old: str, new: str) -> None:
    assert not handed_on.handed_on(new, old)


def test_who_is_gone_and_who_is_named_in_that_ones_stead_are_read_in_either_order() -> None:
    for said in ("osei is retired, the second examiner is lindqvist", "the second examiner is lindqvist, osei retired"):
        found = handed_on.read(cues.plain(said))
        assert found is not None and found.who == "osei" and "lindqvist" in found.now


@pytest.mark.parametrize("said", ["Kofi stepped through the bug", "Tobi burned out the led", "we quit", "it is gone"])
def test_not_everything_that_ends_is_somebody_who_is_gone(said: str) -> None:
    assert not handed_on.leaves(cues.plain(said))


def test_a_title_ends_no_sentence_but_a_time_does() -> None:
    assert [each.text for each in sentences("new contact: Ms. Ferro")] == ["new contact: Ms. Ferro"]
    assert len(sentences("it waits 500 ms. Then it stops.")) == 2
