"""The weights and trees by which a later statement is taken to replace an earlier one
(agentmemory/learn/succession.py).

    python experiments/succession_fit.py [--save] [--without WORLD]

Labelled: the pairs of tests/data/succession.jsonl, and the worlds of experiments/worlds, the years and weeks of
experiments/years and experiments/weeks and the histories of experiments/changes.py, where every statement is compared
with every older one that shares words with it. A world is told whole and in a few of its sessions at a time, as stores
are young when they are first corrected. Of the histories
learn only the weights that say what a text speaks of again where its answer tells nothing. Prints, for each set and
over the worlds, what the weights fitted to others say of it (a tenth of the worlds, or one set, left out at a
time); `--save` fits them to all and writes agentmemory/data/succession.toml; with `--without world_apiary` to all but
this world, so that it may judge them. Needs LightGBM (`pip install --group fits`).
"""

from __future__ import annotations

import dataclasses
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from agentmemory.learn import compared, exchanges, match, succession  # noqa: E402
from agentmemory.learn.candidates import candidates  # noqa: E402
from agentmemory.learn.fitted import Boosted  # noqa: E402
from agentmemory.learn.revise import revise  # noqa: E402
from agentmemory.store import scopes, turns, writer  # noqa: E402
from agentmemory.values import Candidate, Utterance  # noqa: E402
from experiments import answered_fit, changes, years  # noqa: E402
from experiments.regression import WORLDS, boosted, in_parts, odds, options, table, write  # noqa: E402

PAIRS = ROOT / "tests" / "data" / "succession.jsonl"
WEIGHTS = ROOT / "agentmemory" / "data" / "succession.toml"
HEAD = (
    "# How likely a new statement replaces an older one: `python experiments/succession_fit.py --save` writes this.\n"
)
ANSWERS = ("answer", "exchange")  # what features begin with that need an answer
OTHERS = 25  # statements that stand beside a pair
WEEKS = 3_000_000.0  # seconds between its two
PAIR = "pair"  # what the features begin with that only mark one
OFTEN = 8  # comparisons that must show a feature before it gets a weight
RIDGE = 3.0
ASIDE = 0.4  # weight of an older statement that is no fact of its world
BESIDE = 0.15  # and of what only stands beside a pair
HISTORY = "changes "  # what the groups of histories begin with
HISTORIES = 2.0  # what a replacement of a history counts
RARER = 1.0  # log-odds by which changes are rarer in talk than in histories that were written to hold them
YOUNG = 0.6  # what a comparison counts in a store that has heard a few sessions of its world
CHANGES_OF = 8  # replacements of a world that are told again in their two sessions and
BESIDE_THEM = (0, 0, 1, 2, 4)  # so many others; and
SESSIONS = (2, 3, 5)  # numbers of sessions that are told again whatever they hold
WORLDS_TOGETHER = 35.0  # what the comparisons of all worlds count together, in worlds,
WORLDS_ALONE = 12.0  # and where the answer is unknown: pairs are what that is like
LIVED = 0.5  # what those of a year or of weeks count, in worlds

Label = Callable[[str, str], tuple[bool, float]]  # new text, old text -> it replaces it, weight


@dataclasses.dataclass(frozen=True, slots=True)
class Compared:
    """One comparison of a new statement with an older one; young: in a store that has heard a few sessions only."""

    group: str
    found: dict[str, float]
    replaces: bool
    weight: float
    young: bool = False


class Fitting:
    """The comparisons as a table, which of them are of what, and the weights that some of them make. columns, counts,
    of: for each table of weights the features that it asks, what each row counts, and which rows it learns from."""

    def __init__(self, rows: list[Compared]) -> None:
        times = Counter(name for row in rows for name in row.found)
        self.names = sorted(name for name, found in times.items() if found >= OFTEN)
        self.x = table((row.found for row in rows), self.names)
        self.y = np.array([float(row.replaces) for row in rows])
        self.w = np.array([row.weight for row in rows])
        self.groups = np.array([row.group for row in rows])
        told, lived = ({path.stem for path in paths} for paths in (WORLDS, years.LIVES))
        self.worlds = sorted((told | lived) & set(self.groups))
        self.of_worlds = np.isin(self.groups, sorted(told))
        self.lived = np.isin(self.groups, sorted(lived))
        self.young = np.array([row.young for row in rows])
        self.of_histories = np.char.startswith(self.groups, HISTORY)
        self.silent = np.array(["unanswered" in row.found for row in rows])
        # by themselves: no answer, and what stands around a pair is not known either
        self.alone = self.silent | ~(self.of_worlds | self.lived | self.of_histories)
        every = list(range(len(self.names)))
        few = [i for i, name in enumerate(self.names) if not name.startswith((*ANSWERS, "around"))]
        self.columns = {"told": every, "briefly": every, "unanswered": few}
        w = self.w * np.where(self.young, YOUNG, 1.0)
        together, lone = (
            w * np.where(self.of_worlds, each / len(told), np.where(self.lived, LIVED, 1.0))
            for each in (WORLDS_TOGETHER, WORLDS_ALONE)
        )
        self.counts = {"told": together, "briefly": together, "unanswered": lone}
        told = ~self.of_histories
        self.of = {"told": told, "briefly": ~self.young, "unanswered": told & self.alone}

    def learned(self, name: str, seen: Any) -> Boosted:
        """The weights and trees of a table by what is *seen*."""
        columns, mine = self.columns[name], seen & self.of[name]
        asked = [self.names[i] for i in columns]
        x, y, w = self.x[mine][:, columns], self.y[mine], self.counts[name][mine]
        out = boosted(x, y, w, self.groups[mine], asked, RIDGE, untold=PAIR)
        rarer = RARER if name == "briefly" else 0.0
        return Boosted(out.weights | {"rest": out.weights["rest"] - rarer}, out.trees)

    def odds(self, name: str, mine: Any, unseen: Any) -> Any:
        """What weights and trees of a table say of *mine* that have not seen what is *unseen*."""
        columns = self.columns[name]
        return odds(self.learned(name, ~unseen), self.x[mine][:, columns], [self.names[i] for i in columns])

    def unseen(self) -> Any:
        """What weights fitted to others say of each comparison: a tenth of the worlds, or a set, left out at a time."""
        likely = np.zeros(len(self.y))
        sets = [[group] for group in dict.fromkeys(self.groups) if group not in self.worlds]
        for part in [*in_parts(self.worlds), *sets]:
            mine = np.isin(self.groups, part)
            judges = {"unanswered": mine & self.alone, "told": mine & ~self.alone}
            if self.of_histories[mine].all():
                judges = {"briefly": mine}
            for name, asked in judges.items():
                if asked.any():
                    likely[asked] = 1.0 / (1.0 + np.exp(-self.odds(name, asked, mine)))
        return likely

    def shown(self) -> dict[str, Any]:
        """Which comparisons are judged together."""
        answered = ~(self.silent & self.of_histories)
        sets = [group for group in dict.fromkeys(self.groups) if group not in self.worlds]
        return {
            "worlds": self.of_worlds & ~self.young & ~self.silent,
            "worlds, answers unknown": self.of_worlds & ~self.young & self.silent,
            "a few sessions": self.young & ~self.silent,
            "years and weeks": self.lived & ~self.silent,
            **{group: (self.groups == group) & answered for group in sets},
        }  # fmt: skip


