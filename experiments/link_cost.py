"""What linking a new belief costs as the store grows, and whether comparing few finds the same links as comparing all.

    python experiments/link_cost.py [--sizes 1000,10000,50000] [--save NAME]

Beliefs of graph_scale (words by Zipf's law, every fifth names a thing) in two stores of twenty projects; in the second
all beliefs speak of ten subjects, which is the hard case: everything shares something. For a sample of new beliefs:
processor milliseconds of `links.nearest`, beliefs compared, and the share that it draws of the links that a comparison
with everything the index rows bring would draw.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import apsw
import graph_scale

from agentmemory.learn import entities, links
from agentmemory.store import beliefs, writer

RESULTS = Path(__file__).parent / "results"
SAMPLE = 150
SUBJECTS = [f"{a} {b}" for a in ("billing", "mail", "search", "deploy", "login") for b in ("queue", "gateway")]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1000,10000,50000", type=lambda s: [int(n) for n in s.split(",")])
    parser.add_argument("--save", metavar="NAME", help="write a receipt to experiments/results/NAME.json")
    args = parser.parse_args()
    rows = [measure(n, narrow) for narrow in (False, True) for n in args.sizes]
    print(json.dumps(rows, indent=1))
    if args.save:
        (RESULTS / f"{args.save}.json").write_text(json.dumps(rows, indent=1) + "\n")
    return 0


def measure(n: int, narrow: bool) -> dict[str, Any]:
    rng = random.Random(11)
    with tempfile.TemporaryDirectory() as home:
        db = writer.open_store(home)
        texts, (project, _) = graph_scale.fill(db, n, rng) if not narrow else subjects(db, n, rng)
        ms, compared, same, total = [], [], 0, 0
        for i in range(SAMPLE):
            text = mixed(rng, texts)
            with writer.transaction(db):
                new = beliefs.add(db, beliefs.New(project, "fact", text, "user", graph_scale.NOW, graph_scale.NOW))
                entities.mention(db, project, text, belief=new, at=graph_scale.NOW)
                start = time.process_time()
                found = links.nearest(db, new)
                ms.append((time.process_time() - start) * 1000)
                compared.append(len(found))
                if i < 40:
                    drawn = {other for _, other, _ in links.related(db, new)[: links.MOST]}
                    full = unbounded(db, new)
                    same += len(drawn & full)
                    total += len(full)
        db.close()
    ms.sort()
    return {
        "store": "ten subjects" if narrow else "many subjects", "beliefs": n,
        "cpu_ms_median": round(statistics.median(ms), 1), "cpu_ms_p95": round(ms[int(len(ms) * 0.95)], 1),
        "compared_at_most": max(compared), "links_of_the_full_comparison": round(same / total, 3) if total else None,
    }  # fmt: skip


def mixed(rng: random.Random, texts: list[str]) -> str:
    """A new statement that takes half of its words from one that is held."""
    one, other = rng.choice(texts).split(), rng.choice(texts).split()
    return " ".join([*one[: len(one) // 2 + 2], *other[: len(other) // 2]])


def unbounded(db: apsw.Connection, belief: int) -> set[int]:
    """What would be linked if every belief that the index rows bring were compared."""
    kept = links.LOOKED_AT, links.COMPARED, links.MOST_STEMS
    links.LOOKED_AT = links.COMPARED = links.MOST_STEMS = 10**9
    found = {other for _, other, _ in links.related(db, belief)[: links.MOST]}
    links.LOOKED_AT, links.COMPARED, links.MOST_STEMS = kept
    return found


def subjects(db: apsw.Connection, n: int, rng: random.Random) -> tuple[list[str], tuple[int, int]]:
    """A store whose beliefs all speak of ten subjects in two hundred words."""
    words = ["".join(rng.choice("bdfgklmnprst") + rng.choice("aeiou") for _ in range(3)) for _ in range(200)]
    texts = [f"{rng.choice(SUBJECTS)} {' '.join(rng.choices(words, k=10))} on host-{i % 50}" for i in range(n)]
    with writer.transaction(db):
        for text in texts:
            id = beliefs.add(db, beliefs.New(1, "fact", text, "user", graph_scale.NOW, graph_scale.NOW))
            entities.mention(db, 1, text, belief=id, at=graph_scale.NOW)
    return texts, (1, 1)


if __name__ == "__main__":
    sys.exit(main())
