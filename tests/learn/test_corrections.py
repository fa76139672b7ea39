"""Whether a turn puts right what the assistant did: the turns that the weights were fitted to, and single ones."""

from __future__ import annotations

import json

import pytest

from agentmemory.learn import rightings
from agentmemory.learn.candidates import candidates, read
from agentmemory.values import Utterance
from tests.conftest import REPOSITORY

ROWS = [json.loads(line) for line in (REPOSITORY / "tests/data/corrections_dev.jsonl").read_text().splitlines()]


def heard(user: str, previous: str) -> list[str]:
    return [c.text for c in candidates(Utterance(0, "user", user, 1.0), (("assistant", previous),))]


def test_the_labelled_turns_are_heard_as_they_were_meant() -> None:
    kept = [bool(heard(row["user"], row["previous_assistant"])) for row in ROWS]
    right = sum(k and row["correction"] for k, row in zip(kept, ROWS))

    assert right / sum(kept) >= 0.93
    assert right / sum(row["correction"] for row in ROWS) >= 0.94


def test_turns_of_a_hand_that_nothing_was_fitted_to_are_heard() -> None:
    rows = [json.loads(line) for line in (REPOSITORY / "tests/data/corrections_aside.jsonl").read_text().splitlines()]
    kept = [bool(heard(row["user"], row["previous_assistant"])) for row in rows]
    right = sum(k and row["correction"] for k, row in zip(kept, rows))

    assert right / sum(kept) >= 0.90
    assert right / sum(row["correction"] for row in rows) >= 0.85


def test_every_pattern_has_a_weight_and_every_weight_is_of_a_feature() -> None:
    features = set()
    for row in ROWS:
        found = read(Utterance(0, "user", row["user"], 1.0), (("assistant", row["previous_assistant"]),))
        if found is not None:
            features |= set(rightings.features(row["user"], row["previous_assistant"], found.rated, found.kept))

    assert {name for name in features if " " not in name} <= set(rightings.WEIGHTS)
    assert {name for name in rightings.WEIGHTS if not name.startswith(("kinds ", "words "))} <= features


@pytest.mark.parametrize(
    ("previous", "user"),
    [
        ("I closed the ticket.", "tickets get closed by QA, not by us"),
        ("I deployed with the `latest` tag.", "images are pinned by digest here"),
        ("I've put the helper into utils.", "helpers live in lib/ in this repo, utils is being dissolved"),
        ("I wrote the tests as classes.", "we're a pytest shop, plain functions and fixtures"),
    ],
)
def test_a_correction_needs_no_no(previous: str, user: str) -> None:
    assert heard(user, previous)


@pytest.mark.parametrize(
    ("previous", "user"),
    [
        ("I've written the parser.", "ok and now the tests"),
        ("I set the padding to 8px.", "a bit more"),
        ("I ran the migration.", "what happens to rows without an owner?"),
        ("I used the first sheet.", "second sheet, sorry"),
        ("I've used blue.", "use red for tomorrow's demo"),
        ("I've built the list in Elm.", "oh great, another language. because the first four never gave us any trouble"),
        ("I wrote it in Zig.", "nice, never seen that one. how does the build work"),
        ("Could we drop the old browsers?", "I'd have to ask Nadia"),
        ("I've converted the clip.", "the picture flickers from minute 3 on"),
        ("I can't reproduce the crash.", "strange. maybe it is my phone. forget it for now"),
        ("I renamed the fields.", "41 files changed lol. undo that please"),
        (
            "The upload was refused.",
            "Permission denied (publickey).\nyou must always use the jump host\nConnection closed by ::1",
        ),
    ],
)
def test_going_on_with_the_work_teaches_nothing(previous: str, user: str) -> None:
    assert heard(user, previous) == []


def test_a_rule_is_kept_however_the_turn_looks() -> None:
    assert heard("thanks! from now on never push to main, please", "I've pushed it.")


def test_the_same_words_without_an_assistant_before_them_are_judged_by_their_marks_alone() -> None:
    alone = candidates(Utterance(0, "user", "images are pinned by digest here", 1.0))

    assert alone == []
