"""What a person sets for sleep: `sleep.toml` in the data folder, every key optional.

threshold = 0.7          # of the window; a session that has filled more of it is slept on at once
window = 128000          # tokens of the agents' context
slice_seconds = 20       # of sleep after a session
cap = 20000              # live beliefs of a scope; beyond it the least sure are archived
[prices.my-model]        # for a million tokens
prompt = "3.00"
completion = "15.00"
cached = "0.30"
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from agentmemory.model.settings import BadSettings, number, table_of
from agentmemory.sleep.costs import Price
from agentmemory.sleep.forgetting import CAP

FILE = "sleep.toml"


@dataclass(frozen=True, slots=True)
class Settings:
    """See the module."""

    threshold: float = 0.7
    window: int = 128_000
    slice_seconds: float = 20.0
    cap: int = CAP
    prices: Mapping[str, Price] = field(default_factory=dict)


def read(home: str) -> Settings:
    """The settings of a data folder; defaults where there is no file.

    Raises:
        BadSettings: the file cannot be read, or a key or value is not understood.
    """
    path = os.path.join(home, FILE)
    try:
        return _settings(table_of(path))
    except InvalidOperation as e:
        raise BadSettings(f"{path}: a price is no number") from e
    except (TypeError, ValueError) as e:
        raise BadSettings(f"{path}: {e}") from e


def _settings(given: dict[str, Any]) -> Settings:
    known = {"threshold", "window", "slice_seconds", "cap", "prices"}
    for name in given:
        if name not in known:
            raise ValueError(f"there is no setting {name!r}; there are {', '.join(sorted(known))}")
    default = Settings()
    threshold = number(given, "threshold", default.threshold)
    if not 0.0 < threshold <= 1.0:
        raise ValueError(f"threshold is a share of the window, more than 0 and at most 1, not {threshold}")
    return Settings(
        threshold,
        int(number(given, "window", default.window, least=1)),
        number(given, "slice_seconds", default.slice_seconds),
        int(number(given, "cap", default.cap, least=1)),
        _prices(given.get("prices", {})),
    )


def _prices(given: object) -> dict[str, Price]:
    if not isinstance(given, dict) or not all(isinstance(price, dict) for price in given.values()):
        raise ValueError("prices are tables: [prices.my-model] with prompt, completion, cached")
    return {model: _price(model, price) for model, price in given.items()}


def _price(model: str, given: dict[str, Any]) -> Price:
    for name in given:
        if name not in Price.__slots__:
            raise ValueError(f"there is no price {name!r} of {model}; there are {', '.join(Price.__slots__)}")
    out = Price(*(Decimal(str(given.get(name, 0))) for name in Price.__slots__))
    if not all(price.is_finite() and price >= 0 for price in (out.prompt, out.completion, out.cached)):
        raise ValueError(f"a price of {model} is no amount of money")
    return out
