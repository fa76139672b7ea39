"""Reciprocal rank fusion: what several layers bring comes first; only ranks count, scores of layers do not mix.

G. Cormack, C. Clarke, S. Buettcher, Reciprocal Rank Fusion outperforms Condorcet (SIGIR 2009).
"""

from agentmemory.records import Hit

K = 20.0  # the paper's 60 is for lists of a thousand; ours have some twenty
WEIGHTS = {"lexical": 1.0, "action": 1.0, "entities": 0.5}


def fuse(hits: "list[Hit]") -> "list[Hit]":
    """The hits with their fused score, best first."""
    for hit in hits:
        hit.score = 0.0
    for layer, weight in WEIGHTS.items():
        ranked = sorted((hit for hit in hits if layer in hit.scores), key=lambda hit: -hit.scores[layer])
        for rank, hit in enumerate(ranked):
            hit.score += weight / (K + rank + 1)
    return sorted(hits, key=lambda hit: (-hit.score, -hit.row.valid_from, hit.id))
