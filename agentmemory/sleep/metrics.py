"""Three numbers that judge a memory: is a context relevant (CRS), a summary short (TES), old news still known (LCS)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from agentmemory.learn.likeness import cosine
from agentmemory.text import stems


def crs(context: str, answer: str) -> float:
    """Context relevance: cosine of the word counts of two texts, 1 for the same words, 0 for none in common.

    Words of structure count in a text that has no others.
    """
    return cosine(_counts(context), _counts(answer))


def tes(tokens_before: float, tokens_after: float, entities_before: int, entities_kept: int) -> float:
    """Token economy of a summary: the geometric mean of what it saved and of the named things it kept.

    `sqrt(max(0, 1 - after / before) * kept / entities)`; 0 for a text that did not become shorter. A text that
    names nothing has nothing to lose.
    """
    if tokens_before <= 0:
        return 0.0
    saved = max(0.0, 1.0 - tokens_after / tokens_before)
    kept = min(1.0, entities_kept / entities_before) if entities_before else 1.0
    return math.sqrt(saved * kept)


def lcs(contexts: Sequence[str], answers: Sequence[str]) -> float:
    """Long-term consistency: share of the answers that stand in the context fetched for their question."""
    found = sum(answer.lower() in context.lower() for context, answer in zip(contexts, answers))
    return found / len(answers) if answers else 0.0


def _counts(text: str) -> Counter[str]:
    return Counter(stems(text) or text.lower().split())
