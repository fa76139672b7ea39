#!/usr/bin/env python3
"""The weights by which a prompt is taken to be about how things were (agentmemory/recall/past.py).

    python experiments/past_fit.py [--save]

Labelled: the probes of the worlds of experiments/worlds, those of the style "temporal" against all others. A word or
pair of words gets a weight where prompts of so many worlds say it and it weighs enough beside the others; the rest is
fitted again without it. Prints, for weights fitted to other worlds, the area under the curve, and from several
likelihoods on which share of either is taken for such; `--save` fits them to all and writes PAST of
agentmemory/recall/weights.py.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from agentmemory.learn.fitted import likelihood  # noqa: E402
from agentmemory.recall import past  # noqa: E402
from agentmemory.recall.structure import structure  # noqa: E402
from agentmemory.records import Query  # noqa: E402
from agentmemory.text import words  # noqa: E402
from experiments.regression import WORLDS, area, fit, keep, left_out, options, shares  # noqa: E402

OFTEN = 20  # worlds whose prompts must say a word before it gets a weight
WEIGHS = 0.2  # size from which a weight is kept
RIDGE = 10.0
SHOWN = (0.03, 0.05, past.FROM, 0.1, 0.2)


class Asked(NamedTuple):
    """A prompt of a world: its features, and whether it is about the past."""

    world: str
    found: dict[str, float]
    past: bool


def main() -> None:
    """Show what weights are worth on worlds that they have not seen, keep the weights of all."""
    args = options(__doc__).parse_args()
    rows = [row for path in WORLDS for row in asked(path)]
    left = left_out(rows, learned, lambda weights, row: likelihood(weights, row.found))
    was = np.array([row.past for row in rows])
    print(json.dumps({"prompts": len(rows), "about the past": int(was.sum()), "area": area(left, was)}))
    for least in SHOWN:
        print(json.dumps({"from": least, **shares(left >= least, {"past": was, "others": ~was})}))
    if args.save:
        keep("PAST", learned(rows))


def asked(path: Path) -> list[Asked]:
    """The prompts of a world."""
    world = json.loads(path.read_text("utf-8"))
    out = []
    for probe in world["probes"]:
        query = Query(probe["prompt"], 0.0, ())
        structure(None, query, [])  # type: ignore[arg-type]
        found = past.features(words(probe["prompt"]), query.asks)
        out.append(Asked(world["world"], found, probe["style"] == "temporal"))
    return out


def learned(rows: list[Asked]) -> dict[str, float]:
    """The weights that are worth keeping, fitted to these prompts."""
    said = defaultdict[str, set[str]](set)
    for row in rows:
        for name in row.found:
            said[name].add(row.world)
    cases, was = [row.found for row in rows], [row.past for row in rows]
    names = sorted(name for name, worlds in said.items() if len(worlds) >= OFTEN and name != "rest")
    first = fit(cases, was, ["rest", *names], RIDGE)
    return fit(cases, was, [name for name, weight in first.items() if name == "rest" or abs(weight) >= WEIGHS], RIDGE)


if __name__ == "__main__":
    main()
