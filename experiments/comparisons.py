"""Comparisons of new statements with older ones, labelled by whether the one stands in the other's place: of worlds,
years, weeks and sittings told turn by turn, of histories, of pairs and of what agents note. `succession_fit.py` learns
from them."""

from __future__ import annotations

import dataclasses
import json
import random
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from agentmemory.learn import compared, exchanges, match, succession, takebacks  # noqa: E402
from agentmemory.learn.candidates import candidates  # noqa: E402
from agentmemory.learn.revise import revise  # noqa: E402
from agentmemory.store import scopes, turns, writer  # noqa: E402
from agentmemory.values import Candidate, Utterance  # noqa: E402
from experiments import answered_fit, changes, noted, years  # noqa: E402
from experiments.regression import WORLDS, in_parts  # noqa: E402
from experiments.varied import Vary, in_a_sentence, in_words  # noqa: E402

PAIRS = ROOT / "tests" / "data" / "succession.jsonl"
ANSWERS = ("answer", "exchange", "matter", "told")  # what features begin with that need an answer
OTHERS = 25  # statements that stand beside a pair
WEEKS = 3_000_000.0  # seconds between its two
PAIR = "pair"  # what the features begin with that only mark one
ASIDE = 0.4  # weight of an older statement that is no fact of its world
BESIDE = 0.15  # and of what only stands beside a pair
HISTORY = "changes "  # what the groups of histories begin with
NOTED = "noted "  # and those of notes
HISTORIES = 2.0  # what a replacement of a history counts
PARTS = 4  # groups of projects in which agents note
CHANGES_OF = 8  # replacements of a world that are told again in their two sessions and
BESIDE_THEM = (0, 0, 1, 2, 4)  # so many others; and
SESSIONS = (2, 3, 5)  # numbers of sessions that are told again whatever they hold

#: answers in a word, other than those of experiments/varied.py
NOTES = (
    "Alright.", "Makes sense.", "ok", "Noted, thanks.", "Right.", "I see.", "Good to know.", "Changed.", "On it.",
    "Thanks.", "Agreed.", "Yes.", "✅",
)  # fmt: skip
SHORTER: tuple[Vary, ...] = (in_a_sentence, in_words(NOTES))

Label = Callable[[str, str], tuple[bool, float]]  # new text, old text -> it replaces it, weight


@dataclasses.dataclass(frozen=True, slots=True)
class Compared:
    """One comparison of a new statement with an older one; young: in a store that has heard a few sessions only;
    shorter: of a world whose answers were cut."""

    group: str
    found: dict[str, float]
    replaces: bool
    weight: float
    young: bool = False
    shorter: bool = False


def gathered() -> list[Compared]:
    """The comparisons of worlds and histories, each again as if nobody knew the answer, those of pairs and of notes,
    and those of worlds whose answers were cut."""
    rows = worlds()
    rows += [row for path in years.LIVES for row in life(path)]
    known = changes.of_fits()
    rows += [row for each in known for row in history(each, known)]
    rows += [unanswered(row) for row in rows]
    pairs = [json.loads(line) for line in PAIRS.read_text("utf-8").splitlines()]
    for name in dict.fromkeys(pair["set"] for pair in pairs):
        rows += paired(name, [pair for pair in pairs if pair["set"] == name])
    projects = [json.loads(line) for path in noted.SETS for line in path.read_text("utf-8").splitlines()]
    for n, project in enumerate(projects):
        rows += notes(f"{NOTED}{n % PARTS}", project["notes"])
    return rows + [dataclasses.replace(row, shorter=True) for vary in SHORTER for row in worlds(vary)]


def worlds(vary: Vary | None = None) -> list[Compared]:
    """The comparisons of all worlds, told as they are or otherwise."""
    rows = []
    for part in in_parts(WORLDS):
        with answered_fit.unseen(part):
            rows += [row for path in part for row in world(path, vary)]
    return rows


def unanswered(row: Compared) -> Compared:
    """The comparison as it is where nobody knows what the agent answered."""
    found = {name: value for name, value in row.found.items() if not name.startswith(ANSWERS)}
    return dataclasses.replace(row, found=found | {"unanswered": 1.0})


class Recorder:
    """Stands in for `match.judged` while statements are learned: takes down each comparison, replaces nothing."""

    def __init__(self, group: str, label: Label, paired: bool = False) -> None:
        self.group = group
        self.label = label
        self.paired = paired
        self.rows: list[Compared] = []

    def __call__(self, db: Any, c: Candidate, text: str) -> match.Judged:
        if c.retracts:
            return match.Judged(takebacks.retracted(db, c, text))
        alike = sorted(compared.likenesses(db, c, text), key=lambda like: -like.near)
        around = exchanges.alike(db, c, [like.old for like in alike])
        kept: list[tuple[int, float]] = []
        for rank, like in enumerate(alike):
            replaces, weight = self.label(text, like.old.text)
            if replaces:
                kept.append((like.old.id, 0.5))
            if weight and "procedure" not in (c.kind, like.old.kind):
                found = succession.features(c, text, like, rank) | around.get(like.old.id, {})
                if self.paired:  # half of the pairs replace, which is rare in talk
                    found |= {PAIR: 1.0, f"{PAIR} near": found.get("near", 0.0)}
                self.rows.append(Compared(self.group, found, replaces, weight))
        return match.Judged((), dict(kept[:1]))


