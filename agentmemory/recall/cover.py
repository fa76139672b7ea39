"""Which hits a block holds: the likeliest for their size, until the budget is spent. A prompt that may as well be about
anybody's work gets a hint; one that a few hits answer gets few; one that nothing answers clearly gets more, as long as
half of the user's blocks stay small. Knows nothing of how hits were found."""

from math import exp

from agentmemory.recall.need import cost, line, rest
from agentmemory.recall.ours import EVEN
from agentmemory.records import Hit, Query

TYPE_CHECKING = False
if TYPE_CHECKING:
    #: a hit, the tokens that it takes in the block; or the tokens that its whole words take beyond its brief ones, True
    Line = tuple[Hit, float, bool]

TO_HINT = 45.0  # tokens of the lines for a prompt that is not clearly about our own work
HINTED = 0.15  # likelihood of being needed without which nothing is told there, below even odds
AGAIN = 0.05  # likelihood of speaking of one matter from which what was said later stands beside it there,
OVERTAKEN = 0.3  # and in a small block, if it fits
MEANT = 0.3  # likelihood of being needed from which a routine that is asked for stands there whole,
A_ROUTINE = 300.0  # within so many tokens
TO_ANSWER = 120.0  # the same of what stood on a day that is asked of
TO_TELL = 386.0  # tokens of the block for a prompt that a few hits answer; medians stay below 400
TO_SEEK = 2000.0  # for one that nothing answers clearly
CLEAR = 5.0  # bits that may be left open and without room for a prompt to count as answered
MANY = 40  # hits from which so much more may: of more hits more lies outside a small block, whatever the prompt
SURELY = 2.0  # bits of odds for its being about our own work, without which no prompt gets more than a hint
FEW = 3  # hits that may answer it together
SOME = 16  # of so many
SIZE = 0.3  # how much the size of a hit counts against it, as a power: 0 not at all, 1 likelihood a token
SMALL = 400.0  # tokens of half of all blocks at most
LARGE = 0.48  # of a user's blocks may be larger, so that the median stays below that;
HINT, HEADING = 60.0, 6.0  # tokens of a hint, with its heading; such a block counts for neither
PULL = 0.15  # how much a block that is saved moves the line, in natural logarithms;
DEBT = 2.0  # how many times as much one that is overdrawn does, so that few prompts are enough for the median to hold
SAVED, OVERDRAWN = 6.0, 20.0  # blocks that count so, at most


def ranked(hits: "list[Hit]", size: float = SIZE) -> "list[Line]":
    """What a block may hold, the likeliest for its size first: each hit, and again for what its brief wording leaves
    out. *size*: how much the size counts; in a hint, which holds one or two, nothing."""
    out = []
    for hit in hits:
        taken = cost(hit)
        least = MEANT if hit.meant else 0.0  # what was said to matter to just that is told where there is more, too
        out.append((-max(hit.likely, least) / taken**size, False, -hit.score, hit.id, hit, taken))
        more, likely = rest(hit)
        if more:
            out.append((-hit.likely * likely / more**size, True, -hit.score, hit.id, hit, more))
    out.sort(key=lambda each: each[:4])
    return [(hit, taken, whole) for _, whole, _, _, hit, taken in out]


def budget_of(query: Query, lines: "list[Line]") -> float:
    """Tokens that the block for a prompt may take beside the standing rules, with the lines that it may hold."""
    if hints(query):
        return TO_HINT
    if not query.tells:
        return TO_TELL
    hits = sum(1 for _, _, whole in lines if not whole)
    clear = CLEAR * max(1.0, hits / MANY) * exp(-PULL * min(query.saved, DEBT * query.saved))
    return TO_SEEK if unanswered(query, lines) * outside(lines) > clear else TO_TELL


def hints(query: Query) -> bool:
    """Whether a prompt gets no more than a hint."""
    return query.surely < SURELY


def saved_after(saved: float, tokens: float) -> float:
    """Large blocks that a user has saved (or overdrawn, below 0) after one of so many tokens."""
    return held(saved + (LARGE - (tokens > SMALL)) * (tokens > HINT))


def held(saved: float) -> float:
    """As many as count; 0 for what is no number."""
    return max(-OVERDRAWN, min(SAVED, saved)) if saved == saved else 0.0


