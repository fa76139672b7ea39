"""How the agent is to answer is told where just that is asked of it, whatever the prompt is about."""

from __future__ import annotations

import apsw
import pytest

from agentmemory.recall.pipeline import block
from tests.recall.conftest import Ask, Teach


@pytest.mark.parametrize(
    ("wish", "prompt"),
    [
        ("when i ask how to do something, give me two options, one you'd take", "how could we cache the tariffs?"),
        ("if I ask for an approach, first the risks, then code", "how would you tackle a second warehouse?"),
        ("In reviews: the worst thing first, one comment a file", "go through Ravi's pull request"),
        ("Explain things to me with an example out of the shop", "what is an advisory lock and why do we use one?"),
        ("measurements i want as a table, before and after", "how much slower is the export since the upgrade?"),
        ("when i paste an error, the cause in one line and then what to type", "TypeError: cannot read 'rows' in x.ts"),
        ("when you're done with something show me the page and not the diff", "finish the login form"),
        ("if i ask what went wrong: what broke, since when", "why was the shop down this morning"),
    ],
)  # fmt: skip
def test_what_is_asked_finds_how_it_is_to_be_answered(
    db: apsw.Connection, teach: Teach, ask: Ask, clutter: None, wish: str, prompt: str
) -> None:
    teach(wish, kind="preference")

    assert wish.replace('"', "") in block(db, ask(prompt)).replace("’", "'")


@pytest.mark.parametrize(
    ("wish", "prompt"),
    [
        ("if I ask for an approach, first the risks, then code", "what is an advisory lock"),
        ("In reviews: the worst thing first, one comment a file", "translate this to german"),
        ("errors of the import go to the channel of the night shift", "TypeError: cannot read 'rows' in x.ts"),
        ("the manual explains the import with an example", "what is an advisory lock"),
    ],
)
def test_what_asks_something_else_does_not(
    db: apsw.Connection, teach: Teach, ask: Ask, clutter: None, wish: str, prompt: str
) -> None:
    teach(wish, kind="preference")

    assert wish not in block(db, ask(prompt))


def test_of_several_wishes_for_it_one_is_told(db: apsw.Connection, teach: Teach, ask: Ask, clutter: None) -> None:
    for each in ("in one line", "with an example", "without a formula"):
        teach(f"when you explain something to me do it {each}", kind="preference")

    assert block(db, ask("what is a hash ring")).count("when you explain") == 1
