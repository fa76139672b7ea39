"""The agent asks whether something is as it was told, and the answer gives another value for all cases: the older one
gives way. An answer for this time only, or of another thing, leaves it."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn import asked
from tests.learn.talk import SHOP, held, told

OTHERWISE = (
    ("textures are exported as png", "PNG like the other textures?", "webp, we export all textures as webp"),
    (
        "terraform state is in tf-state-eu",
        "Does the state still live in tf-state-eu?",
        "not anymore, in terraform cloud",
    ),
    ("exports go to the nas", "Shall I put the export on the nas?", "no, exports always go to s3 now"),
    ("dates in exports are dd.mm.yyyy", "Dates as dd.mm.yyyy?", "iso everywhere now"),
    ("mails are sent from noreply@acme.test", "From noreply@acme.test?", "hello@acme.test for all mails"),
)
AS_IT_WAS = (
    ("textures are exported as png", "PNG like the other textures?", "webp for this one"),
    ("textures are exported as png", "PNG like the other textures?", "yes, all textures as png"),
    ("textures are exported as png", "Which folder do textures go to?", "all textures go to assets"),
    ("the staging key is in vault", "Shall I use the staging key?", "no, the prod key for all uploads"),
    ("the api runs in prod", "Deploy it to prod?", "staging first, always"),
    ("dates in exports are dd.mm.yyyy", "Dates as dd.mm.yyyy?", "would iso everywhere be better?"),
)


@pytest.mark.parametrize(("old", "question", "answer"), OTHERWISE)
def test_the_answer_gives_another_value(old: str, question: str, answer: str) -> None:
    assert asked.otherwise(answer, question, old)


@pytest.mark.parametrize(("old", "question", "answer"), AS_IT_WAS)
def test_the_answer_leaves_it_as_it_was(old: str, question: str, answer: str) -> None:
    assert not asked.otherwise(answer, question, old)


def test_what_the_question_takes_for_known_gives_way_to_the_answer(db: apsw.Connection, tmp_path: Path) -> None:
    old, question, answer = OTHERWISE[0]
    told(
        db, tmp_path, SHOP, [(old, f"Set: {old}.")],
        [("export the new rocks", question), (answer, "Exported as WebP; all textures are WebP now.")],
    )  # fmt: skip

    assert old in held(db, "superseded")


def test_the_question_is_the_last_that_is_asked() -> None:
    assert asked.question("The state moved? I looked. Does it live in tf-state-eu?") == "Does it live in tf-state-eu?"
    assert asked.question("Shall I? I did it.") == ""
