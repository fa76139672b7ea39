"""An order under a condition of the work's own is meant for each time; a wish, a thought and the next step are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentmemory.learn import answered, conditional, rating
from agentmemory.learn.passages import sentences
from agentmemory.store import writer
from tests.learn.talk import SHOP, held, told

ORDERS = (
    "if the backup job times out page Olek",
    "in case of a merge conflict in the lockfile regenerate it",
    "should the nightly export fail, mail ops before retrying",
    "if pip complains about hashes rerun make lock",
    "wenn der import abbricht erst das lock löschen",
    "wenn ein kunde storniert geht die mail an jana",
    "si el disco está lleno borrar los logs viejos",
    "si la CI casse on bloque les merges",
)
OTHERS = (
    "if we ever move to k8s we could drop the cron box",
    "if you want you can rename the module",
    "if the test passes now, push it",
    "if that works, commit",
    "if it still fails show me the log",
    "if the build is green again merge the branch",
    "what if the cache goes away",
    "if the first approach fails take the second",
    "if nothing helps restart the router",
    "should the nightly export mail ops",
    "wenn du magst kannst du das noch umbenennen",
    "maybe if the parser was faster we could do it live",
)


def standing(text: str) -> bool:
    return conditional.standing(rating.rate(sentences(text)[0]))


@pytest.mark.parametrize("text", ORDERS)
def test_what_to_do_when_something_happens_is_an_order_that_stands(text: str) -> None:
    assert standing(text)


@pytest.mark.parametrize("text", OTHERS)
def test_what_is_imagined_wished_or_goes_on_with_the_work_is_none(text: str) -> None:
    assert not standing(text)


@pytest.mark.parametrize("text", ORDERS)
def test_such_an_order_is_held_where_the_agent_will_do_so_and_heard_where_it_takes_note(
    tmp_path: Path, text: str
) -> None:
    for name, reply in (("one", "Understood, I'll do that."), ("two", "OK.")):
        db = writer.open_store(str(tmp_path / name))
        told(db, tmp_path, SHOP, [(text, reply)])

        assert text in (held(db) if name == "one" else held(db) + held(db, "heard"))


def test_it_is_not_where_the_agent_tells_what_it_did(tmp_path: Path) -> None:
    db = writer.open_store(str(tmp_path / "home"))
    told(db, tmp_path, SHOP, [("if pip complains about hashes rerun make lock", "Reran it.")])

    assert len(held(db) + held(db, "heard")) == 2


def test_an_answer_says_that_it_will_be_done_in_any_tongue() -> None:
    assert all(map(answered.will_do, ("OK, I'll do that.", "Wird gemacht.", "Lo haré.", "Je le ferai.")))
    assert not any(map(answered.will_do, ("OK.", "Done, it ran.", "")))
