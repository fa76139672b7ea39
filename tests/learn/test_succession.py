"""Which later statement replaces an earlier one: by a value, by where a thing goes, by what no longer does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from experiments.succession import played, score

PAIRS = [
    json.loads(line)
    for line in (Path(__file__).parent.parent / "data" / "succession.jsonl").read_text(encoding="utf-8").splitlines()
]
FIRST = [pair for pair in PAIRS if pair["set"] == "first"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("crash dumps go to {}, we decided that in spring", "no way. crash dumps go to our own bucket from today on"),
        (
            "{} keeps the sessions, we decided that last year",
            "{} cant do failover, so we keep sessions in postgres now",
        ),
        ("search runs on {}, that was decided", "{} gets switched off on friday, search moves to the big cluster"),
        ("we took {} for matchmaking because it copes with teams", "take openskill for matchmaking then. {} can go"),
    ],
)
def test_the_later_one_stands_alone(token: str, old: str, new: str) -> None:
    done = played({"old": old.replace("{}", token), "new": new.replace("{}", token)}, FIRST)

    assert done["learned"] and done["replaced"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("never flash a node below 3.1 v, it browns out", "always flash nodes with the 5 v adapter of {}"),
        ("orders always come from {} and from nowhere else", "orders go to the erp every night from now on"),
        ("always run the {} suite before a release", "before a release also always run the smoke test of {}"),
        ("no html from users goes into {}, never", "we settled on json rather than html for the articles"),
        (
            "nothing in the 500 hz loop of {} may allocate, never",
            "forget the 50 hz, in the mail of {} they meant 50 robots",
        ),
        (
            "between 06:30 and 10:00 nobody ever deploys {}, that is the morning routine",
            "the broker lost its disk and nobody noticed until 05:10. we keep the queue in our own postgres now",
        ),
        (
            "each pdf that leaves us has the number of {} in the footer, the publishers want it",
            "we nearly published a thing whose poet only died in 1961. from now on nothing is public without a date in "
            "rights_cleared_on",
        ),
        ("PB-0107 has its entry in {}, always keep that", "two bots kissed last night, PB-0033 and PB-0051"),
    ],
)
def test_both_stand(token: str, old: str, new: str) -> None:
    done = played({"old": old.replace("{}", token), "new": new.replace("{}", token)}, FIRST)

    assert not done["replaced"]


def test_hardly_anything_is_replaced_that_should_stand() -> None:
    pairs = FIRST[:60]
    figures = score(pairs, [played(pair, pairs) for pair in pairs])

    assert figures["precision"] >= 0.9
    assert figures["recall"] >= 0.3
