"""Layer 3: how the agent is to answer: of wishes that name what is asked of it ("when I ask how to ...", "in
reviews: ...") the one is meant that names just that. Brings nothing; knows nothing of what is asked about."""

from agentmemory.records import Hit, Query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

WISH = "c0wish"  # how the concepts of what is asked of the agent begin (data/thesaurus.txt)
LONGEST = 240  # characters of a wish that is told whatever is asked


def occasion(concept: str) -> str:
    """The token among the cues of a belief that says to be for what a concept is of."""
    return f"when{concept}"


def answering(db: "Database", query: Query, hits: "list[Hit]") -> "list[Hit]":
    """The same hits; of those that say how to answer what is asked the likeliest is meant."""
    asked = {occasion(concept) for concept in query.concepts if concept.startswith(WISH)}
    if not asked:
        return hits
    brief = (hit for hit in hits if len(hit.row.text) <= LONGEST and hit.row.kind != "procedure")
    if wishes := [hit for hit in brief if not asked.isdisjoint(hit.row.cues.split())]:
        best = max(wishes, key=lambda hit: (sum(hit.matched.values()), hit.row.valid_from, hit.id))
        best.meant = True
        best.reasons.append("answering: it says how to answer what is asked")
    return hits
