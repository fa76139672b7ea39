"""Layer 5: scopes. What the user holds everywhere and what linked projects hold counts, but the nearer scope
has the word: a project's own belief about the same thing stands before the user's general one. How the user talks there
goes into the query."""

from agentmemory.records import Hit, Query
from agentmemory.store.scopes import TELLS, USER, WORKS, register
from agentmemory.text import STOP, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.records import Row
    from agentmemory.store.rows import Database

    #: the stems of a belief, and its words in their order
    Said = tuple[set[str], list[str]]

FARTHER = 0.8  # weight of a linked project's beliefs against one's own
SHARED = 0.7  # share of words from which two beliefs are about the same thing
VALUE = 3  # words of a value, at most
LEADS = frozenset("is are to in on at with by from as under called named".split())  # to a value
DENIES = frozenset("never not no dont nor without".split())


def scopes(db: "Database", query: Query, hits: "list[Hit]") -> "list[Hit]":
    """Weigh hits by the distance of their scope; drop a farther one that a nearer one overrules."""
    place = {scope: i for i, scope in enumerate(query.scopes)}
    inside = [hit for hit in hits if hit.row.scope in place]
    nearest = query.scopes[0] if query.scopes else USER
    talk = register(db, nearest)
    query.works, query.tells = talk == WORKS, talk == TELLS
    if all(hit.row.scope == nearest for hit in inside):
        return inside
    own = [compared(hit.row) for hit in inside if hit.row.scope == nearest]
    out = []
    for hit in inside:
        if hit.row.scope != nearest:
            if overruled(compared(hit.row), own):
                continue
            if hit.row.scope != USER:
                hit.matched = {key: bits * FARTHER for key, bits in hit.matched.items()}
                hit.scores = {layer: score * FARTHER for layer, score in hit.scores.items()}
        out.append(hit)
    return out


def compared(row: "Row") -> "Said":
    """What tells what a belief is about."""
    return set(row.terms.split()), words(row.text)


def overruled(farther: "Said", own: "list[Said]") -> bool:
    """Whether one of one's *own* beliefs is about the same thing as one of a farther scope."""
    terms, said = farther
    return any(
        len(terms & near) >= SHARED * min(len(terms), len(near)) > 0 or has_another_value(said, theirs)
        for near, theirs in own
    )


def has_another_value(one: "list[str]", other: "list[str]") -> bool:
    """Whether two sentences say of the same thing something else in the same words: "the default branch is main" and
    "... is develop", "we use npm for packages" and "we use pnpm for packages"; two things that are forbidden, or used,
    are no values of one."""
    start = end = 0
    least = min(len(one), len(other))
    while start < least and one[start] == other[start]:
        start += 1
    while end < least - start and one[-1 - end] == other[-1 - end]:
        end += 1
    values = (one[start : len(one) - end], other[start : len(other) - end])
    if not all(0 < len(value) <= VALUE for value in values) or DENIES.intersection(one + other):
        return False
    before, behind = one[:start], one[len(one) - end :]
    of_what = behind[0] == "for" if behind else bool(before) and before[-1] in LEADS
    return of_what and any(word not in STOP for word in before + behind)
