"""What sleep costs as the store grows: seconds and milliseconds a turn, peak memory, and ordinary nights at the end.

    python experiments/sleep_scale.py 10000 100000 1000000

Sessions of 40 turns in 12 projects are made of random names and a fixed set of sentence shapes, so that topics
come back. Every size has a process of its own; the three nights after it each bring the same day. What a turn costs
is told in processor time, because the machine may be shared. Writes experiments/results/sleep_scale.json.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as the worker does, before numpy is loaded

from agentmemory.sleep.night import sleep
from agentmemory.store import nights, scopes, turns, writer
from agentmemory.values import Utterance

DAY = 86_400.0
START = 1_760_000_000.0
ASKS = (
    "the {t} {p} of {s} fails with error {n} after the {v}",
    "raise the {p} of {s} to {n}",
    "why does {s} need {t} for the {p}",
    "deploy {s} to {e} with {t}",
    "add a {p} to the {t} of {s}",
    "the {v} of {s} is slow, {n} ms per {p}",
    "we decided to keep {t} for {s}, the {p} stays at {n}",
    "run the {v} tests of {s} on {e}",
)
ANSWERS = (
    "The {p} of {s} is set in `{s}/{t}.yaml`; I changed it to {n} and the {v} passes.",
    "```python\n{t}_{p} = {n}\n```\nThat is the {p} that {s} reads at start.",
    "{s} talks to {t} through the {p}. I ran `make {v}` on {e}, it took {n} seconds.",
    "Done: {t} in {s} now has a {p} of {n}, the {v} on {e} is green.",
)


DAY_TURNS = 2_000
NIGHTS = 3
RESULT = Path(__file__).resolve().parent / "results" / "sleep_scale.json"


def main(sizes: list[int]) -> None:
    out = []
    for size in sizes:
        one = subprocess.run([sys.executable, __file__, "--one", str(size)], check=True, stdout=subprocess.PIPE)
        out.append(json.loads(one.stdout))
        print(json.dumps(out[-1]), flush=True)
        command = "python experiments/sleep_scale.py " + " ".join(map(str, sizes))
        RESULT.write_text(json.dumps({"command": command, "rows": out}, indent=1) + "\n")


def measure(size: int) -> dict[str, object]:
    """Sleep over *size* turns at once, then nights after equal days."""
    with tempfile.TemporaryDirectory() as home:
        db = writer.open_store(home)
        rng = random.Random(size)
        words = Words(rng, 40 + size // 400)
        fill(db, rng, words, 0, size)
        before = peak()
        seconds, used, summaries = night(db, START + size)
        after = peak()
        nights_after = []
        for i in range(NIGHTS):
            fill(db, rng, words, size + i * DAY_TURNS, DAY_TURNS)
            nights_after.append(night(db, START + size + (i + 1) * DAY))
        return {
            "turns": size,
            "seconds": round(seconds, 1),
            "cpu_ms_a_turn": round(1000 * used / size, 3),
            "wall_ms_a_turn": round(1000 * seconds / size, 3),
            "summaries": summaries,
            "mib_before_sleep": before,
            "peak_mib": after,
            "next_nights_cpu_ms_a_turn": [round(1000 * cpu / DAY_TURNS, 3) for _, cpu, _ in nights_after],
            "next_nights_wall_ms_a_turn": [round(1000 * wall / DAY_TURNS, 3) for wall, _, _ in nights_after],
            "peak_mib_after_them": peak(),
            "turns_slept_on": int(nights.mark(db, "turns")),
        }


def night(db: object, at: float) -> tuple[float, float, int]:
    """Sleep; seconds of the clock, seconds of the processor, summaries written."""
    start, cpu = time.perf_counter(), time.process_time()
    found = sleep(db, at)  # type: ignore[arg-type]
    return time.perf_counter() - start, time.process_time() - cpu, len(found.summaries)


def peak() -> int:
    """Most memory this process has held, in MiB."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


class Words:
    """Names to talk about: services, tools, properties, verbs, environments."""

    def __init__(self, rng: random.Random, names: int) -> None:
        def word() -> str:
            return "".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(rng.choice((2, 3))))

        self.s = [f"{word()}-{rng.choice(('api', 'web', 'worker', 'cli'))}" for _ in range(names)]
        self.t = [word() for _ in range(60)]
        self.p = [word() for _ in range(60)]
        self.v = [word() for _ in range(40)]
        self.e = ["staging", "production", "canary", "local"]


def fill(db: object, rng: random.Random, words: Words, start: int, n: int) -> None:
    """Write *n* turns in sessions of 40; a session keeps to a few services and properties."""
    for first in range(start, start + n, 40):
        about = [{k: rng.choice(getattr(words, k)) for k in "stpve"} for _ in range(3)]
        said = []
        for i in range(40):
            shape = rng.choice(ASKS if i % 2 == 0 else ANSWERS)
            names = {**rng.choice(about), "n": rng.randrange(10, 900)}
            said.append(Utterance(i, "user" if i % 2 == 0 else "assistant", shape.format(**names), START + first + i))
        with writer.transaction(db):  # type: ignore[arg-type]
            scope = scopes.project(db, f"/projects/{rng.randrange(12)}", "", START)  # type: ignore[arg-type]
            turns.add(db, turns.session(db, f"s{first}", scope, START + first), said)  # type: ignore[arg-type]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measure(int(sys.argv[2]))))
    else:
        main([int(a) for a in sys.argv[1:]] or [10_000, 100_000, 1_000_000])
