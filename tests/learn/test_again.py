"""Who says that the agent does something again and again is heard; who says that something fails again is at work."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from tests.learn.talk import held, sat


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("you forgot the {} again", "Added it."),
        ("you always forget the {} translations", "Added them to both files."),
        ("no comments in {}", "Removed all comments."),
        ("you keep adding {}, the linter fails on them", "Removed them."),
        ("goddammit no {} files", "Deleted `index.ts`, imports are direct now."),
        ("joder, otra vez se te olvidó la traducción de {}", "Añadida la traducción."),
        ("tu as encore oublié le test de {}", "J'ai ajouté le test."),
        ("du hast schon wieder die Doku von {} vergessen", "Doku ergänzt."),
    ],
)
def test_what_the_agent_does_again_and_again_is_held(
    db: apsw.Connection, tmp_path: Path, token: str, said: str, reply: str
) -> None:
    sat(db, tmp_path, (said.format(token), reply))

    assert any(token in each for each in held(db))


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("ffs {} is still broken, same error", "It was the cache. Passes now."),
        ("damn, the test of {} fails again", "The clock. Fixed."),
        ("you broke {} again, the list is empty", "The filter was inverted. Fixed."),
        ("you forgot the bracket in {}", "Added it."),
    ],
)
def test_what_fails_again_is_not(db: apsw.Connection, tmp_path: Path, token: str, said: str, reply: str) -> None:
    sat(db, tmp_path, (said.format(token), reply))

    assert not any(token in each for each in held(db))
