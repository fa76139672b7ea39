"""What the fitted judges of learning share: their weights are data, a likelihood is the logistic of what they weigh."""

from __future__ import annotations

import math
from collections.abc import Mapping

from agentmemory.learn import tables


def weights(name: str, table: str = "weights") -> dict[str, float]:
    """The weights of a table of data/*name*.toml, by feature."""
    return dict(tables.read(name)[table])


def total(weights: Mapping[str, float], found: Mapping[str, float]) -> float:
    """What features weigh together, the same whatever their order: they are gathered in sets."""
    return math.fsum([weights[name] * value for name, value in found.items() if name in weights])


def likelihood(weights: Mapping[str, float], found: Mapping[str, float]) -> float:
    """Between 0 and 1, by the weights of a logistic regression; a feature without a weight tells nothing."""
    return _logistic(total(weights, found))


def mixed(one: Mapping[str, float], other: Mapping[str, float], share: float, found: Mapping[str, float]) -> float:
    """The same by two regressions, of whose log-odds the first one's count for a *share* (0 to 1)."""
    if share in (0.0, 1.0):
        return likelihood(one if share else other, found)
    return _logistic(share * total(one, found) + (1.0 - share) * total(other, found))


def _logistic(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-odds))
