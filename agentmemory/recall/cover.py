"""Which hits a block holds: the likeliest for their size, until the budget is spent. A prompt that a few of them answer
gets few; one that nothing answers clearly gets more. Knows nothing of how hits were found."""

from agentmemory.recall.need import cost
from agentmemory.records import Hit, Query

TO_TELL = 384.0  # tokens of the block for a prompt that a few hits answer; medians stay below 400
TO_SEEK = 1600.0  # for one that nothing answers clearly
CLEAR = 13.0  # bits that may be left open for a prompt to count as answered
SURELY = 2.0  # bits of odds for its being about our own work, without which no prompt gets more
FEW = 3  # hits that may answer it together
SOME = 16  # of so many
SIZE = 0.3  # how much the size of a hit counts against it, as a power: 0 not at all, 1 likelihood a token


def budget_of(query: Query, hits: "list[Hit]") -> float:
    """Tokens that the block for a prompt may take beside the standing rules, with the hits that it may hold."""
    open_ = query.surely >= SURELY and unanswered(query, hits) > CLEAR
    return TO_SEEK if open_ else TO_TELL


def unanswered(query: Query, hits: "list[Hit]") -> float:
    """Bits of the prompt that the likeliest hits leave open: its mass, by how much of what is likely lies elsewhere."""
    best = sorted((hit.likely for hit in hits if hit.matched), reverse=True)[:SOME]
    return query.mass * (1.0 - sum(best[:FEW]) / sum(best)) if best else 0.0


def cover(query: Query, hits: "list[Hit]", budget: float) -> "list[Hit]":
    """The chosen hits, best first, within *budget* tokens; one at least."""
    chosen: list[Hit] = []
    spent = 0.0
    costs = {hit.id: cost(hit) for hit in hits}
    for hit in sorted(hits, key=lambda hit: (-hit.likely / costs[hit.id] ** SIZE, -hit.score, hit.id)):
        taken = costs[hit.id]
        if chosen and hit.was and not query.about_past and spent + taken > budget:
            hit.was = [row for row in hit.was if row.state != "superseded"]
            taken = cost(hit)
        if chosen and hit.steps and spent + taken > budget:
            hit.steps = []
            taken = cost(hit)
        if chosen and spent + taken > budget:
            hit.reasons.append(f"budget: {taken:.0f} tokens do not fit")
            continue
        hit.reasons.append(f"cover: {taken:.0f} tokens")
        chosen.append(hit)
        spent += taken
    return chosen
