"""Which hits together cover the prompt: each next one is taken for what it adds (maximal marginal relevance
over the prompt's words), until the budget is spent. Knows nothing of how hits were found."""

from agentmemory.recall.worth import worth
from agentmemory.records import Hit, Query, Row
from agentmemory.text import tokens

BUDGET = 420.0  # tokens of a block; medians stay below 400
MOST_BUDGET = 600.0  # for a long request, which has several demands
SHORT_PROMPT = 9  # stems; each further one adds
PER_STEM = 25.0  # tokens to the budget
LINE = 10.0  # tokens around a text: quotes, kind, date
AGAIN = 0.65  # what a word is worth that a chosen hit already answers
WORTH = 0.08  # of the best hit's gain; less adds more noise than help
MOST_TEXT = 600  # characters of one text that are shown
SIZE = 0.3  # how much the size of a hit counts against it, as a power: 0 not at all, 1 bits a token
CHANGED = 2.0  # of the bits of what has a history, where the question is about time
WHOLE = 0.55  # of the best gain, from which a procedure is shown whole and not only the piece that was hit
SLACK = 120.0  # tokens over the budget that a whole procedure or history may take


def budget_of(query: Query) -> float:
    """Tokens that the block for a prompt may take beside the standing rules."""
    return min(MOST_BUDGET, BUDGET + PER_STEM * max(0, len(query.stems) - SHORT_PROMPT))


def cover(query: Query, hits: "list[Hit]", budget: "float | None" = None) -> "list[Hit]":
    """The chosen hits, best first. Each round takes the hit with the largest gain for its size that still fits."""
    budget = budget_of(query) if budget is None else budget
    worths = {hit.id: worth(hit.row) for hit in hits}

    def gain(hit: Hit) -> float:
        """Bits of the prompt that the hit answers and no chosen one does yet."""
        changed = CHANGED if hit.was and query.about_past else 1.0
        return changed * worths[hit.id] * sum(one * left[key] for key, one in hit.matched.items())

    left = dict.fromkeys((key for hit in hits for key in hit.matched), 1.0)
    waiting = list(hits)
    chosen: list[Hit] = []
    spent = best = 0.0
    while waiting:
        hit = max(waiting, key=lambda hit: (gain(hit) / size(hit) ** SIZE, hit.score, -hit.id))
        waiting.remove(hit)
        bits = gain(hit)
        best = max(best, bits)
        if bits < WORTH * best:
            hit.reasons.append(f"cover: adds {bits:.1f} bits, the best {best:.1f}")
            continue
        if hit.steps and (bits < WHOLE * best or spent + cost(hit) > budget + SLACK) and chosen:
            hit.steps = []
        taken = cost(hit)
        if spent + taken > budget + (SLACK if hit.steps or hit.was else 0.0) and chosen:
            hit.reasons.append(f"budget: {taken:.0f} tokens do not fit")
            continue
        hit.reasons.append(f"cover: adds {bits:.1f} bits, {taken:.0f} tokens")
        chosen.append(hit)
        spent += taken
        for key in hit.matched:
            left[key] *= AGAIN
    return chosen


def cost(hit: Hit) -> float:
    """Tokens that a hit takes in the block."""
    return size(hit) + sum(LINE + tokens(row.text[:MOST_TEXT]) for row in hit.was)


def size(hit: Hit) -> float:
    """Tokens of what a hit says, without its history."""
    shown: list[Row] = hit.steps or [hit.row]
    return sum(LINE + tokens(row.text[:MOST_TEXT]) for row in shown)
