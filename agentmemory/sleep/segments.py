"""Which exchanges of one session belong together: a new one joins the segment it fits best, or opens one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from agentmemory.learn.likeness import cosine
from agentmemory.text import content

JOIN = 0.6  # F-score (cosine of the words plus Jaccard of the keywords) from which an exchange joins
KEYWORDS = 8  # of a text, its most frequent stems


@dataclass(slots=True)
class Segment:
    """Exchanges about one thing: their places in the session, their words and the most frequent of these."""

    pages: list[int]
    words: Counter[str]
    keywords: set[str]

    def take(self, other: Segment) -> None:
        """What the other holds belongs here."""
        self.pages = sorted([*self.pages, *other.pages])
        self.words.update(other.words)
        self.keywords = _keywords(self.words)


def segment(texts: Sequence[str]) -> list[Segment]:
    """The segments of a session's exchanges, in order of their first one."""
    each = [Counter(content(text)) for text in texts]
    opened = _joined([Segment([page], words, _keywords(words)) for page, words in enumerate(each)])
    return _joined(opened)  # some have grown alike


def fit(one: Segment, other: Segment) -> tuple[float, float]:
    """How one fits the other: `(likeness of words, Jaccard of keywords)`.

    The square root brings cosines of words, small for short texts, to the scale of sentence embeddings, for which
    `JOIN` was set.
    """
    union = one.keywords | other.keywords
    overlap = len(one.keywords & other.keywords) / len(union) if union else 0.0
    return math.sqrt(cosine(one.words, other.words)), overlap


def choose(fits: Sequence[tuple[float, float]]) -> int | None:
    """The best fitting segment when its F-score (the sum) reaches `JOIN`, None to open a new one."""
    best = max(range(len(fits)), key=lambda i: (sum(fits[i]), -i), default=None)
    return best if best is not None and sum(fits[best]) >= JOIN else None


def _joined(given: Sequence[Segment]) -> list[Segment]:
    """Each joins the one before it that it fits best, or stands alone."""
    out: list[Segment] = []
    for one in given:
        chosen = choose([fit(one, other) for other in out])
        if chosen is None:
            out.append(one)
        else:
            out[chosen].take(one)
    return out


def _keywords(words: Counter[str]) -> set[str]:
    return {stem for stem, _ in sorted(words.items(), key=lambda w: (-w[1], w[0]))[:KEYWORDS]}
