"""How fast a transcript is learned, and how much memory that takes, however long it is.

    python experiments/learn_rate.py [--megabytes 500] [--write]

Writes a Claude Code transcript of that size (talk, tool calls, tool results, a few very long lines) into a temporary
folder, learns it in a process of its own and prints turns per second and peak memory, beside those of a hundredth.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

RESULT = Path(__file__).parent / "results" / "learn_rate.json"
TOPICS = "billing search login export cache queue report invoice upload session webhook router parser".split()
VERBS = "fix extend rename split test document review profile simplify port".split()
DETAILS = "timeout retry schema header cursor limit token offset digest region bucket column".split()
DURABLE = (
    "never call the {a} service from the {b} page, go through src/{a}/{c}.py",
    "the {a} {c} lives in config/{b}.yaml since we moved it",
    "we decided to keep {a} on its own host, because the {b} {c} broke twice",
    "before a {a} change run make {b}-{c}",
    "no, that is the old {a} file. the real one is src/{b}/{c}.ts",
)
RUN = """
import json, resource, sys, time
from agentmemory.learn.digest import digest
from agentmemory.store import writer
db = writer.open_store(sys.argv[1])
start = time.perf_counter()
report = digest(db, sys.argv[2], 1790000000.0)
seconds = time.perf_counter() - start
cpu = time.process_time()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
beliefs = report.added + report.superseded
found = {"turns": report.turns, "beliefs": beliefs, "seconds": seconds, "cpu_seconds": cpu, "peak_mib": peak}
print(json.dumps(found))
"""


def lines(size: int, seed: int = 7) -> Iterator[str]:
    """Lines of a transcript of about *size* bytes: one turn of a person to five of the assistant, tools between."""
    rng = random.Random(seed)
    written, number = 0, 0
    while written < size:
        number += 1
        a, b, c = rng.choice(TOPICS), rng.choice(TOPICS), rng.choice(DETAILS)
        if rng.random() < 0.03:
            text = rng.choice(DURABLE).format(a=a, b=b, c=f"{c}{rng.randrange(400)}")
        else:
            text = f"can you {rng.choice(VERBS)} the {c} of {a} {rng.randrange(10_000)}? it looks odd next to {b}"
        yield (line := _line("user", number, text))
        written += len(line)
        for _ in range(rng.randrange(2, 6)):
            said = " ".join(rng.choice((*TOPICS, *VERBS, *DETAILS)) for _ in range(rng.randrange(20, 120)))
            yield (line := _line("assistant", number, [{"type": "text", "text": said}]))
            written += len(line)
            output = "x = 1\\n" * rng.randrange(200, 3_000 if rng.random() < 0.99 else 200_000)
            result = [{"type": "tool_result", "tool_use_id": f"t{number}", "content": output}]
            yield (line := _line("user", number, result))
            written += len(line)


def _line(role: str, number: int, content: object) -> str:
    at = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(1_760_000_000 + number))
    message = {"role": role, "content": content}
    line = {"type": role, "sessionId": "rate", "cwd": "/tmp", "timestamp": at, "isSidechain": False, "message": message}
    return json.dumps(line) + "\n"


def measure(megabytes: float, folder: Path) -> dict[str, float]:
    """Learn a transcript of that size in a fresh store and a fresh process."""
    path = folder / f"{megabytes}.jsonl"
    with path.open("w") as f:
        f.writelines(lines(int(megabytes * 1e6)))
    home = folder / f"home-{megabytes}"
    env = {**os.environ, "AGENTMEMORY_HOME": str(home)}
    command = [sys.executable, "-c", RUN, str(home), str(path)]
    found = json.loads(subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout)
    path.unlink()
    return {
        "megabytes": megabytes,
        **found,
        "turns_per_second": round(found["turns"] / found["seconds"]),
        "turns_per_cpu_second": round(found["turns"] / found["cpu_seconds"]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=500)
    parser.add_argument("--write", action="store_true", help=f"write {RESULT.name}")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = [measure(size, Path(folder)) for size in (args.megabytes / 100, args.megabytes)]
    for row in rows:
        print(json.dumps(row))
    if args.write:
        RESULT.parent.mkdir(exist_ok=True)
        RESULT.write_text(json.dumps({"python": sys.version.split()[0], "runs": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
