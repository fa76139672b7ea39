"""Reason about a question: test it as a hypothesis against what is stored, with the arithmetic on the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agentmemory.explore import seeds
from agentmemory.explore.graph import scene
from agentmemory.explore.lines import BUDGET, Line, fit, line_of
from agentmemory.explore.stance import Bearing, bearings
from agentmemory.store import graph as read

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

BEGIN = 0.5  # before any evidence a hypothesis is as likely as not


@dataclass(frozen=True, slots=True)
class Argument:
    """A hypothesis tested.

    verdict: supported, opposed, undecided or not known. posterior: probability that it holds, None when not known.
    """

    question: str
    verdict: str
    posterior: float | None
    arithmetic: tuple[str, ...]
    supporting: tuple[Line, ...] = ()
    opposing: tuple[Line, ...] = ()
    consequences: tuple[Line, ...] = ()
    superseded: tuple[Line, ...] = ()
    weakest: Line | None = None

    @property
    def ids(self) -> tuple[int, ...]:
        """Every belief cited, in order, each once."""
        parts = (*self.supporting, *self.opposing, *self.superseded, *self.consequences)
        return tuple(dict.fromkeys(id for line in parts for id in line.ids))

    def as_json(self) -> dict[str, Any]:
        """The argument as plain values."""
        return {
            "question": self.question, "verdict": self.verdict,
            "posterior": None if self.posterior is None else round(self.posterior, 3),
            "arithmetic": list(self.arithmetic),
            "supporting": [line.as_json() for line in self.supporting],
            "opposing": [line.as_json() for line in self.opposing],
            "superseded": [line.as_json() for line in self.superseded],
            "consequences": [line.as_json() for line in self.consequences],
            "weakest": self.weakest.as_json() if self.weakest else None,
        }  # fmt: skip

    def text(self, budget: float = BUDGET) -> str:
        """The argument for a reader, within *budget* tokens."""
        if self.posterior is None:
            return f"Not known: nothing in memory bears on {self.question!r}."
        head = f"{self.verdict.upper()}, posterior {self.posterior:.2f}: {self.question}"
        return fit(
            (
                (head, [f"Weakest link: {str(self.weakest)[2:]}"] if self.weakest else ["No single weakest link."]),
                ("SUPPORTING", self.supporting), ("OPPOSING", self.opposing),
                ("SUPERSEDED (was true, is no evidence now)", self.superseded),
                ("CONSEQUENCES", self.consequences), ("ARITHMETIC", self.arithmetic),
            ),
            budget,
        )  # fmt: skip

    def __str__(self) -> str:
        return self.text()


def reason(db: Database, question: str, scopes: Sequence[int], now: float) -> Argument:
    """Test *question* as a hypothesis; reads only."""
    begin = seeds.start(db, question, scopes, read.size(db))
    around = scene(db, begin, scopes, now) if begin.scores else None
    found = bearings(around, question) if around is not None else []
    if around is None or not found:
        return Argument(question, "not known", None, ("nothing stored bears on it",))
    posterior, steps = weigh([b for b in found if b.side])
    by_side: dict[int, list[Line]] = {1: [], -1: []}
    for b in found:
        if b.side:
            by_side[b.side].append(line_of(around.rows[b.id], now, b.why))
    old = [line_of(around.rows[b.id], now, b.why, around.heads.get(b.id)) for b in found if not b.side]
    winning = by_side[1] if posterior >= 0.5 else by_side[-1]
    verdict = "supported" if posterior >= 0.7 else "opposed" if posterior <= 0.3 else "undecided"
    return Argument(
        question, verdict, posterior, tuple(steps), tuple(by_side[1]), tuple(by_side[-1]),
        superseded=tuple(old), weakest=min(winning, key=lambda line: line.confidence, default=None),
    )  # fmt: skip


def weigh(found: Sequence[Bearing]) -> tuple[float, list[str]]:
    """Posterior by odds, and its arithmetic. A belief of confidence c that bears with strength r multiplies the odds by
    (r c + (1-r)/2) / (r (1-c) + (1-r)/2): with probability r it decides the question, else it says nothing."""
    odds = BEGIN / (1 - BEGIN)
    steps = [f"start {BEGIN:.2f}, odds {odds:.2f}"]
    for b in found:
        ratio = (b.strength * b.confidence + (1 - b.strength) / 2) / (
            b.strength * (1 - b.confidence) + (1 - b.strength) / 2
        )
        factor = ratio if b.side > 0 else 1 / ratio
        odds *= factor
        what = "for" if b.side > 0 else "against"
        steps.append(f"#{b.id} {what}: confidence {b.confidence:.2f}, bearing {b.strength:.2f}, odds x {factor:.2f}")
    steps.append(f"odds {odds:.2f}, posterior {odds / (1 + odds):.2f}")
    return odds / (1 + odds), steps
