"""The relevance floor: hits whose evidence a chance prompt would reach as well are dropped.

Evidence is counted in bits (idf) of this very store, so the floor moves with what the store knows.
"""

from agentmemory.records import Hit, Query

LEAST = 2.0  # bits
SHARE = 0.12  # of the prompt's bits
LECTURE_SHARE = 0.5  # of the bits of a prompt that asks for common knowledge


def floor(query: Query, hits: "list[Hit]") -> "list[Hit]":
    """The hits that speak to the prompt; each dropped one says why."""
    share = LECTURE_SHARE if query.general else SHARE
    least = max(LEAST, share * query.mass)
    kept = []
    for hit in hits:
        evidence = sum(hit.matched.values())
        if evidence >= least:
            kept.append(hit)
        else:
            hit.reasons.append(f"floor: {evidence:.1f} bits, {least:.1f} needed")
    return kept
