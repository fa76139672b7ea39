#!/usr/bin/env python3
"""The weights by which a short turn is taken to settle something (agentmemory/learn/settled.py).

    python experiments/settled_fit.py [--save]

Labelled: the answered turns of up to twelve words in experiments/weeks, experiments/sittings and experiments/assents,
and beside them in experiments/years and, less, in experiments/worlds and experiments/workdays: one in which a fact is
said settles something, whether its own words say which or the answer's. Prints of each kind, for weights fitted to
others (a tenth left out at a time): the area under the curve, and which share of each is taken to settle something from
a likelihood on. `--save` fits them to all and writes agentmemory/data/settled.toml. What answers a proposal has weights
of its own: they learn from all turns, but of the answers what is no word is weighed a second time. The others learn
from all but experiments/assents.
"""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "experiments")]

from agentmemory.learn import fitted, settled  # noqa: E402
from experiments import workdays, years  # noqa: E402
from experiments.regression import WORLDS, area, fit, frequent, left_out, options, shares, write  # noqa: E402

WEIGHTS = ROOT / "agentmemory" / "data" / "settled.toml"
HEAD = (
    "# What speaks for a short turn that settles something: `python experiments/settled_fit.py --save` writes this.\n"
)
OFTEN = 30  # turns that must have a feature before it gets a weight
RIDGE = 3.0
#: what a turn of each kind counts
COUNTS = {"weeks": 1.0, "sittings": 1.0, "assents": 1.0, "years": 1.0, "worlds": 0.5, "days": 0.5}
WORDS = (settled.SAYS, settled.ANSWER)
PUT = "put "  # begins the name of a feature that is weighed a second time
FROM = (0.1, 0.2, 0.3, 0.5)


class Turn(NamedTuple):
    """A short turn: its world, what kind of talk that is, its features, whether it answers a proposal, whether a fact
    or a trap is said in it."""

    world: str
    kind: str
    found: dict[str, float]
    answers: bool
    settles: bool
    trap: bool


def main() -> None:
    """Show what left-out weights are worth, keep the weights of all."""
    args = options(__doc__).parse_args()
    said = turns()
    judged = [
        left_out(said, of, lambda weights, each: fitted.total(weights, each.found)) for of in (learned, answering)
    ]
    odds = np.where([each.answers for each in said], judged[1], judged[0])
    for kind in COUNTS:
        report(kind, said, odds, np.array([each.kind == kind for each in said]))
    if args.save:
        write(WEIGHTS, HEAD, **{name: of(said) for name, of in TABLES.items()})


def turns() -> list[Turn]:
    """The short turns of all talk that is labelled."""
    talks = [(years.world(path), kind) for kind in ("weeks", "sittings", "assents", "years") for path in years.OF[kind]]
    talks += [(json.loads(path.read_text("utf-8")), "worlds") for path in WORLDS]
    talks += [(workdays.world(path), "days") for path in workdays.DAYS]
    # of assents only the answers to proposals: what is said around them is not labelled
    said = [turn for world, kind in talks for turn in short(world, kind)]
    return [turn for turn in said if turn.kind != "assents" or turn.answers]


def short(world: dict[str, Any], kind: str) -> list[Turn]:
    """The short turns of a world that the agent answered."""
    facts = {place for fact in world["facts"] for place in years.places(fact)}
    traps = {(trap["said_in"], trap["turn"]) for trap in world["traps"]}
    out = []
    for session in world["sessions"]:
        before = ""
        for at, (turn, reply) in enumerate(pairwise(session["turns"])):
            if turn["role"] == "user" and settled.short(turn["text"], reply["text"]):
                found = settled.features(turn["text"], before, reply["text"])
                answers, place = settled.proposes(before), (session["id"], at)
                out.append(Turn(world["world"], kind, found, answers, place in facts, place in traps))
            before = turn["text"]
    return out


def learned(said: list[Turn]) -> dict[str, float]:
    """The weights of what is found often enough, for what answers no proposal."""
    rows = [each for each in said if each.kind != "assents"]
    put = _put(said)
    return _fitted(rows, [{name: much for name, much in each.found.items() if name not in put} for each in rows])


def answering(said: list[Turn]) -> dict[str, float]:
    """The same for what answers one: of what is no word and is told of any turn the two weights together."""
    put = _put(said)
    twice = [
        {PUT + name: much for name, much in each.found.items() if not (name in put or name.startswith(WORDS))}
        if each.answers else {}
        for each in said
    ]  # fmt: skip
    weights = _fitted(said, [each.found | more for each, more in zip(said, twice, strict=True)])
    names = sorted({name.removeprefix(PUT) for name in weights})
    return {name: weights.get(name, 0.0) + weights.get(PUT + name, 0.0) for name in names}


def _put(said: list[Turn]) -> frozenset[str]:
    """The features that only what answers a proposal has, but for words."""
    elsewhere = {name for each in said if not each.answers for name in each.found}
    return frozenset(name for each in said for name in each.found.keys() - elsewhere if not name.startswith(WORDS))


def _fitted(said: list[Turn], cases: list[dict[str, float]]) -> dict[str, float]:
    much = [COUNTS[each.kind] for each in said]
    return fit(cases, [each.settles for each in said], frequent(cases, OFTEN), RIDGE, much)


def report(kind: str, said: list[Turn], odds: Any, of: Any) -> None:
    """Print the area under the curve and the shares taken to settle something."""
    settles, trap = (np.array([getattr(each, name) for each in said])[of] for name in ("settles", "trap"))
    likely = 1.0 / (1.0 + np.exp(-odds[of]))
    groups = {"settling": settles, "passing": ~settles & ~trap, "traps": trap}
    told: dict[str, Any] = {"of": kind, "turns": int(of.sum()), "area": area(likely, settles)}
    print(json.dumps(told | {f"from {at}": shares(likely >= at, groups) for at in FROM}))


TABLES = {"weights": learned, "answering": answering}


if __name__ == "__main__":
    main()
