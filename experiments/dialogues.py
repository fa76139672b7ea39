#!/usr/bin/env python3
"""Conversations with an agent that works, message by message: what is held of them, and what later prompts are told.

    python experiments/dialogues.py [--wrong] [--save [NAME]] [FILE ...]     # default: those of experiments/dialogues

A set is a file of JSON lines, the store of one user: exchanges of several projects, each labelled, and later prompts.
An exchange has `id`, `project`, `client` (claude or codex), `session`, `at`, `user`, `answer`, `label`, and may have
`steps` (what the agent said, ran and edited), `of` (the exchange that a change, or what looks like one, is about),
`partial` (only a part of that changes), `held` (what looks like a change is to stand as well), `holds` (words of the
sentence that lasts, where others stand beside it) and `doubt` (it is not scored). Labels: `keep` is to stand, `work`
and `trap` are not; by a `change` an older one gives way, by a `nochange` it does not. A prompt (`prompt` instead of
`user`) has `needs` (exchanges whose statement its block must show), `useful` ones, `stale` ones (never as current
without what changed them, of which a part may hold), `silent` (nothing that was told bears on it) and `kind`.

Each exchange is written into the transcript of its client and learned once it is answered; every message is asked for
its block as the hook asks, in the order of time. A statement is known by its evidence: by which exchange it was said.
Prints, for each set and for all: of exchanges the shares that are right, by label, and what became of them; of prompts
the share of needs that are shown, the shares of those that show all (strict) and nothing stale as current (sound), also
by kind; of those where something is stale the share that shows none of it (current); of silent ones those of at most 60
tokens (silence, as everywhere) and those that show nothing but what is useful (empty); statements in a block that are
neither needed nor useful (beside); tokens. `--wrong` prints what went wrong; `--save` writes the receipt.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple

import apsw

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from agentmemory import paths, seen  # noqa: E402
from agentmemory.learn.digest import digest  # noqa: E402
from agentmemory.recall.cover import hints  # noqa: E402
from agentmemory.recall.pipeline import answer  # noqa: E402
from agentmemory.recall.render import render  # noqa: E402
from agentmemory.records import Query, Row  # noqa: E402
from agentmemory.store import lineage, scopes, writer  # noqa: E402
from agentmemory.text import tokens  # noqa: E402
from experiments import transcribed  # noqa: E402
from experiments.succession import share  # noqa: E402
from experiments.transcribed import Case  # noqa: E402

SETS = sorted((ROOT / "experiments" / "dialogues").glob("*.jsonl"))
ASIDE = sorted((ROOT / "experiments" / "dialogues_aside").glob("*.jsonl"))
RESULTS = ROOT / "experiments" / "results"
LABELS = ("keep", "work", "trap", "change", "nochange")
KINDS = ("direct", "paraphrase", "implicit", "multi", "temporal")
QUIET = 60  # tokens of a block that says next to nothing
ANSWERED = 200.0  # seconds after a message by which it is answered, and learned
SAID = """
    SELECT s.key, t.at, e.belief FROM evidence e JOIN turn t ON t.id = e.turn JOIN session s ON s.id = t.session
    WHERE e.kind IN ('said', 'restated') AND t.role = 'user'
