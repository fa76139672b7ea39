"""Is a prompt about how things were, since when, or whether they still are so? A logistic fit over the words of prompts
of many projects and over pairs of them. `python experiments/past_fit.py --save` makes the weights."""

from itertools import pairwise
from math import exp

from agentmemory.recall.weights import PAST
from agentmemory.text import MONTHS

FROM = 0.06  # likelihood from which history is told: to tell it in vain costs a line, to keep it back the answer
MOST_WORDS = 40  # more say no more
MONTH_NAMES = frozenset(" ".join(MONTHS).split())


def likely(raw: "list[str]", asks: bool) -> float:
    """Between 0 and 1, for the words of a prompt; *asks*: it is a question."""
    logit = sum(PAST.get(name, 0.0) * value for name, value in features(raw, asks).items())
    return 1.0 / (1.0 + exp(-logit))


def features(raw: "list[str]", asks: bool) -> "dict[str, float]":
    """What the weights are for: each word and each pair of neighbours, months and numbers as such."""
    said = ["MONTH" if word in MONTH_NAMES else "NUMBER" if word.isdecimal() else word for word in raw]
    found = {"rest": 1.0, "asks": float(asks), "words": min(len(raw), MOST_WORDS) / 20.0}
    found.update({f"word {word}": 1.0 for word in said})
    found.update({f"{a} {b}": 1.0 for a, b in pairwise(said)})
    return found
