"""A question that is quoted in a statement neither ends it nor makes a question of it; who wonders is who says so."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn.passages import sentences
from tests.learn.talk import QUEUE, exchanged, held


@pytest.mark.parametrize(
    "said",
    [
        'on buttons of {} we write the verb only, Kim had "save it now!" all over the place, never again',
        "l'interface de {} vouvoie, tout le temps, quelqu'un avait mis « t'es sûr ? » partout",
        'die App {} siezt, immer, irgendwer hatte "bist du sicher?" auf alle Knöpfe geschrieben',
        'en los avisos de {} nunca se tutea, Bea había puesto "¿seguro?" en todos',
        "the ids of {} are ulids, in case you wonder why they're so long",
    ],
)
def test_what_quotes_a_question_is_held_whole(db: apsw.Connection, tmp_path: Path, token: str, said: str) -> None:
    exchanged(db, tmp_path, QUEUE, (said.format(token), "Changed it on all seven pages."))

    assert said.format(token) in held(db)


@pytest.mark.parametrize(
    "said",
    [
        'should the button of {} say "sure?" or "really?"',
        "on devrait mettre « t'es sûr ? » ou « vraiment ? » dans {} ?",
        "I was wondering about always using ulids for the ids of {}",
        "we're wondering if exports of {} should always go through mailbeam",
    ],
)
def test_what_is_asked_or_wondered_is_not(db: apsw.Connection, tmp_path: Path, token: str, said: str) -> None:
    exchanged(db, tmp_path, QUEUE, (said.format(token), "Possible."))

    assert not [each for each in held(db) if token in each]


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ('He said "stop." Then we left.', ['He said "stop."', "Then we left."]),
        ('He asked "why?" Because of the tests.', ['He asked "why?"', "Because of the tests."]),
        ("Il a dit « non ! » Donc on attend.", ["Il a dit « non ! »", "Donc on attend."]),
        ("Really (is it?) and so on. Yes.", ["Really (is it?) and so on.", "Yes."]),
    ],
)
def test_a_quotation_at_the_end_of_a_sentence_ends_it(text: str, cut: list[str]) -> None:
    assert [each.text for each in sentences(text)] == cut
