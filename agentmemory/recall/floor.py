"""The relevance floor: where a chance prompt would reach the evidence of the best hit as well, there is silence.

Evidence is counted in bits of this very store. Among n beliefs the luckiest reaches log2(n) bits by chance (two words
of b1 and b2 bits meet by chance in n * 2**-(b1 + b2) beliefs), so evidence less log2(n), plus what the form of the
prompt says for its being about our own work, is the logarithm of the odds that a hit is meant. No constant is
tied to a store: the floor rises with its size and with how common its words are.
"""

from math import log2

from agentmemory.recall.meaning import said
from agentmemory.records import Hit, Query

ODDS = 0.0  # bits of odds that a hit needs
KNOWN_BITS = 5.5  # between a prompt none of whose words was ever said here and one all of whose words were
USUAL = 9.0  # bits that the form of a prompt has by chance
OVERLAP = 0.5  # words are not independent: their bits together tell about half of their sum


def floor(query: Query, hits: "list[Hit]") -> "list[Hit]":
    """The hits, or none where the best of them does not show that the prompt is about our own work."""
    needed = ODDS - about_us(query)
    # something is always nearest in meaning: that alone does not show a prompt to be ours
    odds = OVERLAP * (max((said(hit) for hit in hits), default=0.0) - log2(query.beliefs))
    query.surely = odds - needed
    if hits and query.surely >= 0.0:
        return hits
    for hit in hits:
        hit.reasons.append(f"floor: {odds:.1f} bits of odds at best, {needed:.1f} needed")
    return []


def about_us(query: Query) -> float:
    """Bits for the prompt's being about our own work, from its form and from how many of its words are ours."""
    return query.prior + KNOWN_BITS * query.known - USUAL
