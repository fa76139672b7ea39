"""Two or three words that say anew what one field of several is take its place, where the answer understood them so."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from tests.learn.talk import exchanged, held

DAY = 86_400
BEFORE = (("shop backend in kotlin, small team", "OK."), ("invoices are rendered with typst", "OK."))


def _told(db: apsw.Connection, folder: Path, first: str, then: str, answer: str) -> None:
    exchanged(db, folder, *BEFORE, (first, "OK."))
    exchanged(db, folder, (then, answer), at=9 * DAY)


@pytest.mark.parametrize(
    ("first", "then", "answer", "left"),
    [
        ("colors: primary teal, accent orange", "accent coral", "The accent is coral.", "colors: primary teal"),
        ("stack: api ktor, ui svelte, db postgres", "ui solid", "UI is Solid then.", "stack: api ktor, db postgres"),
        ("rooms: yoga A1, pilates B2", "pilates C3", "Pilates is in C3.", "rooms: yoga A1"),
        ("lr 1e-4 wd 0.01", "wd 0.1", "wd=0.1.", "lr 1e-4"),
        ("couleurs: fond bleu, accent orange", "accent corail", "L'accent est corail.", "couleurs: fond bleu"),
        ("colores: primario azul, acento naranja", "acento coral", "El acento es coral.", "colores: primario azul"),
        ("farben: primär petrol, akzent orange", "akzent koralle", "Akzent ist Koralle.", "farben: primär petrol"),
    ],
)  # fmt: skip
def test_a_field_told_anew_takes_its_place_and_the_others_stay(
    db: apsw.Connection, tmp_path: Path, first: str, then: str, answer: str, left: str
) -> None:
    _told(db, tmp_path, first, then, answer)

    assert first not in held(db) and {then, left} <= set(held(db))


@pytest.mark.parametrize(
    ("first", "then", "answer"),
    [
        ("colors: primary teal, accent orange", "accent borders", "Added accent borders to the cards."),
        ("stack: api ktor, ui svelte, db postgres", "api docs", "The api docs are in docs/api.md."),
        ("rooms: yoga A1, pilates B2", "zumba C3", "Zumba is in C3."),
        ("team: backend Nora, frontend Tim", "backend tests", "41 passed."),
        ("fonts: headings lora, body inter", "headings smaller", "Reduced the heading sizes."),
    ],
)
def test_an_order_or_another_field_leaves_them(
    db: apsw.Connection, tmp_path: Path, first: str, then: str, answer: str
) -> None:
    _told(db, tmp_path, first, then, answer)

    assert first in held(db)
