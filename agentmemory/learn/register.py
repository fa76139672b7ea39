"""In which register a user talks with the agent: telling it how things are, or at work with it.

Nearly all that most developers type is work of the moment: questions, orders, stories of what just broke, pasted review
comments. Others dictate what they know. What one means to last is a task from the other, so a sentence is judged by the
register of the talk that it stands in (decision 0047): the last messages of the project and the next ones of the
session. A logistic regression over what a message's sentences do and its words of structure; weights are data
(data/register.toml), `python experiments/register_fit.py --save` makes them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from agentmemory.learn import cues, fitted, manner, rightings
from agentmemory.learn.passages import prose, spoken
from agentmemory.learn.rated import ENOUGH, Rated, asks, lays_down
from agentmemory.learn.rating import rate
from agentmemory.store import scopes

WEIGHTS = fitted.weights("register")
BEFORE, AFTER = 36, 12  # messages of the user that are heard, before one and after it
READ = 2_000  # characters of a message
MOST = 3.0  # log-odds of one message beyond which more tells nothing
BENEFIT = 4.2  # log-odds in favour of who has hardly spoken yet, as much as four messages at work
MARGIN = 0.15  # and of any message
AT_WORK = -3.0  # log-odds below which talk is at work and nothing else
TELLING = 2.0  # and from which it surely tells; of real sessions one in ten does, of invented projects nearly all
#: what a sentence does, as a share of a message's sentences
ACTS: dict[str, Callable[[Rated], float]] = {
    "asks": lambda r: asks(r.said.text) or "question" in r.marks,
    "orders": lambda r: r.order,
    "agrees": lambda r: r.idle,
    "passes": lambda r: r.out,
    "names": lambda r: r.named,
    "lasts": lambda r: r.score >= ENOUGH and not r.out,
    "scores": lambda r: min(max(r.score, -2.0), 6.0) / 3.0,
}


class Talk(NamedTuple):
    """Log-odds that a user's talk tells, and those of its usual message."""

    sure: float
    usual: float

    @property
    def works(self) -> bool:
        """Whether it is at work, and nothing else: much of what is said between telling and working lasts."""
        return self.sure < AT_WORK

    @property
    def register(self) -> int:
        """As prompts are told of it."""
        return scopes.WORKS if self.works else scopes.TELLS if self.sure >= TELLING else scopes.BETWEEN


STRANGERS = Talk(BENEFIT, 0.0)  # of somebody who has said nothing


def talk(odds: Iterable[float]) -> Talk:
    """What talk is, by the log-odds of its messages; doubts count for telling, as losing costs more than noise."""
    heard = list(odds)
    said = math.fsum(heard)
    return Talk(said + BENEFIT + MARGIN * len(heard), said / max(1, len(heard)))


def odds(text: str) -> float:
    """Log-odds that one message tells, at most MOST either way. Who pastes a report is at work (a block of code may
    stand below anything); who lays down a rule is not."""
    if any(manner.reports(line) for line in prose(text).splitlines()):
        return -MOST
    rated = [rate(said) for said in spoken(text[:READ])]
    least = 0.0 if any(lays_down(r) for r in rated) else -MOST
    return max(least, min(MOST, fitted.total(WEIGHTS, features(text, rated))))


def features(text: str, rated: Sequence[Rated]) -> dict[str, float]:
    """What the weights are for, of a message: its words of structure, and what its sentences do."""
    found = {**rightings.classes(cues.plain(text)), "rest": 1.0}
    for r in rated:
        found |= {f"mark {mark}": 1.0 for mark in r.marks}
    for name, of in ACTS.items():
        found[f"acts {name}"] = math.fsum(float(of(r)) for r in rated) / max(1, len(rated))
    return found
