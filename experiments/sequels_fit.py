"""The weights by which a statement is taken for the next piece of a routine (agentmemory/learn/sequels.py).

    python experiments/sequels_fit.py [--play] [--save]

Labelled: the histories of tests/data/pieces.jsonl and the worlds of experiments/worlds, played in the order of time
with every piece tied where it belongs, so that each is judged with the right past behind it. Prints what the weights
fitted to all others decide about each history and world (leave one out): how many of the statements that go on with
something are tied to it, how many to something else, how many statements needlessly; with --play also what
experiments/pieces.py counts. `--save` fits them to all and writes agentmemory/data/sequels.toml, with --play also the
receipt experiments/results/sequels_fit.json.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from agentmemory.learn import exchanges, sequels, steps  # noqa: E402
from experiments.pieces import Moment, counted, histories, played, world  # noqa: E402
from experiments.regression import WORLDS, lines, options  # noqa: E402

WEIGHTS = ROOT / "agentmemory" / "data" / "sequels.toml"
RECEIPT = ROOT / "experiments" / "results" / "sequels_fit.json"
HEAD = "# How likely a statement goes on with a routine: `python experiments/sequels_fit.py --save` writes this.\n"
OFTEN = 6  # options that must show a feature before it gets a weight
RIDGE = 2.0
BELOW = 0.01  # share of the pieces whose own words may tell too little for them to be compared
MAINLY = 0.4  # of a turn, from which a statement is what the turn says
SAID = """
    SELECT e.turn, b.text FROM evidence e JOIN belief b ON b.id = e.belief
    WHERE e.kind = 'said' AND e.turn IS NOT NULL AND b.id IN ({})
