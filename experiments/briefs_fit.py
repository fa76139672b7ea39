#!/usr/bin/env python3
"""The weights by which a sentence is taken to carry what its belief says (agentmemory/learn/briefs.py).

    python experiments/briefs_fit.py [--save]

Labelled: the sentences of what the learner takes from the turns of experiments/worlds in which a fact was said, where
it holds all keys of one: those that hold a key carry it. Each counts twice, half with and half without the assistant's
answer, as what a tool remembers has none. Prints, for weights fitted to other worlds, the area under the curve, and
from several likelihoods on which share of the carrying and of the other sentences are kept; `--save` fits the weights
to all and writes agentmemory/data/briefs.toml.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from agentmemory.learn import briefs  # noqa: E402
from agentmemory.learn.candidates import candidates  # noqa: E402
from agentmemory.learn.fitted import likelihood  # noqa: E402
from agentmemory.learn.passages import sentences  # noqa: E402
from agentmemory.learn.rating import rate  # noqa: E402
from agentmemory.values import Utterance  # noqa: E402
from experiments.regression import WORLDS, area, fit, frequent, left_out, options, shares, write  # noqa: E402

WEIGHTS = ROOT / "agentmemory" / "data" / "briefs.toml"
HEAD = "# What speaks for a sentence carrying its belief: `python experiments/briefs_fit.py --save` writes this.\n"
BEFORE = 6
OFTEN = 100  # sentences that must have a feature before it gets a weight
RIDGE = 10.0
FROM = (0.05, 0.1, briefs.CARRIES, 0.2, 0.3)


class Sentence(NamedTuple):
    """A sentence of a belief: its world, its features, whether it holds a key."""

    world: str
    found: dict[str, float]
    carries: bool


def main() -> None:
    """Show what weights are worth on worlds that they have not seen, keep the weights of all."""
    args = options(__doc__).parse_args()
    said = [each for path in WORLDS for each in held(path)]
    names = frequent((each.found for each in said), OFTEN)

    def learned(rows: list[Sentence]) -> dict[str, float]:
        return fit([row.found for row in rows], [row.carries for row in rows], names, RIDGE, [0.5] * len(rows))

    left = left_out(said, learned, lambda weights, each: likelihood(weights, each.found))
    carries = np.array([each.carries for each in said])
    print(json.dumps({
        "sentences": len(said) // 2, "carrying": round(float(carries.mean()), 3), "area": area(left, carries),
    }))  # fmt: skip
    for least in FROM:
        print(json.dumps({"from": least, **shares(left >= least, {"carrying": carries, "others": ~carries})}))
    if args.save:
        write(WEIGHTS, HEAD, weights=learned(said))


def held(path: Path) -> list[Sentence]:
    """The labelled sentences of what is learned of a world."""
    world = json.loads(path.read_text("utf-8"))
    facts = defaultdict[tuple[str, int], list[list[str]]](list)
    for fact in world["facts"]:
        facts[fact["said_in"], fact["turn"]].append([key.lower() for key in fact["key"]])
    out = []
    for session in world["sessions"]:
        turns = session["turns"]
        for at, (turn, reply) in enumerate(pairwise(turns)):
            if turn["role"] != "user" or not facts[session["id"], at]:
                continue
            before = tuple((each["role"], each["text"]) for each in turns[max(0, at - BEFORE) : at])
            said = Utterance(at, turn["role"], turn["text"], 1.0)
            for c in candidates(said, before, tentative=True, reply=reply["text"]):
                text = " ".join(c.text.split())
                keys = {
                    key for each in facts[session["id"], at] if all(k in text.lower() for k in each) for key in each
                }
                rated = [rate(each) for each in sentences(text)]
                if not keys or len(rated) < 2 or c.retracts:
                    continue
                for answer in (c.answer, ""):
                    out += [
                        Sentence(world["world"], found, any(key in r.said.text.lower() for key in keys))
                        for r, found in zip(rated, briefs.features(rated, c.context, answer), strict=True)
                    ]
    return out


if __name__ == "__main__":
    main()
