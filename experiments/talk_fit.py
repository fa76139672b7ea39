#!/usr/bin/env python3
"""The weights by which a piece of a prompt is taken to be said around a request (agentmemory/recall/talk.py).

    python experiments/talk_fit.py [--save]

Said around requests: the lines of experiments/around/said.txt. Said in them: every piece of the prompts of
experiments/worlds and of the lives (experiments/years.py), and of tests/data/anybody.jsonl. Only words of the former
get a weight, all others are unknown alike. Prints what weights of nine tenths say of the rest: how many pieces at the
ends of prompts that need something are left out where so many lines are; the same of the lines of
experiments/around/aside.txt, which no fit has seen. `--save` fits them to all and writes TALK of
agentmemory/recall/weights.py.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "experiments")]

from agentmemory.recall import talk  # noqa: E402
from experiments import years  # noqa: E402
from experiments.regression import WORLDS, fitted, in_parts, keep, options, table  # noqa: E402

SAID = ROOT / "experiments" / "around" / "said.txt"
ASIDE = ROOT / "experiments" / "around" / "aside.txt"
ANYBODY = ROOT / "tests" / "data" / "anybody.jsonl"
AROUND = 0.2  # of what is weighed is said around requests
OFTEN = 2  # pieces around requests that must say a word before it gets a weight
RIDGE = 300.0
LOST = 0.02


class Piece(NamedTuple):
    """A piece of a prompt, the world that the prompt is of ("" for none), whether it is said around one, and whether it
    is at the end of a prompt of several pieces that needs something."""

    text: str
    world: str
    around: bool
    end: bool = False


def main() -> None:
    """Gather, show what left-out weights are worth, keep the weights of all."""
    args = options(__doc__).parse_args()
    report([*said_around(SAID), *asked()], list(said_around(ASIDE)), args.save)


def said_around(path: Path) -> Iterable[Piece]:
    """The pieces of the lines of a file, each of which begins with where it is said."""
    for n, line in enumerate(path.read_text("utf-8").splitlines()):
        _, said = line.split(": ", 1)
        for piece in talk.pieces(said):
            yield Piece(piece, f"line {n}", True)


def asked() -> Iterable[Piece]:
    """The pieces of all prompts, each prompt once."""
    known: dict[str, tuple[str, bool]] = {}
    for world in [*(json.loads(path.read_text("utf-8")) for path in WORLDS), *map(years.world, years.LIVES)]:
        for probe in world["probes"]:
            known.setdefault(probe["prompt"], (world["world"], bool(probe["needs"])))
    for line in ANYBODY.read_text("utf-8").splitlines():
        known.setdefault(json.loads(line)["prompt"], ("", False))
    for prompt, (world, needs) in known.items():
        cut = talk.pieces(prompt)
        for at, piece in enumerate(cut):
            yield Piece(piece, world, False, needs and len(cut) > 1 and at in (0, len(cut) - 1))


def report(rows: list[Piece], aside: list[Piece], save: bool) -> None:
    """Print what left-out weights are worth; write the weights of all."""
    names = ["rest", *weighed(rows)]
    talk.TALK = dict.fromkeys(names, 0.0)  # what is unknown is a matter of the weights
    x, unseen = (table((talk.features(row.text) for row in each), names) for each in (rows, aside))
    y = np.array([row.around for row in rows], float)
    w = np.where(y == 1, AROUND / (1.0 - AROUND) * (y == 0).sum() / y.sum(), 1.0)
    scale = np.where(x.std(0) > 0, x.std(0), 1.0)
    groups, ends = np.array([row.world for row in rows]), np.array([row.end for row in rows])

    def fit(mine: Any, start: Any = None) -> Any:
        return fitted(x[mine] / scale, y[mine], w[mine], names, RIDGE, start) / scale

    every = fit(np.ones(len(rows), bool))
    left = np.zeros(len(rows))
    for part in in_parts(sorted(set(groups))):
        mine = np.isin(groups, part)
        left[mine] = x[mine] @ fit(~mine, every * scale)
    for lost in (0.01, LOST, 0.03, 0.05, 0.08):
        least = np.quantile(left[ends], 1.0 - lost)
        found = {"lost": lost, "said around": (left[y == 1] > least).mean(), "aside": (unseen @ every > least).mean()}
        print(json.dumps({name: round(float(value), 3) for name, value in found.items()}))
    if save:
        every[0] -= np.quantile(left[ends], 1.0 - LOST)
        keep("TALK", dict(zip(names, every.tolist(), strict=True)))


def weighed(rows: list[Piece]) -> list[str]:
    """The features that get a weight: all but the words that one line says, or none."""
    by = Counter(name for row in rows if row.around for name in talk.features(row.text))
    return sorted(name for name in by if by[name] >= OFTEN or not name.startswith("word "))


if __name__ == "__main__":
    main()
