#!/usr/bin/env python3
"""The weights by which talk is taken to tell how things are rather than to be at work (agentmemory/learn/register.py).

    python experiments/register_fit.py [--save]

Labelled: the user's messages of experiments/worlds tell, and so do those of experiments/weeks, in passing; those of
experiments/workdays work. Prints, for weights fitted to others (a tenth left out at a time), the area under the curve
of single messages and of all that a project said so far, and for which share of the messages of each the talk is not
work alone. `--save` fits them to all and writes agentmemory/data/register.toml.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from agentmemory.learn import fitted, register  # noqa: E402
from agentmemory.learn.passages import spoken  # noqa: E402
from agentmemory.learn.rating import rate  # noqa: E402
from experiments import workdays, years  # noqa: E402
from experiments.regression import WORLDS, area, fit, frequent, in_place_of, left_out, options, write  # noqa: E402

WEIGHTS = ROOT / "agentmemory" / "data" / "register.toml"
HEAD = "# What speaks for talk that tells rather than works: `python experiments/register_fit.py --save` writes this.\n"
OFTEN = 40  # messages that must have a feature before it gets a weight
RIDGE = 3.0


COUNTS = {"worlds": 0.25, "weeks": 0.25, "days": 0.5}  # what the messages of each kind of talk count altogether


class Message(NamedTuple):
    """A message of a user: its world or day, its features, the kind of its talk."""

    world: str
    found: Mapping[str, float]
    kind: str

    @property
    def tells(self) -> bool:
        """Whether the talk tells."""
        return self.kind != "days"


def main() -> None:
    """Show what left-out weights are worth, keep the weights of all."""
    args = options(__doc__).parse_args()
    said = messages(WORLDS, workdays.DAYS)
    likely = left_out(said, learned, lambda weights, each: fitted.total(weights, each.found))
    tells = np.array([each.tells for each in said])
    talk, kinds = np.array(of_talk(said, likely)), np.array([each.kind for each in said])
    print(json.dumps({
        "messages": len(said), "area": area(likely, tells), "area of talk": area(talk, tells),
        **{kind: round(float((talk[kinds == kind] >= register.AT_WORK).mean()), 3) for kind in COUNTS},
    }))  # fmt: skip
    if args.save:
        write(WEIGHTS, HEAD, weights=learned(said))


def messages(worlds: Sequence[Path], days: Sequence[Path]) -> list[Message]:
    """The messages of the user in worlds, weeks and days, in the order in which they were said."""
    told = [(json.loads(path.read_text("utf-8")), "worlds") for path in worlds]
    told += [(years.world(path), "weeks") for path in years.WEEKS] + [(workdays.world(path), "days") for path in days]
    return [
        Message(world["world"], described(turn["text"]), kind)
        for world, kind in told for session in world["sessions"] for turn in session["turns"] if turn["role"] == "user"
    ]  # fmt: skip


def described(text: str) -> dict[str, float]:
    """The features of a message."""
    return register.features(text, [rate(said) for said in spoken(text)])


def of_talk(said: Sequence[Message], odds: Sequence[float]) -> list[float]:
    """The log-odds that the talk tells at each message, by what the project said so far."""
    before: dict[str, deque[float]] = defaultdict(lambda: deque(maxlen=register.BEFORE))
    out = []
    for each, of in zip(said, odds, strict=True):
        before[each.world].append(max(-register.MOST, min(register.MOST, of)))
        out.append(register.talk(before[each.world]).sure)
    return out


def learned(said: Sequence[Message]) -> dict[str, float]:
    """The weights; telling counts as much as working."""
    cases, of = [each.found for each in said], Counter(each.kind for each in said)
    much = [COUNTS[each.kind] * len(said) / of[each.kind] for each in said]
    return fit(cases, [each.tells for each in said], frequent(cases, OFTEN), RIDGE, much)


@contextmanager
def unseen(paths: Collection[Path]) -> Iterator[None]:
    """Talk is judged by weights that have not seen these days."""
    others = [path for path in workdays.DAYS if path not in paths]
    with in_place_of(register.WEIGHTS, learned(messages(WORLDS, others))):
        yield


if __name__ == "__main__":
    main()
