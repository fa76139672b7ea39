#!/usr/bin/env python3
"""How long a whole prompt hook takes, against `python3 -c pass` in the same run, on stores of growing size.

    python experiments/hook_bench.py                          # 1k, 10k and 100k beliefs, as many turns each
    python experiments/hook_bench.py --sizes 100000 1000000 --folder /tmp/bench --runs 200

Stores are built by bulk inserts into the real schema: text of a Zipf vocabulary of developers' words, paths,
services and numbers, the term table counted, an entity and a concept here and there. Prompts are made of the
words of stored beliefs (known items) and of free text. Processes of the hook and of a bare interpreter
alternate; wall and CPU time and peak memory are the operating system's. The receipt goes to
experiments/results/hook_bench.json.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent
sys.path.insert(0, str(REPOSITORY))

from agentmemory import paths  # noqa: E402
from agentmemory.learn import thesaurus  # noqa: E402
from agentmemory.store import writer  # noqa: E402
from agentmemory.text import stems  # noqa: E402

NOW = time.time()
KINDS = ("fact", "rule", "decision", "preference", "correction", "procedure")
SYLLABLES = (
    "ka lo mi ren tor vas bel dun fir gal hex jor kel lum mar nox pel quo ras sol tan ulm ver wex yor zan".split()
)
LAUNCH = "import sys;sys.path.append({!r});from agentmemory.__main__ import main;sys.exit(main())"
PEAK = """
import os, sys, resource
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, '/dev/null', 1, 0)])
os.waitpid(pid, 0)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
DROP = "DROP TRIGGER belief_fts_insert; DROP TRIGGER turn_fts_insert;"
INSERT_TRIGGERS = "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE '%fts_insert'"
SCOPE = "INSERT INTO scope (id, kind, key, fingerprint, parent, created) VALUES (2, 'project', ?, ?, 1, 0)"
BELIEF = """
    INSERT INTO belief (id, scope, kind, text, terms, cues, triggers, provenance, alpha, beta, valid_from, created,
        confirmed, digest) VALUES (?, ?, ?, ?, ?, ?, ?, 'user', 9, 1, ?, ?, ?, x'00')
"""
TURN = """
    INSERT INTO turn (id, session, position, idx, role, provenance, text, terms, at, digest)
    VALUES (?, ?, ?, ?, 'user', 'user', ?, ?, ?, x'00')
"""
MOST_NAMES = 40_000


class Words:
    """A vocabulary whose frequencies follow Zipf's law: developers' words first, made-up names behind."""

    def __init__(self, seed: int, size: int = 60_000) -> None:
        self.random = random.Random(seed)
        common = sorted({key for key in thesaurus._sides()[0] if " " not in key and len(key) > 2})
        self.random.shuffle(common)
        made = set(common)
        words = list(common)
        while len(words) < size:
            name = "".join(self.random.choices(SYLLABLES, k=self.random.randint(2, 4)))
            style = self.random.random()
            if style < 0.15:
                name = f"{name}-{self.random.choice(('api', 'db', 'worker', 'gateway', 'proxy'))}"
            elif style < 0.25:
                name = f"src/{name[:4]}/{name}.{self.random.choice(('ts', 'py', 'go', 'yaml'))}"
            elif style < 0.3:
                name = f"{name}{self.random.randint(1, 9999)}"
            if name not in made:
                made.add(name)
                words.append(name)
        self.words = words
        self.weights = list(accumulate(1.0 / (rank + 12) for rank in range(len(words))))

    def text(self, low: int, high: int) -> str:
        """A sentence of this vocabulary."""
        return " ".join(self.random.choices(self.words, cum_weights=self.weights, k=self.random.randint(low, high)))


