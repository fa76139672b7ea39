"""The weights and trees by which a later statement is taken to replace an earlier one
(agentmemory/learn/succession.py).

    python experiments/succession_fit.py [--save] [--without WORLD]

Labelled: the pairs of tests/data/succession.jsonl, and the worlds of experiments/worlds, the years, weeks and
sittings of experiments/years, experiments/weeks and experiments/sittings and the histories of experiments/changes.py,
where every statement is compared with every older one that shares words with it, or was said just before it. A world
is told whole and in a few of its sessions at a time, as stores are young when they are first corrected. Answers of
worlds are long, as their agents were: each world is told again with their first sentences alone, and with answers in a
word, so that nothing leans on what many agents never say. Of histories nothing learns: they judge. What the user's last
turns said is judged apart: hardly any world puts right what was said a moment ago, weeks and sittings do
all the time. So is what is noted, which learns from the notes of experiments/noted and, less, from the pairs. Prints,
for each set and over the worlds, what the weights fitted to others say of it (a tenth of the worlds, or one set, left
out at a time); `--save` fits them to all and writes agentmemory/data/succession.toml; with `--without world_apiary` to
all but this world, so that it may judge them. Needs LightGBM (`pip install --group fits`).
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from agentmemory.learn import match  # noqa: E402
from agentmemory.learn.fitted import Boosted  # noqa: E402
from experiments import years  # noqa: E402
from experiments.comparisons import ANSWERS, HISTORY, NOTED, PAIR, Compared, gathered  # noqa: E402
from experiments.regression import WORLDS, boosted, in_parts, odds, options, table, write  # noqa: E402

WEIGHTS = ROOT / "agentmemory" / "data" / "succession.toml"
HEAD = (
    "# How likely a new statement replaces an older one: `python experiments/succession_fit.py --save` writes this.\n"
)
OFTEN = 8  # comparisons that must show a feature before it gets a weight
RIDGE = 3.0
YOUNG = 0.6  # what a comparison counts in a store that has heard a few sessions of its world
WORLDS_TOGETHER = 35.0  # what the comparisons of all worlds count together, in worlds,
TELLINGS = 3.0  # of each: with whole answers, with their first sentences, with a word
WORLDS_ALONE = 12.0  # and where the answer is unknown: pairs are what that is like
LIVED, LIVED_ALONE = 1.0, 0.5  # the same of a year, of weeks or of sittings,
WORLDS_AT_ONCE = 8.0  # and what all worlds count beside them where one of the last turns said the older one
PAIRED = 0.3  # what a comparison of a pair counts beside those of notes
AT_ONCE = "said before"  # the feature of what they said


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
        self.young, self.shorter = (np.array([getattr(row, name) for row in rows]) for name in ("young", "shorter"))
        self.of_histories = np.char.startswith(self.groups, HISTORY)
        self.noted = np.char.startswith(self.groups, NOTED)
        self.silent = np.array(["unanswered" in row.found for row in rows])
        # by themselves: no answer, and what stands around a pair is not known either
        pairs = ~(self.of_worlds | self.lived | self.of_histories | self.noted)
        self.alone = self.silent | pairs
        every = list(range(len(self.names)))
        few = [i for i, name in enumerate(self.names) if not name.startswith((*ANSWERS, "around"))]
        self.columns = {"told": every, "unanswered": few, "noted": few, "at_once": every}
        self.at_once = np.array([AT_ONCE in row.found and "unanswered" not in row.found for row in rows])
        w = self.w * np.where(self.young, YOUNG, 1.0)
        together, lone = (
            w * np.where(self.of_worlds, each / len(told), np.where(self.lived, life, 1.0))
            for each, life in ((WORLDS_TOGETHER, LIVED), (WORLDS_ALONE, LIVED_ALONE))
        )
        together *= np.where(self.of_worlds, 1.0 / TELLINGS, 1.0)
        at_once = self.w * np.where(self.of_worlds, WORLDS_AT_ONCE / len(told), 1.0)
        notes = self.w * np.where(self.noted, 1.0, PAIRED)
        self.counts = {"told": together, "unanswered": lone, "noted": notes, "at_once": at_once}
        told = ~self.of_histories & ~self.noted
        long = told & ~self.shorter
        self.of = {
            "told": told & ~self.at_once, "unanswered": long & self.alone, "noted": pairs | self.noted,
            "at_once": long & ~self.young & self.at_once,
        }  # fmt: skip

    def learned(self, name: str, seen: Any) -> Boosted:
        """The weights and trees of a table by what is *seen*."""
        columns, mine = self.columns[name], seen & self.of[name]
        asked = [self.names[i] for i in columns]
        x, y, w = self.x[mine][:, columns], self.y[mine], self.counts[name][mine]
        return boosted(x, y, w, self.groups[mine], asked, RIDGE, untold=PAIR)

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
            judges = {"unanswered": mine & self.alone, "told": mine & ~self.alone & ~self.at_once}
            if self.of_histories[mine].all():
                judges = {"told": mine & ~self.at_once}
            elif self.noted[mine].all():
                judges = {"noted": mine}
            judges["at_once"] = mine & self.at_once
            for name, asked in judges.items():
                if asked.any():
                    likely[asked] = 1.0 / (1.0 + np.exp(-self.odds(name, asked, mine)))
        return likely

    def shown(self) -> dict[str, Any]:
        """Which comparisons are judged together."""
        answered = ~(self.silent & self.of_histories)
        sets = [group for group in dict.fromkeys(self.groups) if group not in self.worlds]
        return {
            "worlds": self.of_worlds & ~self.young & ~self.silent & ~self.shorter,
            "worlds, short answers": self.of_worlds & ~self.young & self.shorter,
            "worlds, answers unknown": self.of_worlds & ~self.young & self.silent,
            "a few sessions": self.young & ~self.silent & ~self.shorter,
            "years, weeks and sittings": self.lived & ~self.silent & ~self.at_once,
            "in them, said just before": self.lived & self.at_once,
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


def judged(likely: Any, y: Any, w: Any) -> dict[str, float]:
    """Shares of the true replacements, and numbers of wrong ones among facts, from each of the two likelihoods on."""
    out: dict[str, float] = {"replacements": int(y.sum())}
    for name, least in (("sure", match.SURELY), ("may", match.AMENDS)):
        out[f"{name}_found"] = round(float((likely[y == 1] >= least).mean()), 3)
        out[f"{name}_wrong"] = int(((likely >= least) & (y == 0) & (w == 1.0)).sum())
    return out


if __name__ == "__main__":
    main()
