"""What is kept of a turn that follows the assistant's: what puts right what it did, not what goes on with the work."""

from __future__ import annotations

from agentmemory.learn import rightings
from agentmemory.learn.groups import SETTLED, grouped, length, points
from agentmemory.learn.rated import ENOUGH, INSISTS, SURE, VETOES, Rated, Reading

RIGHTS = 0.55  # likelihood (see rightings) from which a turn puts right what the assistant did
SURELY = 0.75  # and from which it does so although it cites somebody
GOES_ON = 0.6  # below it turn and statement go on with the work, unless their marks say that they are meant to last
GOES_ON_SURELY = 0.15  # below it a turn does, whatever they say,
SAYS_SURELY = 0.4  # and below this a statement that is not the whole turn, unless its marks insist
#: an order with one of these is a rule
FIRM = frozenset(("never", "dont", "from_now", "step", "no_x", "each_time", "unless_asked"))
#: marks by which a sentence is meant to last whatever the turn looks like
MEANT = FIRM | SETTLED | {"ruled", "complaint", "must", "retraction"}


def put_right(found: Reading, text: str, previous: str) -> list[list[int]]:
    """Keep what puts right what the assistant did, although no other mark says so; leave what only goes on with it.

    Returns the groups that make a statement each.
    """
    rated = found.rated
    likely = rightings.likelihood(found.typed, previous, rated, found.kept)
    if found.kept:
        return [g for g in found.groups if likely >= GOES_ON or _lasts(g, found, text, previous, likely)]
    if likely < RIGHTS:
        return found.groups
    said = [r for r in rated[:3] if _stands(r) and (not r.out or _told_by_us(r, likely))]
    best = max(said, key=lambda r: r.score, default=None)
    if best is None:
        return found.groups
    best.score, best.order, best.out = max(best.score, ENOUGH), False, False
    return grouped(rated, text)


def _lasts(group: list[int], found: Reading, text: str, previous: str, likely: float) -> bool:
    """Whether a statement is meant to last, taken for itself, in a turn that rather goes on with the work."""
    said = [found.rated[i] for i in group]
    if any(r.score >= (SURE if "standing" in r.marks else INSISTS) for r in said):
        return True
    sure = any(r.marks & MEANT or r.score >= SURE for r in found.rated if not r.out)
    if sure and likely >= GOES_ON_SURELY:
        return True
    if len(said) == len(found.rated):
        return False
    part = text[said[0].said.start : said[-1].said.end]
    return rightings.likelihood(part, previous, said, True) >= (SAYS_SURELY if sure else GOES_ON)


def _stands(r: Rated) -> bool:
    """Whether a sentence could be a statement of its own: no acknowledgement, no pointer, no lead to a quotation."""
    return not (r.idle or length(r) < 2 or points(r) or r.said.text.rstrip().endswith(":"))


def _told_by_us(r: Rated, likely: float) -> bool:
    """Whether what looks like hearsay is the rule of the speaker's own house ("our style guide says ...")."""
    return likely >= SURELY and "reported" in r.marks and not r.marks & (VETOES | {"question", "dismissed"})
