"""What onboarding proposes for real source trees: time, number, whether its commands exist, a sample to judge by hand.

    pip download --no-deps --no-binary pytest,structlog,urllib3 pytest structlog urllib3 -d /tmp/trees   # and unpack
    npm pack zod; apt-get download golang-github-spf13-cobra-dev librust-clap-dev                          # the same
    python experiments/onboard_sdists.py /tmp/trees/*/ [--sample 50] [--save NAME]

Each tree is onboarded twice into a store of its own. A command counts as existing when the file named as its source
defines it, looked up here by a reading of its own: the target, script, environment or session must be in that file.
The sample is drawn with a fixed seed; experiments/onboard_labels.json holds the verdict of a person on each statement
("would it help somebody who works on this project, and does it say what the tree says"), and the share of true ones is
the precision. Statements without a verdict are printed.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from agentmemory.learn.onboard import onboard
from agentmemory.store import writer
from agentmemory.store.proposals import waiting

HERE = Path(__file__).parent
LABELS = HERE / "onboard_labels.json"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="+", type=Path)
    parser.add_argument("--sample", type=int, default=50)
    parser.add_argument("--save", metavar="NAME")
    args = parser.parse_args()
    trees = [one(tree.resolve()) for tree in sorted(args.trees)]
    labels = json.loads(LABELS.read_text()) if LABELS.exists() else {}
    everything = [f"{t['tree']}: {text}" for t in trees for text in t.pop("texts")]
    drawn = random.Random(5).sample(everything, min(args.sample, len(everything)))
    judged = {text: labels.get(text) for text in drawn}
    for text in (t for t, verdict in judged.items() if verdict is None):
        print("no verdict:", text)
    right = [v for v in judged.values() if v is not None]
    out = {
        "trees": trees,
        "sample": len(drawn),
        "judged": len(right),
        "precision": round(sum(right) / len(right), 3) if right else None,
        "wrong": [t for t, v in judged.items() if v is False],
    }
    print(json.dumps(out, indent=1, ensure_ascii=False))
    if args.save:
        receipt = {"argv": ["TREES", *sys.argv[1 + len(args.trees) :]], **out, "verdicts": judged}
        (HERE / "results").mkdir(exist_ok=True)
        (HERE / "results" / f"{args.save}.json").write_text(json.dumps(receipt, indent=1, ensure_ascii=False) + "\n")


def one(tree: Path) -> dict[str, Any]:
    """Onboard a tree twice; figures and texts."""
    with tempfile.TemporaryDirectory() as home:
        db = writer.open_store(home)
        start = time.perf_counter()
        first = onboard(db, str(tree), 1_790_000_000.0)
        seconds = time.perf_counter() - start
        again = onboard(db, str(tree), 1_790_000_100.0)
        found = waiting(db, (first.scope,), 10_000)
        states = db.execute("SELECT state, provenance, count(*) FROM belief GROUP BY 1, 2").fetchall()
        db.close()
    texts = [text for _, _, text, *_ in found]
    calls = [m[1] for m in (re.match(r"`([^`]+)`", text) for _, kind, text, *_ in found if kind == "procedure") if m]
    commands = [c for c in calls if re.match(r"(?:cd |make|tox|nox|npm|pnpm|yarn|bun|just|task|hatch|poe)", c)]
    return {
        "tree": tree.name,
        "files": first.files,
        "seconds": round(seconds, 2),
        "proposed": first.proposed,
        "again_new": again.proposed + again.updated + again.gone,
        "duplicates": len(texts) - len(set(texts)),
        "states": states,
        "commands": len(commands),
        "commands_missing": [c for c in commands if not exists(tree, c)],
        "texts": texts,
    }


def exists(tree: Path, call: str) -> bool:
    """Is what a command names defined in a file of the tree? Read anew, not by the code under test."""
    folder = tree
    if match := re.match(r"cd (\S+) && (.*)", call):
        folder, call = tree / match[1], match[2]
    if match := re.match(r"make -C (\S+) (\S+)$", call):
        folder, call = tree / match[1], f"make {match[2]}"
    words = call.split()
    text = "\n".join(
        f.read_text(errors="replace")
        for f in folder.iterdir()
        if f.is_file()
        and f.suffix in ("", ".ini", ".toml", ".json", ".py", ".yml", ".cfg")
        and f.stat().st_size < 1_000_000
    )
    name = words[-1]
    if words[0] == "make" or words[0] == "just":
        return re.search(rf"^@?(?:[\w.-]+\s+)*{re.escape(name)}\b[^=\n]*:", text, re.M) is not None
    if words[0] == "tox":
        return f"[testenv:{name}]" in text or any(name in variants for variants in matrix(text))
    if words[0] == "nox":
        return re.search(rf"def {re.escape(name)}\(|name=[\"']{re.escape(name)}[\"']", text) is not None
    return f'"{name}"' in text or re.search(rf"^{re.escape(name)}\s*=", text, re.M) is not None


def matrix(text: str) -> list[set[str]]:
    """The environments that a tox list stands for: braces with commas or a range of digits."""
    match = re.search(r"^env_?list\s*=\s*((?:.*\n)(?:[ \t]+.*\n)*)", text, re.M)
    out = []
    for item in re.findall(r"(?:[^\s,{}]|\{[^{}]*\})+", match[1] if match else ""):
        names = {""}
        for literal, group in re.findall(r"([^{}]+)|\{([^{}]*)\}", item):
            choices = [literal] if literal else []
            for choice in group.split(",") if not literal else ():
                low, dash, high = choice.strip().partition("-")
                ranged = dash and low.isdigit() and high.isdigit()
                choices += [str(n) for n in range(int(low), int(high) + 1)] if ranged else [choice.strip()]
            names = {a + b for a in names for b in choices}
        out.append(names)
    return out


if __name__ == "__main__":
    main()
