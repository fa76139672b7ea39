"""Reason about a question: test it as a hypothesis against what is stored, with the arithmetic on the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from agentmemory.explore.chains import Chain, chain_of, consequences, history
from agentmemory.explore.lines import BUDGET, Line, fit, line_of, price, short, within
from agentmemory.explore.stance import Bearing, bearings, polar
from agentmemory.explore.walks import shown
from agentmemory.explore.wonder import NAMED, look
from agentmemory.store import graph as read
from agentmemory.text import tokens

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

BEGIN = 0.5  # before any evidence a hypothesis is as likely as not
SUPPORTED, OPPOSED = 0.7, 0.3  # posteriors from which we say so
FRAME = 160.0  # tokens of an answer around its lines


@dataclass(frozen=True, slots=True)
class Argument:
    """A hypothesis tested.

    verdict: supported, opposed, undecided or not known. posterior: probability that it holds (for a question that
    asks for something: that what is cited answers it), None when not known. weakest: the step that the verdict
    leans on and of which we are least sure.
    """

    question: str
    verdict: str
    posterior: float | None
    arithmetic: tuple[str, ...]
    supporting: tuple[Chain, ...] = ()
    opposing: tuple[Chain, ...] = ()
    superseded: tuple[Line, ...] = ()
    consequences: tuple[Line, ...] = ()
    weakest: Line | None = None

    @property
    def ids(self) -> tuple[int, ...]:
        """Every belief cited, in order, each once."""
        steps = (line for chain in (*self.supporting, *self.opposing) for line in chain.steps)
        lines = (*steps, *self.superseded, *self.consequences)
        return tuple(dict.fromkeys(id for line in lines for id in line.ids))

    def within(self, budget: float, json_form: bool = False) -> Argument:
        """The argument cut to *budget* tokens: of every part the first lines stay."""
        cost = price(json_form)
        parts = [chain.steps for chain in (*self.supporting, *self.opposing)]
        frame = (
            FRAME + tokens(self.question) + tokens(str(self.arithmetic)) + (cost(self.weakest) if self.weakest else 0)
        )
        kept = within([*parts, self.superseded, self.consequences], budget - frame, cost, len(parts))
        chains = [replace(c, steps=tuple(k)) for c, k in zip((*self.supporting, *self.opposing), kept)]
        n = len(self.supporting)
        return replace(
            self,
            supporting=tuple(c for c in chains[:n] if c.steps),
            opposing=tuple(c for c in chains[n:] if c.steps),
            superseded=tuple(kept[-2]),
            consequences=tuple(kept[-1]),
        )

    def as_json(self, budget: float = BUDGET) -> dict[str, Any]:
        """The argument as plain values, within *budget* tokens."""
        cut = self.within(budget, json_form=True)
        return {
            "question": self.question,
            "verdict": self.verdict,
            "posterior": None if self.posterior is None else round(self.posterior, 3),
            "weakest": self.weakest.as_json() if self.weakest else None,
            "supporting": [chain.as_json() for chain in cut.supporting],
            "opposing": [chain.as_json() for chain in cut.opposing],
            "superseded": [line.as_json() for line in cut.superseded],
            "consequences": [line.as_json() for line in cut.consequences],
            "arithmetic": list(self.arithmetic),
        }

    def text(self, budget: float = BUDGET) -> str:
        """The argument for a reader, within *budget* tokens."""
        if self.posterior is None:
            return f"Not known: nothing in memory bears on {self.question!r}."
        cut = self.within(budget)
        head = f"{self.verdict.upper()}, posterior {self.posterior:.2f}: {self.question}"
        weakest = [f"Weakest link: {str(self.weakest)[2:]}"] if self.weakest else ["No single link is the weakest."]
        return fit(
            (
                (head, weakest),
                ("SUPPORTING", [line for chain in cut.supporting for line in chain.lines()]),
                ("OPPOSING", [line for chain in cut.opposing for line in chain.lines()]),
                ("SUPERSEDED (history, no evidence now)", cut.superseded),
                ("WHAT FOLLOWS, AND WHAT ELSE APPLIES", cut.consequences),
                ("ARITHMETIC", self.arithmetic),
            ),
            budget,
        )

    def __str__(self) -> str:
        return self.text()


def reason(db: Database, question: str, scopes: Sequence[int], now: float) -> Argument:
    """Test *question* as a hypothesis; reads only."""
    around = look(db, question, scopes, now)
    found = bearings(around, question, read.sources(db, around.rows)) if around is not None else []
    if around is None or not found:
        return Argument(short(question, NAMED), "not known", None, ("nothing stored bears on it",))
    posterior, steps = weigh(found)
    chains = {side: tuple(chain_of(around, b) for b in found if b.side == side) for side in (1, -1)}
    beside = [shown(around, around.rows[b.id], b.why) for b in found if not b.side]
    taking = [line.ids[0] for side in chains.values() for chain in side for line in chain.steps]
    cited = [*taking, *(line.ids[0] for line in beside)]
    old = history(around, cited if polar(question) else taking)
    follow = [*beside, *consequences(db, around, scopes, cited, wide=not polar(question))]
    return Argument(
        short(question, NAMED), _verdict(posterior, polar(question)), posterior, tuple(steps), chains[1], chains[-1],
        tuple(old), tuple(follow), _weakest(found, posterior, around.rows, now),
    )  # fmt: skip


def weigh(found: Sequence[Bearing]) -> tuple[float, list[str]]:
    """Posterior by odds (Bayes), and its arithmetic.

    A belief of confidence c that bears with strength r multiplies the odds by (r c + (1-r)/2) / (r (1-c) + (1-r)/2):
    with probability r it decides the question and is right with probability c; else it says nothing.
    """
    odds = BEGIN / (1 - BEGIN)
    steps = [f"start: odds {odds:.2f} (c: confidence, r: how surely it bears)"]
    for b in (b for b in found if b.side):
        factor = ratio(b)
        odds *= factor
        what = "for" if b.side > 0 else "against"
        same = f", same source as #{b.rests}" if b.rests is not None else ""
        steps.append(f"#{b.id} {what}: c {b.confidence:.2f}, r {b.strength:.2f}{same}, odds x {factor:.2f}")
    steps.append(f"odds {odds:.2f}: posterior {odds / (1 + odds):.2f}")
    return odds / (1 + odds), steps


def ratio(b: Bearing) -> float:
    """By how much a belief multiplies the odds of the hypothesis."""
    aside = (1 - b.strength) / 2
    likelihood = (b.strength * b.confidence + aside) / (b.strength * (1 - b.confidence) + aside)
    return likelihood if b.side > 0 else 1 / likelihood


def _verdict(posterior: float, asked: bool) -> str:
    if posterior >= SUPPORTED:
        return "supported" if asked else "answered"
    return "opposed" if posterior <= OPPOSED else "undecided"


def _weakest(found: Sequence[Bearing], posterior: float, rows: Any, now: float) -> Line | None:
    """Of the beliefs on the winning side that carry the verdict, the one we are least sure of, and what hangs on it."""
    winning = [b for b in found if b.side == (1 if posterior >= 0.5 else -1)]
    if not winning:
        return None
    weak = min(winning, key=lambda b: (b.confidence * b.strength, b.id))
    without, _ = weigh([b for b in found if b is not weak])
    return line_of(rows[weak.id], now, f"without it the posterior is {without:.2f}")
