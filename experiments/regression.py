"""The one regression that the fitted judges of this project are made with, and where recall keeps its weights."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Mapping, Sequence
from importlib import reload
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from agentmemory.recall import weights as kept

WEIGHTS = Path(kept.__file__)
CLOSE = 1e-6  # a step of Newton's that changes no weight by more is the last
TABLES = ("NEEDED", "OURS", "PAST")
GLUE = "\0"  # keeps a name and its weight on one line
T = TypeVar("T")

PARTS = 10  # of the worlds: each is judged by weights that have seen the nine others


def fitted(x: Any, y: Any, w: Any, names: list[str], ridge: float | Callable[[str], float]) -> Any:
    """Newton's method on the ridge-penalised, weighted log-likelihood (Hastie, Tibshirani, Friedman, The Elements of
    Statistical Learning, 4.4). *ridge*: one for all features, or of each by its name; `rest` is never penalised."""
    of = ridge if callable(ridge) else lambda name: ridge
    penalty = np.diag([0.0 if name == "rest" else of(name) for name in names])
    weights = np.zeros(len(names))
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
