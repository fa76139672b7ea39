"""How much a belief is worth whatever the prompt says: what lays down and names something outlasts a remark.

Measured by whether a belief holds what a project's people later asked for; experiments/LOG.md.
"""

from agentmemory.records import Row

#: what binds the work counts more than what is known about it
KINDS = {"rule": 1.4, "correction": 1.2, "preference": 1.25, "decision": 1.1, "summary": 0.8}
LAYING_DOWN = frozenset("always never must only dont every not no instead anymore don't isn't".split())
PASSING = frozenset("today tonight yesterday tomorrow monday tuesday wednesday thursday friday weekend morning".split())
NAMING = frozenset("/_@<>=:#`\\0123456789")

A_NAME = 0.08  # for each
MOST_NAMES = 4
LAID_DOWN = 0.1
SHORT = -0.2  # below SHORT_CHARS: a fragment
SHORT_CHARS = 60
TRANSIENT = -0.1


def worth(row: Row) -> float:
    """A factor around 1 for a belief's bits."""
    tokens = row.text.lower().split()
    said = set(tokens)
    names = 0
    for token in tokens:
        if token.isalpha():
            continue
        if not NAMING.isdisjoint(token) or "." in token[1:-1] or "-" in token[1:-1]:
            names += 1
            if names == MOST_NAMES:
                break
    factor = 1.0 + A_NAME * names
    if not LAYING_DOWN.isdisjoint(said):
        factor += LAID_DOWN
    if not PASSING.isdisjoint(said):
        factor += TRANSIENT
    if len(row.text) < SHORT_CHARS:
        factor += SHORT
    return factor * KINDS.get(row.kind, 1.0)
