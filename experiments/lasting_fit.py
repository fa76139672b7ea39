#!/usr/bin/env python3
"""The weights by which a sentence of a user's turn is taken to say something lasting (agentmemory/learn/lasting.py).

    python experiments/lasting_fit.py [--save] [--on WORLD.json ...]

Labelled: the answered sentences of the user's turns in experiments/worlds, for talk that tells, and in
experiments/workdays, for talk at work; in experiments/weeks and experiments/sittings, for work in which much is put
right in passing (days and years beside them, less); beside the days single messages of tests/data, which count less;
and all of them, less, beside the short talks of experiments/talks for what a sentence tells by itself, with the
histories of experiments/changes.py: what they label lasts, what only mentions known things does not. Those that hold
a key of a fact that is said there are meant to last; other sentences of such turns of a world are left out; those of
traps count more. What these four say is weighed together by the talk that a sentence stands in, learned from what
they say of worlds, days, talks and weeks that they have not seen, and of the years of experiments/years, which are
between telling and working. Prints of each kind, for weights fitted to others (a tenth left out at a time), or of the
worlds named by `--on` for weights fitted to all: the area under the curve, and which share of each is taken to last
from a likelihood on; beside it what the rules alone keep. `--save` fits them to all and writes
agentmemory/data/lasting.toml.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from agentmemory.learn import answered, lasting, register  # noqa: E402
from agentmemory.learn.candidates import read  # noqa: E402
from agentmemory.learn.fitted import likelihood  # noqa: E402
from agentmemory.values import Utterance  # noqa: E402
from experiments import answered_fit, changes, corrections, workdays, years  # noqa: E402
from experiments.regression import (  # noqa: E402
    WORLDS,
    area,
    fit,
    frequent,
    in_parts,
    in_place_of,
    left_out,
    options,
    shares,
    write,
)

WEIGHTS = ROOT / "agentmemory" / "data" / "lasting.toml"
HEAD = "# What speaks for a sentence being meant to last: `python experiments/lasting_fit.py --save` writes this.\n"
TWINS = ROOT / "tests" / "data" / "twins.jsonl"  # what lasts, and what sounds like it and does not
BEFORE = 6
ENDS = " .,;:!"  # what may stand around a sentence
WORDING = ("turn class", "turn share", "says", "before:", "after:")
FROM = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5)
OFTEN = 40  # sentences that must have a feature before it gets a weight
TRAPPED = 6.0  # what a trapped sentence counts
RIDGE = (3.0, 10.0)  # of what stands for the sentence itself, of its wording and its neighbours
SINGLE = 0.3  # what a sentence of a single message counts: half of them last, of what is said at work one in thirty
OF_WORK = 20.0  # the ridge of all features where talk is at work: fewer sentences of it last
BY_ITSELF = 10.0  # the ridge of all features of sentences taken for themselves,
TALKED, OF_OTHERS = 2.0, 0.3  # what a sentence of a talk counts there, and one of a world or a day,
OF_HISTORIES = 0.2  # and one of a history, of which hardly any other is labelled
RARER = 0.6  # log-odds by which less lasts in talk than in what was written to hold much that lasts
#: what a sentence of each kind of talk counts together,
WEIGHED = {"told": 0.5, "days": 1.0, "talk": 1.0, "lived": 1.0, "weeks": 1.0}
TRAPPED_TOGETHER, RIDGE_TOGETHER = 3.0, 3.0  # what a trapped one does, and the ridge of all of it
FIFTHS = 5  # parts of all of them, each judged by the four as they are without it
#: what is not asked of sentences taken for themselves, nor at work, where the agent does something after every order
NOT_ASKED = (
    "acted", "answer", "met", "share answer", "share code", "value", "stems", "offered", "answered", "turn", "spelled",
    "agreed",
)  # fmt: skip
#: in weeks: what a trapped sentence counts, one of a day and one of a year beside theirs; the ridge of all features
TRAPPED_BUSY, DAYS_BUSY, YEARS_BUSY, RIDGE_BUSY = 3.0, 0.1, 0.3, 10.0
OFTEN_BUSY = 20  # sentences that must have a feature there
SORT = "reply"  # features of what sort of answer it is, asked where an answer tells nothing else


class Sentence(NamedTuple):
    """A sentence of a user's turn: its world, its features, whether it is meant to last, whether it is a trap, whether
    the rules alone would keep it; how much the answer tells, what the talk is; what it counts."""

    world: str
    found: dict[str, float]
    lasts: bool
    trap: bool
    kept: bool
    told: float = 0.0
    talk: register.Talk = register.STRANGERS
    counts: float = 1.0


class Said(NamedTuple):
    """The sentences of worlds, of days, of single messages, of short talks, of histories, of years, of weeks."""

    told: list[Sentence]
    days: list[Sentence]
    single: list[Sentence]
    talk: list[Sentence]
    history: list[Sentence]
    lived: list[Sentence]
    weeks: list[Sentence]

    def without(self, worlds: Collection[str]) -> Said:
        """Those of other worlds (days, talks, years)."""
        return Said(*([each for each in of if each.world not in worlds] for of in self))


def main() -> None:
    """Show what weights are worth on worlds that they have not seen, keep the weights of all."""
    ap = options(__doc__)
    ap.add_argument("--on", nargs="*", type=Path, default=[], help="worlds to judge by weights of all others")
    args = ap.parse_args()
    said = Said(learned(), worked(), singly(), talked(), remembered(), lived(), lived(years.BUSY))
    weights, cases = experts(said), together(said)
    combining = combined(cases) if args.on or args.save else {}
    if args.on:
        world = [each for path in args.on for each in spoken(json.loads(path.read_text("utf-8")))]
        judged = [each._replace(found=lasting.together(weights, each.found, each.told, each.talk)) for each in world]
        report("on", judged, np.array([likelihood(combining, each.found) for each in judged]))
    else:
        likely = left_out(cases, combined, lambda weights, each: likelihood(weights, each.found))
        for name in WEIGHED:
            worlds = {each.world for each in getattr(said, name)}
            of = np.array([each.world in worlds for each in cases])
            report(name, [each for each in cases if each.world in worlds], likely[of])
    if args.save:
        write(WEIGHTS, HEAD, **weights, together=combining, noted=combined(noted(said, cases)))


def experts(said: Said) -> dict[str, dict[str, float]]:
    """The weights for each kind of talk."""
    return {
        "telling": fitted(said.told), "alone": alone(said), "working": working([*said.days, *said.single]),
        "busy": busy(said),
    }  # fmt: skip


def together(said: Said) -> list[Sentence]:
    """What weights that have not seen it say of each sentence of a talk."""
    kinds = {name: getattr(said, name) for name in WEIGHED}
    out = []
    for part in in_parts(sorted({each.world for of in kinds.values() for each in of}), FIFTHS):
        weights = experts(said.without(part))
        for name, of in kinds.items():
            for each in of:
                if each.world in part and not each.talk.works:
                    found = lasting.together(weights, each.found, each.told, each.talk)
                    counts = WEIGHED[name] * (TRAPPED_TOGETHER if each.trap else 1.0)
                    out.append(each._replace(found=found, counts=counts))
    return out


def noted(said: Said, cases: list[Sentence]) -> list[Sentence]:
    """The cases of other talk than weeks, without what the fit for weeks says: no answer of theirs only takes note."""
    weeks = {each.world for each in said.weeks}
    return [
        each._replace(found={name: value for name, value in each.found.items() if not name.startswith("busy")})
        for each in cases if each.world not in weeks
    ]  # fmt: skip


def combined(cases: list[Sentence]) -> dict[str, float]:
    """The weights of what the four say."""
    found, much = [each.found for each in cases], [each.counts for each in cases]
    return fit(found, [each.lasts for each in cases], frequent(found, 1), RIDGE_TOGETHER, much)


def learned() -> list[Sentence]:
    """The sentences of all worlds; turns and answers are judged by weights that have not seen the world."""
    out: list[Sentence] = []
    for part in corrections.unseen(WORLDS):
        with answered_fit.unseen(part):
            out += [each for path in part for each in spoken(json.loads(path.read_text("utf-8")))]
    return out


def worked(paths: Sequence[Path] = workdays.DAYS) -> list[Sentence]:
    """The sentences of working days."""
    return [each for path in paths for each in spoken(workdays.world(path), whole=True)]


def singly() -> list[Sentence]:
    """The sentences of single messages."""
    return [each for path in (corrections.DEVELOPMENT, TWINS) for each in single(path)]


def lived(paths: Sequence[Path] = years.YEARS) -> list[Sentence]:
    """The sentences of years."""
    return [each for path in paths for each in spoken(years.world(path))]


def talked(paths: Sequence[Path] = workdays.TALKS) -> list[Sentence]:
    """The sentences of short talks, each of a world of its own."""
    return [each for path in paths for talk in workdays.talks(path) for each in spoken(talk, whole=True)]


def remembered() -> list[Sentence]:
    """The labelled sentences of histories in which something changes, and those that only mention what is known."""
    out = []
    for row in changes.of_fits():
        passes = row["kind"] in changes.PASSING
        for part, keys in (("before", row["stays"] + row["gone"]), ("after", row["new"])):
            before: tuple[tuple[str, str], ...] = ()
            for turn in row[part]:
                for text, features, _ in heard(turn["user"], before, turn["assistant"]):
                    lasts = any(changes.holds(text, each) for each in keys)
                    if lasts or (part == "after" and passes):
                        out.append(Sentence(row["id"], features, lasts, False, False))
                before = (*before, ("user", turn["user"]), ("assistant", turn["assistant"]))[-BEFORE:]
    return out


def single(path: Path) -> list[Sentence]:
    """The sentences of single labelled messages, a JSON object a line: what the agent said `before` (or
    `previous_assistant`), the `user` says, the `reply`, whether it `lasts` (is a `correction`), which `part` does."""
    out = []
    for row in map(json.loads, path.read_text("utf-8").splitlines()):
        said = row.get("before") or row.get("previous_assistant") or ""
        sentences = heard(row["user"], (("assistant", said),) if said else (), row.get("reply", ""), works=True)
        kept = any(kept for _, _, kept in sentences)
        lasts, part = row.get("lasts", row.get("correction")), row.get("part", row["user"])
        for text, features, _ in sentences:
            held = lasts and (text in part or part in text)
            if held or "part" in row or not lasts:
                out.append(Sentence(f"{path.stem} {row['hand']}", features, held, False, kept))
    return out


def heard(
    text: str, before: Sequence[tuple[str, str]], reply: str, role: str = "user", works: bool = False
) -> list[tuple[str, dict[str, float], bool]]:
    """The sentences of a turn, each with its features and whether the rules alone would keep it; none of a turn that is
    not the user's. *works*: see lasting.features."""
    found = read(Utterance(1, role, text, 1.0), before)
    if found is None:
        return []
    kept = {i for group in found.groups for i in group}
    features = lasting.features(found, text, before, reply, works)
    return [(r.said.text, of, i in kept) for i, (r, of) in enumerate(zip(found.rated, features, strict=True))]


