"""Who asks in whatever language what one word or thing of common knowledge is, is told no more than a hint."""

from __future__ import annotations

import apsw
import pytest

from agentmemory.recall import ours
from agentmemory.recall.common import of_a_word
from agentmemory.recall.pipeline import brought
from agentmemory.text import words
from tests.recall.conftest import Ask, Teach

TOLD = (
    "el backup se hace con pg_dump, a las 3",
    "das backup läuft mit pg_dump um 3",
    "la sauvegarde se fait avec pg_dump",
)


@pytest.mark.parametrize(
    "prompt",
    [
        "what is semver", "what does WAL stand for", "¿qué es una transacción?", "¿cómo funciona pg_dump?",
        "explícame qué es un índice en una base de datos", "¿cuál es la diferencia entre DATE y DATETIME?",
        "qu'est-ce qu'un float ?", "c'est quoi une transaction ?", "comment utilise-t-on pg_dump ?",
        "à quoi sert pg_dump ?", "explique-moi ce qu'est un index", "was ist ein float?", "wie funktioniert pg_dump?",
        "erklär mir was ein index ist", "wofür ist twig gut?", "was ist der unterschied zwischen DATE und DATETIME?",
    ],
)  # fmt: skip
def test_what_anybody_may_ask(prompt: str) -> None:
    assert of_a_word(prompt, words(prompt))


@pytest.mark.parametrize(
    "prompt",
    [
        "¿qué driver usamos para los SMS?", "¿qué hace el worker de noche?", "¿cómo funciona nuestro backup?",
        "¿a qué hora se hace el backup?", "comment fonctionne la sauvegarde ?", "quand ouvre Lyon ?",
        "quelle est la différence entre nos deux api ?", "was ist unsere zeitzone?", "wie funktioniert der import?",
        "was macht der importer nachts?", "wann läuft das backup?", "was", "what is our port", "",
    ],
)  # fmt: skip
def test_what_is_asked_of_our_own_work(prompt: str) -> None:
    assert not of_a_word(prompt, words(prompt))


@pytest.mark.parametrize("prompt", ["¿cómo funciona pg_dump?", "wie funktioniert pg_dump?", "à quoi sert pg_dump ?"])
def test_such_a_question_is_hardly_about_our_own_work(db: apsw.Connection, teach: Teach, ask: Ask, prompt: str) -> None:
    for text in TOLD:
        teach(text)
    query = ask(prompt)

    assert ours.bits(query, brought(db, query)) < ours.EVEN
