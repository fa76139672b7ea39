"""Layer 3: beliefs that stand near the prompt in the space of a configured embedding, whatever their words.

Only where a process has that embedding in memory already (search, the local server); a prompt hook never has.
"""

from agentmemory.recall import found
from agentmemory.records import Hit, Query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

MEANT = "~"  # how the keys of this evidence begin, one for each demand of the prompt
BITS = 30.0  # of a belief that means just what a demand says


def said(hit: Hit) -> float:
    """Bits of a hit's words, without what it means."""
    return sum([bits for key, bits in hit.matched.items() if key[0] != MEANT])


def meant(hit: Hit) -> float:
    """Bits of what a hit means, over all demands."""
    return sum([bits for key, bits in hit.matched.items() if key[0] == MEANT])


def meaning(db: "Database", query: Query, hits: "list[Hit]") -> "list[Hit]":
    """Add what means the same as a demand of the prompt."""
    if query.near is None:
        return hits
    demands = query.near(db, query.text, query.scopes)
    query.demands = len(demands)
    for number, near in enumerate(demands):
        rows = {id: row for id, row in found.rows(db, list(near), query).items() if found.true_then(row, query)}
        hits = found.bring(hits, rows, "meaning", near, "near in meaning")
        for hit in hits:
            if hit.id in rows:
                hit.matched[f"{MEANT}{number}"] = BITS * near[hit.id]
    return hits
