"""Which hits together cover the prompt: each next one is taken for what it adds (maximal marginal relevance
over the prompt's words), until the budget is spent. Knows nothing of how hits were found."""

from _heapq import heappop, heappush

from agentmemory.recall.worth import worth
from agentmemory.records import Hit, Query, Row
from agentmemory.text import tokens

TO_TELL = 330.0  # tokens of the block for a question; medians stay below 400
TO_DO = 1200.0  # for work: several rules bind it
LINE = 10.0  # tokens around a text: quotes, kind, date
AGAIN = 0.65  # what a word is worth that a chosen hit already answers
WORTH_TELLING = 0.15  # of the best hit's gain, for a question: less adds more noise than help
WORTH_DOING = 0.02  # for work: a rule that binds it may hang on one word
CONSIDERED = 48  # hits with the most bits; a block holds ten
MOST_TEXT = 600  # characters of one text that are shown
SIZE = 0.3  # how much the size of a hit counts against it, as a power: 0 not at all, 1 bits a token
CHANGED = 2.0  # of the bits of what has a history, where the question is about time
ROUTINE = 2.0  # of the bits of a procedure, where all steps of something are asked for
WHOLE_DOING = 0.2  # of the best gain, from which a procedure is shown whole and not only the piece that was hit
WHOLE_TELLING = 0.4  # the same for a question
SLACK = 220.0  # tokens over the budget that a whole procedure or history may take


def budget_of(query: Query) -> float:
    """Tokens that the block for a prompt may take beside the standing rules."""
    return TO_DO if query.work else TO_TELL


def cover(query: Query, hits: "list[Hit]", budget: "float | None" = None) -> "list[Hit]":
    """The chosen hits, best first. Each round takes the hit with the largest gain for its size that still fits."""
    budget = budget_of(query) if budget is None else budget
    least = WORTH_DOING if query.work else WORTH_TELLING
    hits = sorted(hits, key=lambda hit: -sum(hit.matched.values()))[:CONSIDERED]
    factors = {hit.id: factor(query, hit) for hit in hits}
    dense = {hit.id: factors[hit.id] / size(hit) ** SIZE for hit in hits}
    left = dict.fromkeys((key for hit in hits for key in hit.matched), 1.0)
    waiting = sorted((-dense[hit.id] * sum(hit.matched.values()), -hit.score, hit.id, hit) for hit in hits)
    chosen: list[Hit] = []
    spent = best = 0.0
    while waiting:
        _, fused, id, hit = heappop(waiting)
        open_bits = sum(bits * left[key] for key, bits in hit.matched.items())
        now = -dense[id] * open_bits
        if waiting and now > waiting[0][0]:  # gains only fall: the head is the best once its gain is up to date
            heappush(waiting, (now, fused, id, hit))
            continue
        gain = factors[id] * open_bits
        best = max(best, gain)
        if gain < least * best:
            hit.reasons.append(f"cover: adds {gain:.1f} bits, the best {best:.1f}")
            continue
        whole = gain >= (WHOLE_DOING if query.work else WHOLE_TELLING) * best or bool(hit.was and query.about_past)
        most = budget + SLACK * whole
        if hit.steps and not whole and chosen:
            hit.steps = []
        taken = cost(hit)
        if hit.was and not query.about_past and spent + taken > budget:
            hit.was = [row for row in hit.was if row.state == "active"]
            taken = cost(hit)
        if hit.steps and spent + taken > most and chosen:
            hit.steps = []
            taken = cost(hit)
        if spent + taken > (most if hit.steps or hit.was else budget) and chosen:
            hit.reasons.append(f"budget: {taken:.0f} tokens do not fit")
            continue
        hit.reasons.append(f"cover: adds {gain:.1f} bits, {taken:.0f} tokens")
        chosen.append(hit)
        spent += taken
        for key in hit.matched:
            left[key] *= AGAIN
    return chosen


def factor(query: Query, hit: Hit) -> float:
    """What the bits of a hit are multiplied by: what it is worth, and whether it has the history that is asked for."""
    asked = (CHANGED if hit.was and query.about_past else 1.0) * (ROUTINE if hit.steps and query.routine else 1.0)
    return worth(hit.row) * asked


def cost(hit: Hit) -> float:
    """Tokens that a hit takes in the block."""
    return size(hit) + sum(LINE + tokens(row.text[:MOST_TEXT]) for row in hit.was)


def size(hit: Hit) -> float:
    """Tokens of what a hit says, without its history."""
    shown: list[Row] = hit.steps or [hit.row]
    return sum(LINE + tokens(row.text[:MOST_TEXT]) for row in shown)
