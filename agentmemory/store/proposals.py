"""Beliefs that wait for the user's consent: which there are, and what becomes of them. Callers own the transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agentmemory import confidence
from agentmemory.store import beliefs, changes

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

WOULD_REPLACE = "would replace"  # marks the edge from a proposal to the belief it waits to replace

WAITING = """
    SELECT id, kind, text, context, tags, valid_from FROM belief WHERE state = 'proposed' AND scope IN ({})
    ORDER BY CASE kind WHEN 'rule' THEN 0 WHEN 'correction' THEN 1 WHEN 'preference' THEN 2 WHEN 'decision' THEN 3
        WHEN 'procedure' THEN 4 ELSE 5 END, id LIMIT ?
"""
ADOPT = """
    UPDATE belief SET provenance = 'user', state = 'active', alpha = :alpha, beta = :beta, confirmed = :now
    WHERE id = :id AND state = 'proposed' RETURNING id
"""
REPLACES = """
    SELECT e.dst FROM edge e JOIN belief b ON b.id = e.dst
    WHERE e.type = 'relates' AND e.src = ? AND e.detail = ? AND b.state = 'active' ORDER BY e.dst
"""
TAGGED = """
    SELECT id, text, tags FROM belief WHERE scope = ? AND state = 'proposed' AND provenance = 'import'
    AND tags LIKE ? ESCAPE '\\' ORDER BY id
"""


def waiting(db: Database, scopes: Sequence[int], limit: int) -> list[tuple[int, str, str, str, str, float]]:
    """Proposals of these scopes, rules first: `(id, kind, text, context, tags, at)`."""
    rows = db.execute(WAITING.format(", ".join("?" * len(scopes))), (*scopes, limit)).fetchall()
    return [tuple(row) for row in rows]


def adopt(db: Database, proposal: int, now: float) -> None:
    """The user says it too: it is active, theirs, and as sure as what the user says.

    Raises:
        UnknownBelief: there is no such proposal.
    """
    before = beliefs.get(db, proposal)
    alpha, beta = confidence.prior("user", before.kind)
    found = db.execute(ADOPT, {"id": proposal, "alpha": alpha, "beta": beta, "now": now}).fetchone()
    if found is None:
        raise beliefs.UnknownBelief(f"belief {proposal} is {before.state}, not a proposal")
    changes.log(db, "accepted", proposal, {"state": "proposed"}, {"state": "active"}, now)


def would_replace(db: Database, proposal: int) -> list[int]:
    """The active beliefs that a proposal waits to replace."""
    return [int(row[0]) for row in db.execute(REPLACES, (proposal, WOULD_REPLACE)).fetchall()]


def tagged(db: Database, scope: int, tag: str) -> list[tuple[int, str, str]]:
    """Proposals from an import whose tags begin with *tag*: `(id, text, tags)`."""
    like = tag.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
    return [(int(id), text, tags) for id, text, tags in db.execute(TAGGED, (scope, like)).fetchall()]