def report(name: str, said: list[Sentence], likely: Any) -> None:
    """Print the area under the curve and the shares taken to last."""
    lasts, trap, kept = (np.array([getattr(each, name) for each in said]) for name in ("lasts", "trap", "kept"))
    groups = {"lasting": lasts, "passing": ~lasts & ~trap, "traps": trap}
    told: dict[str, Any] = {"of": name, "sentences": len(said), "area": area(likely, lasts)}
    for name, taken in (("rules", kept), *((f"from {at}", likely >= at) for at in FROM)):
        told[name] = shares(taken, groups)
    print(json.dumps(told, indent=1))


def fitted(said: list[Sentence]) -> dict[str, float]:
    """The weights of what is found often enough."""
    cases, much = [each.found for each in said], [TRAPPED if each.trap else 1.0 for each in said]
    names = [name for name in frequent(cases, OFTEN) if not name.startswith(SORT)]
    return fit(cases, [each.lasts for each in said], names, lambda name: RIDGE[name.startswith(WORDING)], much)


@contextmanager
def unseen(paths: Collection[Path]) -> Iterator[None]:
    """Sentences are judged by weights for talk at work that have not seen these days."""
    others = [path for path in workdays.DAYS if path not in paths]
    with in_place_of(lasting.weights("working"), working([*worked(others), *singly()])):
        yield


