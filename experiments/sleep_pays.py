"""Does sleep pay? The same memory before and after sleep, the same budgets: what is found, and what an answer costs.

    python experiments/sleep_pays.py [WORLD.json ...]

CodeRecall's two worlds (and those that are named) and worlds in which topics come back (recurring_worlds.py), with a
night after every session; LoCoMo through its harness, with a night after each conversation. The harnesses are
../shared/coderecall/run.py (or $CODERECALL) and ../shared/retrieval/benchrun.py (or $RETRIEVAL_DATA). Writes
experiments/results/sleep_pays.json; worlds that are named are shown, not written.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from recurring_worlds import world

ROOT = Path(__file__).resolve().parent.parent
CODERECALL = Path(os.environ.get("CODERECALL", ROOT.parent / "shared" / "coderecall" / "run.py"))
RETRIEVAL = Path(os.environ.get("RETRIEVAL_DATA", ROOT.parent / "shared" / "retrieval"))
RESULT = ROOT / "experiments" / "results" / "sleep_pays.json"
SEEDS = (1, 2, 3, 4, 5, 6)  # of the worlds in which topics come back
PLAIN = f"{shlex.quote(sys.executable)} -m agentmemory"
WITH_SLEEP = (
    "import subprocess, sys\n"
    "run = [sys.executable, '-m', 'agentmemory']\n"
    "done = subprocess.run([*run, *sys.argv[1:]]).returncode\n"
    "if sys.argv[1] == 'learn' and not done:\n"
    "    done = subprocess.run([*run, 'sleep'], stdout=subprocess.DEVNULL).returncode\n"
    "sys.exit(done)\n"
)
OF_WORLDS = ("recall", "sound", "current", "silence", "tokens", "tokens_per_answered")
OF_TURNS = ("recall@5", "recall@10", "recall@20", "mrr", "recall@500tok", "recall@1000tok", "recall@2000tok")
Figures = dict[str, dict[str, Any]]


def main() -> int:
    named = [Path(arg) for arg in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as folder:
        made = [Path(folder) / f"world_recurring{seed}.json" for seed in SEEDS]
        for seed, path in zip(SEEDS, made):
            path.write_text(json.dumps(world(seed)))
        worlds = {
            "CodeRecall": sorted(CODERECALL.parent.glob("world_*.json")),
            "topics that come back": made,
            "named worlds": named,
        }
        found = {name: of_worlds(Path(folder), paths) for name, paths in worlds.items() if paths}
    found["LoCoMo"] = of_turns("locomo_dev.json")
    show(found)
    found.pop("named worlds", None)
    RESULT.write_text(json.dumps(found, indent=1) + "\n")
    return 0


def of_worlds(folder: Path, worlds: list[Path]) -> Figures:
    """Figures of the worlds, each and together: without sleep and with a night after every session."""
    script = folder / "with_sleep.py"
    script.write_text(WITH_SLEEP)
    out: Figures = {}
    for name, command in (("before", PLAIN), ("after", f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}")):
        told = folder / f"{name}.json"
        harness = [sys.executable, str(CODERECALL), "--command", command, "--json", str(told)]
        run = subprocess.run([*harness, *map(str, worlds)], check=True, stdout=subprocess.PIPE, text=True)
        lines = {line["world"]: line for line in map(json.loads, run.stdout.splitlines())}
        rows = {each["world"]: each["rows"] for each in json.loads(told.read_text())["results"]}
        rows["ALL"] = [row for each in rows.values() for row in each]
        out[name] = {
            each: {k: v for k, v in {**lines[each], "tokens_per_answered": cost(rows[each])}.items() if k in OF_WORLDS}
            for each in rows
        }
    return out


def cost(rows: list[dict[str, Any]]) -> float | None:
    """Tokens of all blocks of probes that need something, for each that got all of it and nothing stale."""
    asked = [row for row in rows if row["needs"]]
    answered = [row for row in asked if len(row["got"]) == len(row["needs"]) and not row["stale"]]
    return round(sum(row["tokens"] for row in asked) / len(answered), 1) if answered else None


def of_turns(data: str) -> Figures:
    """Figures of evidence retrieval over the turns of a set's conversations."""
    out: Figures = {}
    for name, more in (("before", ""), ("after", " --sleep")):
        command = (
            f"{shlex.quote(sys.executable)} {shlex.quote(str(ROOT / 'experiments' / 'retrieval_command.py'))}{more}"
        )
        with tempfile.TemporaryDirectory() as folder:
            told = Path(folder) / "out.json"
            harness = [sys.executable, "benchrun.py", "--data", data, "--command", command, "--out", str(told)]
            subprocess.run(harness, cwd=RETRIEVAL, check=True, stdout=subprocess.DEVNULL)
            overall = json.loads(told.read_text())["overall"]
        figures = {key: overall[key] for key in OF_TURNS}
        figures["tokens_per_answered"] = round(1000 / overall["recall@1000tok"], 1)
        out[name] = {"ALL": figures}
    return out


def show(found: dict[str, Figures]) -> None:
    """A line a world: before -> after."""
    for name, figures in found.items():
        for each, before in figures["before"].items():
            after = figures["after"][each]
            told = ", ".join(f"{k} {v} -> {after[k]}" for k, v in before.items() if v is not None)
            print(f"{name:22} {each:14} {told}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
