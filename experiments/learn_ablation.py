#!/usr/bin/env python3
"""What each part of learning is worth: everything that no fit has seen, learned without one of them, in one process.

    python experiments/learn_ablation.py [PART ...]          # default: all parts; prints, and writes the receipt
    python experiments/learn_ablation.py --list

Worlds, weeks and sittings are played as the harness of CodeRecall plays them, dialogues and notes as their own
experiments do; what is taken out is replaced by a function that does nothing, all weights stay. Prints the figures of
each set with all parts, then of each without one where they differ. A part that changes nothing is idle.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "experiments")]

import dialogues  # noqa: E402
import noted  # noqa: E402
import years  # noqa: E402
from recall_ablation import harness, play, prepare, set_to  # noqa: E402

from agentmemory import paths  # noqa: E402
from agentmemory.learn import (  # noqa: E402
    answered,
    candidates,
    compared,
    lasting,
    lists,
    manner,
    match,
    neighbours,
    register,
    retold,
    revise,
    settled,
    stated,
    succession,
)
from agentmemory.learn.digest import digest  # noqa: E402
from agentmemory.store import listing, writer  # noqa: E402

RESULT = ROOT / "experiments" / "results" / "learn_ablation.json"
WORLDS = sorted((ROOT / "experiments" / "worlds_aside").glob("*.json"))
LIVES = [*years.UNSEEN["weeks"], *years.UNSEEN["sittings"]]
OF_WORLDS = ("sound", "strict", "current", "silence", "captured", "traps")
NOTES = sorted((ROOT / "experiments" / "noted_aside").glob("*.jsonl"))
TOLD = ("sound", "current", "silence")
ALL = "with all"

Patch = tuple[ModuleType, str, object]


def gives(value: object) -> Callable[..., object]:
    """A function that does nothing and says *value*."""
    return lambda *args, **kwargs: value


#: a part, and what makes it do nothing
PARTS: dict[str, list[Patch]] = {
    "the likelihood of lasting (rules alone)": [
        (candidates, "_judged", lambda found, *args: found.groups),
        (lasting, "likelihoods", lambda found, *args: [0.0] * len(found.rated)),
    ],
    "what stands around a sentence": [
        (neighbours, "colour", gives(None)), (neighbours, "lend", gives(None)), (neighbours, "explains", gives(False)),
        (neighbours, "reject", gives(None)), (neighbours, "dismiss", gives(None)),
    ],
    "lists": [(lists, "weigh", gives(False))],
    "what puts right, unanswered": [(candidates, "put_right", lambda found, *args: found.groups)],
    "short turns as a whole": [(settled, "short", gives(False))],
    "what the answer spells out": [
        (candidates, "spelled", gives("")), (candidates, "meant", gives("")), (lasting, "spelled", gives("")),
    ],
    "promises": [(answered, "promises", gives(False))],
    "undoing": [(answered, "undone", gives(False)), (candidates, "_undone", gives(None))],
    "answers that only take note": [(answered, "only_notes", gives(False))],
    "the register": [(register, "talk", gives(register.STRANGERS))],
    "reports": [(manner, "reports", gives(False)), (manner, "within_report", gives(False))],
    "tentative statements": [(candidates, "_tentative", gives([]))],
    "sentences that take back and say": [(neighbours, "with_what_holds", lambda said, text: list(said))],
    "topics beside a statement": [(stated.topics, "beside", gives(""))],
    "what an offer asked": [(stated.topics, "question", gives(""))],
    "pieces of routines": [(candidates, "may_go_on", gives(False))],
    "steps": [(revise.steps, "before", gives((0.0, None))), (revise.steps, "tie", gives(None))],
    "taking back": [(match, "_withdrawn", gives(())), (match, "taken_back", gives(()))],
    "what was said to be wrong": [(match.righted, "put_right", gives(()))],
    "the same sentence with another value": [(match, "restated", gives(False)), (match, "exchanged", gives(False))],
    "one sentence of two things": [(compared, "parallel", gives(False))],
    "another holder of a role": [(match, "_another_holder", gives(False))],
    "what names what it gives up": [(match, "_spared", gives(set()))],
    "further ones with the best": [(match, "_with_the_best", lambda firm, likely: firm[:1])],
    "likelihoods of succession": [(succession, "likelihoods", gives({}))],
    "what both exchanges have in common": [(succession.exchanges, "alike", gives({}))],
    "what both answers tell": [(retold, "features", gives({}))],
    "ties on one line": [(match, "_again", gives(0.0))],
    "parts that still hold": [(revise.parts, "beside", gives("")), (revise.parts, "without", gives(""))],
    "changed in part": [(revise.parts, "says_more", gives(False))],
    "brief wordings": [(revise.briefs, "brief", gives(("", 0.0)))],
    "cues for a belief": [(revise.vocabulary, "expansions", gives("")), (revise.vocabulary, "calls", gives(""))],
    "keywords, context, tags": [(revise.notes, "complete", lambda text, *given: given)],
    "links": [(revise.links, "draw", gives(None))],
}  # fmt: skip


@contextmanager
def without(part: str) -> Iterator[None]:
    """The patches of a part, for a while."""
    _forget()
    with ExitStack() as stack:
        for module, name, value in PARTS.get(part, []):
            stack.enter_context(set_to(module, name, value))
        yield
    _forget()


def _forget() -> None:
    """What was remembered of texts is worked out anew."""
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("agentmemory.learn"):
            for each in vars(module).values():
                getattr(each, "cache_clear", int)()


def here(run: ModuleType) -> type:
    """The harness's system under test, in this process."""

    class Here(run.AgentMemory):  # type: ignore[misc, name-defined]
        def __init__(self, command: str, home: Path, project: Path) -> None:
            self.home, self.project = home, project
            if not project.exists():
                super().__init__(command or "-", home, project)

        def run(self, *args: str, stdin: str = "", now: str = "") -> str:
            with closing(writer.open_store(str(self.home))) as db:
                if args[0] == "learn":
                    digest(db, args[1], paths.parse_time(now))
                    return ""
                return "".join(json.dumps(each) + "\n" for each in listing.export(db))

    return Here


