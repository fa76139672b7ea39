#!/usr/bin/env python3
"""Is it heard what a message says to hold no longer?

    python experiments/given_up.py [--misses] [--save]

Labelled: tests/data/given_up.jsonl, messages in which somebody gives something up by name ("we do not run tox anymore")
and messages that sound near. Prints, for each set: of the first the share in which a name of what is given up is heard,
in which what holds now is taken for it, and which count as a change; of the others the share that would count as one
that names something. `--misses` prints them, `--save` writes the receipt.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from agentmemory.learn import retired  # noqa: E402
from agentmemory.learn.candidates import candidates  # noqa: E402
from agentmemory.learn.likeness import bag  # noqa: E402
from agentmemory.values import Utterance  # noqa: E402

DATA = ROOT / "tests" / "data" / "given_up.jsonl"
RESULT = ROOT / "experiments" / "results" / "given_up.json"


def main() -> None:
    """Judge each set, print and keep the figures."""
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--misses", action="store_true")
    ap.add_argument("--save", action="store_true")
    args = ap.parse_args()
    rows = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
    result = {}
    for name in dict.fromkeys(row["set"] for row in rows):
        judged = [(row, heard(row)) for row in rows if row["set"] == name]
        given = [found for row, found in judged if row["gone"]]
        near = [found for row, found in judged if not row["gone"]]
        result[name] = {
            "given up": len(given), "heard": share(given, "heard"), "change": share(given, "change"),
            "new taken for gone": share(given, "wrong"), "near": len(near), "near taken for it": share(near, "heard"),
        }  # fmt: skip
        for row, found in judged:
            if args.misses and found["heard"] != bool(row["gone"]):
                print(f"{'missed' if row['gone'] else 'taken'}: {row['text']}")
    print(json.dumps(result, indent=1))
    if args.save:
        RESULT.write_text(json.dumps(result, indent=1) + "\n")


def heard(row: dict[str, Any]) -> dict[str, bool]:
    """What is made of a message: whether a name of what it gives up is heard (of one that gives nothing up: whether it
    is a change and names anything), what holds now is, and whether it counts as a change."""
    plain = retired.with_code(row["text"])
    names = retired.named(plain).union(*retired.contrasted(plain))
    said = candidates(Utterance(1, "user", row["text"], 1.0), (), True, "Done.")
    change = any(c.updates for c in said)
    if not row["gone"]:
        return {"heard": change and bool(names), "change": change}
    gone = [bag(each) - retired.VAGUE for each in row["gone"]]
    new = bag(row["new"] or "") - retired.VAGUE - set().union(*gone)
    return {
        "heard": all(not names.isdisjoint(each) for each in gone if each), "change": change,
        "wrong": not new.isdisjoint(names),
    }  # fmt: skip


def share(found: list[dict[str, bool]], name: str) -> float:
    """Of how many of them this is so."""
    return round(sum(each[name] for each in found) / max(1, len(found)), 3)


if __name__ == "__main__":
    main()
