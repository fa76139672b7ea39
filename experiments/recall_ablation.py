#!/usr/bin/env python3
"""What each layer of recall is worth: CodeRecall with one of them taken out, in one process.

    python experiments/recall_ablation.py                       # worlds and lives that no fit has seen
    python experiments/recall_ablation.py --stores FOLDER       # learned ones are kept there, and found again
    python experiments/recall_ablation.py --worlds a.json b.txt --out receipt.json

Each world, year, weeks or sitting is learned once; before every probe that follows a session the store is copied, so
that a variant costs seconds. Figures are the harness's own (its `figures`), blocks come from `recall.pipeline.block`;
every prompt is the first of its session.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import apsw

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent
sys.path.insert(0, str(REPOSITORY))

from agentmemory import typed  # noqa: E402
from agentmemory.recall import cover, floor, lexical, need, ours, pipeline, weights  # noqa: E402
from agentmemory.records import Query  # noqa: E402
from agentmemory.store.db import open_read  # noqa: E402

HARNESS = Path(os.environ.get("CODERECALL", REPOSITORY.parent / "shared" / "coderecall" / "run.py"))
KINDS = ("rule", "correction", "preference", "decision", "fact", "procedure")
FIGURES = ("recall", "strict", "sound", "current", "silence", "tokens")
Probe = tuple[dict[str, Any], Path]


def harness() -> ModuleType:
    """The benchmark's own module."""
    spec = importlib.util.spec_from_file_location("coderecall_run", HARNESS)
    if spec is None or spec.loader is None:
        raise SystemExit(f"there is no harness at {HARNESS}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def seconds(iso: str) -> float:
    return datetime.fromisoformat(iso.replace("Z", "+00:00")).timestamp()


def prepare(run: ModuleType, world: dict[str, Any], folder: Path, command: str) -> list[Probe]:
    """Learn a world in the order of time; each probe with a copy of the store as it was then."""
    home = folder / "home"
    home.mkdir(parents=True)
    system = run.AgentMemory(command, home, folder / world["world"])
    waiting = sorted(world["sessions"], key=lambda s: s["start"])
    out: list[Probe] = []
    learned = 0
    for probe in sorted(world["probes"], key=lambda p: p["at"]):
        while waiting and waiting[0]["start"] <= probe["at"]:
            system.learn(waiting.pop(0))
            learned += 1
        copy = folder / f"{learned}.db"
        if not copy.exists() and learned:
            source, target = apsw.Connection(str(home / "memory.db")), apsw.Connection(str(copy))
            with target.backup("main", source, "main") as backup:
                backup.step()
            target.close()
            source.close()
        out.append((probe, copy))
    return out


def learned(run: ModuleType, world: dict[str, Any], folder: Path) -> list[Probe]:
    """The probes of a world, each with the store as it was then; learned unless that was done before."""
    made = folder / "probes.json"
    by_id = {probe["id"]: probe for probe in world["probes"]}
    if made.exists():
        return [(by_id[id], folder / name) for id, name in json.loads(made.read_text())]
    probes = prepare(run, world, folder, f"{shlex.quote(sys.executable)} -m agentmemory")
    made.write_text(json.dumps([(probe["id"], store.name) for probe, store in probes]))
    return probes


def asked(probe: dict[str, Any], store: Path) -> tuple[Any, Query]:
    """A probe's store, open, and what its prompt asks of it; the caller closes."""
    db = open_read(str(store))
    scopes = (*(row[0] for row in db.execute("SELECT id FROM scope WHERE kind = 'project'").fetchall()), 1)
    return db, Query(typed.asked(probe["prompt"]), seconds(probe["at"]), scopes)


def play(
    run: ModuleType, world: dict[str, Any], probes: list[Probe], answer: Callable[[Any, Query], str] | None = None
) -> dict[str, Any]:
    """One world's result in the harness's form, with the pipeline as it is now, or as *answer* answers."""
    answer = answer or pipeline.block
    facts = {fact["id"]: fact for fact in world["facts"]}
    later: dict[str, list[dict[str, Any]]] = {}
    for fact in world["facts"]:
        old = fact.get("supersedes")
        while old:
            later.setdefault(old, []).append(fact)
            old = facts[old].get("supersedes")
    rows = []
    saved = 0.0
    for probe, copy in probes:
        block = ""
        if copy.exists():
            db, query = asked(probe, copy)
            query.saved = saved
            block = answer(db, query)
            saved = cover.saved_after(saved, run.tokens(block)) if block else saved
            db.close()
        forbids = probe.get("forbids", [])
        rows.append({
            "id": probe["id"], "style": probe["style"], "needs": probe["needs"], "forbids": forbids,
            "tokens": run.tokens(block), "seconds": 0.0, "block": block,
            "got": [n for n in probe["needs"] if run.holds(block, facts[n]["key"])],
            "stale": [n for n in forbids if run.stands_as_current(block, facts[n], later.get(n, []))],
        })  # fmt: skip
    return {"rows": rows, "captured": [], "facts": 1, "traps": 1, "leaked": []}


def without(layer: str) -> Callable[[], Any]:
    """A variant: the pipeline without one layer."""

    @contextmanager
    def change() -> Iterator[None]:
        with set_to(pipeline, "LAYERS", tuple(f for f in pipeline.LAYERS if f.__name__ != layer)):
            yield

    return change


@contextmanager
def set_to(module: ModuleType, name: str, value: object) -> Iterator[None]:
    """A constant or function replaced for a while."""
    old = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, old)


