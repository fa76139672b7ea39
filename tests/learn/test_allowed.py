"""What the user asks to be asked for, and what may be done without asking from now on, is held in four languages."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from tests.learn.talk import held, sat


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("you can push {} without asking now", "OK, I push without asking."),
        ("you may commit {} by yourself", "OK."),
        ("ya puedes subir {} sin preguntar", "De acuerdo."),
        ("tu peux pousser {} sans demander maintenant", "D'accord, je pousse sans demander."),
        ("du darfst {} jetzt ohne Rückfrage pushen", "OK, ohne Rückfrage."),
        ("pregúntame antes de borrar {}", "Preguntaré antes."),
        ("frag mich bevor du {} pushst", "Mach ich."),
        ("demande-moi avant de pousser {}", "D'accord."),
    ],
)
def test_what_is_to_be_asked_and_what_is_not_is_held(
    db: apsw.Connection, tmp_path: Path, token: str, said: str, reply: str
) -> None:
    sat(db, tmp_path, (said.format(token), reply))

    assert said.format(token) in held(db)


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("you can push {} now", "Pushed."), ("puedes subir {}", "Subido."), ("tu peux pousser {} maintenant", "Fait."),
        ("du kannst {} jetzt pushen", "Gepusht."), ("can you do {} without asking?", "Yes."),
    ],
)  # fmt: skip
def test_what_may_be_done_at_once_is_not(
    db: apsw.Connection, tmp_path: Path, token: str, said: str, reply: str
) -> None:  # fmt: skip
    sat(db, tmp_path, (said.format(token), reply))

    assert not any(token in each for each in held(db))
