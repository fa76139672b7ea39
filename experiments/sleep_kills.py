"""A night killed at 50 random moments ends with the rows of a quiet one.

    python experiments/sleep_kills.py 50

The store and the comparison are those of tests/sleep/test_night.py. Writes experiments/results/sleep_kills.json.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from agentmemory.store import nights, writer  # noqa: E402
from tests.sleep.test_night import a_week, rows  # noqa: E402

SLEEP = [sys.executable, "-m", "agentmemory", "sleep"]


def main(kills: int) -> int:
    rng = random.Random(0)
    wrong = stopped = 0
    with tempfile.TemporaryDirectory() as folder:
        quiet = prepare(Path(folder) / "quiet")
        start = time.perf_counter()
        subprocess.run(SLEEP, env=env(quiet), check=True, capture_output=True)
        took = time.perf_counter() - start
        wanted = rows(writer.open_store(str(quiet)))
        for i in range(kills):
            home = prepare(Path(folder) / f"killed{i}")
            running = subprocess.Popen(SLEEP, env=env(home), stdout=subprocess.DEVNULL)
            time.sleep(rng.uniform(0.4 * took, 1.1 * took))
            running.send_signal(signal.SIGKILL)
            stopped += running.wait() == -signal.SIGKILL
            middle = int(nights.mark(writer.open_store(str(home)), "turns"))
            subprocess.run(SLEEP, env=env(home), check=True, capture_output=True)
            same = rows(writer.open_store(str(home))) == wanted
            wrong += not same
            print(i, "killed behind turn", middle, "same" if same else "DIFFERENT", flush=True)
    with open(HERE / "results" / "sleep_kills.json", "w") as f:
        json.dump({"kills": kills, "stopped": stopped, "different": wrong}, f)
    print(f"{kills} nights, {stopped} of them killed while they ran, {wrong} ended with other rows")
    return 1 if wrong else 0


def prepare(home: Path) -> Path:
    a_week(writer.open_store(str(home)))
    return home


def env(home: Path) -> dict[str, str]:
    return {**os.environ, "AGENTMEMORY_HOME": str(home), "AGENTMEMORY_NOW": "2026-06-01T12:00:00Z"}


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 50))
