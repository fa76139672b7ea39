"""Who orders work on the own project, in whatever language, is told what was said of it; a poem needs nothing."""

from __future__ import annotations

import json
from pathlib import Path

import apsw
import pytest

from agentmemory.recall.ordered import own_work
from agentmemory.recall.ours import FOREIGN
from agentmemory.recall.pipeline import block
from tests.recall.conftest import Ask, Teach

ANYBODY = [json.loads(line)["prompt"] for line in Path("tests/data/anybody.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize(
    "prompt",
    [
        "write a test for prune with an empty folder", "write a view for tugs", "rename the module to core",
        "ok, now refactor the parser please", "convert the callback to async", "delete the dead code in utils",
        "can you add a retry to the upload?", "give me a page for the settings", "handle the timeout",
        "show a spinner while loading", "zeig im Warenkorb den Rabatt an", "affiche la date dans la liste",
        "añade un aviso cuando caduca", "crea una página para los ajustes", "haz commit", "instala chart.js",
        "ahora escribe un test para la exportación", "¿puedes renombrar el módulo?", "mueve esto a otro fichero",
        "pousse la branche", "écris un test pour l'export", "mets à jour le readme", "peux-tu ajouter un index ?",
        "bau eine Seite für die Einstellungen", "füge dem Upload einen Retry hinzu", "führ die Tests aus",
        "kannst du bitte den Export einbauen?", "räum den Parser auf", "push den Branch",
    ],
)  # fmt: skip
def test_work_on_the_own_project(prompt: str) -> None:
    assert own_work(prompt, FOREIGN)


@pytest.mark.parametrize(
    "prompt",
    [
        "write a haiku about autumn", "write a prime sieve", "write a test in python", "convert 5 foot into cm",
        'make this sound friendlier: "Send it by Friday."', "give me a recipe for pancakes", "what is a closure",
        "how do i rename a branch in git", "fix this sentence: he go home", "do i need a visa for japan", "thanks", "",
        "show me a recipe", "zeig mir ein Rezept", "montre-moi un exemple",
        "escribe un poema sobre el mar", "corrige esta frase: yo fui", "dame una receta", "¿qué es un test?",
        "écris un poème", "corrige cette phrase", "c'est quoi une closure ?", "fais-moi une liste",
        "schreib ein Gedicht über das Meer", "korrigiere diesen Satz", "was ist ein Test?", "gib mir ein Rezept", "du",
    ],
)  # fmt: skip
def test_work_of_nobodys_project(prompt: str) -> None:
    assert not own_work(prompt, FOREIGN)


def test_hardly_anything_that_anybody_asks_is_taken_for_it() -> None:
    assert len([prompt for prompt in ANYBODY if own_work(prompt, FOREIGN)]) < 0.005 * len(ANYBODY)


@pytest.mark.parametrize("prompt", ["write a test for the parser", "escribe un test", "behebe den Fehler"])
def test_such_an_order_gets_what_was_said_of_the_work(
    db: apsw.Connection, teach: Teach, ask: Ask, prompt: str, token: str
) -> None:
    teach(f"in tests never mock the clock, use {token}", kind="rule")

    assert token in block(db, ask(prompt))
