"""Does sleep pay? CodeRecall with and without a night after every session, at the same time on the same machine.

    python experiments/sleep_coderecall.py ../shared/coderecall/run.py WORLD.json ...

Writes experiments/results/sleep_coderecall.json.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PLAIN = f"{shlex.quote(sys.executable)} -m agentmemory"
WITH_SLEEP = (
    "import subprocess, sys\n"
    "run = [sys.executable, '-m', 'agentmemory']\n"
    "done = subprocess.run([*run, *sys.argv[1:]]).returncode\n"
    "if sys.argv[1] == 'learn' and not done:\n"
    "    done = subprocess.run([*run, 'sleep'], stdout=subprocess.DEVNULL).returncode\n"
    "sys.exit(done)\n"
)
SHOWN = ("recall", "strict", "sound", "current", "silence", "tokens", "captured", "traps")


def main(harness: str, worlds: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "with_sleep.py")
        with open(script, "w") as f:
            f.write(WITH_SLEEP)
        slept = f"{shlex.quote(sys.executable)} {shlex.quote(script)}"
        running = {
            name: subprocess.Popen([sys.executable, harness, "--command", command, *worlds], stdout=-1, text=True)
            for name, command in (("awake", PLAIN), ("slept", slept))
        }
        told = {name: each.communicate()[0] for name, each in running.items()}
    found = {name: [json.loads(line) for line in lines.splitlines()] for name, lines in told.items()}
    for name, rows in found.items():
        for row in rows:
            print(name, row["world"], {key: row[key] for key in SHOWN if key in row})
    with open(os.path.join(HERE, "results", "sleep_coderecall.json"), "w") as f:
        rows = {
            name: [{"world": r["world"], **{k: r[k] for k in SHOWN if k in r}} for r in rs]
            for name, rs in found.items()
        }
        json.dump(rows, f, indent=1)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
