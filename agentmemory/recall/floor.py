"""The relevance floor: hits whose evidence a chance prompt would reach as well are dropped.

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
COMPANY = 4.0  # bits less that a hit needs once another one shows that the prompt is ours
OVERLAP = 0.5  # words are not independent: their bits together tell about half of their sum


def floor(query: Query, hits: "list[Hit]") -> "list[Hit]":
    """The hits that speak to the prompt: none when the best of them does not, else those not far below it."""
    needed = ODDS - about_us(query)
    chance = log2(query.beliefs)
    # something is always nearest in meaning: that alone does not show a prompt to be ours
    odds = {hit.id: OVERLAP * (said(hit) - chance) for hit in hits}
    if max(odds.values(), default=needed - 1.0) >= needed:
        needed -= COMPANY
        if query.near is not None:
            odds = {hit.id: OVERLAP * (sum(hit.matched.values()) - chance) for hit in hits}
    kept = []
    for hit in hits:
        if odds[hit.id] >= needed:
            kept.append(hit)
        else:
            hit.reasons.append(f"floor: {odds[hit.id]:.1f} bits of odds, {needed:.1f} needed")
    return kept


def about_us(query: Query) -> float:
    """Bits for the prompt's being about our own work, from its form and from how many of its words are ours."""
    return query.prior + KNOWN_BITS * query.known - USUAL
