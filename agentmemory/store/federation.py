"""Agents beside one another: forks, trust, what they share, branches of sessions. Callers own the transaction."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

KIND = "SELECT kind, coalesce(parent, 0), name FROM scope WHERE id = ?"
SHARES = "INSERT INTO shares (scope, since) VALUES (?, ?) ON CONFLICT DO NOTHING"
UNSHARE = ("DELETE FROM shares WHERE scope = ?", "DELETE FROM shared WHERE scope = ?")
ALWAYS = "SELECT scope FROM shares ORDER BY scope"
#: agents of a project that have given something, or do each night
SHARERS = """
    SELECT s.name, (SELECT count(*) FROM shared x JOIN belief b ON b.id = x.belief
        WHERE x.scope = s.id AND x.archived IS NULL AND b.state = 'active') AS given, a.scope IS NOT NULL AS always
    FROM scope s LEFT JOIN shares a ON a.scope = s.id
    WHERE s.kind = 'agent' AND s.parent = ? AND (given OR always) ORDER BY s.id
"""
EDGE = """
    INSERT INTO scope_edge (type, src, dst, weight, created) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (type, src, dst) DO UPDATE SET weight = excluded.weight
"""
CUT = "DELETE FROM scope_edge WHERE type = ? AND src = ? AND dst = ?"
TRUST = "SELECT value FROM trust WHERE src = ? AND dst = ?"
TRUSTED = "SELECT dst, value FROM trust WHERE src = ?"
SET_TRUST = """
    INSERT INTO trust (src, dst, value, updated) VALUES (?, ?, ?, ?)
    ON CONFLICT (src, dst) DO UPDATE SET value = excluded.value, updated = excluded.updated
"""
RISEN = """
    SELECT b.id, b.text FROM belief b WHERE b.scope = ? AND b.state = 'active' AND b.level >= ?
    AND NOT EXISTS (SELECT 1 FROM shared s WHERE s.belief = b.id) ORDER BY b.id
"""
SHARE = "INSERT INTO shared (belief, scope, pool, text, at) VALUES (?, ?, ?, ?, ?)"
#: only summaries rise, and what finds them is the words of their topics
POOL = """
    SELECT s.scope, b.id, s.text, count(*) FROM summary_word w
    JOIN shared s ON s.belief = w.belief JOIN belief b ON b.id = w.belief
    WHERE w.stem IN (SELECT value FROM json_each(?)) AND s.pool = ? AND s.archived IS NULL AND s.scope <> ?
    AND b.state = 'active' GROUP BY b.id ORDER BY count(*) DESC, b.id LIMIT ?
"""
ACCESSED = "UPDATE shared SET accesses = accesses + 1 WHERE belief = ?"
RETIRE = """
    UPDATE shared SET archived = :now WHERE archived IS NULL AND at < :before AND accesses < :least RETURNING belief
"""
SESSION_BRANCH = """
    INSERT INTO branch (session, parent, upto)
    SELECT :session, :parent, :upto WHERE NOT EXISTS (SELECT 1 FROM turn WHERE session = :session)
    ON CONFLICT (session) DO UPDATE SET parent = excluded.parent, upto = excluded.upto
"""
BRANCH = "SELECT parent, upto FROM branch WHERE session = ?"


def is_agent(db: Database, scope: int) -> bool:
    """Whether a scope is an agent's namespace."""
    found = db.execute(KIND, (scope,)).fetchone()
    return bool(found and found[0] == "agent")


def pool_of(db: Database, scope: int) -> int:
    """The scope in which an agent shares: the project it works in; any other scope is its own pool."""
    found = db.execute(KIND, (scope,)).fetchone()
    return int(found[1]) if found and found[0] == "agent" and found[1] else scope


def name(db: Database, scope: int) -> str:
    """What a scope is called."""
    found = db.execute(KIND, (scope,)).fetchone()
    return str(found[2]) if found else ""


def consent(db: Database, scope: int, at: float) -> None:
    """The user says that this agent shares what has risen after each night."""
    db.execute(SHARES, (scope, at))


def withdraw(db: Database, scope: int) -> None:
    """This agent shares no longer; what it shared leaves the pool."""
    for sql in UNSHARE:
        db.execute(sql, (scope,))


def always(db: Database) -> list[int]:
    """The agents that share after each night."""
    return [int(row[0]) for row in db.execute(ALWAYS).fetchall()]


def sharers(db: Database, project: int) -> list[tuple[str, int, bool]]:
    """`(name, live shared beliefs, whether each night adds to them)` of a project's agents that share."""
    rows = db.execute(SHARERS, (project,)).fetchall()
    return [(str(name), int(given), bool(always)) for name, given, always in rows]


def link(db: Database, type: str, src: int, dst: int, weight: float, at: float) -> None:
    """Draw an edge between scopes: `inherits` or `reads`."""
    db.execute(EDGE, (type, src, dst, weight, at))


def cut(db: Database, type: str, src: int, dst: int) -> None:
    """Take such an edge away."""
    db.execute(CUT, (type, src, dst))


def trust(db: Database, src: int, dst: int) -> float | None:
    """Direct trust, None where there is none yet."""
    found = db.execute(TRUST, (src, dst)).fetchone()
    return float(found[0]) if found else None


def trusted(db: Database, src: int) -> dict[int, float]:
    """Everyone whom *src* has an opinion of."""
    return {int(dst): float(value) for dst, value in db.execute(TRUSTED, (src,)).fetchall()}


def set_trust(db: Database, src: int, dst: int, value: float, at: float) -> None:
    """Write it."""
    db.execute(SET_TRUST, (src, dst, value, at))


def risen(db: Database, scope: int, level: int) -> list[tuple[int, str]]:
    """Every live belief of *scope* from *level* on that the pool never had: `(id, text)`."""
    return [(int(id), str(text)) for id, text in db.execute(RISEN, (scope, level)).fetchall()]


def share(db: Database, belief: int, scope: int, pool: int, text: str, at: float) -> None:
    """Give the pool a belief of *scope*; *text* is what the others are told."""
    db.execute(SHARE, (belief, scope, pool, text, at))


def pool(db: Database, pool: int, but: int, stems: Sequence[str], limit: int) -> list[tuple[int, int, str, int]]:
    """`(author, belief, text, stems)` of others' shared beliefs: how many of *stems* are words of its topic."""
    rows = db.execute(POOL, (json.dumps(stems), pool, but, limit)).fetchall()
    return [(int(author), int(belief), str(text), int(n)) for author, belief, text, n in rows]


def accessed(db: Database, belief: int) -> None:
    """Another agent was given a shared belief."""
    db.execute(ACCESSED, (belief,))


def retire(db: Database, before: float, least: int, now: float) -> list[int]:
    """Archive in the pool what was shared before then and hardly ever asked for; returns the beliefs' ids."""
    values = {"now": now, "before": before, "least": least}
    return [int(row[0]) for row in db.execute(RETIRE, values).fetchall()]


def branch(db: Database, session: int, parent: int, upto: int) -> None:
    """*session* begins as a copy of *parent* up to a turn, unless it has begun already."""
    db.execute(SESSION_BRANCH, {"session": session, "parent": parent, "upto": upto})


def branch_of(db: Database, session: int) -> tuple[int, int] | None:
    """`(parent, idx of its last turn in the copy)` of a session that is a branch."""
    found = db.execute(BRANCH, (session,)).fetchone()
    return (int(found[0]), int(found[1])) if found else None