def unanswered(query: Query, lines: "list[Line]") -> float:
    """Bits of the prompt that the likeliest hits leave open: its mass, by how much of what is likely lies elsewhere."""
    best = sorted((hit.likely for hit, _, whole in lines if hit.matched and not whole), reverse=True)[:SOME]
    return query.mass * (1.0 - sum(best[:FEW]) / sum(best)) if best else 0.0


def outside(lines: "list[Line]") -> float:
    """Share of what is likely that has no room in a small block."""
    spent = without = 0.0
    for hit, taken, whole in lines:
        if not spent or spent + taken <= TO_TELL:
            spent += taken
        elif not whole:
            without += hit.likely
    return without / sum(hit.likely for hit, _, whole in lines if not whole) if without else 0.0


def cover(query: Query, lines: "list[Line]", budget: float) -> "list[Hit]":
    """The chosen hits, best first, within *budget* tokens; one at least, but for a hint. Each in its brief wording, or
    whole where the rest is as likely to be needed as another hit."""
    chosen: list[Hit] = []
    spent = 0.0
    strict = hints(query)  # what does not fit is left out
    overtaken = AGAIN if strict else OVERTAKEN if budget <= SMALL else 0.0  # 0: most of what was said is told anyway
    for hit, taken, whole in lines:
        if query.surely < EVEN and hit.likely < HINTED and not hit.meant:
            hit.reasons.append(f"floor: {hit.likely:.2f} likely to be needed, where only a hint is given")
            continue
        if whole:
            taken, _ = rest(hit)
            if hit in chosen and spent + taken <= budget:
                hit.reasons.append(f"cover: {taken:.0f} tokens more, whole")
                for row in hit.steps or [hit.row]:
                    row.brief = ""
                spent += taken
            continue
        if hit in chosen:  # beside another one
            continue
        room = budget if chosen and not hit.meant else _room(query, hit, budget)
        if strict:
            taken = _shortened(query, hit, taken, room - spent)
        if strict and not chosen and taken > room and hit.likely >= HINTED:
            from agentmemory.recall.speaking import speaking  # loaded for few prompts

            speaking(hit, taken - room)
            taken = cost(hit)
        if strict and spent + taken > room:
            hit.reasons.append(f"budget: {taken:.0f} tokens do not fit")
            continue
        hit.reasons.append(f"cover: {taken:.0f} tokens")
        chosen.append(hit)
        strict = True
        # what a routine says beyond its first line takes nobody's room
        spent += min(taken, line(hit.row)) if room > max(budget, HINT) else taken
        if overtaken and (overtaking := _overtaking(hit, lines, overtaken)) and overtaking not in chosen:
            if spent + (taken := cost(overtaking)) <= budget:
                overtaking.reasons.append(f"cover: {taken:.0f} tokens, beside #{hit.id}")
                chosen.append(overtaking)
                spent += taken
    return chosen


def _room(query: Query, hit: Hit, budget: float) -> float:
    """Tokens that a hit may take by itself: what still holds of a changed statement needs a little more; as much as it
    says what was said to matter to just that, a routine that is asked for as a whole and likely meant, and one that
    whoever asks nothing may be about to go through, of which the first step alone would mislead; and what stood on a
    day that is asked of, if it is likely meant."""
    ours = query.surely >= EVEN and not query.asks
    if hit.meant or (hit.steps and (hit.likely >= MEANT if query.routine else ours)):
        return max(budget, A_ROUTINE)
    if hit.stood and hit.likely >= MEANT:
        return max(budget, TO_ANSWER)
    return max(budget, HINT - HEADING) if any(row.in_part for row in hit.was) else budget


def _shortened(query: Query, hit: Hit, taken: float, room: float) -> float:
    """Tokens of a hit, without history or steps for which there is no room; in a hint what still holds of a changed
    statement stays."""
    holding = [row for row in hit.was if row.in_part]
    for left in (holding, holding if hints(query) else []):
        if hit.was and not query.about_past and taken > room:
            hit.was = left
            taken = cost(hit)
    if hit.steps and taken > room:
        hit.steps = []
        taken = cost(hit)
    return taken


def _overtaking(hit: Hit, lines: "list[Line]", least: float) -> "Hit | None":
    """What was said last of a hit's matter, at least so likely, so that it does not stand alone."""
    later = {id: likely for id, likely in hit.again if likely >= least}
    found = (other for other, _, whole in lines if other.id in later and not whole)
    return max(found, key=lambda other: (later[other.id], other.id), default=None)
