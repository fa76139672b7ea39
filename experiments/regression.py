"""What the fits share: the worlds, the one regression, what weights are worth on worlds they have not seen, and how
they are kept."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from importlib import reload
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from agentmemory.learn.fitted import Boosted, Branch, Tree
from agentmemory.recall import weights as kept

WORLDS = sorted((Path(__file__).parent / "worlds").glob("*.json"))
WEIGHTS = Path(kept.__file__)
CLOSE = 1e-6  # a step of Newton's that changes no weight by more is the last
TABLES = ("NEEDED", "NEEDED_AT_WORK", "OURS", "PAST", "TALK")
GLUE = "\0"  # keeps a name and its weight on one line
TREES = 60  # of a fit that has any
BEFORE_TREES = 4  # parts of the groups whose log-odds, by weights that have not seen them, trees put right
GROWN = {
    "objective": "binary", "num_leaves": 8, "learning_rate": 0.1, "min_data_in_leaf": 20, "min_sum_hessian_in_leaf": 1,
    "lambda_l2": 3, "feature_fraction": 0.5, "bagging_fraction": 0.7, "bagging_freq": 1, "boost_from_average": False,
    "seed": 1, "deterministic": True, "force_col_wise": True, "num_threads": 2, "verbose": -1,
}  # fmt: skip
PARTS = 10  # of the worlds: each is judged by weights that have seen the nine others

T = TypeVar("T")
Found = Mapping[str, float]  # the features of a case; "rest" is 1 where it is not named


class OfWorld(Protocol):
    """A labelled case."""

    @property
    def world(self) -> str: ...


OneOf = TypeVar("OneOf", bound=OfWorld)


def options(doc: str | None) -> argparse.ArgumentParser:
    """The command line of a fit."""
    ap = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--save", action="store_true", help="write the weights")
    return ap


def frequent(cases: Iterable[Found], least: int) -> list[str]:
    """The features that so many cases have, `rest` first."""
    counted = Counter(name for found in cases for name, value in found.items() if value)
    return ["rest", *sorted(name for name, times in counted.items() if times >= least and name != "rest")]


def table(cases: Iterable[Found], names: Sequence[str]) -> Any:
    """The features of the cases, a row each."""
    return np.array([[found.get(name, float(name == "rest")) for name in names] for found in cases])


def fit(
    cases: Iterable[Found], right: Iterable[bool], names: list[str], ridge: float | Callable[[str], float],
    much: Sequence[float] | None = None,
) -> dict[str, float]:  # fmt: skip
    """The weights of the named features; *much*: what each case counts."""
    y = np.array([float(each) for each in right])
    w = np.ones(len(y)) if much is None else np.array(much)
    return dict(zip(names, fitted(table(cases, names), y, w, names, ridge).tolist(), strict=True))


def left_out(
    rows: Sequence[OneOf], learned: Callable[[list[OneOf]], dict[str, float]],
    judged: Callable[[dict[str, float], OneOf], float],
) -> Any:  # fmt: skip
    """What weights that were *learned* from the other worlds say of each case."""
    out = np.zeros(len(rows))
    for part in in_parts(sorted({row.world for row in rows})):
        weights = learned([row for row in rows if row.world not in part])
        for i, row in enumerate(rows):
            if row.world in part:
                out[i] = judged(weights, row)
    return out


def area(logits: Any, right: Any) -> float:
    """Share of pairs of a right and a wrong one that stand in order."""
    ranks = np.argsort(np.argsort(logits)) + 1
    yes, no = int(right.sum()), int((~right).sum())
    return round(float((ranks[right].sum() - yes * (yes + 1) / 2) / (yes * no)), 3)


def shares(taken: Any, groups: Mapping[str, Any]) -> dict[str, float]:
    """Which share of each group is taken."""
    return {name: round(float(taken[of].mean()), 3) for name, of in groups.items() if of.any()}


@contextmanager
def in_place_of(held: MutableMapping[str, T], weights: Mapping[str, T]) -> Iterator[None]:
    """Weights that are in use give way to others for a while."""
    kept = dict(held)
    held.clear()
    held.update(weights)
    try:
        yield
    finally:
        held.clear()
        held.update(kept)


def lines(weights: Mapping[str, float]) -> str:
    """The weights as lines of TOML."""
    return "".join(f"{json.dumps(name)} = {weight:.3f}\n" for name, weight in weights.items())


def write(path: Path, head: str, **tables: Mapping[str, float] | Boosted) -> None:
    """Keep tables of weights, each perhaps with its trees, in a file that begins with *head*, a comment."""
    path.write_text(head + "".join(f"\n{_written(name, of)}" for name, of in tables.items()), "utf-8")


def _written(name: str, of: Mapping[str, float] | Boosted) -> str:
    if not isinstance(of, Boosted):
        return f"[{name}]\n{lines(of)}"
    trees = "".join(f"  {json.dumps(each)},\n" for each in of.trees)
    return f"[{name}]\ntrees = [\n{trees}]\n\n[{name}.weights]\n{lines(of.weights)}"


def boosted(x: Any, y: Any, w: Any, groups: Any, names: Sequence[str], ridge: float, untold: str = "") -> Boosted:
    """A regression and the small trees that put it right: what trees learn from are log-odds by weights that have not
    seen a case's group. *untold*: what the names of features begin with that trees are not grown of."""
    import lightgbm

    weights = fitted(x, y, w, names, ridge)
    unseen = np.zeros(len(y))
    for part in in_parts(sorted(set(groups)), BEFORE_TREES):
        mine = np.isin(groups, part)
        unseen[mine] = x[mine] @ fitted(x, y, np.where(mine, 0.0, w), names, ridge, weights)
    asked = [i for i, name in enumerate(names) if not (untold and name.startswith(untold))]
    cases = lightgbm.Dataset(x[:, asked].astype(np.float32), y, weight=w, init_score=unseen)
    model = lightgbm.train(GROWN, cases, TREES).dump_model()
    trees = [_tree(each["tree_structure"], [names[i] for i in asked]) for each in model["tree_info"]]
    return Boosted({name: round(weight, 3) for name, weight in zip(names, weights.tolist(), strict=True)}, trees)


