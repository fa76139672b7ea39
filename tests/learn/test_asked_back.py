"""What a short question to the agent about its doing is of belongs to the correction that answers it."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn import neighbours
from agentmemory.learn.passages import sentences
from agentmemory.learn.rating import rate
from tests.learn.talk import held, sat


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("null=True on {}, really? We don't do that, empty string default", "Changed to `default=''`."),
        ("since when do we put {} in the controller? that goes to the repository", "Moved to the repository."),
        ("did you really just force push {}? don't ever do that", "I won't force push again."),
        ("seriously, {}? we have our own client in lib/http", "Using `lib/http`."),
        ("¿un {}? aquí no se usa nunca", "Quitado."),
        ("who told you to use {}? date-fns, always", "date-fns now."),
    ],
)
def test_the_question_is_held_with_the_correction(
    db: apsw.Connection, tmp_path: Path, token: str, said: str, reply: str
) -> None:
    sat(db, tmp_path, (said.format(token), reply))

    assert said.format(token) in held(db)


@pytest.mark.parametrize(
    "said",
    [
        "can you check the logs? we never run it on fridays", "what is the timeout? it should be 3 s",
        "which port? 8443, always", "is it done? then push it", "the footer too? make it blue", "ready? go",
        "a default export?", "we never use it. a default export?", "and the tests? did you run them?", "ok? fine",
        "the second copy? goes to the archive", "Sebastian? he counts on friday",
    ],
)  # fmt: skip
def test_a_question_that_asks_is_none(said: str) -> None:
    assert not neighbours.asks_back([rate(each) for each in sentences(said)])
