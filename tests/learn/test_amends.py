"""What begins with the news that something settled is otherwise now announces a change, in four languages."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn.stated import announces
from tests.learn.talk import held, taken_up

AMENDED = (
    ("passwords need 8 characters at least", "an update on passwords: 12 characters at least"),
    ("invoice numbers are yyyy-nnnn", "I have to amend something I told you. Invoice numbers are yy/nnnnn."),
    ("les mots de passe font 8 caractères minimum", "mise à jour : les mots de passe font 12 caractères minimum"),
    ("las copias se guardan 30 días", "un cambio en las copias: se guardan 10 días"),
    ("die anmeldung läuft nach 30 minuten ab", "kleine änderung bei der anmeldung: sie läuft nach 10 minuten ab"),
)
ANNOUNCED = (
    "two updates to what we settled: refunds within 60 days, answers within a day",
    "change of plan for the maintenance window: sunday 04:00",
    "quick correction on the limits, uploads may be 2 GB",
    "zwei änderungen: rechnungen am 5., mahnungen am 20.",
    "petite correction sur les délais, 5 jours",
    "dos correcciones: el puerto es 9090",
)
NOTHING_NEW = (
    "changes to the schema need a migration",
    "updates go out on fridays",
    "corrections are made in red, always",
    "the update of the index takes 5 minutes",
    "change log entries are written by Mo",
)


@pytest.mark.parametrize(("old", "new"), AMENDED)
def test_an_amendment_replaces_what_it_amends(db: apsw.Connection, tmp_path: Path, old: str, new: str) -> None:
    taken_up(db, tmp_path, old, new)

    assert old in held(db, "superseded")


@pytest.mark.parametrize("text", ANNOUNCED)
def test_it_announces_a_change(text: str) -> None:
    assert announces(text)


@pytest.mark.parametrize("text", NOTHING_NEW)
def test_what_is_said_of_changes_announces_none(text: str) -> None:
    assert not announces(text)