def of_worlds(run: ModuleType, worlds: list[dict[str, Any]]) -> dict[str, float]:
    """The harness's figures of worlds that are learned now."""
    results = []
    with set_to(run, "AgentMemory", here(run)):
        for world in worlds:
            with tempfile.TemporaryDirectory() as folder:
                result = play(run, world, prepare(run, world, Path(folder), ""))
                system = run.AgentMemory("", Path(folder) / "home", Path(folder) / world["world"])
                asked = max(probe["at"] for probe in world["probes"])
                for session in sorted(world["sessions"], key=lambda each: each["start"]):
                    if session["start"] > asked:
                        system.learn(session)
                results.append(result | kept(run, world, system.beliefs()))
    figures = run.figures(results)
    return {name: figures[name] for name in OF_WORLDS}


def kept(run: ModuleType, world: dict[str, Any], held: list[dict[str, Any]]) -> dict[str, Any]:
    """What the harness counts of the beliefs of a world."""
    active = [each["text"] for each in held if each["state"] == "active"]
    captured = [
        fact["id"] for fact in world["facts"]
        if all(any(run.holds(each["text"], [key]) for each in held) for key in fact["key"])
    ]  # fmt: skip
    leaked = [trap["id"] for trap in world["traps"] if any(run.holds(each, trap["key"]) for each in active)]
    return {"facts": len(world["facts"]), "captured": captured, "traps": len(world["traps"]), "leaked": leaked}


def of_dialogues() -> dict[str, float]:
    """What holds of dialogues, which of their changes give way, and what later prompts are told."""
    parts = [dialogues.played(dialogues.read(path)) for path in dialogues.ASIDE]
    figures = dialogues.figures(*([each for part in of for each in part] for of in zip(*parts, strict=True)))
    changed, kept = figures["change"], figures["keep"]
    told = {name: figures["prompts"][name] for name in TOLD}
    return told | {"stands": kept["stands"], "gave way": changed["gave way"], "or tied": changed["or on one line"]}


def of_notes() -> dict[str, float]:
    """The same of notes."""
    lines = [line for path in NOTES for line in path.read_text("utf-8").splitlines()]
    figures = noted.figures([noted.played(json.loads(line)) for line in lines])
    changed = figures["replaces"]
    told = {name: figures["prompts"][name] for name in TOLD}
    return told | {
        "gave way": changed["right"], "or tied": changed["or on one line"], "wrongly": figures["wrongly replaced"],
    }  # fmt: skip


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("parts", nargs="*", metavar="PART", choices=[*PARTS, []], help="only these; no receipt")
    ap.add_argument("--list", action="store_true", help="print the parts")
    args = ap.parse_args()
    if args.list:
        print("\n".join(PARTS))
        return
    run = harness()
    worlds = [json.loads(path.read_text("utf-8")) for path in WORLDS]
    lives = [years.world(path) for path in LIVES]
    receipt: dict[str, Any] = {}
    for part in (ALL, *(args.parts or PARTS)):
        with without(part):
            sets = {
                "worlds": of_worlds(run, worlds), "lives": of_worlds(run, lives), "dialogues": of_dialogues(),
                "notes": of_notes(),
            }  # fmt: skip
        receipt[part] = sets
        print(f"{part}: {told(sets, {} if part == ALL else receipt[ALL])}", flush=True)
    if not args.parts:
        played = {"worlds": len(worlds), "lives": len(lives), "dialogues": len(dialogues.ASIDE), "notes": len(NOTES)}
        command = "python experiments/learn_ablation.py"
        RESULT.write_text(json.dumps({"command": command, "played": played, "without": receipt}, indent=1) + "\n")


def told(sets: dict[str, dict[str, float]], with_all: dict[str, dict[str, float]]) -> str:
    """The figures of each set that are others than with all parts."""
    return "; ".join(
        f"{name} " + (", ".join(
            f"{figure} {value}" for figure, value in figures.items() if value != with_all.get(name, {}).get(figure)
        ) or "the same")
        for name, figures in sets.items()
    )  # fmt: skip


if __name__ == "__main__":
    main()
