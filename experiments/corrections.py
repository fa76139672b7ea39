"""Does the learner hear a correction when it is one? Precision and recall on labelled turns.

    python experiments/corrections.py [LABELLED.jsonl ...] [--worlds WORLD.json ...] [--show] [--save]
    python experiments/corrections.py --fit [--save]

A labelled file holds a JSON object a line: `previous_assistant`, `user`, `correction` (true where the user puts
something right that is meant to last), `hand` (who wrote it). A turn counts as heard when the learner would keep
something of it. Worlds are CodeRecall's: what they state as corrections must be heard (a fact's keys in one candidate),
their traps must not. Without files the development set in tests/data is scored, and the turns beside it that nothing is
fitted to; `--save` writes experiments/results/corrections.json. `--fit` says what is heard of each hand with weights
fitted to the others, then fits them to all hands and to the talk of experiments/worlds and writes them into
data/rightings.toml.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from agentmemory.learn import rightings  # noqa: E402
from agentmemory.learn.candidates import candidates, read  # noqa: E402
from agentmemory.values import Candidate, Utterance  # noqa: E402
from experiments import regression  # noqa: E402
from experiments.regression import in_parts, in_place_of, lines  # noqa: E402

WEIGHTS = ROOT / "agentmemory/data/rightings.toml"
TALKS = ROOT / "experiments/worlds"
TALK = 12.0  # worlds in which a turn would count as a labelled one, spread over all; experiments/LOG.md 2026-11-22
RIDGE = (2.0, 5.0)  # of marks, patterns and classes of words, of what stands beside what
OFTEN = 20  # turns that must have a feature before it gets a weight
DEVELOPMENT = ROOT / "tests/data/corrections_dev.jsonl"
ASIDE = ROOT / "tests/data/corrections_aside.jsonl"  # nothing is fitted to it
HARNESS = Path(os.environ.get("CODERECALL", ROOT.parent / "shared" / "coderecall" / "run.py"))


def heard(user: str, before: tuple[tuple[str, str], ...]) -> list[str]:
    """What the learner would keep of a user's turn, or retract by it."""
    return [candidate.text for candidate in candidates(Utterance(0, "user", user, 1.0), before)]


def scored(rows: list[dict[str, Any]], show: bool) -> dict[str, Any]:
    """Counts, precision and recall of labelled turns."""
    hits = misses = false = 0
    for row in rows:
        previous = row.get("previous_assistant") or ""
        kept = heard(row["user"], (("assistant", previous),) if previous else ())
        hits += bool(kept) and row["correction"]
        misses += not kept and row["correction"]
        false += bool(kept) and not row["correction"]
        if show and bool(kept) != row["correction"]:
            print(f"{'missed' if row['correction'] else 'false '} | {previous[:60]} | {row['user'][:150]!r} | {kept}")
    return {"turns": len(rows), "corrections": hits + misses, **_rates(hits, misses, false)}


def world(path: Path) -> tuple[int, int, int, int]:
    """Of a world: corrections heard and missed, traps kept, traps in all."""
    data = json.loads(path.read_text("utf-8"))
    sessions = {session["id"]: session["turns"] for session in data["sessions"]}

    def found(said: dict[str, Any], later: int = 0) -> list[Candidate]:
        turns, at = sessions[said["said_in"]], said["turn"] + later
        before = tuple((turn["role"], turn["text"]) for turn in turns[max(0, at - 6) : at])
        return list(candidates(Utterance(at, turns[at]["role"], turns[at]["text"], 1.0), before))

    def kept(said: dict[str, Any]) -> bool:
        texts = [candidate.text.lower() for candidate in found(said) if not candidate.retracts]
        return any(all(key.lower() in text for key in said["key"]) for text in texts)

    def taken_back(said: dict[str, Any]) -> bool:
        left = len(sessions[said["said_in"]]) - said["turn"]
        return any(candidate.retracts for later in range(1, min(left, 5)) for candidate in found(said, later))

    corrections = [kept(fact) for fact in data["facts"] if fact["kind"] == "correction"]
    traps = [kept(trap) and not taken_back(trap) for trap in data["traps"]]
    return sum(corrections), len(corrections) - sum(corrections), sum(traps), len(traps)


