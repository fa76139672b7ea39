"""A rule in quotation marks is somebody else's, and what one is "not that never" about is open: neither is held."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn.passages import sentences
from agentmemory.learn.rating import rate
from tests.learn.talk import QUEUE, exchanged, held

OTHERS = (
    'there is a page from 2018: "before signing always erase the chip by hand"',
    'the vendor sent me this about its interface: "the customer must set the interval to 5 seconds"',
    'Henrik, after he saw the bill: "delete everything from before 2015"',
    'somebody on the list has it that "comments are lies, delete every comment before review"',
    'the handbook on the share, page 14, still has "Always run the macro twice before committing"',
    'neulich im Forum: "man muss immer alles von Hand löschen"',
)
OWN = (
    'my rule is "never deploy on a friday"',
    'the policy is "always squash before a merge" here',
    'what we agreed on: "never touch the ledger by hand"',
    'the box must be labelled "never ask me again"',
    'I would prefer the section in front, as in "4.2 weights: require convergence"',
)
OPEN = (
    "it's not that we would never use spark, nobody has measured it",
    "its not like im never gonna do mods but dont hold your breath",
    "It is not that we will never take Kotlin",
)


@pytest.mark.parametrize("said", OPEN)
def test_what_is_not_ruled_out_is_undecided(said: str) -> None:
    assert "undecided" in rate(sentences(said)[0]).marks


@pytest.mark.parametrize("said", [*OTHERS, OPEN[1]])
def test_neither_is_held(db: apsw.Connection, tmp_path: Path, said: str) -> None:
    exchanged(db, tmp_path, QUEUE, (said, "All right, nothing changes."))

    assert said not in held(db)


@pytest.mark.parametrize("said", OWN)
def test_what_the_user_stands_by_is_held(db: apsw.Connection, tmp_path: Path, said: str) -> None:
    exchanged(db, tmp_path, QUEUE, (said, "Noted."))

    assert said in held(db)
