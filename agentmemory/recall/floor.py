"""The relevance floor: where a prompt is rather not about the user's own work, there is silence."""

from agentmemory.recall import ours
from agentmemory.records import Hit, Query

ODDS = 0.0  # bits of odds that a prompt needs


def floor(query: Query, hits: "list[Hit]") -> "list[Hit]":
    """The hits, or none where neither the prompt nor the best of them shows that it is about our own work."""
    query.surely = ours.bits(query, hits)
    if query.surely >= ODDS:
        return hits
    for hit in hits:
        hit.reasons.append(f"floor: {query.surely:.1f} bits of odds for its being about our own work")
    return []