def working(said: list[Sentence]) -> dict[str, float]:
    """The weights for talk at work."""
    cases = [each.found for each in said]
    names = [name for name in frequent(cases, OFTEN) if name == "rest" or not name.startswith((*NOT_ASKED, SORT))]
    return fit(cases, [each.lasts for each in said], names, OF_WORK, _of_days(said))


def _of_days(said: list[Sentence]) -> list[float]:
    """What each sentence of days and single messages counts."""
    days = {path.stem for path in workdays.DAYS}
    return [1.0 if each.world in days else SINGLE for each in said]


def busy(said: Said) -> dict[str, float]:
    """The weights for talk at work in which much is put right and settled in passing."""
    rows = [*said.weeks, *said.days, *said.lived]
    much = [TRAPPED_BUSY if each.trap else 1.0 for each in said.weeks]
    much += [DAYS_BUSY] * len(said.days) + [YEARS_BUSY] * len(said.lived)
    found = [each.found for each in rows]
    return fit(found, [each.lasts for each in rows], frequent(found, OFTEN_BUSY), RIDGE_BUSY, much)


def alone(said: Said) -> dict[str, float]:
    """The weights for sentences taken for themselves."""
    work = [*said.days, *said.single]
    frequently = frequent([each.found for each in (*said.talk, *work, *said.history)], OFTEN)
    names = [name for name in frequently if name == "rest" or not name.startswith(NOT_ASKED)]
    much = [TALKED] * len(said.talk) + [OF_OTHERS * (TRAPPED if each.trap else 1.0) for each in said.told]
    much += [OF_OTHERS * of for of in _of_days(work)] + [OF_HISTORIES] * len(said.history)
    every = [*said.talk, *said.told, *work, *said.history]
    weights = fit([each.found for each in every], [each.lasts for each in every], names, BY_ITSELF, much)
    return weights | {"rest": weights["rest"] - RARER}