"""


@dataclasses.dataclass(slots=True)
class Choice:
    """One statement: what it may go on with, as features, and which of them it does (None: none)."""

    group: str
    text: str
    own: dict[str, float]
    options: list[dict[str, float]]
    right: int | None


class Oracle:
    """Stands in the place of `steps.before`: notes the choice, answers with the truth."""

    def __init__(self, group: str, moments: list[Moment]) -> None:
        self.group, self.moments = group, moments
        self.choices: list[Choice] = []
        self.unreached: list[str] = []

    def __call__(self, db: Any, c: Any, text: str) -> Any:
        moment = self.moments[c.turn - 1]
        rows = sequels.compared(db, c, text)
        mine = moment.piece
        if mine and moment.keys and not any(key in text.lower() for key in moment.keys):
            return 0.0, None
        if mine and not moment.keys and len(text) < MAINLY * len(moment.text):
            return 0.0, None  # what it says beside the piece
        right = None
        if mine:
            said = [self.pieces(db, o, mine) for _, o in rows]
            ends = [i for i, each in enumerate(said) if any(each)]
            if mine[1] > 1 and not ends:
                self.unreached.append(f"{mine} {text}")
                return 0.0, None
            best = max(ends, key=lambda i: (said[i], len(rows[i][1].end.text)), default=None)
            of_it = {i for i, (_, o) in enumerate(rows) if self.beside(db, o, mine)}
            rows = [row for i, row in enumerate(rows) if i == best or i not in of_it]
            right = sum(1 for i in range(best) if i not in of_it) if best is not None else None
        self.choices.append(
            Choice(self.group, text, sequels.read(db, c, text).flags, [found for found, _ in rows], right)
        )
        return (1.0, rows[right][1].end) if right is not None else (0.0, None)

    def pieces(self, db: Any, o: Any, mine: tuple[str, int]) -> list[int]:
        """Numbers of the pieces of a procedure that an option holds, the latest first."""
        out = []
        for turn, text in self.said(db, o):
            m = self.moments[turn - 1]
            if m.piece and m.piece[0] == mine[0] and m.piece[1] < mine[1]:
                if not m.keys or any(key in text.lower() for key in m.keys):
                    out.append(m.piece[1])
        return sorted(out, reverse=True)

    def beside(self, db: Any, o: Any, mine: tuple[str, int]) -> bool:
        """Whether an option was said in a turn of this procedure."""
        return any((m := self.moments[turn - 1]).piece and m.piece[0] == mine[0] for turn, _ in self.said(db, o))

    def said(self, db: Any, o: Any) -> list[tuple[int, str]]:
        """The turns and texts of an option."""
        marks = ", ".join("?" * len(o.pieces))
        found = db.execute(SAID.format(marks), [p.id for p in o.pieces]).fetchall()
        return [(int(turn), str(text)) for turn, text in found]


def choices(group: str, moments: list[Moment]) -> Oracle:
    """The choices that learning a history makes."""
    oracle = Oracle(group, moments)
    before, steps.before = steps.before, oracle  # type: ignore[assignment]
    try:
        played(moments)
    finally:
        steps.before = before
    return oracle


class Design:
    """The choices as arrays: a row an option, options of one statement after one another. given: log-odds that are not
    fitted."""

    def __init__(self, rows: list[Choice], names: list[str]) -> None:
        self.rows, self.names = [row for row in rows if row.options], names
        at = {n: i for i, n in enumerate(names)}
        options = [found for row in self.rows for found in row.options]
        self.x = np.zeros((len(options), len(names)))
        self.given = sequels.COUNTED_ON * np.array([found.get("counted on", 0.0) for found in options])
        for i, found in enumerate(options):
            for n, value in found.items():
                if n in at:
                    self.x[i, at[n]] = value
        self.sizes = np.array([len(row.options) for row in self.rows])
        self.y = np.array([float(row.right == i) for row in self.rows for i in range(len(row.options))])
        self.groups = np.array([row.group for row in self.rows])

    def fitted(self, without: str | None, ridge: float, start: Any = None) -> Any:
        """Newton's method on the ridge-penalised log-likelihood, in half steps where a whole one goes too far; no
        option at all is worth 0."""
        mine = self.groups != without
        options = np.repeat(mine, self.sizes)
        x, y, sizes, given = self.x[options], self.y[options], self.sizes[mine], self.given[options]
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        penalty = np.diag([0.05 if n == "rest" else ridge for n in self.names])
        w = np.zeros(len(self.names)) if start is None else start.copy()

        def loss(w: Any) -> float:
            z = np.clip(x @ w + given, -30, 30)
            return float(np.log1p(np.add.reduceat(np.exp(z), starts)).sum() - y @ z + w @ penalty @ w / 2.0)

        for _ in range(30):
            e = np.exp(np.clip(x @ w + given, -30, 30))
            p = e / np.repeat(1.0 + np.add.reduceat(e, starts), sizes)
            mean = np.add.reduceat(x * p[:, None], starts, axis=0)
            bend = (x.T * p) @ x - mean.T @ mean + penalty + 1e-6 * np.eye(len(w))
            step = np.linalg.solve(bend, x.T @ (p - y) + penalty @ w)
            while loss(w - step) > loss(w) and np.abs(step).max() >= 1e-4:
                step /= 2.0
            w -= step
            if np.abs(step).max() < 1e-4:
                break
        return w


def alone(row: Choice) -> Choice:
    """The choice as it is where nobody knows what the assistant answered."""
    told = [{n: v for n, v in found.items() if n not in exchanges.MOST} | {"alone": 1.0} for found in row.options]
    return dataclasses.replace(row, options=told)


def often(rows: Iterable[Choice]) -> list[str]:
    """Features that enough options show, but for what counts by itself (`sequels.COUNTED_ON`)."""
    shown = Counter(n for row in rows for o in row.options for n in o if n != "counted on")
    return sorted(n for n, k in shown.items() if k >= OFTEN)


def decided(rows: list[Choice]) -> Counter[str]:
    """How many statements go on with what they should, with something else, or needlessly."""
    out: Counter[str] = Counter()
    for row in rows:
        _, best = steps.decided(row.options)
        tied, right = best is not None, best == row.right
        if row.right is None:
            out += Counter(others=1, needless=tied)
        else:
            out += Counter(choices=1, right=tied and right, other=tied and not right)
    return out


def main() -> None:
    """Gather the choices, show what the weights of the others are worth, keep the weights of all."""
    ap = options(__doc__)
    ap.add_argument("--ridge", type=float, default=RIDGE)
    ap.add_argument("--play", action="store_true", help="also play each history with the weights of the others")
    ap.add_argument("--miss", action="store_true", help="and print what is not whole then, and what is tied wrongly")
    args = ap.parse_args()
    groups = {"histories": histories(), "worlds": {p.stem: world(p) for p in WORLDS}}
    heard = {k: {name: choices(name, moments) for name, moments in group.items()} for k, group in groups.items()}
    rows = [row for group in heard.values() for oracle in group.values() for row in oracle.choices]
    rows += [alone(row) for row in rows]
    names = often(rows)
    design = Design(rows, names)
    all_of_them = design.fitted(None, args.ridge)
    figures = {}
    for k, group in heard.items():
        total: Counter[str] = Counter()
        for name, oracle in group.items():
            kept = sequels.WEIGHTS
            sequels.WEIGHTS = dict(zip(names, design.fitted(name, args.ridge, all_of_them)))
            total += decided(oracle.choices)
            if args.play:
                total += counted(name, groups[k][name], played(groups[k][name]), args.miss)
            sequels.WEIGHTS = kept
        total["unreached"] = sum(len(oracle.unreached) for oracle in group.values())
        figures[k] = dict(sorted(total.items()))
        print(k, json.dumps(figures[k]))
    if args.save:
        kept = {n: round(float(v), 3) for n, v in zip(names, all_of_them) if abs(v) >= 0.0005}
        sequels.WEIGHTS = kept
        least = np.quantile([sequels.worth(row.own) for row in rows if row.right is not None], BELOW)
        if args.play:
            RECEIPT.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
        WEIGHTS.write_text(f"{HEAD}\nleast = {least:.2f}\n\n[weights]\n{lines(kept)}", "utf-8")


if __name__ == "__main__":
    main()