def main() -> None:
    """Gather the comparisons, show what each set's own weights are worth, keep the weights of all."""
    ap = options(__doc__)
    ap.add_argument("--without", default="", help="a world or a set that the written weights have not seen")
    args = ap.parse_args()
    fit = Fitting(gathered())
    likely = fit.unseen()
    for name, mine in fit.shown().items():
        print(name, json.dumps(judged(likely[mine], fit.y[mine], fit.w[mine])))
    if args.save:
        found = {name: fit.learned(name, fit.groups != args.without) for name in fit.columns}
        write(WEIGHTS, HEAD, **{name: _of_talk(of) for name, of in found.items()})


def _of_talk(of: Boosted) -> Boosted:
    """Without the weights of what only marks a pair."""
    return Boosted({name: weight for name, weight in of.weights.items() if not name.startswith(PAIR)}, of.trees)


def gathered() -> list[Compared]:
    """The comparisons of worlds and histories, each again as if nobody knew the answer, and those of pairs."""
    rows = []
    for part in in_parts(WORLDS):
        with answered_fit.unseen(part):
            rows += [row for path in part for row in world(path)]
    rows += [row for path in years.LIVES for row in life(path)]
    known = changes.of_fits()
    rows += [row for each in known for row in history(each, known)]
    rows += [unanswered(row) for row in rows]
    pairs = [json.loads(line) for line in PAIRS.read_text("utf-8").splitlines()]
    for name in dict.fromkeys(pair["set"] for pair in pairs):
        rows += paired(name, [pair for pair in pairs if pair["set"] == name])
    return rows


def unanswered(row: Compared) -> Compared:
    """The comparison as it is where nobody knows what the agent answered."""
    found = {name: value for name, value in row.found.items() if not name.startswith(ANSWERS)}
    return dataclasses.replace(row, found=found | {"unanswered": 1.0})


def judged(likely: Any, y: Any, w: Any) -> dict[str, float]:
    """Shares of the true replacements, and numbers of wrong ones among facts, from each of the two likelihoods on."""
    out: dict[str, float] = {"replacements": int(y.sum())}
    for name, least in (("sure", match.SURELY), ("may", match.AMENDS)):
        out[f"{name}_found"] = round(float((likely[y == 1] >= least).mean()), 3)
        out[f"{name}_wrong"] = int(((likely >= least) & (y == 0) & (w == 1.0)).sum())
    return out


class Recorder:
    """Stands in for `match.judged` while statements are learned: takes down each comparison, replaces nothing."""

    def __init__(self, group: str, label: Label, paired: bool = False) -> None:
        self.group = group
        self.label = label
        self.paired = paired
        self.rows: list[Compared] = []

    def __call__(self, db: Any, c: Candidate, text: str) -> match.Judged:
        if c.retracts:
            return match.Judged(match.taken_back(db, c, text))
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


def world(path: Path) -> list[Compared]:
    """The comparisons of a world, told whole and in a few of its sessions at a time."""
    data = json.loads(path.read_text("utf-8"))
    facts = {fact["id"]: fact for fact in data["facts"]}

    def held(text: str) -> set[str]:
        return {id for id, fact in facts.items() if all(key.lower() in text.lower() for key in fact["key"])}

    def told(sessions: list[dict[str, Any]]) -> list[Compared]:
        return recorded(Recorder(path.stem, _label(facts, held)), lambda: _told(sessions))

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

    return recorded(Recorder(path.stem, _label(facts, held)), lambda: _told(data["sessions"]))


def _plainly(text: str) -> str:
    return " ".join(text.lower().split())


def _label(facts: dict[str, Any], held: Callable[[str], set[str]]) -> Label:
    """A statement replaces an older one when a fact that it holds, or one that this follows, does."""

    def before(id: str) -> set[str]:
        older = facts[id].get("supersedes")
        return {older, *before(older)} if older else set()

    def label(new: str, old: str) -> tuple[bool, float]:
        known = held(old)
        return any(known & before(id) for id in held(new)), 1.0 if known else ASIDE

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


if __name__ == "__main__":
    main()
