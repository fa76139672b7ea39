"""A rule that stands beside an order, in one sentence with it, is held; what goes on with the order is not."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn.passages import sentences
from agentmemory.learn.rating import rate
from tests.learn.talk import held, sat


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("add --json to {}, but this time without any, I never want any here", "Added; no `any` is left."),
        ("add the delete of {}, and this time soft delete, we never really delete rows", "It sets `deleted_at`."),
        ("please also add the audit of {}, every write needs one", "Added `audit.write()`."),
        ("ahora haz {}, pero con test, siempre quiero un test", "Hecho, con test."),
    ],
)
def test_a_rule_beside_an_order_is_held(db: apsw.Connection, tmp_path: Path, token: str, said: str, reply: str) -> None:
    sat(db, tmp_path, (said.format(token), reply))

    assert any(token in each for each in held(db))


@pytest.mark.parametrize(
    "said",
    [
        "add it, with a test for the empty case", "fix it, then run the tests", "do the same, but only the list page",
        "open the file, i always forget the path", "rename it, " * 60, "add it, every, each, never",
    ],
)  # fmt: skip
def test_what_goes_on_with_the_order_lays_nothing_down(said: str) -> None:
    assert rate(sentences(said)[0]).plain.startswith(said.split(",", 1)[0])
