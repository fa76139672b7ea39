"""Is a prompt about the user's own work? Its form and what the store knows of it say so."""

from __future__ import annotations

import json
from pathlib import Path

import apsw
import pytest

from agentmemory.recall import ours
from agentmemory.recall.pipeline import block, brought
from experiments import ours_fit
from tests.recall.conftest import Ask, Teach

ANYBODY = [json.loads(line)["prompt"] for line in Path("tests/data/anybody.jsonl").read_text("utf-8").splitlines()]


def bits(db: apsw.Connection, ask: Ask, prompt: str) -> float:
    query = ask(prompt)
    return ours.bits(query, brought(db, query))


@pytest.mark.parametrize(
    ("ours_", "anybodys"),
    [
        ("what was our reason to keep the exporter out of the release?", "what is a good reason to keep an exporter?"),
        ("fix src/export/run.py so that it stops at the first error", "write a script that stops at an error"),
        ("which branch do i cut the release from?", "how do i cut a branch in git"),
    ],
)
def test_the_form_of_a_prompt_tells_whose_work_it_is_about(
    db: apsw.Connection, ask: Ask, ours_: str, anybodys: str
) -> None:
    assert bits(db, ask, ours_) > bits(db, ask, anybodys)


def test_what_is_asked_in_general_is_a_lecture(ask: Ask) -> None:
    ours_, general = (ask(f"nats: core versus jetstream, {end}") for end in ("in our intake", "in general"))

    assert ours.features(ours_, [])["lecture"] == 0.0
    assert ours.features(general, [])["lecture"] == 1.0


def test_what_the_store_knows_of_it_makes_a_prompt_ours(
    db: apsw.Connection, teach: Teach, ask: Ask, token: str
) -> None:
    prompt = f"explain the {token} exporter"
    before = bits(db, ask, prompt)
    teach(f"the {token} exporter writes parquet")

    assert bits(db, ask, prompt) > before


def test_most_of_what_anybody_asks_gets_silence(db: apsw.Connection, teach: Teach, ask: Ask) -> None:
    teach("the exporter writes parquet into the bucket of the plant")
    teach("never push on fridays", kind="rule")
    answered = [prompt for prompt in ANYBODY if block(db, ask(prompt))]

    assert len(answered) < 0.3 * len(ANYBODY)


@pytest.mark.parametrize("prompt", ["", "?", "...", "\x00", "ü", '"' * 9, "`" * 3, "a" * 10_000])
def test_odd_prompts_do_no_harm(db: apsw.Connection, teach: Teach, ask: Ask, prompt: str) -> None:
    teach("the exporter writes parquet")

    assert abs(bits(db, ask, prompt)) < 1_000.0


def test_the_middle_of_a_long_paste_is_not_read(db: apsw.Connection, ask: Ask) -> None:
    head, tail = "why does our exporter stop here?\n" + "x " * 3_000, "y " * 2_000
    one, other = head + "# A `b` (c) " * 90_000 + tail, head + "nothing " * 120_000 + tail

    assert bits(db, ask, one) == bits(db, ask, other)


def test_a_name_that_the_prompts_of_a_few_worlds_say_gets_no_weight() -> None:
    def asked(world: int, number: int, *words: str, what: str = "needs") -> ours_fit.Asked:
        return ours_fit.Asked(f"w{world}", f"{world} {number}", what, 0, {f"word {each}": 1.0 for each in words})

    few, many = ours_fit.SPREAD - 1, ours_fit.SPREAD
    rows = [asked(world, n, "tomasz") for world in range(few) for n in range(5)]
    rows += [asked(world, n, "migrate") for world in range(100, 100 + many) for n in range(5)]
    rows += [asked(200, n, "sonnet", what="anybody") for n in range(ours_fit.OFTEN)]
    rows += [asked(world, 0, "rare") for world in range(300, 300 + ours_fit.OFTEN - 1)]
    rows += [rows[0]._replace(found={"files": 1.0})]

    assert ours_fit.weighed(rows) == ["files", "word migrate", "word sonnet"]


@pytest.mark.parametrize("prompt", ["what is the capital of mongolia", "what does a mutex do", "how does a diode work"])
def test_how_a_question_begins_speaks_for_nothing_that_is_held(
    db: apsw.Connection, teach: Teach, ask: Ask, clutter: None, prompt: str
) -> None:
    teach("from now on every module needs an example folder", "rule")
    teach("staging is kita-test.example.de, the key is deploy_ed25519")

    assert not brought(db, ask(prompt)) and block(db, ask(prompt)) == ""


@pytest.mark.parametrize("prompt", [
    "what is semver", "whats semver?", "What does semver mean?", "explain semver", "what does semver stand for?",
    "what is the full form of semver", "tell me, what does semver mean again?",
])  # fmt: skip
def test_who_asks_what_a_word_means_gets_a_hint_at_most(
    db: apsw.Connection, teach: Teach, ask: Ask, clutter: None, prompt: str
) -> None:
    for each in ("releases", "tags", "the sdk", "the charts", "the plugins", "the images"):
        teach(f"{each} follow semver, with a changelog entry for each of them and a note to the people who use it")

    assert bits(db, ask, prompt) <= ours.OF_A_WORD
    assert block(db, ask(prompt)).count("\n- ") <= 1 < block(db, ask("how do we apply semver?")).count("\n- ")
