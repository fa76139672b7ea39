"""Which hits together cover the prompt: each next one is taken for what it adds (maximal marginal relevance
over the prompt's words), until the budget is spent. Knows nothing of how hits were found."""

from agentmemory.records import Hit, Query, Row
from agentmemory.text import tokens

BUDGET = 420.0  # tokens: the usual block; medians stay below 400
LINE = 12.0  # tokens around a text: quotes, kind, date
AGAIN = 0.65  # what a word is worth that a chosen hit already answers
WORTH = 0.08  # of the best hit's gain; less adds more noise than help
MOST_TEXT = 600  # characters of one text that are shown

#: what binds the work counts more than what is known about it
KINDS = {"rule": 1.25, "correction": 1.15, "preference": 1.2, "procedure": 1.2, "decision": 1.0, "summary": 0.8}


def cover(query: Query, hits: "list[Hit]", budget: float = BUDGET) -> "list[Hit]":
    """The chosen hits, best first. Each round takes the hit with the largest gain that still fits."""
    left = dict.fromkeys((key for hit in hits for key in hit.matched), 1.0)
    waiting = list(hits)
    chosen: list[Hit] = []
    spent = best = 0.0
    while waiting:
        waiting.sort(key=lambda hit: (-gain(hit, left), -hit.score, hit.id))
        hit = waiting.pop(0)
        worth = gain(hit, left)
        best = max(best, worth)
        if worth < WORTH * best:
            hit.reasons.append(f"cover: adds {worth:.1f} bits, the best {best:.1f}")
            break
        size = cost(hit, query)
        if spent + size > budget and chosen:
            hit.reasons.append(f"budget: {size:.0f} tokens do not fit")
            continue
        hit.reasons.append(f"cover: adds {worth:.1f} bits, {size:.0f} tokens")
        chosen.append(hit)
        spent += size
        for key in hit.matched:
            left[key] *= AGAIN
    return chosen


def gain(hit: Hit, left: "dict[str, float]") -> float:
    """Bits of the prompt that the hit answers and no chosen one does yet."""
    return KINDS.get(hit.row.kind, 1.0) * sum(bits * left[key] for key, bits in hit.matched.items())


def cost(hit: Hit, query: Query) -> float:
    """Tokens that a hit takes in the block."""
    shown: list[Row] = hit.steps or [hit.row, *hit.was]
    return sum(LINE + tokens(row.text[:MOST_TEXT]) for row in shown)
