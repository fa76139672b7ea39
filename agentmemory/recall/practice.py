"""What is usually done here: rules, corrections and preferences of the project that no word of the prompt calls for.

A rule may bind a request that shares no word with it. Where a prompt is about our own work and the block has room
left, the strongest of them fill it: once a session, with the first block it gets.
"""

from agentmemory.recall.cover import CONSIDERED, cost
from agentmemory.recall.floor import about_us
from agentmemory.recall.later import later
from agentmemory.recall.restated import leading
from agentmemory.recall.worth import worth
from agentmemory.records import Hit, Query, Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

SHORTEST = 20.0  # tokens of a rule; more of them than fit need not be looked at
LEAST = 30.0  # tokens below which nothing fits
SURE = 0.0  # bits from which a prompt is taken to be about our own work without a hit to show for it

BINDING = f"""
    SELECT {Row.COLUMNS} FROM belief
    WHERE scope = ? AND state = 'active' AND +kind IN ('rule', 'correction', 'preference', 'decision', 'procedure')
    ORDER BY confirmed DESC LIMIT ?
"""


def practice(db: "Database", query: Query, chosen: "list[Hit]", room: float, first: bool) -> "list[Hit]":
    """The chosen hits and, as far as *room* tokens reach, what binds the project's work beside them. *first*: the
    session has been given nothing yet."""
    if room < LEAST or not first or not query.scopes or query.as_of is not None or about_us(query) < SURE:
        return chosen
    rows = [Row(*row) for row in db.execute(BINDING, (query.scopes[0], CONSIDERED)).fetchall()]
    held = {row.id for hit in chosen for row in [hit.row, *hit.steps, *hit.was]}
    held.update(leading(db, [row.id for row in rows], query))  # one wording of a fact is enough
    out = list(chosen)
    ranked = sorted((row for row in rows if row.id not in held), key=lambda row: (-worth(row), row.id))
    for hit in later(db, query, [Hit(row.id, row) for row in ranked[: int(room / SHORTEST)]]):
        size = cost(hit)
        if hit.id in held or size > room:
            continue
        hit.reasons.append("practice: binds the project's work, and there was room")
        room -= size
        out.append(hit)
    return out