"""
BELIEFS = "SELECT id, state, text, context, superseded_by, created FROM belief"
TIED = f"SELECT src, dst FROM edge WHERE type = 'relates' AND detail = '{lineage.LATER}'"
UNSAID: Case = {"of": None, "needs": [], "useful": [], "stale": [], "silent": False}  # where a set leaves it out


class Belief(NamedTuple):
    """A row of the store."""

    id: int
    state: str
    text: str
    context: str
    successor: int | None
    created: float


class Known(NamedTuple):
    """A store at a moment: beliefs, those of each exchange, and which share a line with an earlier one."""

    beliefs: dict[int, Belief]
    own: dict[str, list[Belief]]
    tied: set[tuple[int, int]]


class Told(NamedTuple):
    """What a prompt was told: needs that its session has not been shown, and why; what stands as current and does not
    hold; statements that it neither needs nor has a use for; the block and its tokens."""

    prompt: Case
    missing: dict[str, str]
    stale: list[str]
    beside: list[str]
    block: str
    tokens: float


class Judged(NamedTuple):
    """What became of an exchange; *figures* say whether it is right."""

    case: Case
    result: str
    figures: dict[str, bool]
    beliefs: list[Belief]


def read(path: Path) -> list[Case]:
    """A set in the order of time."""
    rows = [UNSAID | json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return sorted(rows, key=lambda row: (row["at"], row["label"] == "prompt"))


def played(rows: Sequence[Case]) -> tuple[list[Judged], list[Told]]:
    """A set in a store of its own."""
    told = []
    with tempfile.TemporaryDirectory() as home, closing(writer.open_store(home)) as db:
        sessions: dict[str, Session] = {}
        exchanges = [row for row in rows if row["label"] != "prompt"]
        for row in rows:
            session = sessions.setdefault(row["session"], Session(home, row))
            if row["label"] == "prompt":
                told.append(session.asked(db, row, exchanges))
            else:
                session.goes_on(db, row)
        known = known_now(db, exchanges)
    return [judged(row, exchanges, known) for row in exchanges], told


class Session:
    """A session of a client: its transcript grows, and its messages get blocks."""

    def __init__(self, home: str, first: Case) -> None:
        self.home, self.name = home, first["session"]
        self.folder = Path(home) / "projects" / first["project"]
        self.folder.mkdir(parents=True, exist_ok=True)
        self.path = Path(home) / f"{self.name}.jsonl"
        self.shown: dict[int, Row] = {}  # what its agent has been told as current

    def goes_on(self, db: apsw.Connection, case: Case) -> None:
        """A message is typed, answered and learned."""
        self._block(db, case["user"], paths.parse_time(case["at"]))
        lines = transcribed.lines(case, str(self.folder), not self.path.exists())
        with self.path.open("a", encoding="utf-8") as f:
            f.writelines(json.dumps(line) + "\n" for line in lines)
        digest(db, str(self.path), paths.parse_time(case["at"]) + ANSWERED)

    def asked(self, db: apsw.Connection, prompt: Case, exchanges: Sequence[Case]) -> Told:
        """A later prompt is typed."""
        block, lines = self._block(db, prompt["prompt"], paths.parse_time(prompt["at"]))
        known = known_now(db, exchanges)
        by_id = {case["id"]: case for case in exchanges}
        heard = {id: f"{row.gist or row.text} {row.context}" for id, row in self.shown.items()}
        missing = {id: way(by_id[id], known, heard) for id in prompt["needs"]}
        expected = {each.id for id in (*prompt["needs"], *prompt["useful"]) for each in known.own[id]}
        return Told(
            prompt, {id: why for id, why in missing.items() if why},
            [id for id in prompt["stale"] if stands_alone(by_id[id], prompt["at"], exchanges, known, lines)],
            [known.beliefs[id].text for id in set().union(*lines) - expected], block, tokens(block),
        )  # fmt: skip

    def _block(self, db: apsw.Connection, text: str, now: float) -> tuple[str, list[set[int]]]:
        """The block of a message, as the hook gives it, and what each of its lines tells as current."""
        query = Query(text, now, scopes.visible(db, scopes.find_project(db, *paths.project_of(str(self.folder)))))
        query.saved = seen.saved(self.home)
        rules, hits = answer(db, query, *seen.already(self.home, self.name))
        block = render(query, rules, hits)
        if hits:
            seen.note(self.home, self.name, hits, now, text, hints(query))
            seen.spend(self.home, query.saved, block)
        lines = [[row] for row in rules]
        for hit in hits:
            was = (row for row in hit.was if row.in_part or row.state != "superseded")
            lines.append([*(hit.steps or [hit.row]), *was])
        self.shown.update((row.id, row) for line in lines for row in line)
        return block, [{row.id for row in line} for line in lines]


def known_now(db: apsw.Connection, exchanges: Sequence[Case]) -> Known:
    """The store as it is now."""
    rows: dict[str, list[Any]] = {sql: db.execute(sql).fetchall() for sql in (BELIEFS, SAID, TIED)}
    beliefs = {row[0]: Belief(*row) for row in rows[BELIEFS]}
    said: dict[tuple[str, float], set[int]] = defaultdict(set)
    for session, at, belief in rows[SAID]:
        said[session, at].add(belief)
    own = {case["id"]: said[case["session"], paths.parse_time(case["at"])] for case in exchanges}
    return Known(beliefs, {id: [beliefs[each] for each in sorted(of)] for id, of in own.items()}, set(rows[TIED]))


def has(case: Case, text: str) -> bool:
    """Whether a text holds the sentence of an exchange that lasts."""
    return all(word.lower() in text.lower() for word in case.get("holds", ()))


def way(need: Case, known: Known, heard: dict[int, str]) -> str:
    """Why the session has not been told what it needs of an exchange; "" if it has."""
    own = [each for each in known.own[need["id"]] if has(need, f"{each.text} {each.context}")]
    if any(each.id in heard and has(need, heard[each.id]) for each in own):
        return ""
    states = {each.state for each in own}
    why = {"active": "stands, not shown", "heard": "heard once, not shown", "superseded": "replaced"}
    return next((says for state, says in why.items() if state in states), "never held")


def stands_alone(old: Case, at: str, exchanges: Sequence[Case], known: Known, lines: Iterable[set[int]]) -> bool:
    """Whether what a change replaced is told as current, on a line that does not tell the change. What was kept of a
    statement when a part of it changed does hold."""
    after = changed_by(old["id"], [case for case in exchanges if case["at"] < at])
    learned = paths.parse_time(old["at"]) + ANSWERED
    partly = any(case.get("partial") for case in after)
    own = {each.id for each in known.own[old["id"]] if not (partly and each.created > learned)}
    new = {each.id for case in after for each in known.own[case["id"]]}
    return any(line & (own - new) and not line & new for line in lines)


def changed_by(id: str, exchanges: Sequence[Case]) -> list[Case]:
    """The exchanges that change an older one, and those that change these."""
    direct = [case for case in exchanges if case["label"] == "change" and case["of"] == id]
    return [*direct, *(each for case in direct for each in changed_by(case["id"], exchanges))]


def standing(case: Case, exchanges: Sequence[Case], known: Known) -> str:
    """`stands` (or gave way to a change of it), `heard`, `lost` (replaced by what is none), `in part` or `no`."""
    changes = {each.id for change in changed_by(case["id"], exchanges) for each in known.own[change["id"]]}
    states = set()
    for belief in known.own[case["id"]]:
        if not has(case, f"{belief.text} {belief.context}"):
            states.add("in part")
        elif belief.state == "active" or belief.successor in changes:
            states.add("stands")
        else:
            states.add("heard" if belief.state == "heard" else "lost")
    return next((state for state in ("stands", "heard", "lost", "in part") if state in states), "no")


def judged(case: Case, exchanges: Sequence[Case], known: Known) -> Judged:
    """What became of an exchange."""
    label, own, stands = case["label"], known.own[case["id"]], standing(case, exchanges, known)
    if label == "keep":
        return Judged(case, stands, {"stands": stands == "stands", "or heard": stands in ("stands", "heard")}, own)
    if label in ("work", "trap"):
        return Judged(case, stands, {"not held": stands in ("no", "heard"), "nor heard": stands == "no"}, own)
    old, new = known.own[case["of"]], {each.id for each in own}
    gone = any(each.successor in new for each in old if each.state not in ("active", "heard"))
    tied = any((each, older.id) in known.tied for each in new for older in old)
    if label == "change":
        result = "gave way" if gone else "on one line" if tied else f"older stands, new {stands}"
        return Judged(
            case, result if old else "older was never held", {"gave way": gone, "or on one line": gone or tied}, own
        )
    held = bool(old) and not gone
    alone = stands == "stands" if case.get("held") else stands != "stands"
    result = f"older stands, new {stands}" if old else "older was never held"
    return Judged(case, "wrongly replaced" if gone else result, {"right": held and alone, "older stands": held}, own)


def figures(judgements: Sequence[Judged], told: Sequence[Told]) -> dict[str, Any]:
    """The figures of one or several sets."""
    out: dict[str, Any] = {}
    for label in LABELS:
        of = [each for each in judgements if each.case["label"] == label and not each.case.get("doubt")]
        if of:
            shares = {name: share(each.figures[name] for each in of) for name in of[0].figures}
            out[label] = {"of": len(of), **shares, "became": dict(Counter(each.result for each in of).most_common())}
    asked = [each for each in told if each.prompt["needs"]]
    stale, silent = ([each for each in told if each.prompt[what]] for what in ("stale", "silent"))
    out["prompts"] = {
        "of": len(told), **_shown(asked), "current": share(not each.stale for each in stale),
        "silence": share(each.tokens <= QUIET for each in silent), "empty": share(not each.beside for each in silent),
        "beside": round(mean([len(each.beside) for each in asked] or [0]), 1),
        "tokens": round(median([each.tokens for each in asked] or [0])),
        "mean tokens": round(mean([each.tokens for each in asked] or [0])),
        "tokens, silent": round(mean([each.tokens for each in silent] or [0])),
        "kinds": {kind: _shown([each for each in asked if each.prompt["kind"] == kind]) for kind in KINDS},
        "missing": dict(Counter(why for each in told for why in each.missing.values()).most_common()),
    }  # fmt: skip
    return out


def _shown(asked: Sequence[Told]) -> dict[str, float]:
    needs = sum(len(each.prompt["needs"]) for each in asked)
    shown = needs - sum(len(each.missing) for each in asked)
    return {
        "asked": len(asked), "shown": round(shown / max(1, needs), 3),
        "strict": share(not each.missing for each in asked),
        "sound": share(not (each.missing or each.stale) for each in asked),
    }  # fmt: skip


def wrong(judgements: Sequence[Judged], told: Sequence[Told]) -> Iterator[str]:
    """What went wrong, to be read."""
    by_id = {each.case["id"]: each.case for each in judgements}
    for of in judgements:
        case = of.case
        if all(of.figures.values()) or case.get("doubt"):
            continue
        yield f"\n[{case['label']}] {case['id']}: {of.result}\n  U: {case['user']}\n  A: {case['answer'][:300]}"
        if case["of"]:
            yield f"  of: {by_id[case['of']]['user']}"
        yield from (f"  -> {each.state} #{each.id}: {each.text!r} {each.successor or ''}" for each in of.beliefs)
    for each in told:
        if not (each.missing or each.stale or (each.prompt["silent"] and each.beside)):
            continue
        yield f"\n[{each.prompt['kind']}] {each.prompt['id']} ({each.tokens:.0f} tokens): {each.prompt['prompt']}"
        yield from (f"  {why}: {id} {by_id[id]['user']!r}" for id, why in each.missing.items())
        yield from (f"  stale: {id} {by_id[id]['user']!r}" for id in each.stale)
        yield from (f"  | {line}" for line in each.block.splitlines())


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("sets", nargs="*", type=Path, default=SETS)
    ap.add_argument("--wrong", action="store_true", help="print what went wrong")
    ap.add_argument("--save", nargs="?", const="dialogues", metavar="NAME", help="write the receipt")
    args = ap.parse_args()
    every: tuple[list[Judged], list[Told]] = [], []
    receipt: dict[str, Any] = {}
    for path in args.sets:
        judgements, told = played(read(path))
        receipt[path.stem] = figures(judgements, told)
        print(path.stem, json.dumps(receipt[path.stem], indent=1), flush=True)
        if args.wrong:
            print("\n".join(wrong(judgements, told)))
        every[0].extend(judgements)
        every[1].extend(told)
    all_ = figures(*every)
    if len(args.sets) > 1:
        print("all", json.dumps(all_, indent=1))
    if args.save:
        (RESULTS / f"{args.save}.json").write_text(json.dumps({"all": all_, "sets": receipt}, indent=1) + "\n")


if __name__ == "__main__":
    main()
