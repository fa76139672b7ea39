"""A young store: its first block does not tell all that it holds."""

from __future__ import annotations

import apsw
import pytest

from agentmemory.recall.pipeline import recall
from tests.recall.conftest import Ask, Teach

HELD = (
    ("errors are wrapped with percent w", "rule"),
    ("the canary gets 25% since this morning", "fact"),
    ("logs hold only the last four digits of an iban", "rule"),
    ("page marta when the ledger is out of balance", "rule"),
    ("refunds are done by the stripe webhook", "fact"),
)


@pytest.fixture
def young(teach: Teach) -> None:
    for i, (text, kind) in enumerate(HELD):
        teach(text, kind, days=40.0 + i)


@pytest.mark.usefixtures("young")
def test_what_shares_nothing_with_the_prompt_and_is_hardly_needed_is_not_told(db: apsw.Connection, ask: Ask) -> None:
    told = [hit.row.text for hit in recall(db, ask("how much of our traffic does the canary get?"))]

    assert HELD[1][0] in told and not {HELD[3][0], HELD[4][0]} & set(told)


def test_where_there_is_not_room_for_all_the_likeliest_are_chosen_as_ever(
    db: apsw.Connection, teach: Teach, ask: Ask
) -> None:
    for i in range(30):
        teach(f"shelf {i} of the archive holds maps of district {i}, in rolls that nobody may bend", days=40.0)
    teach("the canary gets 25% since this morning", days=40.0)

    assert len(recall(db, ask("how much of our traffic does the canary get?"))) > 5
