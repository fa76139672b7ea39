"""A word of a German, Spanish or French prompt finds another form of it; a German one also what it is joined with."""

from __future__ import annotations

import apsw
import pytest

from agentmemory.recall.inflected import forms, parts
from agentmemory.recall.pipeline import brought
from tests.recall.conftest import Ask, Teach

TOLD = (
    "die sensoren schicken alle zehn minuten ein paket",
    "sensordaten landen in der tabelle rohwerte",
    "der rechnungslauf startet am monatsersten um vier",
    "bilder werden auf 1200 pixel verkleinert",
    "gutscheine gelten zwei jahre",
    "die fahrer melden sich mit ihrem führerschein an",
    "kassenbücher liegen zehn jahre im archiv",
    "die bildungsreisen prüft frau rath",
    "der hallenplan hängt am eingang",
    "the cashier prints two copies",
)


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("wie oft sendet ein sensor?", TOLD[0]),
        ("in welche tabelle schreibt der sensor seine daten?", TOLD[1]),
        ("wann kommen die rechnungen?", TOLD[2]),
        ("wie groß darf ein bild sein?", TOLD[3]),
        ("wie lange gilt ein gutschein?", TOLD[4]),
        ("wie meldet sich ein fahrer an?", TOLD[5]),
        ("was gilt für ein kassenbuch?", TOLD[6]),
        ("wo liegen die archivbücher?", TOLD[6]),
    ],
)
def test_another_form_or_a_part_of_a_word_is_met(
    db: apsw.Connection, teach: Teach, ask: Ask, prompt: str, expected: str
) -> None:
    for text in TOLD:
        teach(text)

    best = max(brought(db, ask(prompt)), key=lambda hit: sum(hit.matched.values()))

    assert expected == best.row.text


@pytest.mark.parametrize(
    ("told", "prompt"),
    [
        ("los litros se guardan enteros", "cómo guardamos eso en la base?"),
        ("el cajero imprime dos copias", "qué hacen los cajeros en la sala?"),
        ("les badges perdus sont désactivés", "comment désactiver un de ces trucs ?"),
        ("la corde est vérifiée par Luc", "on vérifie ça quand, les autres ?"),
    ],
)
def test_spanish_and_french_words_are_met_in_other_forms(
    db: apsw.Connection, teach: Teach, ask: Ask, told: str, prompt: str
) -> None:
    teach(told)

    assert [hit for hit in brought(db, ask(prompt)) if hit.matched]


@pytest.mark.parametrize(
    "prompt", ["was ist mit dem hall im keller?", "wer kocht für die bilanz?", "where do cashiers get their halls?"]
)
def test_letters_alone_make_no_kin(db: apsw.Connection, teach: Teach, ask: Ask, prompt: str) -> None:
    for text in TOLD[:-1]:
        teach(text)

    assert not [hit for hit in brought(db, ask(prompt)) if hit.matched]


def test_a_short_word_has_forms_but_no_parts() -> None:
    assert {"sensor", "sensoren"} <= forms("sensors")
    assert not parts("sensor")
    assert {"mess", "daten"} <= parts("messdaten")
