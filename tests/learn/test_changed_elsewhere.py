"""What changes in German, French and Spanish gives way: values with their units and in words, what goes elsewhere, who
is away for long; what is of something else stays."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn import cues, given, matters
from agentmemory.learn.valued import values
from tests.learn.talk import answered, held


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("14 tage vorher", "drei wochen vorher"), ("de deux semaines", "de dix jours"),
        ("treinta minutos", "dos horas"), ("zwei minuten", "une heure"),
    ],
)  # fmt: skip
def test_units_and_numbers_in_words_are_values_of_one_type(one: str, other: str) -> None:
    assert values(one).keys() == values(other).keys() != set()
    assert values(one) != values(other)


def test_a_unit_in_another_form_is_the_same_value() -> None:
    assert values("vor drei tagen") == values("3 tage vorher")
    assert values("vor 16 uhr") == values("erst ab 16, bitte") == {"time": frozenset({"16"})}
    assert values("después de las 21, nunca") == {"time": frozenset({"21"})}
    assert "time" not in values("las 21 tablas") and "time" not in values("ab 8 euro")


@pytest.mark.parametrize("text", ["tag once a week", "the elf eats", "dos attacks", "5 an hour"])
def test_words_of_other_languages_count_nothing_in_english(text: str) -> None:
    assert not values(text)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("stundensatz 75", "der stundensatz ist 68 euro netto"), ("seña: 25%", "la seña es del 20%"),
        ("quota : 12 go", "le quota est de 10 go"), ("rate: 75", "the rate is 68"),
    ],
)  # fmt: skip
def test_a_thing_and_its_value_alone_tell_it_anew(new: str, old: str) -> None:
    assert given.in_few_words(new.replace(" :", ":"), old)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("anfahrt 12", "der stundensatz ist 68 euro netto"), ("issue 45", "issue 44 is flaky"),
        ("step 2", "step 1 is 4 minutes"), ("port 9090", "the api runs on port 8080"),
        ("stundensatz 75 bis 80 je nach lage der baustelle", "der stundensatz ist 68 euro netto"),
    ],
)  # fmt: skip
def test_another_thing_or_more_than_its_value_does_not(new: str, old: str) -> None:
    assert not given.in_few_words(new, old)


def test_what_lasts_two_weeks_is_in_no_state() -> None:
    assert not matters.other_property("le préavis passe à trois semaines", "le préavis est de deux semaines")
    assert matters.other_property("nas1 is read only", "nas1 hosts the tiffs")


@pytest.mark.parametrize(
    ("old", "new", "answer"),
    [
        ("der stundensatz ist 68 euro netto", "stundensatz 75", "Geändert, gilt ab heute."),
        ("le préavis est de deux semaines", "le préavis passe à trois semaines", "Changé."),
        (
            "logs gehen an graylog",
            "logs gehen nicht mehr an graylog, sondern an loki",
            "Umgestellt.",
        ),
        ("die karte kommt von mapbox", "statt mapbox nehmen wir jetzt openrouteservice", "Getauscht."),
        (
            "los presupuestos los firma romina",
            "romina se va de licencia hasta agosto, los presupuestos los firma ivo ahora",
            "Cambio el rol.",
        ),
        (
            "rechnungen gibt frau öztürk frei",
            "frau öztürk ist ab montag in elternzeit, rechnungen gibt jetzt der henning frei",
            "Rolle umgehängt.",
        ),
    ],
)
def test_what_changes_gives_way(db: apsw.Connection, tmp_path: Path, old: str, new: str, answer: str) -> None:
    answered(db, tmp_path, ("die kunden sitzen im norden", "Notiert."), (old, "Ok."), (new, answer))

    assert old not in held(db)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("der stundensatz ist 68 euro", "die anfahrt kostet jetzt 9 euro"),
        ("widerspruch geht bis vier wochen nach dem bescheid", "die ankündigung geht jetzt drei wochen vorher raus"),
        ("el sms sale 48 horas antes", "cancelar sin cargo pasa a 5 días antes"),
        ("le rappel part 15 jours avant", "le préavis de suspension descend à 6 jours"),
        ("mails gehen über brevo", "der newsletter geht nicht mehr über mailchimp sondern über cleverreach"),
    ],
)
def test_what_is_of_something_else_stays(db: apsw.Connection, tmp_path: Path, old: str, new: str) -> None:
    answered(db, tmp_path, (old, "Ok."), (new, "Geändert."))

    assert old in held(db) + held(db, "heard")


@pytest.mark.parametrize(
    ("typed", "english"),
    [
        ("después de eso lo hacemos para todos", "after eso"), ("despues de eso lo hacemos para todos", "after eso"),
        ("das machen wir nächste woche", "next month"), ("das machen wir naechste woche", "next month"),
        ("das geht bei uns nicht, das geht nicht", "doesnt work"), ("das geht nicht mehr an loki", "goes no longer"),
        ("on le fait tous les jours ou jamais", " or never"),
        ("der bescheid wird nachts gedruckt", "is at night"), ("los commits van firmados en git", "is firmados"),
        ("los volúmenes se guardan en litros", "is guardan"), ("las distancias las pedimos al osrm", "we pedimos"),
        ("los mismos días de los últimos pagos", "mismos"), ("la session dure deux heures pour nous", "lasts"),
    ],
)  # fmt: skip
def test_words_of_structure_are_read_in_english_also_without_accents(typed: str, english: str) -> None:
    assert english in cues.plain(typed)