def spoken(path: Path) -> list[dict[str, Any]]:
    """Turns of a world that follow the assistant's, as labelled turns: what states a fact or a piece of a routine is
    meant to last."""
    data = json.loads(path.read_text("utf-8"))
    facts = {(fact["said_in"], fact["turn"]) for fact in data["facts"]}
    pieces = [key.lower() for fact in data["facts"] if fact["kind"] == "procedure" for key in fact["key"]]
    out = []
    for session in data["sessions"]:
        for at, (before, turn) in enumerate(zip(session["turns"], session["turns"][1:]), 1):
            if (before["role"], turn["role"]) == ("assistant", "user"):
                lasts = (session["id"], at) in facts or any(key in turn["text"].lower() for key in pieces)
                out.append({"previous_assistant": before["text"], "user": turn["text"], "correction": lasts})
    return out


def described(row: dict[str, Any], weight: float) -> tuple[dict[str, float], float, float]:
    """Features, label and weight of a labelled turn."""
    user, previous = row["user"], row.get("previous_assistant") or ""
    found = read(Utterance(0, "user", user, 1.0), (("assistant", previous),))
    if found is None:
        return {}, 0.0, 0.0
    return rightings.features(user, previous, found.rated, found.kept), float(row["correction"]), weight


def fitted(turns: list[tuple[dict[str, float], float, float]]) -> dict[str, float]:
    """The weights; what stands beside what is held down more than single words are."""
    counted = Counter(name for found, _, _ in turns for name, value in found.items() if value)
    names = sorted(name for name, times in counted.items() if times >= OFTEN or " " not in name)
    cases, labels, much = zip(*turns, strict=True)
    return regression.fit(cases, labels, names, lambda name: RIDGE[name.count(" ") > 1], much)


def fit(rows: list[dict[str, Any]], worlds: list[Path]) -> dict[str, Any]:
    """Fit the weights to all turns and write them; returns what is heard of each hand with weights of the others."""
    talk = [described(row, TALK / len(worlds)) for path in worlds for row in spoken(path)]
    turns = [described(row, 1.0) for row in rows]
    result = {}
    for hand in sorted({row["hand"] for row in rows}):
        others = [turn for row, turn in zip(rows, turns) if row["hand"] != hand]
        with in_place_of(rightings.WEIGHTS, fitted([*others, *talk])):
            result[hand] = scored([row for row in rows if row["hand"] == hand], show=False)
    weights = fitted([*turns, *talk])
    patterns = WEIGHTS.read_text("utf-8").split("[weights]")[0]
    WEIGHTS.write_text(f"{patterns}[weights]\n{lines(weights)}", "utf-8")
    rightings.WEIGHTS.clear()
    rightings.WEIGHTS.update(weights)
    return result


def unseen(worlds: Sequence[Path]) -> Iterator[list[Path]]:
    """The worlds in parts, each while turns are judged by weights that have not seen it, so that another fit may
    learn from that."""
    turns = [described(row, 1.0) for row in _rows(DEVELOPMENT)]
    talk = {path: [described(row, TALK / len(worlds)) for row in spoken(path)] for path in worlds}
    for part in in_parts(worlds):
        others = [turn for other, said in talk.items() if other not in part for turn in said]
        with in_place_of(rightings.WEIGHTS, fitted([*turns, *others])):
            yield part


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def _rates(hits: int, misses: int, false: int) -> dict[str, float]:
    return {
        "precision": round(hits / (hits + false), 3) if hits + false else 1.0,
        "recall": round(hits / (hits + misses), 3) if hits + misses else 1.0,
    }


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("files", nargs="*", type=Path, default=[DEVELOPMENT, ASIDE])
    ap.add_argument("--worlds", nargs="*", type=Path, default=sorted(HARNESS.parent.glob("world_*.json")))
    ap.add_argument("--show", action="store_true", help="print what was missed and what was heard wrongly")
    ap.add_argument("--fit", action="store_true", help="fit the weights of data/rightings.toml to the files")
    ap.add_argument("--save", action="store_true", help="write the receipt")
    args = ap.parse_args()
    result: dict[str, Any] = {}
    if args.fit:
        rows = [row for path in args.files if path != ASIDE for row in _rows(path)]
        result["weights_of_the_other_hands"] = fit(rows, sorted(TALKS.glob("world_*.json")))
    result |= {path.stem: scored(_rows(path), args.show) for path in args.files}
    counts = [sum(column) for column in zip(*map(world, args.worlds))] if args.worlds else []
    if counts:
        hits, misses, false, traps = counts
        result["worlds"] = {"corrections": hits + misses, "traps": traps, **_rates(hits, misses, false)}
    print(json.dumps(result, indent=1))
    if args.save:
        (ROOT / "experiments/results/corrections.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