def _tree(node: Mapping[str, Any], names: Sequence[str]) -> Tree:
    if "leaf_value" in node:
        return float(round(node["leaf_value"], 4))
    up_to, beyond = (_tree(node[side], names) for side in ("left_child", "right_child"))
    return Branch(names[node["split_feature"]], float(f"{node['threshold']:.4f}"), up_to, beyond)


def odds(of: Boosted, x: Any, names: Sequence[str]) -> Any:
    """The log-odds of each row of a table with these columns."""
    column = {name: i for i, name in enumerate(names)}
    out = x @ np.array([of.weights[name] for name in names])

    def grow(tree: Tree, rows: Any) -> None:
        if isinstance(tree, Branch):
            more = x[rows, column[tree.name]] > tree.bound
            grow(tree.up_to, rows[~more])
            grow(tree.beyond, rows[more])
        else:
            out[rows] += tree

    for tree in of.trees:
        grow(tree, np.arange(len(out)))
    return out


def fitted(
    x: Any, y: Any, w: Any, names: Sequence[str], ridge: float | Callable[[str], float], start: Any = None
) -> Any:
    """Newton's method on the ridge-penalised, weighted log-likelihood (Hastie, Tibshirani, Friedman, The Elements of
    Statistical Learning, 4.4). *ridge*: one for all features, or of each by its name; `rest` is never penalised.
    *start*: weights that are near."""
    of = ridge if callable(ridge) else lambda name: ridge
    penalty = np.diag([0.0 if name == "rest" else of(name) for name in names])
    weights = np.zeros(len(names)) if start is None else start.copy()
    for _ in range(40):
        p = 1.0 / (1.0 + np.exp(-np.clip(x @ weights, -30.0, 30.0)))
        bend = (x.T * (w * p * (1.0 - p) + 1e-9)) @ x + penalty
        step = np.linalg.solve(bend, x.T @ (w * (p - y)) + penalty @ weights)
        weights -= step
        if np.abs(step).max() < CLOSE:
            break
    return weights


def in_parts(worlds: Sequence[T], parts: int = PARTS) -> list[list[T]]:
    """The worlds, or what stands for them, in parts that are left out of a fit one after the other."""
    return [list(worlds[part::parts]) for part in range(parts) if worlds[part::parts]]


def keep(table: str, weights: Mapping[str, float]) -> None:
    """Write one table of agentmemory/recall/weights.py, the others as they are."""
    text = f'"""{kept.__doc__}"""\n'
    reload(kept)  # another fit may have written its table since this one began
    for name in TABLES:
        held = weights if name == table else getattr(kept, name)
        pairs = " ".join(f"{json.dumps(key)}: {value:.3f},".replace(" ", GLUE) for key, value in held.items())
        lines = textwrap.indent(textwrap.fill(pairs, 116, break_long_words=False, break_on_hyphens=False), "    ")
        text += f"\n{name} = {{\n{lines.replace(GLUE, ' ')}\n}}  # fmt: skip\n"
    WEIGHTS.write_text(text, "utf-8")
