"""CodeRecall with a receipt: runs the harness beside the repository and keeps its figures.

    python experiments/coderecall.py [--system fts5] [--name coderecall] WORLD.json ...

The harness is `../shared/coderecall/run.py`, or `$CODERECALL`. Without worlds its own are played. Those in
experiments/worlds were written blind and looked at, or learned from, after their first score (experiments/LOG.md);
those in experiments/worlds_aside are in no fit and were only scored (since 2026-11-27; the thirty-two that were there
before are among the others now).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HARNESS = Path(os.environ.get("CODERECALL", ROOT.parent / "shared" / "coderecall" / "run.py"))


def main() -> int:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("worlds", nargs="*", type=Path)
    ap.add_argument("--system", choices=("agentmemory", "fts5"), default="agentmemory")
    ap.add_argument("--name", help="of the receipt in experiments/results")
    args = ap.parse_args()
    worlds = args.worlds or sorted(HARNESS.parent.glob("world_*.json"))
    program = Path(sys.executable).parent / "agentmemory"
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.json"
        command = [sys.executable, str(HARNESS), "--system", args.system, "--command", str(program), "--json", str(out)]
        done = subprocess.run([*command, "--misses", *map(str, worlds)], check=False)
        if done.returncode:
            return done.returncode
        figures = json.loads(out.read_text())["all"]
    name = args.name or ("coderecall" if args.system == "agentmemory" else "coderecall_floor")
    receipt = {"worlds": [w.stem.removeprefix("world_") for w in worlds], **figures}
    (ROOT / "experiments" / "results" / f"{name}.json").write_text(json.dumps(receipt, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
