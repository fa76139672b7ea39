"""What a turn is worth: entities, novelty, specificity, recency, correction; an average that forgets over rescoring.

Pure functions over texts; the night feeds them turns. Weights and formulas: docs/sleep.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agentmemory.learn.entities import extract

ALPHA = 0.2  # of a new signal in the moving average: five signals are most of what is known
HALF_TURNS = 20  # turns said since, after which recency counts half
RICH = 4  # named things that make a text as dense as it gets
SPECIFIC_STEMS = 12.0  # stems from which on a text is long enough to be judged by the share of its specifics
#: what each term contributes; a lesson outweighs everything else, recency decides between equals
WEIGHTS = {"entities": 0.25, "novelty": 0.2, "specificity": 0.25, "recency": 0.1, "lesson": 0.2}

SURPRISAL = 0.15  # of the whole where a local model can tell it; the terms above keep their proportions


@dataclass(frozen=True, slots=True)
class Worth:
    """The terms of a turn's importance, each 0 to 1, and their weighted sum."""

    entities: float
    novelty: float
    specificity: float
    recency: float
    lesson: float

    @property
    def total(self) -> float:
        """Importance, 0 to 1."""
        return sum(weight * float(getattr(self, name)) for name, weight in WEIGHTS.items())


def score_stems(
    text: str, mine: Sequence[str], earlier: Sequence[set[str]], turns_since: int, lesson: float,
    df: Mapping[str, int], total: int,
) -> Worth:  # fmt: skip
    """Importance of one turn of the stems *mine*.

    earlier: stems of turns before it, for novelty. turns_since: turns said after it. lesson: 1 when it taught a rule or
    a correction, 0.5 another belief. df, total: in how many of how many turns a stem occurs; without them every word
    counts the same.
    """
    return Worth(
        entities=min(1.0, len(extract(text)) / RICH),
        novelty=_novelty(set(mine), earlier, df, total),
        specificity=_specificity(mine, df, total),
        recency=float(2.0 ** (-turns_since / HALF_TURNS)),
        lesson=max(0.0, min(1.0, lesson)),
    )


def ema(known: float | None, signal: float) -> float:
    """The moving average after one more signal; the first signal is the average."""
    return signal if known is None else (1.0 - ALPHA) * known + ALPHA * signal


def surprisal(logp: float, characters: int) -> float:
    """0 for what a model expected, towards 1 for what it did not: `1 - 2^-b` at *b* bits a character.

    *logp*: natural logarithm of the text's probability. C. Shannon, Prediction and entropy of printed English, 1951:
    ordinary English has about one bit a character.
    """
    return 1.0 - math.exp(min(0.0, logp) / max(1, characters))


def with_surprisal(known: float | None, value: float) -> float:
    """Importance with the term that a local model adds beside the sum of the others."""
    return (1.0 - SURPRISAL) * (known or 0.0) + SURPRISAL * value


def _novelty(mine: set[str], earlier: Sequence[set[str]], df: Mapping[str, int], total: int) -> float:
    """1 minus the largest share of this turn's words (by their rarity) that one earlier turn had."""
    if not mine:
        return 0.0
    rarity = {stem: _rarity(stem, df, total) for stem in mine}
    whole = math.fsum(rarity.values()) or 1.0
    return 1.0 - max((math.fsum(rarity[s] for s in mine & other) / whole for other in earlier), default=0.0)


def _specificity(mine: Sequence[str], df: Mapping[str, int], total: int) -> float:
    """Share of words that carry a value or are rare, damped for very short texts."""
    if not mine:
        return 0.0
    told = math.fsum(1.0 if any(c.isdigit() for c in stem) else 0.7 * _rarity(stem, df, total) for stem in mine)
    return min(1.0, told / len(mine)) * min(1.0, math.sqrt(len(mine) / SPECIFIC_STEMS))


def _rarity(stem: str, df: Mapping[str, int], total: int) -> float:
    """0 for a word of every turn, 1 for a word of one; 1 where nothing is counted."""
    if total < 2:
        return 1.0
    return max(0.0, math.log((total + 1.0) / (df.get(stem, 0) + 1.0)) / math.log(total + 1.0))
