"""How many topics of known number and size are told apart exactly, and which settings matter.

    python experiments/sleep_clusters.py

Sentences are those of the tests (tests/sleep/talk.py), each topic around its own random name, two turns of noise.
Writes experiments/results/sleep_clusters.json.
"""

from __future__ import annotations

import json
import os
import random
import sys
from collections import Counter

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from agentmemory.sleep import clusters  # noqa: E402
from agentmemory.text import stems  # noqa: E402
from tests.sleep.talk import NOISE, TOPICS, name, topic  # noqa: E402

TRIES = 30


def exact(topics: int, size: int, rng: random.Random) -> bool:
    """Whether one random mixture is told apart without a mistake."""
    kinds = rng.sample(sorted(TOPICS), topics)
    said = [(text, kind) for kind in kinds for text in rng.sample(topic(kind), size)]
    said += [(NOISE.format(n=name()), "noise"), ("my cousin adopted a cat with three legs", "noise")]
    rng.shuffle(said)
    words = [stems(text) for text, _ in said]
    df = Counter(stem for text in words for stem in set(text))
    labels = clusters.topics(words, df, len(words))
    found = {}
    for (_, kind), label in zip(said, labels):
        found.setdefault(kind, set()).add(label)
    noise = found.pop("noise", {clusters.NOISE})
    whole = all(len(labels) == 1 and clusters.NOISE not in labels for labels in found.values())
    return whole and noise == {clusters.NOISE} and len({next(iter(v)) for v in found.values()}) == topics


def main() -> None:
    out = []
    for eps in (0.3, 0.35, 0.4, 0.45, 0.5):
        for resolution in (0.5, 1.0):
            clusters.EPS, clusters.RESOLUTION = eps, resolution
            rng = random.Random(1)
            row = {"eps": eps, "resolution": resolution}
            for topics, size in ((1, 8), (2, 8), (3, 8), (4, 8), (3, 5)):
                row[f"{topics} topics of {size}"] = sum(exact(topics, size, rng) for _ in range(TRIES)) / TRIES
            print(row, flush=True)
            out.append(row)
    with open(os.path.join(HERE, "results", "sleep_clusters.json"), "w") as f:
        json.dump({"tries": TRIES, "rows": out}, f, indent=1)


if __name__ == "__main__":
    main()
