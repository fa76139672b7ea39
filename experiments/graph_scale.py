"""How long wonder and reason take when the store is large, and how fast entities are taken in.

    python experiments/graph_scale.py [--beliefs 100000] [--topics 40] [--save NAME]

Beliefs of 8 to 24 words from a vocabulary with Zipf's frequencies, a fifth of them naming services and files that many
share, in twenty projects; edges and supersessions as often as in a learned store. Topics are words of random beliefs
(what is stored) and random words (what may be common). Prints the medians, the 95th percentiles and the slowest.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import apsw

from agentmemory.explore.reason import reason
from agentmemory.explore.wonder import wonder
from agentmemory.learn import entities
from agentmemory.store import beliefs, scopes, writer
from agentmemory.text import tokens

RESULTS = Path(__file__).parent / "results"
KINDS = ("fact",) * 8 + ("decision", "rule", "procedure", "preference", "correction")
NOW = 1_790_000_000.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--beliefs", type=int, default=100_000)
    parser.add_argument("--topics", type=int, default=40)
    parser.add_argument("--save", metavar="NAME")
    parser.add_argument("--keep", metavar="DIR", help="write the store there, or measure the one that is there")
    args = parser.parse_args()
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as temporary:
        db = writer.open_store(args.keep or temporary)
        begin = time.perf_counter()
        kept = [row[0] for row in db.execute("SELECT text FROM belief ORDER BY id").fetchall()]
        texts, mine = (kept, (2, 1)) if kept else fill(db, args.beliefs, rng)
        print(f"{len(texts)} beliefs ready in {time.perf_counter() - begin:.0f} s")
        found = {"beliefs": len(texts), **measure(db, texts, mine, args.topics, rng)}
        db.close()
    found["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps(found, indent=1))
    if args.save:
        RESULTS.mkdir(exist_ok=True)
        receipt = {"argv": [a for a in sys.argv[1:] if "/" not in a], **found}
        (RESULTS / f"{args.save}.json").write_text(json.dumps(receipt, indent=1) + "\n")


def fill(db: apsw.Connection, n: int, rng: random.Random) -> tuple[list[str], tuple[int, ...]]:
    """Write *n* beliefs; returns their texts and the scopes of the largest project."""
    words = [
        "".join(rng.choice("bcdfghklmnprstvz") + rng.choice("aeiou") for _ in range(rng.randint(2, 4)))
        for _ in range(40_000)
    ]
    weights = list(itertools.accumulate(1 / (i + 3) for i in range(len(words))))
    things = [f"{rng.choice(words)}-{rng.choice(('api', 'db', 'worker', 'gateway'))}" for _ in range(n // 50 + 10)]
    things += [f"src/{rng.choice(words)}/{rng.choice(words)}.py" for _ in range(n // 50 + 10)]
    often = list(itertools.accumulate(1 / (i + 1) for i in range(len(things))))
    texts: list[str] = []
    with writer.transaction(db):
        projects = [scopes.project(db, f"/p{i}/.git", "", NOW) for i in range(20)]
    for start in range(0, n, 20_000):
        with writer.transaction(db):
            ids = []
            for i in range(start, min(n, start + 20_000)):
                said = rng.choices(words, cum_weights=weights, k=rng.randint(8, 24))
                if i % 5 == 0:
                    said[3:3] = rng.choices(things, cum_weights=often, k=rng.randint(1, 2))
                text = " ".join(said)
                texts.append(text)
                scope, at = projects[0 if i % 2 else i % 20], NOW - (n - i) * 30
                keywords, context, tags = ", ".join(said[:6]), " ".join(said[1:4]), said[2]
                when = " ".join(said[:2]) if i % 13 > 8 else ""
                new = beliefs.New(scope, KINDS[i % len(KINDS)], text, "user", at, at, 1, keywords, context, tags, when)
                id = beliefs.add(db, new)
                beliefs.witness(db, id, "said", 0.0, at)
                entities.mention(db, scope, text, belief=id, at=at)
                ids.append(id)
            for id in ids[1:]:
                if id % 3 == 0:
                    beliefs.link(db, "relates", id, rng.choice(ids[: id - ids[0]]), NOW, rng.random())
                if id % 10 == 0:
                    old = id - 2
                    if beliefs.get(db, old).superseded_by is None:
                        beliefs.supersede(db, old, id, NOW)
    return texts, (projects[0], 1)


def measure(db: apsw.Connection, texts: list[str], mine: tuple[int, ...], n: int, rng: random.Random) -> dict[str, Any]:
    topics = [" ".join(rng.sample(rng.choice(texts).split(), 5)) for _ in range(n // 2)]
    topics += [" ".join(rng.choice(rng.choice(texts).split()) for _ in range(8)) for _ in range(n - n // 2)]
    out: dict[str, Any] = {}
    for name, ask in (("wonder", wonder), ("reason", reason)):
        ask(db, "warm up " + topics[0], mine, NOW)
        times, sizes, ids, cpu = [], [], [], []
        for topic in topics:
            start, busy = time.perf_counter(), time.process_time()
            answer = ask(db, topic, mine, NOW)
            data = json.dumps(answer.as_json(), ensure_ascii=False)
            times.append((time.perf_counter() - start) * 1000)
            cpu.append((time.process_time() - busy) * 1000)
            sizes.append(max(tokens(data), tokens(answer.text())))
            ids.append(len(answer.ids))
        times.sort()
        out[name] = {
            "ms_median": round(statistics.median(times), 1),
            "ms_p95": round(times[int(len(times) * 0.95)], 1),
            "ms_max": round(times[-1], 1),
            "cpu_ms_p95": round(sorted(cpu)[int(len(cpu) * 0.95)], 1),
            "tokens_max": round(max(sizes)),
            "ids_median": statistics.median(ids),
        }
    session = [f"the {rng.choice(texts)} in src/a{i}.py calls load_{i}() on {i}-api" for i in range(4_000)]
    start = time.perf_counter()
    for text in session:
        entities.extract(text)
    out["extract_per_s"] = round(len(session) / (time.perf_counter() - start))
    return out


if __name__ == "__main__":
    main()