VARIANTS: dict[str, Callable[[], Any]] = {
    "all": lambda: set_to(pipeline, "LAYERS", pipeline.LAYERS),
    **{
        f"without {layer}": without(layer)
        for layer in ("entities", "action", "restated", "supersession", "scopes", "inherited", "steps")
    },
    "without concepts": lambda: set_to(lexical, "BY_CONCEPT", 0.0),
    "without synonyms": lambda: set_to(lexical, "BY_SYNONYM", 0.0),
    "without cues": lambda: set_to(lexical, "IN_CUES", 0.0),
    "without floor": lambda: set_to(floor, "ODDS", -1e9),
    "without hints": lambda: set_to(floor, "ODDS", cover.SURELY),
    "without the prompt's form": lambda: set_to(ours, "_form", lambda text, query: {}),
    "without practice": lambda: set_to(pipeline, "practice", lambda db, query, hits: hits),
    "without later": lambda: set_to(pipeline, "later", lambda db, query, hits: hits),
    "each on a line of its own": lambda: set_to(pipeline, "beside", lambda hits: hits),
    "without brief wordings": lambda: set_to(pipeline, "briefly", lambda db, query, hits: hits),
    "without kinds": lambda: set_to(
        need, "NEEDED", {k: v for k, v in weights.NEEDED.items() if k.split()[-1] not in KINDS}
    ),
    "by bits alone": lambda: set_to(need, "NEEDED", {"bias": -6.0, "relative": 4.0}),
    "same room for all": lambda: set_to(cover, "CLEAR", 1e9),
}


def unseen() -> dict[str, list[Path]]:
    """The worlds and lives that no fit has seen."""
    import years  # which plays worlds by what is above

    lives = [path for paths in years.UNSEEN.values() for path in paths]
    return {"worlds": sorted((HERE / "worlds_aside").glob("*.json")), "lives": lives}


def read(path: Path) -> dict[str, Any]:
    """A world, or a life in the form of one."""
    import years

    world: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.suffix == ".json" else years.world(path)
    return world


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--worlds", type=Path, nargs="*", help="worlds (JSON) and lives (text)")
    ap.add_argument("--stores", type=Path, help="where learned ones are kept")
    ap.add_argument("--out", type=Path, default=HERE / "results" / "recall_ablation.json")
    args = ap.parse_args()
    run = harness()
    groups = {"worlds": args.worlds} if args.worlds else unseen()
    receipt: dict[str, dict[str, dict[str, Any]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        made = {}
        for group, paths in groups.items():
            worlds = [read(path) for path in paths]
            made[group] = [(each, learned(run, each, (args.stores or Path(folder)) / each["world"])) for each in worlds]
        for name, variant in VARIANTS.items():
            receipt[name] = {}
            for group, of in made.items():
                with variant():
                    figures = run.figures([play(run, world, probes) for world, probes in of])
                told = receipt[name][group] = {key: figures[key] for key in FIGURES}
                print(f"{name:>26}, {group}: " + "  ".join(f"{key} {value}" for key, value in told.items()), flush=True)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    played = {group: len(paths) for group, paths in groups.items()}
    out = {"command": "python experiments/recall_ablation.py", "played": played, "variants": receipt}
    args.out.write_text(json.dumps(out, indent=1) + "\n")


if __name__ == "__main__":
    main()
