"""A prompt in Spanish, French or German is read as one in English: about the past, a whole routine, ours."""

from __future__ import annotations

from importlib.resources import files

import apsw
import pytest

from agentmemory.learn import thesaurus
from agentmemory.recall import structure
from agentmemory.recall.pipeline import brought, recall
from agentmemory.recall.spoken import in_english, language
from agentmemory.records import Query
from agentmemory.store import writer
from agentmemory.text import words
from tests.recall.conftest import Ask, Teach


def read(db: apsw.Connection, prompt: str) -> Query:
    query = Query(prompt, 1.0, (1,))
    structure.structure(db, query, [])
    return query


@pytest.mark.parametrize(
    ("prompt", "plain"),
    [
        ("Wo liegt unser Build?", "where liegt our build?"),
        ("würde das passen, und wurde es gemacht?", "would the passen, and was it gemacht?"),
        ("où en est l'entrée à l'origine ?", "where in is the entrée originally ?"),
        ("qu'est-ce qu'il faut faire pour le tag", "what has to be done for the tag"),
        ("haceme un índice en la tabla src/db.ts", "make a índice in the tabla src/db.ts"),
        ("de donde salen los datos?\ny quién firmaba eso", "of where salen the datos?\nand who was firmaba eso"),
    ],
)
def test_words_of_structure_and_of_work_are_read_in_english(prompt: str, plain: str) -> None:
    assert plain == in_english(prompt, language(prompt))


@pytest.mark.parametrize(
    "prompt",
    [
        "wie hoch war der stundensatz im januar?", "an welchem tag war die runde früher?",
        "womit haben wir die routen ganz am anfang gerechnet?", "en qué idioma iban los commits al principio?",
        "cuál era la seña en febrero?", "qué teléfonos usaba la gente antes de los nuevos?",
        "c'était combien l'entrée en janvier ?", "qui validait les remboursements avant lui ?",
        "on avait quoi comme tablettes à l'origine ?",
    ],
)  # fmt: skip
def test_it_is_about_the_past(db: apsw.Connection, prompt: str) -> None:
    assert read(db, prompt).about_past


@pytest.mark.parametrize(
    "prompt",
    [
        "wie hoch ist der stundensatz gerade?", "schreib den adapter für die messgeräte", "cuánto es la seña?",
        "arreglá el job de los sms", "l'entrée est à combien ?", "ajoute un champ à la fiche du client",
    ],
)  # fmt: skip
def test_it_is_not_about_the_past_nor_a_routine(db: apsw.Connection, prompt: str) -> None:
    query = read(db, prompt)

    assert not query.about_past
    assert not query.routine


@pytest.mark.parametrize(
    "prompt",
    [
        "was muss alles gemacht werden, wenn ein neuer bezirk kommt?", "in welcher reihenfolge läuft ein release ab?",
        "cuáles son todos los pasos para un camión nuevo?", "en qué orden va el deploy?",
        "quelles sont toutes les étapes pour un nouveau secteur ?", "dans quel ordre on fait une mise en prod ?",
    ],
)  # fmt: skip
def test_a_whole_routine_is_asked_for(db: apsw.Connection, prompt: str) -> None:
    assert read(db, prompt).routine


@pytest.mark.parametrize("prompt", ["where does the build live?", "add a tag"])
def test_english_is_read_as_it_stands(db: apsw.Connection, prompt: str) -> None:
    assert structure.in_english(prompt, words(prompt)) == (prompt, -1)


def test_what_was_is_told_to_whom_asks_for_it_in_german(db: apsw.Connection, teach: Teach, ask: Ask) -> None:
    teach("der stundensatz ist 68 euro netto")
    teach("die anfahrt kostet 9 euro")

    query = ask("wie hoch war unser stundensatz im januar?")
    hits = recall(db, query)

    assert hits[0].row.text == "der stundensatz ist 68 euro netto"
    assert query.about_past


def test_anybodys_questions_in_other_languages_stay_silent(db: apsw.Connection, teach: Teach, ask: Ask) -> None:
    teach("wir rechnen die routen mit graphhopper")
    for prompt in ("warum ist der himmel blau?", "quelle est la capitale de la mongolie ?", "traduce esto al italiano"):
        query = ask(prompt)
        recall(db, query)
        assert query.surely < 0.0, prompt
    assert brought(db, ask("womit rechnen wir die routen?"))


@pytest.mark.parametrize(
    "prompt",
    [
        "wohin geht die sicherung der datenbank?", "a dónde va la copia de seguridad de la base de datos?",
        "où va la sauvegarde de la base de données ?",
    ],
)  # fmt: skip
def test_what_was_told_in_english_is_found_in_other_languages(
    db: apsw.Connection, teach: Teach, ask: Ask, prompt: str
) -> None:
    with writer.transaction(db):
        thesaurus.refresh(db)
    for text in ("the database is backed up to glacier", "passwords are hashed with argon2", "invoices have no gaps"):
        teach(text)

    best = max(brought(db, ask(prompt)), key=lambda hit: sum(hit.matched.values()))

    assert best.row.text == "the database is backed up to glacier"


def test_no_word_of_another_language_joins_two_english_ones() -> None:
    lines = (files("agentmemory") / "data" / "thesaurus.txt").read_text(encoding="utf-8").splitlines()
    start = next(at for at, line in enumerate(lines) if "in German, Spanish and French" in line)
    foreign = [word for line in lines[start + 1 :] for word in line.split()[1:]]

    assert len(foreign) == len(set(foreign))
