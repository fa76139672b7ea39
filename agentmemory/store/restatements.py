"""Beliefs that name the same things: the rows that sleep compares to find what was said twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentmemory.records import marks

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

DETAIL = "restates"  # of a `supports` edge from one wording of a fact to the wording that stands for it

AFTER = """
    SELECT id, scope FROM belief WHERE id > ? AND kind NOT IN ('summary', 'trait') ORDER BY id LIMIT ?
"""
#: beliefs of its scope that mention a thing which it mentions, the newest first
BESIDE = """
    SELECT DISTINCT o.belief FROM mention m CROSS JOIN mention o ON o.entity = m.entity AND o.belief < m.belief
    JOIN belief b ON b.id = o.belief WHERE m.belief = ? AND b.scope = ? ORDER BY o.belief DESC LIMIT ?
"""
SAID = """
    SELECT b.id, b.kind, b.text, b.terms, b.locked FROM belief b
    WHERE b.id IN ({0}) AND b.state = 'active' AND b.kind NOT IN ('summary', 'trait')
    AND NOT EXISTS (SELECT 1 FROM edge e WHERE e.src = b.id AND e.type IN ('next', 'supersedes'))
    AND NOT EXISTS (SELECT 1 FROM edge e WHERE e.dst = b.id AND e.type = 'next')
    AND NOT EXISTS (SELECT 1 FROM edge e WHERE e.src = b.id AND e.type = 'supports' AND e.detail = 'restates')
    ORDER BY b.id
"""
THINGS = """
    SELECT m.belief, coalesce(e.alias_of, e.id) FROM mention m JOIN entity e ON e.id = m.entity WHERE m.belief IN ({})
"""


@dataclass(frozen=True, slots=True)
class Said:
    """A belief and what it names. things: ids of entities, an alias counting as what it stands for."""

    id: int
    kind: str
    text: str
    stems: frozenset[str]
    locked: bool
    things: frozenset[int]


def after(db: Database, mark: int, limit: int) -> list[tuple[int, int]]:
    """`(id, scope)` of the next beliefs behind *mark*."""
    return [(int(id), int(scope)) for id, scope in db.execute(AFTER, (mark, limit)).fetchall()]


def beside(db: Database, belief: int, scope: int, limit: int) -> list[Said]:
    """The belief and the latest earlier ones of its scope that share a named thing; pieces of a procedure and what
    has a history stand for themselves and are left out."""
    ids = [belief, *(int(row[0]) for row in db.execute(BESIDE, (belief, scope, limit)).fetchall())]
    things: dict[int, set[int]] = {}
    for id, thing in db.execute(THINGS.format(marks(ids)), ids).fetchall():
        things.setdefault(int(id), set()).add(int(thing))
    return [
        Said(id, kind, text, frozenset(terms.split()), bool(locked), frozenset(things.get(id, ())))
        for id, kind, text, terms, locked in db.execute(SAID.format(marks(ids)), ids).fetchall()
    ]
