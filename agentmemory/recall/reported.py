"""Layer 3: where a prompt reports something, what is to be done for just that: "disk 91% on log1" beside "when a log
box fills up: ...". Brings nothing; says of hits that they were meant for it. Knows nothing of orders and questions."""

from agentmemory.recall.ours import LECTURES
from agentmemory.recall.structure import orders
from agentmemory.records import Hit, Query, Row
from agentmemory.text import content, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

TROUBLE = "c0trouble"  # how the concepts of what goes wrong begin (data/thesaurus.txt)
LONGEST = 60  # characters before a colon that say what a statement is for
FEWEST, MOSTLY = 2, 0.6  # words of them that a report of it has, and as a share


def reported(db: "Database", query: Query, hits: "list[Hit]") -> "list[Hit]":
    """The same hits; of what somebody reports those are meant that say what is done then."""
    if query.asks or orders(words(query.plain)) or query.plain.lower().startswith(LECTURES):
        return hits
    for hit in hits:
        if for_it(hit.row, query):
            hit.meant = True
            hit.reasons.append("reported: it says what is to be done for that")
    return hits


def for_it(row: Row, query: Query) -> bool:
    """Whether a belief is headed by the same trouble, or nearly by the words of the prompt."""
    if not query.concepts.keys().isdisjoint(each for each in row.cues.split() if each.startswith(TROUBLE)):
        return True
    head, colon, _ = row.text[: LONGEST + 2].partition(": ")
    named = set(content(head)) if colon else set()
    met = len(named.intersection(query.stems))
    return met >= FEWEST and met >= MOSTLY * len(named)
