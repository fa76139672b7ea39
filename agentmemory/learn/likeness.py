"""How alike two texts are as bags of words: the cosine of the vector space model (G. Salton et al., 1975).

Sums are exact (`fsum`), so that they do not depend on the order of a set.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Set
from functools import lru_cache
from math import fsum

from agentmemory.text import content


@lru_cache(maxsize=1_024)
def bag(text: str) -> frozenset[str]:
    """The stems of a text without words of structure, in whatever language. Learning asks for those of a turn, its
    answer and what it is compared with many times."""
    return frozenset(content(text))


def idf(df: int, total: int) -> float:
    """`log(1 + (N + 1) / (df + 0.5))`: a word of every text still tells that they are about one thing."""
    return math.log(1.0 + (total + 1.0) / (df + 0.5))


def rarity(df: int, total: int) -> float:
    """`log(1 + (N + 4) / (df + 0.5))`: the same where stores may be small and a word of few texts tells a lot."""
    return math.log(1.0 + (total + 4.0) / (df + 0.5))


def cosine(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    """Between 0 and 1, for words with a weight in each text; 0 where one has none."""
    dot = fsum(weight * b[word] for word, weight in a.items() if word in b)
    lengths = math.sqrt(fsum(w * w for w in a.values()) * fsum(w * w for w in b.values())) if dot else 0.0
    return dot / lengths if lengths else 0.0


def alike(a: Set[str], b: Set[str], worth: Callable[[str], float]) -> float:
    """The same for words that are in a text or not, each worth its idf."""
    dot = fsum(worth(word) ** 2 for word in a & b)
    return dot / math.sqrt(fsum(worth(w) ** 2 for w in a) * fsum(worth(w) ** 2 for w in b)) if dot else 0.0
