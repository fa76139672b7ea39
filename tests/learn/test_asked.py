"""The agent asks whether something is as it was told, and the answer gives another value for all cases: the older one
gives way. An answer for this time only leaves it."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from tests.learn.talk import SHOP, held, told

OLD, QUESTION = "textures are exported as png", "PNG like the other textures?"


@pytest.mark.parametrize(
    ("answer", "state"),
    [("webp, we export all textures as webp", "superseded"), ("webp for this one", "active")],
)
def test_the_answer_gives_another_value_for_all_cases_or_for_this_one(
    db: apsw.Connection, tmp_path: Path, answer: str, state: str
) -> None:
    told(
        db, tmp_path, SHOP, [(OLD, f"Set: {OLD}.")],
        [("export the new rocks", QUESTION), (answer, "Exported as WebP.")],
    )  # fmt: skip

    assert OLD in held(db, state)