def build(folder: Path, n: int, seed: int) -> list[str]:
    """A store of *n* beliefs and *n* turns below *folder*; returns prompts for it. A store that is there is kept."""
    words = Words(seed)
    prompts_at = folder / "prompts.json"
    if prompts_at.exists():
        return list(json.loads(prompts_at.read_text()))
    db, triggers = empty_store(folder)
    held: Counter[str] = Counter()
    said: Counter[str] = Counter()
    prompts = [words.text(5, 14) for _ in range(40)]
    db.executemany(BELIEF, beliefs(words, n, held, prompts))
    db.executemany(TURN, turns(words, n, said))
    every = ((stem, held[stem], said[stem]) for stem in sorted({*held, *said}))
    db.executemany("INSERT INTO term (stem, beliefs, turns) VALUES (?, ?, ?)", every)
    name_things(db, words, n)
    for index in ("belief_fts", "turn_fts"):
        db.execute(f"INSERT INTO {index}({index}) VALUES ('rebuild')")
    for sql in triggers:
        db.execute(sql)
    db.commit()
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    words.random.shuffle(prompts)
    prompts_at.write_text(json.dumps(prompts))
    return prompts


def empty_store(folder: Path) -> tuple[sqlite3.Connection, list[str]]:
    """A store with a project and a session, open for fast filling; the triggers that were taken out of it."""
    project = folder / "project"
    (project / ".git").mkdir(parents=True)
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    writer.open_store(str(folder)).close()
    db = sqlite3.connect(paths.store_path(str(folder)))
    db.execute("PRAGMA synchronous = OFF")
    triggers = [row[0] for row in db.execute(INSERT_TRIGGERS)]
    db.executescript(DROP)
    db.execute(SCOPE, paths.project_of(str(project)))
    db.execute("INSERT INTO session (id, key, scope, started) VALUES (1, 'bench', 2, 0)")
    thesaurus.refresh(db)
    return db, triggers


