#!/usr/bin/env python3
"""A change is told in passing: is it held, does what it ends give way, does all else stay?

    python experiments/changes.py [--each] [--save] [SET ...]

Labelled: tests/data/changes.jsonl, invented histories of a developer and an agent. In a session some things are told,
weeks later one of them changes (or seems to), told as people tell it. Each is learned in a store of its own. The first
four sets are in the fits of learning, `aside` is in none. Prints for each set, and for each register and kind of
change in it, the shares of: `held` what was told before that the store held at all; `ended` of what was held and holds
no longer, what is no longer told as current; `tied` of the rest, what at least stands on a line with the later words;
`kept` what the change tells that stands afterwards; `spared` of what was held and still holds, what still stands.
`--each` prints what went wrong. Receipt: experiments/results/changes.json.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from statistics import mean
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from agentmemory.learn.digest import digest  # noqa: E402
from agentmemory.store import lineage, writer  # noqa: E402

DATA = ROOT / "tests" / "data" / "changes.jsonl"
RESULT = ROOT / "experiments" / "results" / "changes.json"
MARCH, APRIL = "2026-03-02T09:", "2026-04-13T09:"  # when the two sessions begin
NIGHT = 1_780_000_000.0  # when they are learned
STANDS = "SELECT id, text FROM belief WHERE state = 'active' AND superseded_by IS NULL"
TIED = "SELECT dst FROM edge WHERE type = 'relates' AND detail = ?"
PASSING = ("mention", "exception")  # kinds of change that are none
ASIDE = "aside"  # the set that no fit has seen
FIGURES = ("held", "ended", "tied", "kept", "spared")
Figures = dict[str, list[bool]]


def main() -> None:
    """Judge the sets, print and keep the figures."""
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("sets", nargs="*", help="only these")
    ap.add_argument("--each", action="store_true", help="print what went wrong")
    ap.add_argument("--save", action="store_true", help="keep the receipt")
    args = ap.parse_args()
    rows, receipt = histories(), {}
    for name in dict.fromkeys(row["set"] for row in rows):
        if not args.sets or name in args.sets:
            receipt[name] = of_set([row for row in rows if row["set"] == name], args.each)
            for kind, figures in receipt[name].items():
                print(f"{name:>8} {kind:>10}: " + "  ".join(f"{key} {value}" for key, value in figures.items()))
    if args.save:
        RESULT.write_text(json.dumps(receipt, indent=1) + "\n")


def histories() -> list[dict[str, Any]]:
    """All that are labelled."""
    return [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]


def of_fits() -> list[dict[str, Any]]:
    """Those that fits may learn from."""
    return [row for row in histories() if row["set"] != ASIDE]


def of_set(rows: list[dict[str, Any]], each: bool) -> dict[str, dict[str, Any]]:
    """The figures of a set: of all of it, of each register and of each kind of change."""
    found: dict[str, Figures] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        figures = played(row, each)
        for name in ("all", row["register"], row["kind"]):
            for key, values in figures.items():
                found[name][key] += values
    return {
        name: {key: round(mean(of[key]), 3) for key in FIGURES if of[key]} | {"of": len(of["ended"] + of["kept"])}
        for name, of in found.items()
    }


def played(row: dict[str, Any], each: bool) -> Figures:
    """What a history leaves in a store of its own."""
    out: Figures = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder, closing(writer.open_store(folder)) as db:
        digest(db, written(Path(folder) / "one.jsonl", row, "before", MARCH), NIGHT)
        before = db.execute(STANDS).fetchall()
        digest(db, written(Path(folder) / "two.jsonl", row, "after", APRIL), NIGHT)
        stands = db.execute(STANDS).fetchall()
        tied = {id for (id,) in db.execute(TIED, (lineage.LATER,))}
    known = {id for id, _ in before}
    old, new = [(id, text) for id, text in stands if id in known], [text for id, text in stands if id not in known]
    problems = []
    for keys in row["gone"]:
        held = [id for id, text in before if holds(text, keys)]
        out["held"].append(bool(held))
        left = [id for id, text in old if holds(text, keys)]
        if held:
            out["ended"].append(not left)
            out["tied"] += [not tied.isdisjoint(left)] if left else []
        problems += [f"stands still: {keys}"] if left else []
    for keys in row["stays"]:
        held = [id for id, text in before if holds(text, keys)]
        out["held"].append(bool(held))
        if held:  # what is left of a statement when a part of it ends is a new row
            out["spared"].append(any(holds(text, keys) for _, text in stands))
            problems += [] if out["spared"][-1] else [f"wrongly gone: {keys}"]
    for keys in row["new"]:
        out["kept"].append(any(holds(text, keys) for text in new))
        problems += [] if out["kept"][-1] else [f"not kept: {keys}"]
    if each and problems:
        said = " / ".join(turn["user"] for turn in row["after"])
        print(f"{row['id']} {row['register']} {row['kind']}: {said!r}")
        for problem in problems:
            print(f"      {problem}")
        for id, text in stands:
            print(f"      {'-' if id in known else '+'} {text[:160]}")
    return out


def written(path: Path, row: dict[str, Any], part: str, start: str) -> str:
    """A session as a transcript."""
    lines, about = [], {"session": f"{row['id']} {part}", "cwd": str(path.parent)}
    for i, turn in enumerate(row[part]):
        for second, (role, text) in enumerate((("user", turn["user"]), ("assistant", turn["assistant"]))):
            at = f"{start}{i:02}:{second * 20:02}Z"
            lines.append({"role": role, "text": text, "at": at, **about})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return str(path)


def holds(text: str, keys: list[str]) -> bool:
    return all(key.lower() in text.lower() for key in keys)


if __name__ == "__main__":
    main()
