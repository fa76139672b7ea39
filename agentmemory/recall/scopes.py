"""Layer 5: scopes. What the user holds everywhere and what linked projects hold counts, but the nearer scope
has the word: a project's own belief about the same thing stands before the user's general one. How the user talks there
goes into the query."""

from agentmemory.records import Hit, Query
from agentmemory.store.scopes import TELLS, USER, WORKS, register

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

FARTHER = 0.8  # weight of a linked project's beliefs against one's own
SHARED = 0.7  # share of words from which two beliefs are about the same thing


def scopes(db: "Database", query: Query, hits: "list[Hit]") -> "list[Hit]":
    """Weigh hits by the distance of their scope; drop a farther one that a nearer one overrules."""
    place = {scope: i for i, scope in enumerate(query.scopes)}
    inside = [hit for hit in hits if hit.row.scope in place]
    nearest = query.scopes[0] if query.scopes else USER
    talk = register(db, nearest)
    query.works, query.tells = talk == WORKS, talk == TELLS
    if all(hit.row.scope == nearest for hit in inside):
        return inside
    own = [set(hit.row.terms.split()) for hit in inside if hit.row.scope == nearest]
    out = []
    for hit in inside:
        if hit.row.scope != nearest:
            if overruled(set(hit.row.terms.split()), own):
                continue
            if hit.row.scope != USER:
                hit.matched = {key: bits * FARTHER for key, bits in hit.matched.items()}
                hit.scores = {layer: score * FARTHER for layer, score in hit.scores.items()}
        out.append(hit)
    return out


def overruled(words: "set[str]", own: "list[set[str]]") -> bool:
    """Whether one of one's *own* beliefs is about the same thing as one of these words."""
    return any(len(words & near) >= SHARED * min(len(words), len(near)) > 0 for near in own)
