"""What models were asked and what that cost, at the prices a person has set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from agentmemory.store import usage

if TYPE_CHECKING:
    from agentmemory.model.engine import Usage
    from agentmemory.store.rows import Database

MILLION = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class Price:
    """For a million tokens: of the prompt, of the answer, and of what the prompt had cached."""

    prompt: Decimal = Decimal(0)
    completion: Decimal = Decimal(0)
    cached: Decimal = Decimal(0)

    def of(self, prompt: int, completion: int, cached: int) -> Decimal:
        """What so many tokens cost; *cached* are among *prompt*."""
        return (self.prompt * (prompt - cached) + self.cached * cached + self.completion * completion) / MILLION


@dataclass(frozen=True, slots=True)
class Bill:
    """Calls and tokens; *cached* are among *prompt*. cost: exact, in the currency of the prices."""

    calls: int
    prompt: int
    completion: int
    cached: int
    cost: Decimal


@dataclass(slots=True)
class Tally:
    """Tokens of calls that nothing else counts."""

    calls: int = 0
    prompt: int = 0
    completion: int = 0
    cached: int = 0

    def add(self, usage: Usage) -> None:
        """One more call."""
        self.calls += 1
        self.prompt += usage.prompt
        self.completion += usage.completion
        self.cached += usage.cached

    def as_json(self, price: Price) -> dict[str, Any]:
        """The numbers, with what they cost."""
        cost = price.of(self.prompt, self.completion, self.cached)
        return {**{name: getattr(self, name) for name in self.__slots__}, "cost": _plain(cost)}


def record(db: Database, at: float, model: str, prompt: int, completion: int, cached: int = 0) -> None:
    """Count one call. The caller owns the transaction.

    Raises:
        ValueError: a number is negative, or more was cached than asked.
    """
    if min(prompt, completion, cached) < 0 or cached > prompt:
        raise ValueError(f"no call uses {prompt} + {completion} tokens with {cached} cached")
    usage.add(db, at, model, prompt, completion, cached)


def bill(db: Database, prices: Mapping[str, Price], since: float = 0.0) -> Bill:
    """All calls since a time. A model without a price costs nothing: a local one."""
    calls = prompt = completion = cached = 0
    cost = Decimal(0)
    for model, n, p, c, k in usage.by_model(db, since):
        price = prices.get(model, Price())
        calls, prompt, completion, cached = calls + n, prompt + p, completion + c, cached + k
        cost += price.of(p, c, k)
    return Bill(calls, prompt, completion, cached, cost)


def told(db: Database, home: str, since: float = 0.0) -> dict[str, Any]:
    """The bill at the prices of the data folder, as `usage`, `stats` and the server show it."""
    from agentmemory.sleep import settings  # it reads prices

    found = bill(db, settings.read(home).prices, since)
    return {**asdict(found), "cost": _plain(found.cost)}


def _plain(amount: Decimal) -> str:
    """An amount in digits, without trailing zeros."""
    return f"{amount.normalize():f}"
