#!/usr/bin/env python3
"""Worlds learned by weights that have not seen them, for the fits of recall.

    python experiments/unseen.py FOLDER

What is kept of a world that learning was fitted to is more surely meant to last than what is kept of a user's talk. So
a fifth of experiments/worlds at a time is learned by a copy of the project whose fit of what lasts knows the other
four. Prints what CodeRecall makes of each fifth. `recall_fit.py`, `ours_fit.py` find the stores by `--stores FOLDER`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "experiments")]

from recall_ablation import HARNESS  # noqa: E402

from experiments.regression import WORLDS, in_parts  # noqa: E402

FIFTHS = 5
AT_ONCE = 2  # fifths


def main() -> None:
    """Learn all worlds into the folder."""
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("folder", type=Path, help="where the stores go")
    stores = ap.parse_args().folder.resolve()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for told in pool.map(lambda part: learned(part, stores), in_parts(WORLDS, FIFTHS)):
            print(told, end="", flush=True)


def learned(part: list[Path], stores: Path) -> str:
    """Learn a part of the worlds; returns its figures."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in ("agentmemory", "experiments", "tests/data"):
            shutil.copytree(ROOT / name, copy / name)
        for path in part:
            (copy / "experiments" / "worlds" / path.name).unlink()
        env = {**os.environ, "PYTHONPATH": str(copy), "CODERECALL": str(HARNESS), "OPENBLAS_NUM_THREADS": "1"}

        def run(*args: str) -> str:
            command = [sys.executable, f"experiments/{args[0]}", *args[1:]]
            return subprocess.run(command, cwd=copy, env=env, check=True, text=True, stdout=subprocess.PIPE).stdout

        run("lasting_fit.py", "--save")
        return run("lost.py", "--stores", str(stores), *map(str, part))


if __name__ == "__main__":
    main()