def beliefs(words: Words, n: int, held: Counter[str], prompts: list[str]) -> Iterator[tuple[object, ...]]:
    """Rows of beliefs; their words are counted in *held*, and some 80 *prompts* ask for one of them."""
    step = max(1, n // 80)
    for i in range(1, n + 1):
        text = words.text(9, 30)
        terms = stems(text)
        cues = [*stems(words.text(4, 10)), *thesaurus.concepts(text)[:12]]
        held.update({*terms, *cues})
        if i % step == 0:
            chosen = text.split()
            prompts.append("we need to change " + " ".join(words.random.sample(chosen, min(6, len(chosen)))))
        at = NOW - 86_400.0 * 400 * (1 - i / n)
        kind = KINDS[words.random.randrange(len(KINDS))]
        trigger = " ".join(words.text(1, 3).split()) if i % 3 == 0 else ""
        yield i, 2, kind, text, " ".join(terms), " ".join(cues), trigger, at, at, at


def turns(words: Words, n: int, said: Counter[str]) -> Iterator[tuple[object, ...]]:
    """Rows of turns; their words are counted in *said*."""
    for i in range(1, n + 1):
        text = words.text(12, 60)
        terms = stems(text)
        said.update(set(terms))
        yield i, 1, i, i, text, " ".join(terms), NOW - i


def name_things(db: sqlite3.Connection, words: Words, n: int) -> None:
    """Services with names, each mentioned by some beliefs."""
    names = min(max(1, n // 8), MOST_NAMES)
    db.executemany(
        "INSERT OR IGNORE INTO entity (id, scope, kind, name, norm, created) VALUES (?, 2, 'service', ?, ?, 0)",
        ((i, words.words[-i], words.words[-i].replace("-", "")) for i in range(1, names + 1)),
    )
    db.executemany(
        "INSERT OR IGNORE INTO mention (entity, belief) VALUES (?, ?)", ((1 + i % names, i) for i in range(1, n + 1))
    )


def process(command: list[str], stdin: bytes, environment: dict[str, str]) -> tuple[float, float]:
    """Seconds of wall time and of CPU of one process, from spawn to reap."""
    reading, writing = os.pipe()
    os.write(writing, stdin)
    os.close(writing)
    sink = os.open(os.devnull, os.O_WRONLY)
    actions = [(os.POSIX_SPAWN_DUP2, reading, 0), (os.POSIX_SPAWN_DUP2, sink, 1), (os.POSIX_SPAWN_DUP2, sink, 2)]
    start = time.perf_counter()
    pid = os.posix_spawn(command[0], command, environment, file_actions=actions)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - start
    os.close(reading)
    os.close(sink)
    if status:
        raise SystemExit(f"{command} ended with {status}")
    return wall, usage.ru_utime + usage.ru_stime


def measure(folder: Path, prompts: list[str], runs: int) -> dict[str, float]:
    """Figures of one store: medians, 99th percentiles, and their ratios to a bare interpreter's."""
    python = sys.executable
    bare = [python, "-c", "pass"]
    hook = [python, "-E", "-P", "-S", "-c", LAUNCH.format(str(REPOSITORY)), "hook", "prompt-submit"]
    environment = {**os.environ, "AGENTMEMORY_HOME": str(folder)}
    of: dict[str, list[tuple[float, float]]] = {"bare": [], "hook": []}
    for i in range(-5, runs):
        event = {"session_id": f"s{i}", "cwd": str(folder / "project"), "prompt": prompts[i % len(prompts)]}
        a = process(bare, b"", environment)
        b = process(hook, json.dumps(event).encode(), environment)
        if i >= 0:  # the first few warm the file cache
            of["bare"].append(a)
            of["hook"].append(b)
    out: dict[str, float] = {}
    for place, name in ((0, "wall"), (1, "cpu")):
        base = sorted(row[place] for row in of["bare"])
        mine = sorted(row[place] for row in of["hook"])
        half, last = runs // 2, min(runs - 1, int(runs * 0.99))
        out[f"{name}_bare_ms"] = round(1000 * base[half], 2)
        out[f"{name}_ms"] = round(1000 * mine[half], 2)
        out[f"{name}_p99_ms"] = round(1000 * mine[last], 2)
        out[f"{name}_ratio"] = round(mine[half] / base[half], 2)
        out[f"{name}_p99_ratio"] = round(mine[last] / base[half], 2)
    event = {"session_id": "peak", "cwd": str(folder / "project"), "prompt": prompts[0]}
    out["peak_mib"] = peak(hook, json.dumps(event), environment)
    return out


def peak(command: list[str], stdin: str, environment: dict[str, str]) -> float:
    """MiB at the peak of one process. A small parent starts it: a spawned child inherits its parent's mark."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", PEAK, *command],
        input=stdin,
        env=environment,
        text=True,
        stdout=-1,
        check=True,
    )
    unit = 1024.0 if platform.system() == "Linux" else 1024.0 * 1024.0
    return round(float(done.stdout.splitlines()[-1]) / unit, 1)


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    ap.add_argument("--folder", type=Path, help="keep the stores here and use them again")
    ap.add_argument("--runs", type=int, default=200)
    ap.add_argument("--seed", type=int, default=7)
    ap.add_argument("--out", type=Path, default=HERE / "results" / "hook_bench.json")
    args = ap.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.folder or Path(temporary)
        made = {n: build(folder / str(n), n, args.seed) for n in args.sizes}
        result = {str(n): measure(folder / str(n), made[n], args.runs) for n in args.sizes}
    for n, row in result.items():
        print(f"{int(n):>9,} beliefs: wall x{row['wall_ratio']} (p99 x{row['wall_p99_ratio']}), cpu x{row['cpu_ratio']}"
              f" (p99 x{row['cpu_p99_ratio']}), {row['wall_ms']} ms, peak {row['peak_mib']} MiB")  # fmt: skip
    receipt = {
        "command": "python experiments/hook_bench.py --sizes " + " ".join(map(str, args.sizes)),
        "runs": args.runs, "python": platform.python_version(), "sqlite": sqlite3.sqlite_version,
        "machine": platform.machine(), "system": platform.system(), "stores": result,
    }  # fmt: skip
    if len(args.sizes) > 1:
        small, large = result[str(args.sizes[-2])], result[str(args.sizes[-1])]
        receipt["growth"] = {name: round(large[f"{name}_ms"] / small[f"{name}_ms"], 2) for name in ("wall", "cpu")}
        print(f"growth from {args.sizes[-2]:,} to {args.sizes[-1]:,}: {receipt['growth']}")
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps(receipt, indent=1) + "\n")


if __name__ == "__main__":
    main()
