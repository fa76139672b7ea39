"""Exchanges on two topics, told in turns, are two segments, in any language and whoever says them."""

from __future__ import annotations

import apsw
import pytest

from agentmemory.sleep.tiers import Tiers
from tests.sleep.talk import name, say

#: what is asked and answered in three exchanges on each of two topics
TALK = {
    "German": (
        ("Warum springt der Motor vom {n} nicht an?", "Der Motor vom {n} bekommt kein Öl.",
         "Wer tauscht am {n} das Öl für den Motor?", "Die Werkstatt tauscht das Öl vom {n}.",
         "Wann ist der {n} in der Werkstatt?", "Der {n} ist am Montag in der Werkstatt, der Motor auch."),
        ("Wann schreibt die Klasse von {n} die Arbeit?", "Die Klasse von {n} schreibt sie im Mai.",
         "Wer lobt {n} vor der Klasse?", "Die Lehrerin lobt {n} vor der Klasse.",
         "Was hat {n} in der Arbeit?", "In der Arbeit hat {n} eine Zwei, sagt die Lehrerin."),
    ),
    "French": (
        ("Quand faut-il arroser la serre de {n} ?", "On arrose la serre de {n} le soir.",
         "Où poussent les tomates de {n} ?", "Les tomates de {n} poussent dans la serre.",
         "Qui mange la salade de {n} dans la serre ?", "Les limaces mangent la salade et les tomates de {n}."),
        ("Qui remplit la déclaration de {n} ?", "Le comptable de {n} remplit la déclaration.",
         "Que demande le fisc au comptable de {n} ?", "Le fisc demande les justificatifs de {n}.",
         "Où sont les justificatifs de {n} ?", "Les justificatifs de la déclaration de {n} sont au fisc."),
    ),
    "Spanish": (
        ("¿Dónde está el hotel de {n}?", "El hotel de {n} está en la playa.",
         "¿Cuándo salen los vuelos a {n}?", "Los vuelos del viaje a {n} salen a las siete.",
         "¿Cuánto cuesta el viaje a {n} con hotel?", "El viaje a {n} con vuelos y hotel cuesta 900 euros."),
        ("¿Por qué falla el servidor {n}?", "El disco del servidor {n} está lleno.",
         "¿Qué llena el disco de {n}?", "Los registros llenan el disco de {n}.",
         "¿Qué borramos del servidor {n}?", "Los registros del servidor {n} y la copia en el disco."),
    ),
    "English": (
        ("Why does the {n} lathe hum?", "The {n} lathe has a loose belt.",
         "Which belt fits?", "The narrow belt fits the {n} lathe.",
         "Who sells lathe belts for {n}?", "The shop in town has a belt for the {n} lathe."),
        ("How long does {n} focaccia rest?", "The {n} focaccia dough rests for two hours.",
         "Which flour is best for {n} dough?", "Soft flour is best for {n} focaccia dough.",
         "May the dough rest overnight?", "Yes, {n} focaccia dough may rest overnight."),
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", TALK)
def test_two_topics_told_in_turns_are_two_segments(db: apsw.Connection, language: str) -> None:
    one, two = ([text.format(n=of) for text in texts] for texts in TALK[language] for of in (name(),))
    told = [("user", each[i]) if i % 2 == 0 else ("assistant", each[i]) for k in range(3) for each in (one, two)
            for i in (2 * k, 2 * k + 1)]  # fmt: skip
    say(db, [*told, *(("user", f"{name()} {name()}") for _ in range(7))])

    found = [[turn.text for page in segment for turn in page.turns] for segment in Tiers(db, 1, "s").middle()]
    assert found == [one, two]