def spoken(world: dict[str, Any], whole: bool = False) -> list[Sentence]:
    """The labelled sentences of a world; *whole*: of turns that say a fact all of them."""
    keys = defaultdict[tuple[str, int], list[str]](list)
    for fact in world["facts"]:
        for place in years.places(fact):
            keys[place] += [key.lower() for key in fact["key"]]
    traps = {(trap["said_in"], trap["turn"]): [key.lower() for key in trap["key"]] for trap in world["traps"]}
    out = []
    talk: list[float] = []
    for session in world["sessions"]:
        turns = session["turns"]
        odds = deque(register.odds(turn["text"]) for turn in turns if turn["role"] == "user")
        for at, (turn, reply) in enumerate(pairwise(turns)):
            of = register.talk([*talk[-register.BEFORE :], *islice(odds, register.AFTER)])
            if turn["role"] == "user":
                talk.append(odds.popleft())
            before = tuple((each["role"], each["text"]) for each in turns[max(0, at - BEFORE) : at])
            place = (session["id"], at)
            for sentence, features, kept in heard(turn["text"], before, reply["text"], turn["role"], of.works):
                text = sentence.lower()
                lasts = any(key in text or (whole and text.strip(ENDS) in key) for key in keys[place])
                lasts = lasts or ("agreed said" in features and bool(keys[place]))
                trap = not lasts and any(key in text for key in traps.get(place, ()))
                if lasts or trap or whole or not keys[place]:
                    told = answered.told(reply["text"])
                    out.append(Sentence(world["world"], features, lasts, trap, kept, told, of))
        talk += odds
    return out


if __name__ == "__main__":
    main()
