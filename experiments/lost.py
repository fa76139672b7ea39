#!/usr/bin/env python3
"""Where the needs of CodeRecall get lost: never kept, hidden, silent or outranked. One process, as the ablation.

    python experiments/lost.py                        # the worlds of experiments/worlds
    python experiments/lost.py --each a.json b.json   # each lost need and each stale fact, with its prompt
    python experiments/lost.py --stores FOLDER        # learned worlds are kept there, and found again the next time

A need is *never kept* where no belief holds its keys (*in part*: several hold them), *hidden* where one does but recall
could not show it (replaced, archived), *left out* where the brief wording that was shown lacks it, *silent* where the
prompt was taken for somebody else's, else *outranked*.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "experiments")]

from recall_ablation import Probe, asked, harness, learned, play  # noqa: E402

from agentmemory.recall.later import later  # noqa: E402
from agentmemory.recall.pipeline import brought, candidates  # noqa: E402
from agentmemory.recall.practice import everything  # noqa: E402
from agentmemory.recall.render import clean  # noqa: E402
from agentmemory.recall.wordings import briefly  # noqa: E402
from agentmemory.records import Row  # noqa: E402
from experiments.regression import WORLDS  # noqa: E402

FIGURES = ("probes", "sound", "strict", "current", "silence", "tokens")
START = 40  # characters by which a wording is found in a block
AT_ONCE = 2  # worlds that are learned at the same time


class Held(NamedTuple):
    """What a store holds for a probe: all texts, the rows of each hit that a block might show, whether the prompt is
    taken for somebody's else."""

    texts: list[str]
    shown: list[list[Row]]
    silent: bool


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("worlds", nargs="*", type=Path)
    ap.add_argument("--stores", type=Path, help="where learned worlds are kept")
    ap.add_argument("--each", action="store_true", help="print each loss")
    args = ap.parse_args()
    run = harness()
    worlds = [json.loads(path.read_text("utf-8")) for path in args.worlds or WORLDS]
    with tempfile.TemporaryDirectory() as folder:
        stores = args.stores or Path(folder)
        made, results = played(run, worlds, stores)
        lost: Counter[str] = Counter()
        for world, probes, result in zip(worlds, made, results, strict=True):
            lost += told(run, world, probes, result, args.each)
    print(json.dumps(figures(run, results)))
    print(json.dumps(dict(lost.most_common())))


def played(
    run: ModuleType, worlds: list[dict[str, Any]], stores: Path
) -> tuple[list[list[Probe]], list[dict[str, Any]]]:
    """Worlds that are learned into a folder, each on its own, and asked: their probes, and what came of these."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        made = list(pool.map(lambda world: learned(run, world, stores / world["world"]), worlds))
    return made, [play(run, world, probes) for world, probes in zip(worlds, made, strict=True)]


def figures(run: ModuleType, results: list[dict[str, Any]]) -> dict[str, float]:
    """The harness's figures that played worlds have."""
    every = run.figures(results)
    return {key: every[key] for key in every if key.startswith("strict_") or key in FIGURES}


def told(
    run: ModuleType, world: dict[str, Any], probes: list[Probe], result: dict[str, Any], each: bool
) -> Counter[str]:
    """How many needs of a world were lost in which way, and how many prompts showed something stale."""
    facts = {fact["id"]: fact for fact in world["facts"]}
    out: Counter[str] = Counter()
    for (probe, store), row in zip(probes, result["rows"], strict=True):
        out["stale"] += bool(row["stale"])
        missing = [id for id in row["needs"] if id not in row["got"]]
        of = held(probe, store) if missing else Held([], [], False)
        ways = {id: way(run, facts[id]["key"], row["block"], of) for id in missing}
        out.update(ways.values())
        if each and (ways or row["stale"]):
            print(f"{world['world']}/{probe['id']} [{probe['style']}] {probe['prompt']!r}")
            for id in [*ways, *row["stale"]]:
                print(f"    {ways.get(id, 'stale'):>10}: {id} {facts[id]['key']}")
    return out


def held(probe: dict[str, Any], store: Path) -> Held:
    """What a store holds for a probe."""
    if not store.exists():
        return Held([], [], False)
    db, query = asked(probe, store)
    texts = [row[0] for row in db.execute("SELECT text FROM belief").fetchall()]
    hits = brought(db, query)
    kept = candidates(db, query, hits, True)
    shown = kept or briefly(db, query, later(db, query, everything(db, query, hits)))
    db.close()
    return Held(texts, [[hit.row, *hit.steps, *hit.was] for hit in shown], not kept)


def way(run: ModuleType, keys: list[str], block: str, of: Held) -> str:
    """In which way a need was lost."""
    if not any(run.holds(text, keys) for text in of.texts):
        return "in part" if all(any(run.holds(text, [key]) for text in of.texts) for key in keys) else "never kept"
    if not any(run.holds("\n".join(row.text for row in rows), keys) for rows in of.shown):
        return "hidden"
    told = (row for rows in of.shown for row in rows if row.brief and run.holds(row.text, keys))
    if any(clean(row.brief, START, True)[:-1] in block for row in told):
        return "left out"
    return "silent" if of.silent else "outranked"


if __name__ == "__main__":
    main()
