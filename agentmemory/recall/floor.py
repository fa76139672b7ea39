"""The relevance floor: where a prompt is not about the user's own work, there is silence (where that is not clear,
`cover.py` leaves room for a hint); in a project where the user's talk does not surely tell, a session is told what is
hardly needed with its first block only, and the more is held there, the likelier it has to be."""

from agentmemory.recall import ours
from agentmemory.recall.need import weigh
from agentmemory.recall.talk import only
from agentmemory.recall.weights import NEEDED_AT_WORK
from agentmemory.records import Hit, Query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

ODDS = -5.0  # bits of odds that a prompt needs
NOBODYS = 2.0 * ODDS  # of a message that a program wrote, or that asks for nothing
LIKELY = 0.03  # likelihood of being needed without which a session at work is told nothing more
USUAL = 24  # beliefs of a project as the fit has learned that from: in one that holds more each is as much less likely
BESIDE = 20  # and as many more, so that the first ones say little
MOST = 5.0  # times as much at most: of larger stores nobody knows

HELD = f"""
    SELECT count(*) FROM (
        SELECT 1 FROM belief WHERE scope = ? AND state IN ('active', 'heard') LIMIT {int(MOST * (USUAL + BESIDE))}
    )
"""


def floor(query: Query, hits: "list[Hit]") -> "list[Hit]":
    """The hits, or none where neither the prompt nor the best of them shows that it is about our own work, or where
    nobody typed it; but for those that were said to matter to just that."""
    query.surely = NOBODYS if not query.said or only(query.said) else ours.bits(query, hits)
    if query.surely >= ODDS:
        return hits
    called = [hit for hit in hits if hit.meant and query.said]
    for hit in hits:
        hit.reasons.append(f"floor: {query.surely:.1f} bits of odds for its being about our own work")
    return called


def worth(db: "Database", query: Query, hits: "list[Hit]") -> "list[Hit]":
    """Of the hits for a prompt that is not its session's first those that are worth their room: few prompts at work
    need anything that was said; which do is a fit over the messages of working days (experiments/at_work_fit.py)."""
    if query.tells or not hits:
        return weigh(query, hits)
    kept, least = [], line(db, query)
    for hit in weigh(query, hits, NEEDED_AT_WORK):
        if hit.likely >= least or hit.meant:
            kept.append(hit)
        else:
            hit.reasons.append(f"floor: {hit.likely:.2f} likely to be needed, at work; it takes {least:.2f}")
    return kept


def line(db: "Database", query: Query) -> float:
    """The likelihood from which on something is told there. A task needs no more of a project that holds more, so that
    the odds of each belief fall as their number grows."""
    held = int(db.execute(HELD, (query.scopes[0],)).fetchone()[0])
    return LIKELY * max(1.0, min(MOST, (held + BESIDE) / (USUAL + BESIDE)))