def recorded(recorder: Recorder, learn: Callable[[], None]) -> list[Compared]:
    """The comparisons that learning makes."""
    judged, match.judged = match.judged, recorder  # type: ignore[assignment]
    try:
        learn()
    finally:
        match.judged = judged
    return recorder.rows


def world(path: Path, vary: Vary | None = None) -> list[Compared]:
    """The comparisons of a world, told whole and in a few of its sessions at a time."""
    data = json.loads(path.read_text("utf-8"))
    if vary:
        vary(data, random.Random(path.stem))
    facts = {fact["id"]: fact for fact in data["facts"]}

    def held(text: str) -> set[str]:
        return {id for id, fact in facts.items() if all(key.lower() in text.lower() for key in fact["key"])}

    def told(sessions: list[dict[str, Any]]) -> list[Compared]:
        return recorded(Recorder(path.stem, _label(data, facts, held)), lambda: _told(sessions))

    whole = sorted(data["sessions"], key=lambda session: session["start"])
    said = [set().union(*(held(t["text"]) for t in s["turns"] if t["role"] == "user")) for s in whole]
    young = [row for few in _a_few(path.stem, said, facts) for row in told([whole[i] for i in few])]
    return told(whole) + [dataclasses.replace(row, young=True) for row in young]


def life(path: Path) -> list[Compared]:
    """The comparisons of a year or of weeks. What is said in a word there holds a fact in its own turn only: "300" is
    a limit here and a size there."""
    data = years.world(path)
    facts = {fact["id"]: fact for fact in data["facts"]}
    said = {(s["id"], i): _plainly(turn["text"]) for s in data["sessions"] for i, turn in enumerate(s["turns"])}

    def held(text: str) -> set[str]:
        text = _plainly(text)
        return {
            id for id, fact in facts.items()
            if text in said[fact["said_in"], fact["turn"]] and all(_plainly(key) in text for key in fact["key"])
        }  # fmt: skip

    return recorded(Recorder(path.stem, _label(data, facts, held)), lambda: _told(data["sessions"]))


def _plainly(text: str) -> str:
    return " ".join(text.lower().split())


def _label(data: dict[str, Any], facts: dict[str, Any], held: Callable[[str], set[str]]) -> Label:
    """A statement replaces an older one when a fact that it holds, or one that this follows, does. What else the same
    turn says ("nobody reads that channel") speaks of what is replaced, and is not asked."""
    turns_of = {s["id"]: s["turns"] for s in data["sessions"]}
    changes = [
        (_plainly(turns_of[fact["said_in"]][fact["turn"]]["text"]), id)
        for id, fact in facts.items()
        if fact.get("supersedes")
    ]

    def before(id: str) -> set[str]:
        older = facts[id].get("supersedes")
        return {older, *before(older)} if older else set()

    @cache
    def gone(new: str) -> set[str]:
        said = re.compile(rf"(?<!\w){re.escape(_plainly(new))}(?!\w)")
        return {older for turn, id in changes if said.search(turn) for older in before(id)}

    def label(new: str, old: str) -> tuple[bool, float]:
        known = held(old)
        if any(known & before(id) for id in held(new)):
            return True, 1.0
        return False, 0.0 if known & gone(new) else 1.0 if known else ASIDE

    return label


def _a_few(name: str, said: list[set[str]], facts: dict[str, Any]) -> list[list[int]]:
    """Which sessions of a world are told together as if there were no others; said: the facts of each."""
    rng = random.Random(name)
    every = range(len(said))
    pairs = [(fact["supersedes"], id) for id, fact in facts.items() if fact.get("supersedes")]
    out = []
    for old, new in rng.sample(pairs, min(CHANGES_OF, len(pairs))):
        first, last = ([i for i in every if id in said[i]] for id in (old, new))
        if first and last and first[0] < last[-1]:
            out.append({first[0], last[-1], *rng.sample(every, min(rng.choice(BESIDE_THEM), len(said)))})
    out += [set(rng.sample(every, min(n, len(said)))) for n in SESSIONS]
    return [sorted(few) for few in out]


def _told(sessions: list[dict[str, Any]]) -> None:
    with store() as (db, scope):
        for n, session in enumerate(sessions):
            listen(db, scope, session["turns"], (n + 1) * WEEKS)


