"""wonder and reason on worlds of CodeRecall: are all needed facts cited, and is nothing superseded cited as current?

    python experiments/graph_worlds.py WORLD.json ... [--styles multi,temporal] [--misses] [--save NAME]

Each world is learned session by session from transcripts, without a model; a probe is asked as a topic (wonder) and as
a question (reason) when its time comes. A fact counts as cited when the beliefs behind the lines hold all its keys; a
stale fact counts as current when a line of a belief that is not marked superseded holds its keys and no successor's.
Every cited id must exist, and its line must be the belief's own words. Nothing of a world is known to the program but
its sessions.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from agentmemory.memory import Memory
from agentmemory.store import beliefs
from agentmemory.text import tokens

RESULTS = Path(__file__).parent / "results"


def main() -> None:
    args = arguments()
    rows = [row for path in args.worlds for row in play(json.loads(Path(path).read_text()), args.styles)]
    for what in ("wonder", "reason"):
        mine = [r for r in rows if r["what"] == what]
        needing = [r for r in mine if r["needs"]]
        print(
            f"{what}: {share(r['missed'] == [] for r in needing)} of {len(needing)} cite all that is needed, "
            f"facts {share(f not in r['missed'] for r in needing for f in r['needs'])}, "
            f"nothing stale as current {share(not r['stale'] for r in mine)}, "
            f"lines true {share(r['true'] for r in mine)}, text at most {max(r['tokens'] for r in mine):.0f} tokens, "
            f"JSON {max(r['json_tokens'] for r in mine):.0f}, "
            f"median {statistics.median(r['tokens'] for r in mine):.0f}, "
            f"slowest {max(r['ms'] for r in mine):.0f} ms"
        )
        for style in sorted({r["style"] for r in needing}):
            of = [r for r in needing if r["style"] == style]
            print(f"  {style}: {share(r['missed'] == [] for r in of)} of {len(of)}")
    if args.misses:
        for r in rows:
            if r["missed"] or r["stale"] or not r["true"]:
                print(
                    *(r[k] for k in ("what", "id", "style", "prompt")),
                    "missed",
                    r["missed"],
                    "stale",
                    r["stale"],
                    r["lost"],
                )
    if args.save:
        kept = [{k: v for k, v in row.items() if k not in ("prompt", "lost")} for row in rows]  # no words of a world
        receipt = {"argv": [Path(a).name for a in sys.argv[1:]], "rows": kept}
        (RESULTS / f"{args.save}.json").write_text(json.dumps(receipt, indent=1) + "\n")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("worlds", nargs="+")
    parser.add_argument("--styles", default="multi,temporal", type=lambda s: s.split(","))
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--save", metavar="NAME", help="write a receipt to experiments/results/NAME.json")
    return parser.parse_args()


def play(world: dict[str, Any], styles: list[str]) -> list[dict[str, Any]]:
    facts = {f["id"]: f for f in world["facts"]}
    later = defaultdict(list)
    for fact in world["facts"]:
        old = fact.get("supersedes")
        while old:
            later[old].append(fact)
            old = facts[old].get("supersedes")
    rows = []
    with tempfile.TemporaryDirectory() as tmp:
        waiting = sorted(world["sessions"], key=lambda s: s["start"])
        for probe in sorted(world["probes"], key=lambda p: p["at"]):
            while waiting and waiting[0]["start"] <= probe["at"]:
                learn(Path(tmp), waiting.pop(0))
            if probe["style"] in styles:
                os.environ["AGENTMEMORY_NOW"] = probe["at"]
                with Memory(f"{tmp}/home", project=tmp) as memory:
                    for what in ("wonder", "reason"):
                        found = {"world": world["world"], **judged(memory, what, probe, facts, later)}
                        rows.append(found)
    return rows


def judged(memory: Memory, what: str, probe: dict[str, Any], facts: Any, later: Any) -> dict[str, Any]:
    start = time.perf_counter()
    answer = getattr(memory, what)(probe["prompt"])
    ms = (time.perf_counter() - start) * 1000
    text, data = answer.text(), answer.as_json()
    lines = list(walk(data))
    cited = " ".join(beliefs.get(memory.db, id).text for line in lines for id in line["ids"])
    true = all(says(memory, line) for line in lines)
    missed = [n for n in probe["needs"] if not holds(cited, facts[n]["key"])]
    shown = [n for n in probe["needs"] if not holds(text, facts[n]["key"])]
    said = [line for line in lines if len(line["ids"]) == 1]  # a theme's line names things and says nothing of them
    current = [line["text"] for line in said if line.get("state") not in ("superseded", "retracted")]
    stale = [
        n
        for n in probe.get("forbids", [])
        if any(holds(c, facts[n]["key"]) and not any(holds(c, s["key"]) for s in later[n]) for c in current)
    ]
    everything = " ".join(r["text"] for r in memory.export())
    lost = [n for n in missed if not holds(everything, facts[n]["key"])]
    whole = " ".join(beliefs.get(memory.db, id).text for id in answer.ids)
    unfound = [n for n in missed if not holds(whole, facts[n]["key"])]
    return {
        "what": what, "id": probe["id"], "style": probe["style"], "prompt": probe["prompt"], "needs": probe["needs"],
        "missed": missed, "not in text": shown, "stale": stale, "true": true, "ms": ms,
        "lost": f"not learned: {lost}, not found: {unfound}",
        "tokens": tokens(text), "json_tokens": tokens(json.dumps(data, ensure_ascii=False)), "ids": len(answer.ids),
    }  # fmt: skip


def walk(data: Any) -> Any:
    """Every line of an answer, wherever in its JSON it stands."""
    if isinstance(data, dict):
        if "ids" in data and "text" in data:
            yield data
        for value in data.values():
            yield from walk(value)
    elif isinstance(data, list):
        for value in data:
            yield from walk(value)


def says(memory: Memory, line: dict[str, Any]) -> bool:
    """The line's ids exist, and where it quotes one belief it does so in the belief's words."""
    texts = [beliefs.get(memory.db, id).text for id in line["ids"]]
    return len(texts) != 1 or line["text"].removeprefix("… ").removesuffix(" …") in " ".join(texts[0].split())


def holds(text: str, keys: list[str]) -> bool:
    low = text.lower()
    return all(k.lower() in low for k in keys)


def share(values: Any) -> str:
    found = list(values)
    return f"{sum(found) / len(found):.3f}" if found else "-"


def learn(folder: Path, session: dict[str, Any]) -> None:
    start = datetime.fromisoformat(session["start"].replace("Z", "+00:00"))
    path = folder / f"{session['id']}.jsonl"
    with path.open("w") as f:
        for i, turn in enumerate(session["turns"]):
            content = turn["text"] if turn["role"] == "user" else [{"type": "text", "text": turn["text"]}]
            at = (start + timedelta(minutes=i)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
            line = {
                "type": turn["role"], "isSidechain": False, "userType": "external", "cwd": str(folder), "timestamp": at,
                "sessionId": session["id"], "uuid": f"{session['id']}-{i}",
                "message": {"role": turn["role"], "content": content},
            }  # fmt: skip
            f.write(json.dumps(line) + "\n")
    os.environ["AGENTMEMORY_NOW"] = session["start"]
    with Memory(f"{folder}/home", project=str(folder)) as memory:
        memory.learn(str(path))


if __name__ == "__main__":
    main()
