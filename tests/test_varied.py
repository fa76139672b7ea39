"""The same talk told in other ways: nothing that is told may get lost on the way."""

from __future__ import annotations

import json

import pytest

from experiments import varied
from experiments.regression import WORLDS

WORLD = json.loads(WORLDS[0].read_text("utf-8"))


def said(world: varied.World) -> str:
    """All that the user says, in lower case and with straight quotation marks."""
    text = "\n".join(turn["text"] for turn in varied.turns(world, "user")).lower()
    return text.replace("’", "'").replace("“", '"').replace("”", '"')


@pytest.mark.parametrize("name", varied.VARIATIONS)
def test_a_variation_keeps_what_is_told(name: str) -> None:
    keys = [key.lower() for fact in WORLD["facts"] for key in fact["key"] if key.lower() in said(WORLD)]
    told = varied.varied(WORLD, name)
    lost = [key for key in keys if key not in said(told)]

    assert len(lost) <= len(keys) / 20  # where a key is a piece of a sentence with its stop
    assert (told == WORLD) == (name == "as it is")
    assert [probe["needs"] for probe in told["probes"]] == [probe["needs"] for probe in WORLD["probes"]]


def test_a_variation_is_the_same_each_time() -> None:
    assert varied.varied(WORLD, "logs pasted") == varied.varied(WORLD, "logs pasted")


def test_code_stays_as_it_was_typed() -> None:
    assert varied.beside_code(varied.lower, "Use `makeId()` There\n```\nX = 1\n```\nOk") == (
        "use `makeId()` there\n```\nX = 1\n```\nok"
    )