@contextmanager
def store() -> Iterator[tuple[Any, int]]:
    """A new store and the scope of a project in it, while something is learned."""
    with tempfile.TemporaryDirectory() as folder:
        db = writer.open_store(folder)
        with writer.transaction(db):
            yield db, scopes.project(db, "/p/.git", "", 1.0)
        db.close()


def history(row: dict[str, Any], others: list[dict[str, Any]]) -> list[Compared]:
    """The comparisons of a history (see changes.py); half of them beside statements of others."""
    rng = random.Random(row["id"])
    aligned = len(row["gone"]) == len(row["new"])

    def label(new: str, old: str) -> tuple[bool, float]:
        gone = {i for i, keys in enumerate(row["gone"]) if changes.holds(old, keys)}
        stays = any(changes.holds(old, keys) for keys in row["stays"])
        now = {i for i, keys in enumerate(row["new"]) if changes.holds(new, keys)}
        if not gone:
            return False, 1.0 if stays else ASIDE
        if stays or not now:  # a part of it may stay; what else is said beside the change tells nothing
            return False, 0.0
        replaces = bool(gone & now) or not aligned
        return replaces, HISTORIES if replaces else 1.0

    def said(part: str) -> list[dict[str, str]]:
        return [{"role": who, "text": each[who]} for each in row[part] for who in ("user", "assistant")]

    def learn() -> None:
        with store() as (db, scope):
            for other in rng.sample(others, OTHERS) if rng.random() < 0.5 else ():
                beside = next(
                    each["user"] for each in other["before"] if changes.holds(each["user"], other["stays"][0])
                )
                revise(db, Candidate("fact", beside, scope=scope, at=2.0), 2.0)
            listen(db, scope, said("before"), WEEKS)
            listen(db, scope, said("after"), 2 * WEEKS)

    return recorded(Recorder(HISTORY + row["set"], label), learn)


def listen(db: Any, scope: int, told: list[dict[str, str]], start: float) -> None:
    """Learn a session that begins at *start* (seconds), told so, as an answered transcript is learned."""
    all_said = [Utterance(i, each["role"], each["text"], start + 60.0 * i) for i, each in enumerate(told)]
    rows = turns.add(db, turns.session(db, str(start), scope, start), all_said)
    before: list[tuple[str, str]] = []
    for i, (said, row) in enumerate(zip(all_said, rows, strict=True)):
        if said.role == "user":
            reply = next((each.text for each in all_said[i + 1 : i + 2] if each.role == "assistant"), "")
            for c in candidates(said, tuple(before[-6:]), tentative=True, reply=reply):
                if c.sequel != "only":
                    revise(db, dataclasses.replace(c, scope=scope, at=said.at, turn=row, sequel=""), said.at)
        before.append((said.role, said.text))


def paired(name: str, pairs: list[dict[str, Any]]) -> list[Compared]:
    """The comparisons of a set of pairs, each learned beside other statements of its set."""
    rows: list[Compared] = []
    for pair in pairs:
        rng = random.Random(pair["old"])
        others = rng.sample(sorted({other["old"] for other in pairs} - {pair["old"]}), OTHERS)
        said = candidates(Utterance(0, "user", pair["old"], 2.0)) or [Candidate("fact", pair["old"])]
        older = {" ".join(c.text.split()) for c in said}

        def label(new: str, old: str, pair: dict[str, Any] = pair, older: set[str] = older) -> tuple[bool, float]:
            return pair["replaces"] and old in older, 1.0 if old in older else BESIDE

        with store() as (db, scope):
            for c in [*(Candidate("fact", other) for other in others), *said]:
                revise(db, dataclasses.replace(c, scope=scope, at=2.0), 2.0)
            new = [
                dataclasses.replace(c, sequel="")
                for c in candidates(Utterance(0, "user", pair["new"], WEEKS), tentative=True)
                if not c.retracts and c.sequel != "only"
            ]

            def learn(db: Any = db, scope: int = scope, new: list[Candidate] = new) -> None:
                for c in new:
                    revise(db, dataclasses.replace(c, scope=scope, at=WEEKS), WEEKS)

            rows += recorded(Recorder(name, label, paired=True), learn)
    return rows


def notes(group: str, of: list[dict[str, Any]]) -> list[Compared]:
    """The comparisons of the notes of a project (see noted.py) in which nothing is replaced."""
    place = {" ".join(note["text"].split()): n for n, note in enumerate(of)}

    def label(new: str, old: str) -> tuple[bool, float]:
        replaces = place[old] in noted.before(of, place[new])
        return replaces, float(replaces or place[old] not in of[place[new]].get("repeats", ()))

    def learn() -> None:
        with noted.at_work() as (memory, now):
            for n, note in enumerate(of):
                now.return_value = noted.when(note["day"], n)
                memory.remember(note["text"])

    return recorded(Recorder(group, label), learn)
