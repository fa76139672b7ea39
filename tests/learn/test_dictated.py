"""What is dictated has no marks: a long turn is cut where it takes breath, and what it tells beside talk is held."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn.passages import sentences
from tests.learn.talk import QUEUE, exchanged, held


def test_speech_without_marks_is_cut_where_it_takes_breath() -> None:
    said = (
        "um yeah hello so the tests failed again i think that was the wifi here in the train but listen when you write "
        "a new endpoint it has to go through the gateway file first otherwise the firewall people block it and i get "
        "the call"
    )

    assert [each.text for each in sentences(said)] == [
        "um yeah hello",
        "so the tests failed again i think that was the wifi here in the train",
        "but listen when you write a new endpoint it has to go through the gateway file first",
        "otherwise the firewall people block it",
        "and i get the call",
    ]


@pytest.mark.parametrize(
    "said",
    [
        "the export for {} has the columns name street and the town and it goes out on mondays",
        "The export for {} is read by the bank, the tax office and the auditors, who get a copy of the list on paper, "
        "and it has the name, the street and the town of everybody who has paid, in this order and no other.",
    ],
)
def test_what_is_short_or_has_commas_is_cut_as_before(token: str, said: str) -> None:
    clauses = sentences(said.format(token))

    assert len(clauses) == said.count(", and it") + 1


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "so i've been wondering about the colours maybe i'm too picky but the blue of {0} is hash one four five c "
            "nine e and that goes on every button not the light one that's for the adverts only",
            "the blue of {0} is hash one four five c nine e",
        ),
        (
            "okay next one i don't know who wrote this but the sizes in {0} are in inches and we're in belgium so "
            "centimetres always everywhere also in the database and if somebody wants inches they can do the maths",
            "so centimetres always everywhere",
        ),
    ],
)
def test_a_doubt_in_another_clause_takes_nothing_away(
    db: apsw.Connection, tmp_path: Path, token: str, said: str, told: str
) -> None:
    exchanged(db, tmp_path, QUEUE, (said.format(token), f"Changed it in `{token}.css`, on all pages."))

    assert any(told.format(token) in each for each in held(db))
