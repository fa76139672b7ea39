#!/usr/bin/env python3
"""What each part of learning is worth: everything that no fit has seen, learned without one of them.

    python experiments/learn_ablation.py [PART ...]          # default: all parts; prints, and writes the receipt
    python experiments/learn_ablation.py --list

Worlds, weeks, sittings and assents are played as the harness of CodeRecall plays them, dialogues, notes, turns of
which no answer is known, histories of a change and plain changes as their own experiments do; what is taken out is
replaced by a function that does nothing, all weights stay. While everything is learned with all parts it is written
down which of them said something else than nothing, and only what they had a say in is learned anew without them.
Prints the figures of each set with all parts, then of each without one where they differ. A part that changes nothing
is idle.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "experiments")]

import changes  # noqa: E402
import corrections  # noqa: E402
import dialogues  # noqa: E402
import noted  # noqa: E402
import plain_changes  # noqa: E402
import years  # noqa: E402
from recall_ablation import harness, play, prepare, set_to  # noqa: E402

from agentmemory import paths  # noqa: E402
from agentmemory.learn import (  # noqa: E402
    answered,
    briefs,
    candidates,
    clauses,
    compared,
    conditional,
    digest,
    ended,
    excepted,
    exchanged,
    exchanges,
    for_now,
    given,
    handed_on,
    kept,
    lasting,
    lines,
    links,
    lists,
    manner,
    match,
    matters,
    moved,
    neighbours,
    notes,
    others,
    parallel,
    parts,
    pieces,
    register,
    renamed,
    retold,
    righted,
    sequels,
    series,
    settled,
    sittings,
    spelled,
    steps,
    succession,
    takebacks,
    topics,
    used,
    vocabulary,
    withdrawn,
)
from agentmemory.store import lineage, listing, writer  # noqa: E402

RESULT = ROOT / "experiments" / "results" / "learn_ablation.json"
ASIDE = ROOT / "experiments"
SETS: dict[str, list[Path]] = {
    "worlds": sorted((ASIDE / "worlds_aside").glob("*.json")),
    "lives": [*years.UNSEEN["weeks"], *years.UNSEEN["sittings"]],
    "assents": sorted((ASIDE / "assents_aside").glob("*.txt")),
    "dialogues": dialogues.ASIDE,
    "notes": sorted((ASIDE / "noted_aside").glob("*.jsonl")),
    "unanswered": [corrections.ASIDE],
    "changes": [changes.DATA],
    "plain": [Path(plain_changes.__file__)],
}
OF_WORLDS = ("sound", "strict", "current", "silence", "captured", "traps")
TOLD = ("sound", "current", "silence")
OF_ONE = {
    "unanswered": {"precision": "precision", "recall": "recall"},
    "changes": {"ended": "gave way", "tied": "or tied", "spared": "all else stands"},
    "plain": {"r": "gave way", "t": "or tied"},
}
ALL = "with all"

Function = Callable[..., Any]


def gives(value: object) -> Function:
    """A function that does nothing and says *value*."""
    return lambda *args, **kwargs: value


#: a part: its functions, each with what it does when it does nothing
PARTS: dict[str, list[tuple[Function, Function]]] = {
    # what is meant to last
    "the likelihood of lasting (rules alone)": [
        (candidates._judged, lambda found, *args: found.groups),
        (lasting.likelihoods, lambda found, *args: [0.0] * len(found.rated)),
    ],
    "what stands around a sentence": [
        (neighbours.colour, gives(None)), (neighbours.lend, gives(None)), (neighbours.reject, gives(None)),
        (neighbours.dismiss, gives(None)),
    ],
    "sentences that take back and say": [(neighbours.with_what_holds, lambda said, text: list(said))],
    "lists": [(lists.weigh, gives(False))],
    "lists that last": [(lists.likely, lambda r, likely, *args: likely)],
    "what is told in one breath": [(series.spans, gives([]))],
    "orders under a condition": [(conditional.standing, gives(False))],
    "what puts right, unanswered": [(kept.put_right, lambda found, *args: found.groups)],
    "tasks told in one breath, for now": [(for_now.leave, gives(None))],
    "what others say": [(others.leave, gives(None))],
    "what a turn takes back of itself": [(withdrawn.without, lambda found, groups, *args: (groups, []))],
    "short turns as a whole": [(settled.short, gives(False))],
    "answers to what was asked": [(settled.answers, gives(False))],
    "proposals": [(settled.proposes, gives(False))],
    "what the answer spells out": [(spelled.spelled, gives("")), (spelled.meant, gives(""))],
    "promises": [(answered.promises, gives(False))],
    "undoing": [(answered.undone, gives(False))],
    "answers that only take note": [(answered.only_notes, gives(False))],
    "who tells and who works": [(register.talk, gives(register.STRANGERS))],
    "reports": [(manner.reports, gives(False)), (manner.within_report, gives(False))],
    "what a turn answers, as the client knows": [(lines.chosen, lambda rated, likely, lines: likely)],
    "what was turned away": [(used.turned_away, gives(False))],
    "values behind a statement": [(candidates._join_values, gives(None))],
    "tentative statements": [(candidates._tentative, gives([]))],
    "topics beside a statement": [(topics.beside, gives(""))],
    "what an offer asked": [(topics.question, gives(""))],
    # routines
    "pieces of routines": [(sequels.may_go_on, gives(False))],
    "pieces in few words": [(pieces.told, gives("")), (pieces.opens, gives(False))],
    "routines in one sitting": [(sittings.before, gives(None)), (sittings.first, gives(False))],
    "steps": [(steps.before, gives((0.0, None))), (steps.tie, gives(None))],
    # what replaces what
    "taking back": [(takebacks.withdrawn, gives(())), (takebacks.retracted, gives(())), (takebacks.dropped, gives(()))],
    "what was said to be wrong": [(righted.put_right, gives(()))],
    "what has ended": [(ended.ended, gives(False))],
    "what is so after all": [(ended.otherwise, gives(False))],
    "what was chosen anew": [(ended.rechosen, gives(False))],
    "what was answered both times": [(match._for_its_answer, gives([]))],
    "what opens a routine": [(match._opens_routines, gives(set()))],
    "each clause by itself": [(clauses.apart, gives([]))],
    "amendments in one message": [(match._amended, gives(()))],
    "what only ends something": [(lineage.were_replaced, gives(False))],
    "further ones with the best": [(match._with_the_best, lambda firm, likely: firm[:1])],
    "what goes by few words": [(given.in_few_words, gives(False))],
    "one thing told anew": [(given.anew, gives(False))],
    "only a reason": [(given.only_a_reason, gives(False))],
    "what is permitted for one case": [(excepted.excepted, gives(False))],
    "another property": [(matters.other_property, gives(False))],
    "another thing": [(matters.another, gives(False))],
    "a new thing": [(matters.newcomer, gives(False))],
    "what takes the place of what": [(exchanged.exchanged, gives(False))],
    "what a thing is on now": [(moved.moved, gives(False))],
    "another name": [(renamed.renamed, gives(False))],
    "who does it now": [(handed_on.handed_on, gives(False))],
    "what is only planned": [(match._planned, gives(False))],
    "the same sentence with another value": [(parallel.restated, gives(False))],
    "one sentence of two things": [(parallel.parallel, gives(False))],
    "one case of an older one": [(compared._narrower, gives(False))],
    "what is pointed at": [(compared._pointed_at, lambda new, alike: alike)],
    "likelihoods of succession": [(succession.likelihoods, gives({}))],
    "what both exchanges have in common": [(exchanges.alike, gives({}))],
    "what both answers tell": [(retold.features, gives({}))],
    "ties on one line": [(match._again, gives(0.0))],
    "rules that forbid share no line": [(match._bound, gives(False))],
    "parts that still hold": [(parts.beside, gives("")), (parts.without, gives(""))],
    "changed in part": [(parts.says_more, gives(False))],
    # how it is held
    "brief wordings": [(briefs.brief, gives(("", 0.0)))],
    "cues for a belief": [(vocabulary.expansions, gives("")), (vocabulary.calls, gives(""))],
    "keywords, context, tags": [(notes.complete, lambda text, *given: given)],
    "links": [(links.draw, gives(None))],
}  # fmt: skip


def places(function: Function) -> list[tuple[ModuleType, str]]:
    """Where a function is found by a name of a module."""
    ours = [module for name, module in list(sys.modules.items()) if name.startswith("agentmemory.")]
    return [(module, name) for module in ours for name, each in vars(module).items() if each is function]


@contextmanager
def instead(of: Iterable[tuple[Function, Function]]) -> Iterator[None]:
    """Functions replaced by others for a while, wherever they are known by a name; what was remembered of texts is
    worked out anew before and after."""
    with ExitStack() as stack:
        for function, other in of:
            for module, name in places(function):
                stack.enter_context(set_to(module, name, other))
        _forget()
        yield
    _forget()


def _forget() -> None:
    for name, module in list(sys.modules.items()):
        if name.startswith("agentmemory."):
            for each in list(vars(module).values()):
                getattr(each, "cache_clear", int)()


def watched(heard: set[str]) -> list[tuple[Function, Function]]:
    """The functions of all parts, each with one that does the same and notes in *heard* of which part it was heard:
    that it said something else than nothing, or changed what it was given."""
    by_function: dict[Function, list[tuple[str, Function]]] = defaultdict(list)
    for part, of in PARTS.items():
        for function, nothing in of:
            by_function[function].append((part, nothing))
    return [(function, _noting(function, parts_, heard)) for function, parts_ in by_function.items()]


def _noting(function: Function, parts_: list[tuple[str, Function]], heard: set[str]) -> Function:
    @functools.wraps(function)
    def said(*args: Any, **kwargs: Any) -> Any:
        nothing = {part: idle(*args, **kwargs) for part, idle in parts_ if part not in heard}
        got = function(*args, **kwargs)
        heard.update(part for part, each in nothing.items() if got is None or got != each)
        return got

    return said


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
                    digest.digest(db, args[1], paths.parse_time(now))
                    return ""
                return "".join(json.dumps(each) + "\n" for each in listing.export(db))

    return Here


def played(kind: str, path: Path) -> Any:
    """What becomes of one world or life, of dialogues, notes or single turns that are learned now, for `figures`."""
    if kind == "dialogues":
        return dialogues.played(dialogues.read(path))
    if kind == "plain":
        return Counter(each for pair in plain_changes.PAIRS for each in plain_changes.in_all_stores(*pair))
    if kind == "changes":
        return changes.of_set([row for row in changes.histories() if row["set"] == changes.ASIDE], each=False)["all"]
    if kind in ("notes", "unanswered"):
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        return corrections.scored(rows, show=False) if kind == "unanswered" else [noted.played(row) for row in rows]
    run = harness()
    world = json.loads(path.read_text("utf-8")) if kind == "worlds" else years.world(path)
    with set_to(run, "AgentMemory", here(run)), tempfile.TemporaryDirectory() as folder:
        result = play(run, world, prepare(run, world, Path(folder), ""))
        system = run.AgentMemory("", Path(folder) / "home", Path(folder) / world["world"])
        asked = max(probe["at"] for probe in world["probes"])
        for session in sorted(world["sessions"], key=lambda each: each["start"]):
            if session["start"] > asked:
                system.learn(session)
        return result | held(run, world, system.beliefs())


def held(run: ModuleType, world: dict[str, Any], beliefs: list[dict[str, Any]]) -> dict[str, Any]:
    """What the harness counts of the beliefs of a world."""
    active = [each["text"] for each in beliefs if each["state"] == "active"]
    captured = [
        fact["id"] for fact in world["facts"]
        if all(any(run.holds(each["text"], [key]) for each in beliefs) for key in fact["key"])
    ]  # fmt: skip
    leaked = [trap["id"] for trap in world["traps"] if any(run.holds(each, trap["key"]) for each in active)]
    return {"facts": len(world["facts"]), "captured": captured, "traps": len(world["traps"]), "leaked": leaked}


def figures(kind: str, of: list[Any]) -> dict[str, float]:
    """The figures of a set."""
    if kind in OF_ONE:
        return {told: of[0][name] for name, told in OF_ONE[kind].items()}
    if kind in ("worlds", "lives", "assents"):
        found = harness().figures(of)
        return {name: found[name] for name in OF_WORLDS}
    if kind == "dialogues":
        told = dialogues.figures(*([each for part in parts_ for each in part] for parts_ in zip(*of, strict=True)))
        changed, stands = told["change"], {"stands": told["keep"]["stands"]}
        right = "gave way"
    else:
        told = noted.figures([each for played_ in of for each in played_])
        changed, stands = told["replaces"], {"wrongly": told["wrongly replaced"]}
        right = "right"
    asked = {name: told["prompts"][name] for name in TOLD}
    return asked | {"gave way": changed[right], "or tied": changed["or on one line"]} | stands


def with_all(kind: str, path: Path) -> tuple[Any, set[str]]:
    """What becomes of something with all parts, and which of them had a say in it."""
    heard = set[str]()
    with instead(watched(heard)):
        return played(kind, path), heard


def without(part: str, kind: str, path: Path) -> Any:
    """What becomes of something without a part."""
    with instead(PARTS[part]):
        return played(kind, path)


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("parts", nargs="*", metavar="PART", choices=[*PARTS, []], help="only these; no receipt")
    ap.add_argument("--list", action="store_true", help="print the parts")
    args = ap.parse_args()
    if args.list:
        print("\n".join(PARTS))
        return
    everything = [(kind, path) for kind, of in SETS.items() for path in of]
    receipt: dict[str, Any] = {}
    with ProcessPoolExecutor(min(os.cpu_count() or 1, 4)) as pool:
        whole = dict(zip(everything, pool.map(with_all, *zip(*everything, strict=True)), strict=True))
        known = {each: result for each, (result, _) in whole.items()}
        receipt[ALL] = of_all(known)
        print(f"{ALL}: {shown(receipt[ALL], {})}", flush=True)
        for part in args.parts or PARTS:
            heard = [each for each in everything if part in whole[each][1]]
            anew = pool.map(functools.partial(without, part), *zip(*heard, strict=True)) if heard else ()
            receipt[part] = of_all(known | dict(zip(heard, anew, strict=True)))
            told = shown(receipt[part], receipt[ALL])
            print(f"{part} (heard in {len(heard)} of {len(everything)}): {told}", flush=True)
    if not args.parts:
        counts = {kind: len(of) for kind, of in SETS.items()}
        command = "python experiments/learn_ablation.py"
        RESULT.write_text(json.dumps({"command": command, "played": counts, "without": receipt}, indent=1) + "\n")


def of_all(results: dict[tuple[str, Path], Any]) -> dict[str, dict[str, float]]:
    """The figures of all sets."""
    return {kind: figures(kind, [results[kind, path] for path in of]) for kind, of in SETS.items()}


def shown(sets: dict[str, dict[str, float]], with_all: dict[str, dict[str, float]]) -> str:
    """The figures of each set that are others than with all parts."""
    return "; ".join(
        f"{name} " + (", ".join(
            f"{figure} {value}" for figure, value in of.items() if value != with_all.get(name, {}).get(figure)
        ) or "the same")
        for name, of in sets.items()
    )  # fmt: skip


if __name__ == "__main__":
    main()
