"""Beliefs that wait for the user's consent: which there are, and what becomes of them. Callers own the transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentmemory import confidence
from agentmemory.records import COMPARED, marks
from agentmemory.store import beliefs, changes

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

ACCEPTED = "accepted"
WOULD_REPLACE = "would replace"  # marks the edge from a proposal to the belief it waits to replace

WAITING = """
    SELECT id, kind, text, context, tags, valid_from FROM belief WHERE state = 'proposed' AND scope IN ({})
    ORDER BY CASE kind WHEN 'rule' THEN 0 WHEN 'correction' THEN 1 WHEN 'preference' THEN 2 WHEN 'decision' THEN 3
        WHEN 'procedure' THEN 4 ELSE 5 END, id LIMIT ?
"""
ADOPT = """
    UPDATE belief SET provenance = 'user', state = 'active', alpha = ?, beta = ?, confirmed = ?
    WHERE id = ? AND state = 'proposed' RETURNING id
"""
REPLACES = """
    SELECT e.dst FROM edge e JOIN belief b ON b.id = e.dst
    WHERE e.type = 'relates' AND e.src = ? AND e.detail = ? AND b.state = 'active' ORDER BY e.dst
"""
DECLINED = """
    SELECT 1 FROM belief b WHERE b.scope = ? AND b.state = 'retracted' AND b.text = ?
    AND EXISTS (SELECT 1 FROM evidence e WHERE e.belief = b.id AND e.kind = 'rejected') LIMIT 1
"""
SUMMED_UP = f"SELECT id FROM belief WHERE kind = 'summary' AND scope = ? AND text = ? AND state IN {COMPARED} LIMIT 1"
SEEN_BEFORE = """
    SELECT b.id, e.detail, b.text, b.state,
        CASE b.state
            WHEN 'retracted' THEN NOT EXISTS (SELECT 1 FROM evidence WHERE belief = b.id AND kind = 'rejected')
            WHEN 'superseded' THEN EXISTS (SELECT 1 FROM evidence WHERE belief = b.superseded_by AND kind = e.kind)
            ELSE 0 END
    FROM belief b JOIN evidence e ON e.belief = b.id WHERE b.scope = ? AND e.kind = ? ORDER BY b.id
"""


@dataclass(frozen=True, slots=True)
class Proposed:
    """A belief that an import proposed. group: the place it was read from. gone: it was taken back, not rejected, or
    gave way to what that place said later."""

    belief: int
    group: str
    text: str
    state: str
    gone: bool


def waiting(db: Database, scopes: Sequence[int], limit: int) -> list[tuple[int, str, str, str, str, float]]:
    """Proposals of these scopes, rules first: `(id, kind, text, context, tags, at)`."""
    rows = db.execute(WAITING.format(marks(scopes)), (*scopes, limit)).fetchall()
    return [tuple(row) for row in rows]


def adopt(db: Database, proposal: int, now: float) -> None:
    """The user says it too: it is active, theirs, and as sure as what the user says.

    Raises:
        UnknownBelief: there is no such proposal.
    """
    before = beliefs.get(db, proposal)
    counts = (*confidence.prior("user", before.kind), now)
    if db.execute(ADOPT, (*counts, proposal)).fetchone() is None:
        raise beliefs.UnknownBelief(f"belief {proposal} is {before.state}, not a proposal")
    beliefs.log_counts(db, ACCEPTED, before, counts, now)
    was = {"state": "proposed", "provenance": before.provenance, "locked": before.locked}
    changes.log(db, ACCEPTED, proposal, was, {**was, "state": "active", "provenance": "user"}, now)


def would_replace(db: Database, proposal: int) -> list[int]:
    """The active beliefs that a proposal waits to replace."""
    return [int(row[0]) for row in db.execute(REPLACES, (proposal, WOULD_REPLACE)).fetchall()]


def declined(db: Database, scope: int, text: str) -> bool:
    """Whether the user has rejected a proposal that said just this."""
    return db.execute(DECLINED, (scope, text)).fetchone() is not None


def summed_up(db: Database, scope: int, text: str) -> int | None:
    """The summary that says just this; no index finds it by its words."""
    found = db.execute(SUMMED_UP, (scope, text)).fetchone()
    return int(found[0]) if found else None


def onboarded(db: Database, scope: int, kind: str) -> list[Proposed]:
    """Every belief of a scope with evidence of this *kind*; its detail is the place it was read from and, after a
    tab, the words there when they are not those of the belief."""
    rows = db.execute(SEEN_BEFORE, (scope, kind)).fetchall()
    out = []
    for id, detail, text, state, gone in rows:
        group, _, words = str(detail).partition("\t")
        out.append(Proposed(int(id), group, words or text, state, bool(gone)))
    return out
