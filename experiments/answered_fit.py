#!/usr/bin/env python3
"""The weights by which the answer to a turn tells whether it said something lasting, and whether it changed what was
known (agentmemory/learn/answered.py).

    python experiments/answered_fit.py [--save]

Labelled: the user's turns of experiments/worlds that are answered; those that say a fact last, those that say one in
the place of another change. Prints, for weights fitted to other worlds (a tenth left out at a time), the areas under
the curve: over all turns, of facts against traps, of changes among facts. `--save` fits them to all and writes
agentmemory/data/answered.toml. Only words that the answers of many worlds have
get a weight, and of these the few that tell most, so that no weight stands for what one project is about.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from agentmemory.learn import answered  # noqa: E402
from experiments.regression import WORLDS, area, in_place_of, left_out, options, write  # noqa: E402
from experiments.regression import fitted as regressed  # noqa: E402

TABLES = ROOT / "agentmemory" / "data" / "answered.toml"
HEAD = (
    "# What the words of an answer tell of the turn before: `python experiments/answered_fit.py --save` writes this.\n"
)
SPREAD = 0.55  # share of the worlds whose answers must have a word
COMMON = 0.2  # share of the answers from which a word only tells how long an answer is
KEPT = 60  # words
RIDGE = 15.0


class Turn(NamedTuple):
    """A user's turn: its world, the features of its answer, whether it says a fact, one in the place of another, or
    holds a trap."""

    world: str
    found: frozenset[str]
    fact: bool
    change: bool
    trap: bool


def main() -> None:
    """Show what left-out weights are worth, keep the weights of all."""
    args = options(__doc__).parse_args()
    turns = spoken_everywhere()
    fact, change, trap = (np.array([getattr(turn, name) for turn in turns]) for name in ("fact", "change", "trap"))
    lasts, changes = (
        left_out(turns, partial(fitted, what=what), lambda weights, turn: sum(weights.get(n, 0.0) for n in turn.found))
        for what in ("fact", "change")
    )
    told = fact | trap
    print(json.dumps({
        "turns": len(turns), "facts": int(fact.sum()), "changes": int(change.sum()), "lasting": area(lasts, fact),
        "lasting_against_traps": area(lasts[told], fact[told]), "changing": area(changes, change),
        "changing_among_facts": area(changes[fact], change[fact]),
    }))  # fmt: skip
    if args.save:
        write(TABLES, HEAD, **learned(turns))


@cache
def spoken_everywhere() -> list[Turn]:
    """The answered turns of all worlds."""
    return [turn for path in WORLDS for turn in spoken(json.loads(path.read_text("utf-8")))]


@contextmanager
def unseen(paths: Collection[Path]) -> Iterator[None]:
    """Answers are read with weights that have not seen these worlds, so that another fit may judge their worth."""
    worlds = {json.loads(path.read_text("utf-8"))["world"] for path in paths}
    turns = [turn for turn in spoken_everywhere() if turn.world not in worlds]
    with in_place_of(answered.WEIGHTS, learned(turns)):
        yield


def learned(turns: list[Turn]) -> dict[str, dict[str, float]]:
    """The tables of weights."""
    return {"lasting": fitted(turns, "fact"), "changing": fitted(turns, "change")}


def spoken(world: dict[str, Any]) -> list[Turn]:
    """The answered turns of the user."""
    facts = {(fact["said_in"], fact["turn"]): bool(fact.get("supersedes")) for fact in world["facts"]}
    traps = [tuple(key.lower() for key in trap["key"]) for trap in world["traps"]]
    out = []
    for session in world["sessions"]:
        for i, (turn, reply) in enumerate(zip(session["turns"], session["turns"][1:])):
            if turn["role"] == "user" and reply["role"] == "assistant":
                at = (session["id"], i)
                trap = at not in facts and any(all(key in turn["text"].lower() for key in keys) for keys in traps)
                found = answered.features(reply["text"])
                out.append(Turn(world["world"], found, at in facts, facts.get(at, False), trap))
    return out


def fitted(turns: list[Turn], what: str) -> dict[str, float]:
    """The weights of the words that tell most; *what*: fact or change."""
    worlds: dict[str, set[str]] = defaultdict(set)
    for turn in turns:
        for name in turn.found:
            worlds[name].add(turn.world)
    least, most = SPREAD * len({turn.world for turn in turns}), COMMON * len(turns)
    times = Counter(name for turn in turns for name in turn.found)
    names = sorted(name for name, held in worlds.items() if len(held) >= least and times[name] <= most)
    y, x = np.array([float(getattr(turn, what)) for turn in turns]), _table(turns, names)
    weights = regressed(x, y, np.ones(len(y)), ["rest", *names], RIDGE)
    telling = np.argsort(-np.abs(weights[1:]) * x[:, 1:].std(0))[:KEPT]
    names = sorted(names[i] for i in telling)
    weights = regressed(_table(turns, names), y, np.ones(len(y)), ["rest", *names], RIDGE)
    return dict(zip(names, weights[1:].tolist(), strict=True))  # an answer that tells nothing counts for nothing


def _table(turns: list[Turn], names: list[str]) -> Any:
    """The words of the answers, a row each; the constant before them is no word, though "rest" may be one."""
    return np.array([[1.0, *(float(name in turn.found) for name in names)] for turn in turns])


if __name__ == "__main__":
    main()
