"""Which exchanges of one session belong together: a new one joins the segment it fits best, or opens one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from agentmemory.learn.likeness import cosine
from agentmemory.text import stems

JOIN = 0.6  # F-score (cosine of the words plus Jaccard of the keywords) from which an exchange joins
KEYWORDS = 8  # of a text, its most frequent stems


@dataclass(slots=True)
class Segment:
    """Exchanges about one thing: their places in the session and their words."""

    pages: list[int] = field(default_factory=list)
    words: Counter[str] = field(default_factory=Counter)

    @property
    def keywords(self) -> set[str]:
        return {stem for stem, _ in sorted(self.words.items(), key=lambda w: (-w[1], w[0]))[:KEYWORDS]}

    def take(self, page: int, words: Counter[str]) -> None:
        """One more exchange."""
        self.pages.append(page)
        self.words.update(words)


def segment(texts: Sequence[str]) -> list[Segment]:
    """The segments of a session's exchanges, in order of their first one."""
    out: list[Segment] = []
    for page, text in enumerate(texts):
        words = Counter(stems(text))
        chosen = choose([fit(words, s) for s in out])
        if chosen is None:
            out.append(Segment())
            chosen = len(out) - 1
        out[chosen].take(page, words)
    return _joined(out)


def fit(words: Counter[str], segment: Segment) -> tuple[float, float]:
    """How an exchange fits a segment: `(likeness of words, Jaccard of keywords)`.

    The square root brings cosines of words, small for short texts, to the scale of sentence embeddings, for which
    `JOIN` was set.
    """
    keywords = Segment(words=words).keywords
    union = keywords | segment.keywords
    overlap = len(keywords & segment.keywords) / len(union) if union else 0.0
    return math.sqrt(cosine(words, segment.words)), overlap


def _joined(given: Sequence[Segment]) -> list[Segment]:
    """Segments that have grown alike become one; the earlier one takes the later one's pages."""
    out: list[Segment] = []
    for one in given:
        chosen = choose([fit(one.words, s) for s in out])
        if chosen is None:
            out.append(one)
        else:
            out[chosen].pages = sorted([*out[chosen].pages, *one.pages])
            out[chosen].words.update(one.words)
    return out


def choose(fits: Sequence[tuple[float, float]], join: float = JOIN) -> int | None:
    """The best fitting segment when its F-score (the sum) reaches *join*, None to open a new one."""
    best = max(range(len(fits)), key=lambda i: (sum(fits[i]), -i), default=None)
    return best if best is not None and sum(fits[best]) >= join else None
