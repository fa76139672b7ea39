"""Does a later statement replace an earlier one when it should, and only then?

    python experiments/succession.py [--save]

Pairs of statements (tests/data/succession.jsonl: what was said, what was said weeks later, whether the second one
replaces the first), each learned in a store of its own beside twenty-five others. `replaced_or_linked`: where
nothing was replaced, the later one is at least shown on the line of the earlier one. Sets `first` and `second` were
looked at while this was built; `aside` was not; `third` and `fourth` came later.
Receipt: experiments/results/succession.json.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import random
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from agentmemory.learn.candidates import candidates  # noqa: E402
from agentmemory.learn.revise import revise  # noqa: E402
from agentmemory.store import scopes, turns, writer  # noqa: E402
from agentmemory.values import Candidate, Utterance  # noqa: E402

PAIRS = ROOT / "tests" / "data" / "succession.jsonl"
RECEIPT = ROOT / "experiments" / "results" / "succession.json"
OTHERS = 25
WEEKS = 3_000_000.0  # seconds between the two statements
ACTIVE = "SELECT id FROM belief WHERE state = 'active'"
LATER = "SELECT dst FROM edge WHERE type = 'relates' AND detail = 'later'"


def main() -> None:
    """Learn every pair, print the figures of each set, keep them with --save."""
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--save", action="store_true", help="keep the receipt")
    args = ap.parse_args()
    pairs = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    figures = {}
    for name in ("first", "second", "aside", "third", "fourth"):
        mine = [pair for pair in pairs if pair["set"] == name]
        figures[name] = score(mine, [played(pair, mine) for pair in mine])
        print(name, json.dumps(figures[name]))
    if args.save:
        RECEIPT.write_text(json.dumps(figures, indent=1) + "\n")


def score(pairs: list[dict[str, Any]], outcomes: list[dict[str, bool]]) -> dict[str, float]:
    """Recall and precision of replacing, and what else happened, as shares."""
    meant = [done for pair, done in zip(pairs, outcomes, strict=True) if pair["replaces"]]
    replaced = [pair["replaces"] for pair, done in zip(pairs, outcomes, strict=True) if done["replaced"]]
    return {
        "pairs": len(pairs),
        "recall": share(done["replaced"] for done in meant),
        "precision": share(replaced),
        "replaced_or_linked": share(done["replaced"] or done["linked"] for done in meant),
        "not_taken_for_lasting": share(not done["learned"] for done in meant),
        "another_was_replaced": share(done["another"] for done in outcomes),
    }


def played(pair: dict[str, Any], pairs: list[dict[str, Any]]) -> dict[str, bool]:
    """What became of the earlier statement when the later one was learned."""
    rng = random.Random(len(pair["old"]))  # the same beside a test's random names
    others = rng.sample(sorted({other["old"] for other in pairs} - {pair["old"]}), OTHERS)
    with tempfile.TemporaryDirectory() as folder:
        db = writer.open_store(folder)
        with writer.transaction(db):
            scope = scopes.project(db, "/p/.git", "", 1.0)
            for other in others:
                revise(db, Candidate(kind="fact", text=other, scope=scope, at=1.0), 1.0)
            both = [
                Utterance(n, "user", pair[which], at) for n, (which, at) in enumerate((("old", 2.0), ("new", WEEKS)))
            ]
            turn, later = turns.add(db, turns.session(db, "talk", scope, 2.0), both)
            said = candidates(both[0]) or [Candidate("fact", pair["old"])]
            old = {told(db, c, scope, 2.0, turn) for c in said}
            before = {id for (id,) in db.execute(ACTIVE).fetchall()}
            new = [c for c in candidates(both[1], tentative=True) if not c.retracts and c.sequel != "only"]
            learned = [id for c in new if (id := told(db, c, scope, WEEKS, later)) is not None]
            gone = before - {id for (id,) in db.execute(ACTIVE).fetchall()}
            linked = {id for (id,) in db.execute(LATER).fetchall()}
        db.close()
    return {
        "replaced": bool(gone & old), "linked": bool(linked & old), "learned": bool(learned),
        "another": bool(gone - old),
    }  # fmt: skip


def told(db: Any, c: Candidate, scope: int, at: float, turn: int | None) -> int | None:
    """The belief that a candidate of a turn became."""
    return getattr(revise(db, dataclasses.replace(c, scope=scope, at=at, turn=turn), at), "id", None)


def share(values: Iterable[bool]) -> float:
    """The share of true ones, to three places."""
    held = list(values)
    return round(sum(held) / max(1, len(held)), 3)


if __name__ == "__main__":
    main()
