#!/usr/bin/env python3
"""The weights by which recall takes a belief to be needed (agentmemory/recall/need.py).

    python experiments/recall_fit.py [--save] [--stores FOLDER]

Labelled: for each probe of the worlds of experiments/worlds, every belief that a block may hold; it is needed where it
holds a key of a fact that the probe needs. Prints what the weights fitted to all the other worlds say of each
(leave one world out): how well they rank, and how many probes have all they need within so many tokens; `--save` fits
them to all and writes agentmemory/recall/weights.py.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "experiments")]

from recall_ablation import asked, harness, learned  # noqa: E402

from agentmemory.recall import need  # noqa: E402
from agentmemory.recall.cover import SIZE, TO_SEEK, TO_TELL  # noqa: E402
from agentmemory.recall.later import later  # noqa: E402
from agentmemory.recall.pipeline import brought  # noqa: E402
from agentmemory.recall.practice import everything  # noqa: E402
from agentmemory.recall.wordings import briefly  # noqa: E402
from agentmemory.records import Hit, Query  # noqa: E402
from experiments.regression import WORLDS, keep, options, table  # noqa: E402
from experiments.regression import fitted as regressed  # noqa: E402

RIDGE = 10.0
ROOMS = (TO_TELL, 600.0, 1200.0, TO_SEEK)  # tokens

Key = tuple[str, str]  # a fact and one of its keys


@dataclass(frozen=True, slots=True)
class Seen:
    """A belief beside a probe: what is known of it, what it holds of what is needed, the tokens it takes."""

    features: dict[str, float]
    holds: frozenset[Key]
    cost: float


@dataclass(frozen=True, slots=True)
class Probed:
    """A probe of a world: what it needs, and the beliefs that may be shown."""

    world: str
    needs: frozenset[Key]
    seen: list[Seen]


def main() -> None:
    """Gather, show what each world's left-out weights are worth, keep the weights of all."""
    ap = options(__doc__)
    ap.add_argument("--stores", type=Path, help="where learned worlds are kept (see lost.py)")
    args = ap.parse_args()
    run = harness()
    rows: list[Probed] = []
    with tempfile.TemporaryDirectory() as folder:
        for path in WORLDS:
            world = json.loads(path.read_text("utf-8"))
            rows += probed(world, learned(run, world, (args.stores or Path(folder)) / world["world"]))
    report(rows, args.save)


def report(rows: list[Probed], save: bool) -> None:
    """Print what left-out weights are worth; write the weights of all."""
    names = sorted({name for row in rows for seen in row.seen for name in seen.features})
    told = {}
    for world in sorted({row.world for row in rows}):
        weights = fitted([row for row in rows if row.world != world], names)
        told[world] = judged([row for row in rows if row.world == world], weights)
        print(world, json.dumps(told[world]))
    print(
        "mean",
        json.dumps({k: round(float(np.mean([t[k] for t in told.values()])), 3) for k in next(iter(told.values()))}),
    )
    if save:
        keep("NEEDED", fitted(rows, names))


def probed(world: dict[str, Any], probes: list[tuple[dict[str, Any], Path]]) -> list[Probed]:
    """The probes of a learned world that need something, each with all that might be shown."""
    facts = {fact["id"]: fact for fact in world["facts"]}
    out = []
    for probe, store in probes:
        if not probe["needs"] or not store.exists():
            continue
        needs = frozenset((id, key.lower()) for id in probe["needs"] for key in facts[id]["key"])
        db, query = asked(probe, store)
        seen = shown(db, query, everything(db, query, brought(db, query)), partial(held, needs=needs))
        out.append(Probed(world["world"], needs, seen))
        db.close()
    return out


def held(hit: Hit, needs: frozenset[Key]) -> frozenset[Key]:
    """What a hit's lines hold of what is needed."""
    text = "\n".join(row.text for row in [hit.row, *hit.steps, *hit.was]).lower()
    return frozenset(each for each in needs if each[1] in text)


def fitted(
    rows: list[Probed], names: list[str], weighs: Callable[[Probed], float] = lambda row: 1.0
) -> dict[str, float]:
    """The weights of a ridge-penalised logistic regression, features scaled by their deviation; *weighs*: how much what
    is shown for a prompt counts."""
    seen = [each for row in rows for each in row.seen]
    x = table((each.features for each in seen), ["rest", *names])
    y = np.array([float(bool(each.holds)) for each in seen])
    w = np.array([weighs(row) for row in rows for _ in row.seen])
    scale = np.where(x.std(0) > 0, x.std(0), 1.0)
    weights = regressed(x / scale, y, w, ["rest", *names], RIDGE)
    return dict(zip(["bias", *names], (weights / scale).tolist(), strict=True))


def shown(db: Any, query: Query, hits: list[Hit], holds: Callable[[Hit], frozenset[Key]]) -> list[Seen]:
    """What is known of each of the hits that may be shown for a prompt."""
    hits = briefly(db, query, later(db, query, hits))
    top = max((sum(hit.matched.values()) for hit in hits), default=0.0)
    return [Seen(need.features(query, hit, top), holds(hit), need.cost(hit)) for hit in hits]


def logits(weights: dict[str, float], row: Probed) -> list[float]:
    """Log-odds that each of what may be shown is needed."""
    return [weights["bias"] + sum(weights.get(n, 0.0) * v for n, v in each.features.items()) for each in row.seen]


def judged(rows: list[Probed], weights: dict[str, float]) -> dict[str, float]:
    """Share of pairs of a needed and another belief that stand in order; share of probes with all they need within
    so many tokens."""
    out: dict[str, float] = {}
    ordered = pairs = 0.0
    whole = dict.fromkeys(ROOMS, 0)
    for row in rows:
        odds = logits(weights, row)
        yes = [z for z, each in zip(odds, row.seen, strict=True) if each.holds]
        no = [z for z, each in zip(odds, row.seen, strict=True) if not each.holds]
        ordered += sum(a > b for a in yes for b in no)
        pairs += len(yes) * len(no)
        best = sorted(range(len(odds)), key=lambda i: -1.0 / (1.0 + np.exp(-odds[i])) / row.seen[i].cost ** SIZE)
        for room in ROOMS:
            spent, have = 0.0, frozenset[Key]()
            for i in best:
                if not spent or spent + row.seen[i].cost <= room:
                    spent, have = spent + row.seen[i].cost, have | row.seen[i].holds
            whole[room] += have >= row.needs
    out["in_order"] = round(ordered / max(pairs, 1.0), 4)
    return out | {f"whole_{room:.0f}": round(n / len(rows), 3) for room, n in whole.items()}


if __name__ == "__main__":
    main()
