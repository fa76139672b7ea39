"""Is confidence what it says? Brier score and calibration curve of confidence against outcomes.

    python experiments/calibration.py              simulated beliefs; writes experiments/results/calibration.json
    python experiments/calibration.py STORE        the judged injections of a store, printed only

The simulation draws how often each belief bears out, plays sessions through the real judge weights and decay, and
compares the confidence before each outcome with the outcome.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import Any

from agentmemory import confidence
from agentmemory.learn.outcomes import WEIGHTS

ROOT = Path(__file__).resolve().parent.parent
SEED, BELIEFS, SESSIONS = 11, 2_000, 30
CONTRADICTED = -1.0  # what revise counts when the user says otherwise
BINS = 10
JUDGED = """
    SELECT b.alpha, b.beta, b.provenance, b.kind, b.locked, b.confirmed, i.at, i.outcome FROM injection i
    JOIN belief b ON b.id = i.belief WHERE i.outcome IN ('heeded', 'ignored', 'contradicted') ORDER BY i.id
"""
#: shares of beliefs by who said them, and how often such a belief holds: drawn from Beta(a, b)
SOURCES = {"user": (0.6, 9.0, 1.0), "import": (0.15, 4.0, 2.0), "tool": (0.1, 2.0, 2.0), "agent": (0.15, 2.0, 2.0)}


def simulate(rng: random.Random) -> list[tuple[float, int]]:
    """`(confidence before, 1 when it bore out else 0)` of every judged injection."""
    seen = []
    for _ in range(BELIEFS):
        source = rng.choices(list(SOURCES), [share for share, _, _ in SOURCES.values()])[0]
        _, a, b = SOURCES[source]
        holds, kind = rng.betavariate(a, b), rng.choice(["fact", "preference", "decision", "procedure"])
        alpha, beta = confidence.prior(source, kind)
        at = written = 0.0
        for _ in range(rng.randint(1, SESSIONS)):
            at += rng.expovariate(1 / (3 * confidence.DAY))
            now = confidence.at_time(alpha, beta, source, kind, False, at - written)
            bore = rng.random() < holds
            seen.append((confidence.mean(*now), int(bore)))
            weight = WEIGHTS["heeded"] if bore else rng.choice([WEIGHTS["ignored"], CONTRADICTED])
            alpha, beta, written = confidence.observe(alpha, beta, written, source, kind, False, weight, at)
    return seen


def stored(path: str) -> list[tuple[float, int]]:
    """The same from the judged injections of a store."""
    from agentmemory.store.db import open_read

    out = []
    for alpha, beta, provenance, kind, locked, confirmed, at, outcome in open_read(path).execute(JUDGED).fetchall():
        counts = confidence.at_time(alpha, beta, provenance, kind, bool(locked), max(0.0, at - confirmed))
        out.append((confidence.mean(*counts), int(outcome == "heeded")))
    return out


def score(seen: list[tuple[float, int]]) -> dict[str, Any]:
    """Brier score (Brier 1950: mean squared difference), that of the base rate, and the curve by bins of confidence."""
    base = sum(bore for _, bore in seen) / len(seen)
    bins: list[list[tuple[float, int]]] = [[] for _ in range(BINS)]
    for said, bore in seen:
        bins[min(int(said * BINS), BINS - 1)].append((said, bore))
    curve = [
        {
            "said": round(sum(s for s, _ in held) / len(held), 3),
            "bore": round(sum(b for _, b in held) / len(held), 3),
            "n": len(held),
        }
        for held in bins
        if held
    ]
    return {
        "n": len(seen),
        "brier": round(sum((said - bore) ** 2 for said, bore in seen) / len(seen), 4),
        "brier_base_rate": round(base * (1 - base), 4),
        "calibration_error": round(sum(abs(c["said"] - c["bore"]) * c["n"] for c in curve) / len(seen), 4),
        "curve": curve,
    }


def main() -> None:
    """Score a store, or simulate one and write the receipt."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", nargs="?", type=Path, help="the folder of a store")
    args = parser.parse_args()
    if args.store is not None:
        found = stored(str(args.store))
        print(json.dumps(score(found), indent=1) if found else "nothing has been judged yet")
        return
    result = {"seed": SEED, **score(simulate(random.Random(SEED)))}
    (ROOT / "experiments/results/calibration.json").write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
