#!/usr/bin/env python3
"""The weights by which a prompt is taken to be about the user's own work (agentmemory/recall/ours.py).

    python experiments/ours_fit.py [--save] [--stores FOLDER]

Labelled: the probes of the worlds of experiments/worlds, of the years, weeks and sittings of experiments/years,
experiments/weeks and experiments/sittings (those that need nothing are about something else, or nothing that was said
is needed for them), and the prompts of tests/data/anybody.jsonl, which nobody's memory could help with, each asked in
three of the worlds and in three of the others. Prints what weights fitted to nine tenths of all of them, and to other
prompts of anybody's, say: the share of prompts passed that need something, and the shares kept silent of those that
do not, at the odds that are kept and around them; `--save` fits them to all and writes OURS of
agentmemory/recall/weights.py.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "experiments")]

from recall_ablation import asked, harness, learned  # noqa: E402

from agentmemory.recall import ours  # noqa: E402
from agentmemory.recall.pipeline import brought  # noqa: E402
from experiments import years  # noqa: E402
from experiments.regression import WORLDS, fitted, in_parts, keep, options, shares, table  # noqa: E402

ANYBODY = ROOT / "tests" / "data" / "anybody.jsonl"
ASKED = 3  # worlds in which a prompt of anybody's is asked
FOLDS = 5  # of anybody's prompts
WEIGHT = {"needs": 1.0, "none": 2.0, "anybody": 0.3}
LIVED = 3.0  # times as much a prompt of a year, of weeks or of sittings counts
RIDGE = (1.0, 30.0)  # of form and evidence, of a word
WORD = "word "  # how the features of words begin
OFTEN = 20  # different prompts that must say a word before it gets a weight
SPREAD = 11  # worlds, or prompts of anybody's, that must: a name that is in the prompts of a few says nothing elsewhere
PASSED = 0.98  # of the prompts that need something, when left out

Probes = list[tuple[dict[str, Any], Path]]


class Asked(NamedTuple):
    """A prompt in a world: its text, what it is (needs, none, anybody), the part of the prompts it belongs to, its
    features, how many times it counts."""

    world: str
    prompt: str
    what: str
    fold: int
    found: dict[str, float]
    counts: float = 1.0


def main() -> None:
    """Gather, show what left-out weights are worth, keep the weights of all."""
    ap = options(__doc__)
    ap.add_argument("--stores", type=Path, help="where learned worlds are kept (see lost.py)")
    args = ap.parse_args()
    run = harness()
    with tempfile.TemporaryDirectory() as folder:

        def known(worlds: Iterable[dict[str, Any]]) -> list[tuple[str, Probes]]:
            stores = args.stores or Path(folder)
            return [(world["world"], learned(run, world, stores / world["world"])) for world in worlds]

        rows = gathered(known(json.loads(path.read_text("utf-8")) for path in WORLDS))
        rows += gathered(known(years.world(path) for path in years.LIVES), LIVED)
    report(rows, args.save)


def gathered(worlds: list[tuple[str, Probes]], counts: float = 1.0) -> list[Asked]:
    """The prompts of each world, and those of anybody's asked in it."""
    anybody = [json.loads(line)["prompt"] for line in ANYBODY.read_text("utf-8").splitlines()]
    random.Random(1).shuffle(anybody)
    rows = []
    for n, (world, probes) in enumerate(worlds):
        known = [(probe, store) for probe, store in probes if store.exists()]
        for probe, store in known:
            what = "needs" if probe["needs"] else "none"
            rows.append(Asked(world, probe["prompt"], what, 0, features(probe["prompt"], probe, store), counts))
        for i, prompt in enumerate(anybody):
            if (i + n) % len(worlds) < ASKED:
                rows.append(
                    Asked(world, prompt, "anybody", i % FOLDS, features(prompt, *known[i % len(known)]), counts)
                )
    return rows


def features(prompt: str, probe: dict[str, Any], store: Path) -> dict[str, float]:
    """The features of a prompt typed when and where a probe was."""
    db, query = asked(probe | {"prompt": prompt}, store)
    out = ours.features(query, brought(db, query))
    db.close()
    return out


def report(rows: list[Asked], save: bool) -> None:
    """Print what left-out weights are worth; write the weights of all."""
    names = ["rest", *weighed(rows)]
    x = table((row.found for row in rows), names)
    scale = np.where(x.std(0) > 0, x.std(0), 1.0)
    what = np.array([row.what for row in rows])
    y, w = (what == "needs").astype(float), np.array([WEIGHT[row.what] * row.counts for row in rows])
    lived = np.array([row.counts > 1.0 for row in rows])
    worlds, folds = np.array([row.world for row in rows]), np.array([row.fold for row in rows])

    def fit(mine: Any, start: Any = None) -> Any:
        return fitted(x[mine] / scale, y[mine], w[mine], names, lambda name: RIDGE[name.startswith(WORD)], start)

    every = fit(np.ones(len(rows), bool))
    left = np.zeros(len(rows))
    for part in in_parts(sorted(set(worlds))):
        mine = np.isin(worlds, part)
        for fold in range(FOLDS):
            tested = mine & np.where(what == "anybody", folds == fold, fold == 0)
            if tested.any():
                unseen = ~mine & ((what != "anybody") | (folds != fold))
                left[tested] = x[tested] @ (fit(unseen, every) / scale)
    for passed in (0.96, 0.97, PASSED, 0.99):
        least = np.quantile(left[y == 1], 1.0 - passed)
        for kind, of in (("worlds", ~lived), ("years and weeks", lived)):
            told = shares(left[of] < least, {each: what[of] == each for each in ("none", "anybody")})
            needed = float((left[of & (y == 1)] >= least).mean())
            print(json.dumps({"passed": passed, "of": kind, "needs passed": round(needed, 3), "silent": told}))
    if save:
        weights = every / scale
        weights[0] -= np.quantile(left[y == 1], 1.0 - PASSED)
        keep("OURS", dict(zip(names, weights.tolist(), strict=True)))


def weighed(rows: list[Asked]) -> list[str]:
    """The features that get a weight: all but the words that few prompts say, or those of few worlds."""
    said = Counter(name for found in {row.prompt: row.found for row in rows}.values() for name in found)
    by = defaultdict[str, set[str]](set)
    for row in rows:
        for name in row.found:
            by[name].add(row.prompt if row.what == "anybody" else row.world)
    words = {name for name in said if said[name] >= OFTEN and len(by[name]) >= SPREAD}
    return sorted(name for name in said if name in words or not name.startswith(WORD))


if __name__ == "__main__":
    main()
