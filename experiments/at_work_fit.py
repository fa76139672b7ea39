#!/usr/bin/env python3
"""The weights by which recall takes a belief to be needed in a session at work that has been told something
(agentmemory/recall/floor.py).

    python experiments/at_work_fit.py [--save]

Labelled: for each message of experiments/workdays, of which few need anything that an earlier session said, and for
the prompts that come after each day (experiments/workday_needs.json), every belief that a block may hold; it is needed
where it holds the words that the message needs. Learning has weights that have not seen the day. Prints what weights
that have not seen a day either say of it: from some likelihoods on, the share of what is needed and held that is told,
and how much is told with a message that is not the first of its session. `--save` fits them to all and writes
NEEDED_AT_WORK of agentmemory/recall/weights.py.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "experiments")]

from recall_fit import Key, Probed, Seen, fitted, logits, shown  # noqa: E402

from agentmemory.recall.pipeline import brought  # noqa: E402
from agentmemory.recall.practice import everything  # noqa: E402
from agentmemory.records import Hit  # noqa: E402
from experiments import workdays  # noqa: E402
from experiments.regression import in_parts, keep, options  # noqa: E402

MADE = 0.3  # weight of what is found for a prompt that was made to need something, against one of a day
LINES = (0.02, 0.03, 0.04, 0.05, 0.08)  # likelihoods


class Typed(NamedTuple):
    """A message: what it needs and what may be shown; whether it begins its session, whether it was made to need
    something."""

    row: Probed
    first: bool
    made: bool


def main() -> None:
    """Gather, show what weights are worth on days that they have not seen, keep the weights of all."""
    save = options(__doc__).parse_args().save
    typed = [each for part in workdays.unseen(workdays.DAYS) for path in part for each in messages(path)]
    names = sorted({name for each in typed for seen in each.row.seen for name in seen.features})
    report(typed, names)
    if save:
        keep("NEEDED_AT_WORK", weights(typed, names))


def messages(path: Path) -> list[Typed]:
    """The messages of a day, and the prompts that come after it."""
    later = workdays.later(path)
    out = []
    with tempfile.TemporaryDirectory() as home:
        for prompt in workdays.replayed(workdays.day(path), home, later):
            needs = {words.lower() for words in prompt.said.needs}

            def holds(hit: Hit, needs: set[str] = needs) -> frozenset[Key]:
                texts = [row.text.lower() for row in (hit.row, *hit.steps, *hit.was)]
                return frozenset((path.stem, each) for each in needs if any(workdays.meets(t, each) for t in texts))

            db, query = prompt.db, prompt.query
            hits = brought(db, query)
            seen = shown(db, query, everything(db, query, hits) if prompt.first else hits, holds)
            row = Probed(path.stem, frozenset((path.stem, each) for each in needs), seen)
            out.append(Typed(row, prompt.first, bool(needs) and prompt.said in later))
    return out


def weights(typed: list[Typed], names: list[str]) -> dict[str, float]:
    """Fitted to these messages."""
    made = {id(each.row) for each in typed if each.made}
    return fitted([each.row for each in typed], names, lambda row: MADE if id(row) in made else 1.0)


def report(typed: list[Typed], names: list[str]) -> None:
    """Print what weights say of the days that they have not seen."""
    likely: list[tuple[float, Typed, Seen]] = []
    for part in in_parts(workdays.DAYS, workdays.FIFTHS):
        days = {path.stem for path in part}
        found = weights([each for each in typed if each.row.world not in days], names)
        for each in typed:
            if each.row.world in days:
                odds = logits(found, each.row)
                likely += [(1.0 / (1.0 + np.exp(-z)), each, seen) for z, seen in zip(odds, each.row.seen, strict=True)]
    held = {(id(each), key) for _, each, seen in likely for key in seen.holds}
    later = sum(not each.first for each in typed)
    for line in LINES:
        told = [(each, seen) for p, each, seen in likely if p >= line]
        had = {(id(each), key) for each, seen in told for key in seen.holds}
        lines = sum(not each.first for each, _ in told) / later
        print(json.dumps({"from": line, "told": round(len(had) / len(held), 3), "lines a message": round(lines, 3)}))


if __name__ == "__main__":
    main()
