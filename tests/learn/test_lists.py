"""Lists that a statement announces are held with it, each item."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from tests.learn.talk import held, play

LISTS = (
    "every pull request needs these, always:\n- a changelog line\n- a test\n- screenshots of {}",
    "before every release we always do these:\n1. run the smoke suite\n2. tag {}\n3. Ana's ok",
    "please never do these:\n* push to {}\n* edit generated files\n* add dependencies without asking",
)


@pytest.mark.parametrize("said", LISTS)
def test_a_list_is_held_with_each_of_its_items(db: apsw.Connection, tmp_path: Path, token: str, said: str) -> None:
    said = said.format(token)

    play(db, tmp_path, f"{said}\n\ncan you fix the footer?")

    assert held(db) == [" ".join(said.split())]


def test_a_list_of_what_is_to_be_done_now_is_not_held(db: apsw.Connection, tmp_path: Path, token: str) -> None:
    play(db, tmp_path, f"fix these please:\n- the header of {token}\n- the broken footer\n- two typos")

    assert held(db) == []
