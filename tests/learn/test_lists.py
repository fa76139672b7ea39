"""Lists that a statement announces are held with it, each item."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.store import listing
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


TAUGHT = (
    ("procedure", "release checklist:\nbump the version in pyproject.toml\nrun make {}\ntag vX.Y\npush the tag"),
    ("procedure", "here's how we release:\n- bump the version\n- run make {}\n- push the tag"),
    ("procedure", "to release:\n1. bump the version in pyproject.toml\n2. run make {}. Twice.\n3. push the tag"),
    ("procedure", "our plan for each deploy, steps:\ncheck the migrations\nrun ops/{}.sh\ntell #ops"),
    ("rule", "our conventions:\n* snake_case for files\n* no default exports\n* imports of {} come last"),
    ("fact", "our ports:\n- api 8080\n- web 3000\n- {} 5432"),
)
LONG = "checklist for a release:\n" + "".join(
    f"- look at item number {i} of the long list, then {{}}\n" for i in range(14)
)


@pytest.mark.parametrize("reply", ["Understood, done.", "I read it all. Anything else?"])
@pytest.mark.parametrize(("kind", "said"), [*TAUGHT, ("procedure", LONG)])
def test_a_list_of_what_is_done_each_time_is_held_whole(
    db: apsw.Connection, tmp_path: Path, token: str, kind: str, said: str, reply: str
) -> None:
    said = said.format(*[token] * 14)

    play(db, tmp_path, "hi", said, reply=reply)

    assert [(b["kind"], b["text"]) for b in listing.export(db)] == [(kind, " ".join(said.split()))]


PASSING = (
    "steps to reproduce:\n1. open the page of {}\n2. click save",
    "next steps:\n- write the docs of {}\n- call Ana",
    "todo:\n- fix the login of {}\n- call Ana",
    "the log says:\n- connection to {} refused\n- retrying",
    "steps for tomorrow:\n- seed {}\n- open the page",
    "our checklist fails today:\n- {} is red\n- the tag is missing",
)


@pytest.mark.parametrize("said", PASSING)
def test_a_list_of_the_moment_is_not(db: apsw.Connection, tmp_path: Path, token: str, said: str) -> None:
    play(db, tmp_path, "hi", said.format(token))

    assert held(db) == []


def test_a_list_of_what_is_to_be_done_now_is_not_held(db: apsw.Connection, tmp_path: Path, token: str) -> None:
    play(db, tmp_path, f"fix these please:\n- the header of {token}\n- the broken footer\n- two typos")

    assert held(db) == []
