"""Turns and beliefs as tiers of memory read them: the last ones, those of a session with its branches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentmemory.records import marks
from agentmemory.store.federation import branch_of

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

COLUMNS = "t.id, t.session, t.idx, t.role, t.text, t.at, coalesce(t.importance, 0.0)"
LATEST = f"""
    SELECT {COLUMNS} FROM turn t WHERE t.id IN (
        SELECT u.id FROM session s JOIN turn u ON u.session = s.id
        WHERE s.id IN (SELECT id FROM session WHERE scope IN ({{}}) ORDER BY started DESC, id DESC LIMIT ?)
        AND u.text <> '' ORDER BY u.id DESC LIMIT ?
    ) ORDER BY t.id DESC
"""
OF_SESSION = f"""
    SELECT {COLUMNS} FROM turn t WHERE t.session = ? AND t.idx <= ? AND t.text <> '' ORDER BY t.idx DESC LIMIT ?
"""
PLACE = "SELECT session, idx FROM turn WHERE id = ?"
EXCHANGE = f"""
    SELECT {COLUMNS} FROM turn t WHERE t.session = :session AND t.text <> ''
    AND t.idx >= coalesce((SELECT max(idx) FROM turn WHERE session = :session AND idx <= :idx AND role = 'user'), :idx)
    AND t.idx < coalesce(
        (SELECT min(idx) FROM turn WHERE session = :session AND idx > :idx AND role = 'user'), :idx + :n)
    ORDER BY abs(t.idx - :idx), t.idx LIMIT :n
"""
SESSION = "SELECT id FROM session WHERE key = ? AND scope IN ({})"
EVERYTHING = 1 << 60


@dataclass(frozen=True, slots=True)
class Spoken:
    """One turn."""

    id: int
    session: int
    idx: int
    role: str
    text: str
    at: float
    importance: float


def latest(db: Database, scopes: Sequence[int], n: int) -> list[Spoken]:
    """The last *n* turns of these scopes, oldest first."""
    rows = db.execute(LATEST.format(marks(scopes)), (*scopes, n, n)).fetchall()
    return [Spoken(*row) for row in reversed(rows)]


def of_session(db: Database, session: int, n: int = EVERYTHING, upto: int = EVERYTHING) -> list[Spoken]:
    """The last *n* turns of a session up to an index, oldest first; a branch begins with its parent's turns."""
    own = [Spoken(*row) for row in reversed(db.execute(OF_SESSION, (session, upto, n)).fetchall())]
    from_parent = branch_of(db, session)
    if from_parent is None or len(own) >= n:
        return own
    return of_session(db, from_parent[0], n - len(own), from_parent[1]) + own


def exchange(db: Database, turn: int, n: int) -> list[Spoken]:
    """What was asked and what was answered around a turn, at most *n* turns nearest to it, in order."""
    session, idx = db.execute(PLACE, (turn,)).fetchone()
    rows = db.execute(EXCHANGE, {"session": session, "idx": idx, "n": n}).fetchall()
    return sorted((Spoken(*row) for row in rows), key=lambda spoken: spoken.idx)


def session(db: Database, key: str, scopes: Sequence[int]) -> int | None:
    """The session of a client's session id, where it belongs to one of these scopes."""
    found = db.execute(SESSION.format(marks(scopes)), (key, *scopes)).fetchone()
    return int(found[0]) if found else None
