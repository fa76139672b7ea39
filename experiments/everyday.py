#!/usr/bin/env python3
"""How often everyday words stand in what is held of any project, so that a young store does not take them for rare.

    python experiments/everyday.py STORES           # of the learned worlds in a folder (lost.py --stores)
    python experiments/everyday.py STORES --save    # writes agentmemory/recall/everyday.py

Of stems that half of the stores know, the mean share of beliefs that hold them.
"""

from __future__ import annotations

import argparse
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "agentmemory" / "recall" / "everyday.py"
LEAST = 0.03  # of beliefs; a stem that fewer hold is rare enough
KNOWN = 1 / 2  # of the stores
YOUNGEST = 20  # beliefs of a store that tells something
HEAD = '''\
"""In which share of what is held of any project an everyday word stands, by its stem (`experiments/everyday.py`).
A young store knows too little to say which words are rare."""

SHARES = {
'''
COUNT = "SELECT count(*) FROM belief WHERE kind <> 'summary'"
TERMS = "SELECT stem, beliefs FROM term WHERE beliefs > 0 AND stem NOT LIKE 'c0%'"


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("stores", type=Path)
    ap.add_argument("--save", action="store_true")
    args = ap.parse_args()
    paths = sorted(args.stores.glob("**/memory.db"))
    found = shares(paths)
    usual = sorted(found.items(), key=lambda each: -each[1])[:20]
    print(len(found), "stems:", ", ".join(f"{stem} {share}" for stem, share in usual))
    if args.save:
        OUT.write_text(f"{HEAD}{_lines(found)}}}  # fmt: skip\n", "utf-8")


def shares(paths: list[Path]) -> dict[str, float]:
    """The mean share of each everyday stem."""
    total, known, stores = dict[str, float](), Counter[str](), 0
    for path in paths:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
            beliefs = db.execute(COUNT).fetchone()[0]
            if beliefs < YOUNGEST:
                continue
            stores += 1
            for stem, count in db.execute(TERMS):
                known[stem] += 1
                total[stem] = total.get(stem, 0.0) + count / beliefs
    mean = {stem: round(share / stores, 2) for stem, share in sorted(total.items()) if known[stem] >= KNOWN * stores}
    return {stem: share for stem, share in mean.items() if share >= LEAST}


def _lines(found: dict[str, float]) -> str:
    out, line = "", "   "
    for stem, share in found.items():
        piece = f' "{stem}": {share},'
        if len(line) + len(piece) > 118:
            out, line = f"{out}{line}\n", "   "
        line += piece
    return f"{out}{line}\n"


if __name__ == "__main__":
    main()
