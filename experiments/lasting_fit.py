#!/usr/bin/env python3
"""The weights by which a sentence of a user's turn is taken to say something lasting (agentmemory/learn/lasting.py).

    python experiments/lasting_fit.py [--save] [--on WORLD.json ...]

Labelled: the sentences of the user's turns of experiments/worlds
that are answered. Those that hold a key of a fact that is said there are
meant to last; other sentences of such turns are left out; those of traps count more. Prints, for weights fitted to
other worlds (a tenth left out at a time), or of the worlds named by `--on` for weights fitted to all of
experiments/worlds: the area under the curve, and which share of each is taken to last from a likelihood on; beside it
what the rules alone keep. `--save` fits them to all and writes agentmemory/data/lasting.toml.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from agentmemory.learn import lasting  # noqa: E402
from agentmemory.learn.candidates import read  # noqa: E402
from agentmemory.values import Utterance  # noqa: E402
from experiments import answered_fit, corrections  # noqa: E402
from experiments.regression import fitted as regressed  # noqa: E402
from experiments.regression import in_parts  # noqa: E402

WORLDS = sorted((ROOT / "experiments" / "worlds").glob("*.json"))
WEIGHTS = ROOT / "agentmemory" / "data" / "lasting.toml"
HEAD = "# What speaks for a sentence being meant to last: `python experiments/lasting_fit.py --save` writes this.\n"
BEFORE = 6
WORDING = ("turn class", "turn share", "says", "before:", "after:")
FROM = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5)
OFTEN = 40  # sentences that must have a feature before it gets a weight
TRAPPED = 6.0  # what a trapped sentence counts
RIDGE = (3.0, 10.0)  # of what stands for the sentence itself, of its wording and its neighbours


class Sentence(NamedTuple):
    """A sentence of a user's turn: its world, its features, whether it is meant to last, whether it is a trap, whether
    the rules alone would keep it."""

    world: str
    found: dict[str, float]
    lasts: bool
    trap: bool
    kept: bool


def main() -> None:
    """Show what weights are worth on worlds that they have not seen, keep the weights of all."""
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--save", action="store_true", help="write the weights")
    ap.add_argument("--on", nargs="*", type=Path, default=[], help="worlds to judge by weights of all others")
    args = ap.parse_args()
    said = learned()
    weights = fitted(said)
    if args.on:
        judged = [each for path in args.on for each in spoken(path)]
        likelihoods = [likely(weights, each) for each in judged]
    else:
        judged, likelihoods = [], []
        for part in in_parts(sorted({each.world for each in said})):
            others = fitted([each for each in said if each.world not in part])
            judged += [each for each in said if each.world in part]
            likelihoods += [likely(others, each) for each in said if each.world in part]
    report(judged, likelihoods)
    if args.save:
        told = "".join(f"{json.dumps(name)} = {weight:.3f}\n" for name, weight in weights.items())
        WEIGHTS.write_text(f"{HEAD}\n[weights]\n{told}", "utf-8")


def learned() -> list[Sentence]:
    """The sentences of all worlds; turns and answers are judged by weights that have not seen the world."""
    out: list[Sentence] = []
    for part in corrections.unseen(WORLDS):
        with answered_fit.unseen(part):
            out += [each for path in part for each in spoken(path)]
    return out


def report(said: list[Sentence], likelihoods: list[float]) -> None:
    """Print the area under the curve and the shares taken to last."""
    p, lasts = np.array(likelihoods), np.array([each.lasts for each in said])
    trap, kept = np.array([each.trap for each in said]), np.array([each.kept for each in said])
    groups = {"lasting": lasts, "passing": ~lasts & ~trap, "traps": trap}
    told: dict[str, Any] = {"sentences": len(said), "area": answered_fit.area(p, lasts)}
    for name, taken in (("rules", kept), *((f"from {at}", p >= at) for at in FROM)):
        told[name] = {which: round(float(taken[of].mean()), 3) for which, of in groups.items() if of.any()}
    print(json.dumps(told, indent=1))


def likely(weights: dict[str, float], each: Sentence) -> float:
    """The likelihood by some weights."""
    odds = sum(weights.get(name, 0.0) * value for name, value in each.found.items())
    return float(1.0 / (1.0 + np.exp(-odds)))


def fitted(said: list[Sentence]) -> dict[str, float]:
    """The weights of what is found often enough."""
    counted = Counter(name for each in said for name, value in each.found.items() if value)
    names = ["rest", *sorted(name for name, times in counted.items() if times >= OFTEN and name != "rest")]
    x = np.array([[each.found.get(name, 0.0) for name in names] for each in said])
    y = np.array([float(each.lasts) for each in said])
    much = np.array([TRAPPED if each.trap else 1.0 for each in said])
    return dict(
        zip(names, regressed(x, y, much, names, lambda name: RIDGE[name.startswith(WORDING)]).tolist(), strict=True)
    )


def spoken(path: Path) -> list[Sentence]:
    """The labelled sentences of a world."""
    world = json.loads(path.read_text("utf-8"))
    keys = defaultdict[tuple[str, int], list[str]](list)
    for fact in world["facts"]:
        pieces = fact.get("parts") or fact.get("pieces") or []
        places = [(piece["said_in"], piece["turn"]) if isinstance(piece, dict) else tuple(piece) for piece in pieces]
        for place in {(fact["said_in"], fact["turn"]), *places}:
            keys[place] += [key.lower() for key in fact["key"]]
    traps = {(trap["said_in"], trap["turn"]): [key.lower() for key in trap["key"]] for trap in world["traps"]}
    out = []
    for session in world["sessions"]:
        turns = session["turns"]
        for at, (turn, reply) in enumerate(pairwise(turns)):
            before = tuple((each["role"], each["text"]) for each in turns[max(0, at - BEFORE) : at])
            found = read(Utterance(at, turn["role"], turn["text"], 1.0), before)
            if found is None:
                continue
            place = (session["id"], at)
            kept = {i for group in found.groups for i in group}
            for i, features in enumerate(lasting.features(found, turn["text"], before, reply["text"])):
                text = found.rated[i].said.text.lower()
                lasts = any(key in text for key in keys[place])
                trap = not lasts and any(key in text for key in traps.get(place, ()))
                if lasts or trap or not keys[place]:
                    out.append(Sentence(world["world"], features, lasts, trap, i in kept))
    return out


if __name__ == "__main__":
    main()
