"""Which turns are one topic, where they are said again word for word, in other languages, or share a word by chance."""

from __future__ import annotations

import random

import apsw
import pytest

from agentmemory.sleep import clusters
from agentmemory.sleep.night import sleep
from agentmemory.store import beliefs, summaries
from agentmemory.text import content
from tests.sleep.talk import NOW, name, say, shuffled, topic


def told_apart(db: apsw.Connection, said: list[tuple[str, int]]) -> list[list[str]]:
    """The texts of each summary after a night, of turns told by `(text, group)`."""
    ids = say(db, [text for text, _ in said])
    sleep(db, NOW)
    texts = dict(zip(ids, (text for text, _ in said)))
    return sorted(sorted(texts[t] for t in summaries.turns_of(db, s.id)) for s in summaries.live(db, [1]))


@pytest.mark.parametrize("sentences", [3, 4, 5])
@pytest.mark.parametrize("kind", ["pool", "page", "trip", "bread"])
def test_a_topic_that_comes_back_word_for_word_before_a_night_is_one_topic(
    db: apsw.Connection, kind: str, sentences: int
) -> None:
    said = topic(kind)[:sentences]
    for session in range(3):
        say(db, said, key=f"s{session}")
    sleep(db, NOW)
    (summary,) = summaries.live(db, [1])
    assert beliefs.get(db, summary.id).level == 2
    assert len(summaries.turns_of(db, summary.id)) == 3 * sentences


def test_one_sentence_is_a_topic_when_it_is_said_three_times() -> None:
    once, other = content("the walrus cluster drops packets"), content("lunch is late today again, says Otto")
    df = dict.fromkeys([*once, *other], 1)
    assert clusters.topics([once, other, once, once], df, 4) == [0, -1, 0, 0]
    assert clusters.topics([once, other, once], df, 3) == [-1, -1, -1]


IN_OTHER_LANGUAGES = {
    "German": (
        ("Der Motor vom {n} springt morgens nicht an", "Die Bremsen am {n} quietschen in der Kurve",
         "die Werkstatt tauscht die Bremsen vom {n}", "der Motor vom {n} verliert Öl in der Werkstatt",
         "Winterreifen für den {n} liegen in der Werkstatt", "das Öl für den Motor vom {n} steht in der Garage"),
        ("Die Klasse von {n} schreibt eine Arbeit in Mathe", "die Lehrerin lobt {n} vor der Klasse",
         "{n} hat in der Arbeit in Mathe eine Zwei", "der Elternabend der Klasse von {n} ist im Mai",
         "die Lehrerin der Klasse von {n} ist krank", "Nachhilfe in Mathe für {n} gibt die Lehrerin"),
    ),
    "French": (
        ("les tomates de {n} ont besoin d'eau le soir", "les limaces mangent la salade de {n}",
         "la serre de {n} garde les tomates au chaud", "la salade de {n} pousse dans la serre",
         "arroser la serre de {n} deux fois", "les tomates et la salade de {n} sont mûres"),
        ("la déclaration d'impôts de {n} est due en mai", "le fisc demande les justificatifs de {n}",
         "le comptable de {n} remplit la déclaration", "le comptable de {n} écrit au fisc",
         "les justificatifs de la déclaration de {n} sont là", "les impôts de {n} vont au fisc"),
    ),
    "Spanish": (
        ("los tomates de {n} necesitan agua por la tarde", "los caracoles comen la lechuga de {n}",
         "el invernadero de {n} guarda los tomates", "la lechuga de {n} crece en el invernadero",
         "regar el invernadero de {n} en agosto", "los tomates y la lechuga de {n} son para el lunes"),
        ("el servidor {n} no tiene espacio en el disco", "los registros llenan el disco de {n}",
         "la copia del servidor {n} corre por la noche", "la copia de los registros de {n} ha fallado",
         "borrar los registros del servidor {n}", "vigilar el espacio en el disco de {n}"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", IN_OTHER_LANGUAGES)
def test_words_of_structure_hold_no_topic_together_in_any_language(db: apsw.Connection, language: str) -> None:
    one, two = ([text.format(n=of) for text in texts] for texts in IN_OTHER_LANGUAGES[language] for of in (name(),))
    assert told_apart(db, shuffled(one, two, seed=random.randrange(99))) == sorted([sorted(one), sorted(two)])


@pytest.mark.parametrize("chance", ["The summer choir sang in Ulm", "A burned letter lay below the floor"])
def test_a_turn_that_shares_a_single_word_with_one_or_two_others_is_of_no_topic(
    db: apsw.Connection, chance: str
) -> None:
    trip, bread = topic("trip"), topic("bread")
    assert told_apart(db, shuffled(trip, bread, [chance], seed=random.randrange(99))) == sorted(
        [sorted(trip), sorted(bread)]
    )


def test_what_a_word_of_chance_held_is_no_topic_of_two() -> None:
    texts = [["a1", "b1"], ["b1", "c1"], ["c1", "d1"], ["x1", "y1"]]
    assert clusters.bound(texts, [0, 0, 0, -1]) == [-1, -1, -1, -1]
    assert clusters.bound([*texts, ["b1", "c1"], ["b1", "c1"]], [1, 1, 1, -1, 1, 1]) == [0, 0, 0, -1, 0, 0]
