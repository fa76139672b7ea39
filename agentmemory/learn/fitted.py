"""What the fitted judges of learning share: their weights are data, a likelihood is the logistic of what they weigh."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from agentmemory.learn import tables


class Branch(NamedTuple):
    """What follows where a feature is at most a bound, and where it is more."""

    name: str
    bound: float
    up_to: Tree
    beyond: Tree


Tree: TypeAlias = float | Branch  # a leaf is what it adds to the log-odds


@dataclass(frozen=True, slots=True)
class Boosted:
    """A logistic regression whose log-odds small trees put right where features tell more together, or more up to a
    point only (J. H. Friedman, Greedy function approximation: a gradient boosting machine, 2001)."""

    weights: Mapping[str, float]
    trees: Sequence[Tree]

    def odds(self, found: Mapping[str, float]) -> float:
        """The log-odds of what has these features; one that is missing is 0."""
        leaves, of = [], found.get
        for tree in self.trees:
            while not isinstance(tree, float):
                name, bound, up_to, beyond = tree
                tree = beyond if of(name, 0.0) > bound else up_to
            leaves.append(tree)
        return total(self.weights, found) + math.fsum(leaves)


def boosted(name: str, table: str) -> Boosted:
    """The weights and the trees of a table of data/*name*.toml."""
    read = tables.read(name)[table]
    return Boosted(read["weights"], [tree(each) for each in read["trees"]])


def tree(written: Any) -> Tree:
    """A tree from how it is written: a number, or feature, bound and two of them."""
    if isinstance(written, float):
        return written
    name, bound, up_to, beyond = written
    return Branch(name, bound, tree(up_to), tree(beyond))


def weights(name: str, table: str = "weights") -> dict[str, float]:
    """The weights of a table of data/*name*.toml, by feature."""
    return dict(tables.read(name)[table])


def total(weights: Mapping[str, float], found: Mapping[str, float]) -> float:
    """What features weigh together, the same whatever their order: they are gathered in sets."""
    return math.fsum([weights[name] * value for name, value in found.items() if name in weights])


def likelihood(weights: Mapping[str, float], found: Mapping[str, float]) -> float:
    """Between 0 and 1, by the weights of a logistic regression; a feature without a weight tells nothing."""
    return logistic(total(weights, found))


def logistic(odds: float) -> float:
    """The likelihood of log-odds."""
    return 1.0 / (1.0 + math.exp(-odds))
