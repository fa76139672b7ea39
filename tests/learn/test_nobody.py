"""What nobody does is forbidden, in four languages; what nobody knows, likes or gets is not."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from tests.learn.talk import QUEUE, exchanged, held


@pytest.mark.parametrize(
    "said",
    [
        "nobody pushes to {} without a second pair of eyes",
        "nobody commands the arm {} over wifi, cable or nothing",
        "nobody writes to /srv/{} by hand",
        "niemand spielt am Freitag etwas in {} ein",
        "personne ne touche aux tarifs de {} sans Odile",
        "nadie sube nada a {} sin Remedios",
    ],
)
def test_what_nobody_does_is_a_rule(db: apsw.Connection, tmp_path: Path, token: str, said: str) -> None:
    exchanged(db, tmp_path, QUEUE, (said.format(token), "Protected it so that it asks."))

    assert said.format(token) in held(db)


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("nobody knows why the build of {} is red", "The cache is stale."),
        ("nobody can log in to {} since this morning", "The certificate ran out."),
        ("nobody answered my mail about {}", "I could write again."),
        ("personne ne reçoit les mails de {}", "La file est bloquée."),
        ("niemand kann sich bei {} anmelden", "Das Zertifikat ist abgelaufen."),
        ("nadie contesta en {}", "Puedo escribirles."),
    ],
)
def test_what_nobody_knows_is_none(db: apsw.Connection, tmp_path: Path, token: str, said: str, answer: str) -> None:
    exchanged(db, tmp_path, QUEUE, (said.format(token), answer))

    assert not [each for each in held(db) if token in each]
