"""Evidence retrieval over long conversations, with a receipt: three sets, one configuration, no model.

    python experiments/retrieval.py [--data FOLDER]     # through retrieval_command.py, as an outsider would
    python experiments/retrieval.py --floor             # the harness' own FTS5 instead of ours
    python experiments/retrieval.py --ablation          # in this process: what each part is worth
    python experiments/retrieval.py --tables            # the receipts as tables of docs/retrieval.md

The harness is `../shared/retrieval/benchrun.py`, or in the folder named by `--data` or `$RETRIEVAL_DATA`.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "experiments" / "results"
RECEIPTS = ("retrieval", "retrieval_floor", "retrieval_ablation")
GUIDE = ROOT / "docs" / "retrieval.md"
DATA = Path(os.environ.get("RETRIEVAL_DATA", ROOT.parent / "shared" / "retrieval"))
SETS = {
    "locomo": ("locomo_dev.json", []),
    "longmemeval": ("lme_dev.json.gz", ["--unit", "turn"]),
    "code": ("code_dev.json.gz", []),
}
KEPT = ("recall@5", "recall@10", "recall@20", "recall@50", "mrr", "ndcg@10", "recall@500tok", "recall@1000tok")
#: part of the search -> the numbers that switch it off
PARTS: dict[str, dict[str, float]] = {
    "everything": {},
    "without neighbours": {"TURN_BEFORE": 0.0, "TURN_AFTER": 0.0},
    "without the turns after": {"TURN_AFTER": 0.0},
    "without who asks, who answers": {"ASKED_BEFORE": 1.0, "ASKING": 1.0},
    "without speakers": {"NAMED": 0.0, "BY_NAMED": 1.0},
    "without days": {"ON_THAT_DAY": 0.0},
    "without the price of length": {"COST": 0.0},
    "without freshness": {"FRESH": 0.0},
}


def main() -> int:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--data", type=Path, default=DATA)
    ap.add_argument("--ablation", action="store_true")
    ap.add_argument("--floor", action="store_true")
    ap.add_argument("--tables", action="store_true")
    args = ap.parse_args()
    if args.tables:
        GUIDE.write_text(tables(GUIDE.read_text()))
        return 0
    if not (args.data / "benchrun.py").exists():
        print(f"there is no benchrun.py in {args.data}", file=sys.stderr)
        return 2
    if args.ablation:
        write("retrieval_ablation", ablation(args.data))
    else:
        system = ["--system", "systems.fts5:Fts5", "--opt", "stemmer=porter"] if args.floor else ours()
        write("retrieval_floor" if args.floor else "retrieval", {name: one(args.data, name, system) for name in SETS})
    return 0


def ours() -> list[str]:
    return ["--command", f"{sys.executable} {ROOT / 'experiments' / 'retrieval_command.py'}"]


def one(data: Path, name: str, system: list[str]) -> dict[str, Any]:
    """Run the harness on a set; returns what is kept of its figures."""
    file, options = SETS[name]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.json"
        command = [sys.executable, "benchrun.py", "--data", file, *options, *system, "--out", str(out)]
        subprocess.run(command, cwd=data, check=True, stdout=subprocess.DEVNULL)
        r = json.loads(out.read_text())
    figures = {key: r["overall"][key] for key in KEPT}
    print(f"{name:12} {figures}  {r['latency_ms']}", flush=True)
    return {
        "questions": r["n_questions"], **figures, "ci95": r["overall_ci95"], "latency_ms": r["latency_ms"],
        "index_s": r["index_s_total"],
        "by_category": {c: {"n": v["n"], "recall@10": v["recall@10"]} for c, v in r["by_category"].items()},
    }  # fmt: skip


def ablation(data: Path) -> dict[str, dict[str, list[float]]]:
    """Part -> set -> [R@10, recall in 1,000 tokens] when that part is switched off."""
    sys.path[:0] = [str(data), str(ROOT / "experiments")]
    bench, command = importlib.import_module("benchrun"), importlib.import_module("retrieval_command")
    rows: dict[tuple[str, str], list[dict[str, float]]] = {}
    for name, (file, options) in SETS.items():
        pools, stats = bench.load(str(data / file), options[-1] if options else "session", True, "all")
        for pool in pools:
            for part, scored in of_pool(bench, command, pool, stats.get("group", "")):
                rows.setdefault((part, name), []).append(scored)
    out: dict[str, dict[str, list[float]]] = {part: {} for part in PARTS}
    for (part, name), scores in rows.items():
        out[part][name] = [
            round(sum(r[key] for r in scores) / len(scores), 4) for key in ("recall@10", "recall@1000tok")
        ]
    for part, figures in out.items():
        print(f"{part:32} {figures}")
    return out


def of_pool(bench: ModuleType, command: ModuleType, pool: Any, group: str) -> Iterator[tuple[str, dict[str, float]]]:
    """Every part's scores on the questions of one conversation, over one store."""
    from agentmemory.memory import Memory

    tokens = {item.id: bench.est_tokens(item.render()) for item in pool.items}
    session = {item.id: item.session for item in pool.items}
    with tempfile.TemporaryDirectory() as folder, Memory(folder, project="") as memory:
        ids = command.index(memory, [vars_of(item) for item in pool.items])
        for question in pool.questions:
            for part, numbers in PARTS.items():
                with switched_off(numbers):
                    raw = command.search(memory, ids, question.text, 500 if group else 100, question.when)
                ranked = list(dict.fromkeys(session[i] for i in raw)) if group else raw
                yield part, bench.score(ranked[:100], question.gold, tokens, raw, session if group else None)


def vars_of(item: Any) -> dict[str, Any]:
    return {key: getattr(item, key) for key in ("id", "text", "speaker", "session", "when", "order")}


@contextmanager
def switched_off(numbers: dict[str, float]) -> Iterator[None]:
    """Run with other numbers in recall/voices.py."""
    from agentmemory.recall import voices

    before = {name: getattr(voices, name) for name in numbers}
    vars(voices).update(numbers)
    try:
        yield
    finally:
        vars(voices).update(before)


def tables(text: str) -> str:
    """The guide with the figures of the receipts."""
    ours_, floor, parts = (json.loads((RESULTS / f"{name}.json").read_text()) for name in RECEIPTS)
    lines = [
        "| set | questions | R@10 | in 1,000 tokens | floor: R@10 | in 1,000 tokens |",
        "|---|---|---|---|---|---|",
    ]
    for name in SETS:
        a, b = ours_[name], floor[name]
        figures = (a["recall@10"], a["recall@1000tok"], b["recall@10"], b["recall@1000tok"])
        lines.append(f"| {name} | {a['questions']} | " + " | ".join(f"{x:.3f}" for x in figures) + " |")
    off = [f"| | {' | '.join(SETS)} |", "|---" * (len(SETS) + 1) + "|"]
    for part, of_set in parts.items():
        off.append(f"| {part} | " + " | ".join(f"{of_set[n][0]:.3f} / {of_set[n][1]:.3f}" for n in SETS) + " |")
    for mark, rows in (("retrieval", lines), ("ablation", off)):
        before, rest = text.split(f"<!-- {mark} -->")
        after = rest.split(f"<!-- /{mark} -->")[1]
        text = f"{before}<!-- {mark} -->\n" + "\n".join(rows) + f"\n<!-- /{mark} -->{after}"
    return text


def write(name: str, figures: dict[str, Any]) -> None:
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
