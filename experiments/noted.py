#!/usr/bin/env python3
"""What agents note with `remember`, which nobody answers: which notes change which, and what later prompts are told.

    python experiments/noted.py [--wrong] [--save [NAME]] [FILE ...]     # default: those of experiments/noted

A set is a file of JSON lines, a project each: `notes` (a `day`, a `text`) and `prompts` (a `day`, a `prompt`, the
notes that it `needs`, by place, and those that are `stale`: never as current without what changed them). A note may
name earlier ones by place: those it `replaces`, `changes_part_of` or `ends`, those it `repeats`, and each `twin_of` it,
which looks changed by it and still holds.

Each project is a store of its own, in which an agent notes and a prompt is asked as the hook asks it, in the order of
time. Prints, for each set and for all: by what a note does to an older one the shares that come about, also with what
shares a line or the agent was told that its note may change; notes that gave way to one that does not change them, and
of how many the agent was told; of prompts the share of needs that are shown, the shares of those that show all (strict)
and nothing stale (sound); of those where something is stale the share that shows none of it (current); of those that
need nothing the share of at most 60 tokens; tokens. `--wrong` prints what went wrong; `--save` writes the receipt.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from agentmemory import Memory, verbs  # noqa: E402
from agentmemory.recall.pipeline import answer  # noqa: E402
from agentmemory.recall.render import render  # noqa: E402
from agentmemory.records import Query  # noqa: E402
from agentmemory.store import lineage  # noqa: E402
from agentmemory.text import tokens  # noqa: E402
from experiments.succession import share  # noqa: E402

SETS = sorted((ROOT / "experiments" / "noted").glob("*.jsonl"))
RESULTS = ROOT / "experiments" / "results"
START = 1_760_000_000.0  # of a project: seconds since 1970
DAY = 86_400.0
QUIET = 60  # tokens of a block that says next to nothing
CHANGES = ("replaces", "changes_part_of", "ends")
RELATIONS = (*CHANGES, "repeats", "twin_of")
STATES = "SELECT id, state, text, superseded_by FROM belief"
TIED = f"SELECT src, dst FROM edge WHERE type = 'relates' AND detail = '{lineage.LATER}'"
Project = dict[str, Any]


class Known(NamedTuple):
    """A store: state, text and successor of its beliefs, which of them share a line, the belief of each note."""

    beliefs: dict[int, tuple[str, str, int | None]]
    tied: set[tuple[int, int]]
    of: list[int]

    def gone(self, place: int) -> bool:
        """Whether what a note held no longer stands by itself."""
        return self.beliefs[self.of[place]][0] in ("superseded", "retracted")

    def on_one_line(self, new: int, old: int) -> bool:
        """Whether a note shares its line with an older one."""
        return (self.of[new], self.of[old]) in self.tied


class Told(NamedTuple):
    """What a prompt was told: needs that are missing, notes that stand as current and do not hold, the block."""

    prompt: Project
    missing: list[int]
    stale: list[int]
    block: str


class Became(NamedTuple):
    """What became of an older note by a newer one that is said to do this to it."""

    relation: str
    new: int
    old: int
    right: bool
    or_tied: bool
    or_asked: bool


class Played(NamedTuple):
    """What a project's notes became, how many of them gave way to what does not change them, of how many the agent was
    told that its note may change them; what prompts are told, the store at last."""

    became: list[Became]
    wrongly: int
    asked: int
    told: list[Told]
    known: Known


def played(project: Project) -> Played:
    """A project from its first note to its last prompt."""
    notes, told, of = project["notes"], list[Told](), list[int]()
    became: list[Became] = []
    wrongly = asks_of = 0
    with at_work() as (memory, now):
        events = [(note["day"], 0, n) for n, note in enumerate(notes)]
        events += [(prompt["day"], 1, n) for n, prompt in enumerate(project["prompts"])]
        for day, asks, n in sorted(events):
            now.return_value = when(day, n)
            if asks:
                told.append(_asked(memory, project["prompts"][n], notes, known_now(memory, of), now.return_value))
                continue
            was = known_now(memory, of)
            done = verbs.remember(memory, notes[n]["text"])
            again = done["id"] in of
            of.append(done["id"])
            asked = {each["id"] for each in done["may_change"]}
            known = known_now(memory, of)
            became += _became(notes[n], n, known, again, asked)
            asks_of += len(asked)
            changed = before(notes, n) | set(notes[n].get("repeats", ()))
            wrongly += sum(known.gone(old) and not was.gone(old) for old in range(n) if old not in changed)
        return Played(became, wrongly, asks_of, told, known_now(memory, of))


@contextmanager
def at_work() -> Iterator[tuple[Memory, mock.Mock]]:
    """An agent in a project that it knows nothing of, and its clock."""
    with (
        tempfile.TemporaryDirectory() as home,
        mock.patch("agentmemory.paths.now", return_value=START) as now,
        Memory(home, project=home, speaker="agent") as memory,
    ):
        yield memory, now


def when(day: int, n: int) -> float:
    """When the n-th note or prompt of a project comes, on its day."""
    return START + day * DAY + n


def before(notes: Sequence[Project], n: int) -> set[int]:
    """Which notes the n-th changes, or what it changes has changed."""
    direct = {old for relation in CHANGES for old in notes[n].get(relation, ())}
    return direct.union(*(before(notes, old) for old in direct))


def known_now(memory: Memory, of: Sequence[int]) -> Known:
    """The store as it is now."""
    rows: dict[str, list[Any]] = {sql: memory.db.execute(sql).fetchall() for sql in (STATES, TIED)}
    return Known({row[0]: row[1:] for row in rows[STATES]}, set(rows[TIED]), list(of))


def _became(note: Project, n: int, known: Known, again: bool, asked: set[int]) -> Iterator[Became]:
    for relation in RELATIONS:
        for old in note.get(relation, ()):
            gone, tied = known.gone(old), known.on_one_line(n, old)
            right = not gone if relation == "twin_of" else gone or (relation == "repeats" and again)
            yield Became(relation, n, old, right, right or tied, right or known.of[old] in asked)


def _asked(memory: Memory, prompt: Project, notes: list[Project], known: Known, now: float) -> Told:
    query = Query(prompt["prompt"], now, memory.scopes)
    rules, hits = answer(memory.db, query)
    lines = [[row] for row in rules]
    lines += [
        [*(hit.steps or [hit.row]), *(row for row in hit.was if row.in_part or row.state != "superseded")]
        for hit in hits
    ]
    past = [row for hit in hits for row in hit.was]
    shown = [row for line in lines for row in line]
    missing = [place for place in prompt["needs"] if not _tells(shown, place, notes, known)]
    if prompt["needs"] and not prompt["stale"]:  # it may ask about the past
        missing = [place for place in missing if not _tells(past, place, notes, known)]
    stale = [
        old for old in prompt["stale"]
        if any(_tells(line, old, notes, known) and not _changed(line, old, notes, known) for line in lines)
    ]  # fmt: skip
    return Told(prompt, missing, stale, render(query, rules, hits))


def _tells(rows: Iterable[Any], place: int, notes: list[Project], known: Known) -> bool:
    """Whether rows hold what a note says, what repeats it, or what is left of it."""
    again = [n for n, note in enumerate(notes[: len(known.of)]) if place in note.get("repeats", ())]
    ids = {known.of[n] for n in (place, *again)}
    return any(row.id in ids or row.text in notes[place]["text"] for row in rows)


def _changed(rows: Iterable[Any], old: int, notes: list[Project], known: Known) -> bool:
    """Whether rows tell what changed a note, or what changed that."""
    after = {known.of[n] for n in range(len(known.of)) if old in before(notes, n)}
    return any(row.id in after for row in rows)


def figures(of: Sequence[Played]) -> dict[str, Any]:
    """The figures of one or several sets."""
    became = [each for played in of for each in played.became]
    told = [each for played in of for each in played.told]
    out: dict[str, Any] = {}
    for relation in RELATIONS:
        mine = [each for each in became if each.relation == relation]
        out[relation] = {"of": len(mine), "right": share(each.right for each in mine)}
        if relation != "twin_of":
            out[relation]["or on one line"] = share(each.or_tied for each in mine)
            out[relation]["or told to the agent"] = share(each.or_asked for each in mine)
    asked, stale = [each for each in told if each.prompt["needs"]], [each for each in told if each.prompt["stale"]]
    silent = [each for each in told if not each.prompt["needs"]]
    needs = sum(len(each.prompt["needs"]) for each in asked)
    return out | {
        "wrongly replaced": sum(played.wrongly for played in of), "notes": sum(len(played.known.of) for played in of),
        "told to the agent": sum(played.asked for played in of),
        "prompts": {
            "of": len(told), "shown": round(1.0 - sum(len(each.missing) for each in asked) / max(1, needs), 3),
            "strict": share(not each.missing for each in asked),
            "sound": share(not (each.missing or each.stale) for each in asked),
            "current": share(not each.stale for each in stale),
            "silence": share(tokens(each.block) <= QUIET for each in silent),
            "mean tokens": round(mean([tokens(each.block) for each in asked] or [0])),
        },
    }  # fmt: skip


def wrong(project: Project, of: Played) -> Iterator[str]:
    """What went wrong, to be read."""
    notes, known = project["notes"], of.known
    for each in of.became:
        if not each.right:
            tied = " (on one line)" if each.or_tied else ""
            yield f"[{each.relation}]{tied} {notes[each.new]['text']!r}\n    of {notes[each.old]['text']!r}"
    for asked in of.told:
        silent = not asked.prompt["needs"] and tokens(asked.block) > QUIET
        if asked.missing or asked.stale or silent:
            yield f"[prompt] {asked.prompt['prompt']!r}"
            yield from (f"  missing ({known.beliefs[known.of[n]][0]}): {notes[n]['text']!r}" for n in asked.missing)
            yield from (f"  stale: {notes[n]['text']!r}" for n in asked.stale)
            yield from (f"  | {line}" for line in asked.block.splitlines())


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("sets", nargs="*", type=Path, default=SETS)
    ap.add_argument("--wrong", action="store_true", help="print what went wrong")
    ap.add_argument("--save", nargs="?", const="noted", metavar="NAME", help="write the receipt")
    args = ap.parse_args()
    every, receipt = [], {}
    for path in args.sets:
        projects = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        of = [played(project) for project in projects]
        receipt[path.stem] = figures(of)
        print(path.stem, json.dumps(receipt[path.stem], indent=1), flush=True)
        if args.wrong:
            for project, each in zip(projects, of, strict=True):
                print(f"\n== {project['project']}", *wrong(project, each), sep="\n")
        every += of
    receipt["all"] = figures(every)
    if len(args.sets) > 1:
        print("all", json.dumps(receipt["all"], indent=1))
    if args.save:
        (RESULTS / f"{args.save}.json").write_text(json.dumps(receipt, indent=1) + "\n")


if __name__ == "__main__":
    main()
