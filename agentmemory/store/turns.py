"""Sessions and turns: what was said, verbatim, written once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING

from agentmemory.text import stems
from agentmemory.values import Utterance

if TYPE_CHECKING:
    import apsw

    from agentmemory.store.rows import Database

SESSION = """
    INSERT INTO session (key, scope, client, started) VALUES (?, ?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET key = key RETURNING id
"""
SCOPE = "SELECT scope FROM session WHERE id = ?"
KEY = "SELECT key FROM session WHERE id = ?"
SCOPE_OF = "SELECT scope FROM session WHERE key = ?"
BEGAN = """
    SELECT p.key FROM session s JOIN scope p ON p.id = s.scope
    WHERE s.key = ? AND p.kind = 'project' AND p.fingerprint = ''
"""
KNOWN = "SELECT position FROM turn WHERE session = ? AND position >= ?"
STAND = "SELECT position, role, text, at FROM turn WHERE session = ? AND position >= ?"
SAID = "SELECT 1 FROM turn WHERE session = ? AND digest = ?"
END = "SELECT coalesce(max(position) + 1, 0) FROM turn WHERE session = ?"
NEXT_IDX = "SELECT coalesce(max(idx) + 1, 0) FROM turn WHERE session = ?"
ADD = """
    INSERT INTO turn (session, position, idx, role, speaker, provenance, text, terms, at, digest)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id
"""
#: a forgotten turn has the digest of no text
COPIED = """
    SELECT t.id, t.session, t.idx, t.text, t.at FROM turn t JOIN session s ON s.id = t.session
    WHERE t.digest IN (:said, :forgotten) AND NOT (s.id = :session AND t.position = :position)
    AND s.scope = (SELECT scope FROM session WHERE id = :session) ORDER BY t.id LIMIT 1
"""
TAKEN_OVER = """
    SELECT t.id, t.session, t.idx, t.text, t.at FROM turn t JOIN session s ON s.id = t.session
    WHERE s.key = ? AND t.id > ? AND t.role = ? AND t.text IN (?, '')
    AND s.scope = (SELECT scope FROM session WHERE id = ?) ORDER BY t.id LIMIT 1
"""
LAST_OF_COPY = """
    SELECT t.id FROM branch b JOIN turn t ON t.session = b.parent AND t.idx = b.upto WHERE b.session = ?
"""
BY_DIGEST = "CREATE INDEX turn_digest ON turn(digest)"
COUNT_TURNS = """
    INSERT INTO term (stem, turns) VALUES (?, ?) ON CONFLICT (stem) DO UPDATE SET turns = turns + excluded.turns
"""
RECENT = "SELECT id, idx, role, text, at FROM turn WHERE session = ? ORDER BY idx DESC LIMIT ?"


@dataclass(frozen=True, slots=True)
class Copied:
    """The turn that another one copies; forgotten, it has no text."""

    turn: int
    session: int
    idx: int
    text: str
    at: float


class ForeignSession(ValueError):
    """A session of this name belongs to another project or agent; what is said here must not be kept there."""


def session(db: Database, key: str, scope: int, started: float, client: str = "") -> int:
    """The session of a client's session id, created when it is new."""
    return int(db.execute(SESSION, (key, scope, client, started)).fetchone()[0])


def own_session(db: Database, key: str, scope: int, started: float) -> int:
    """The same for a name that anybody may choose. Raises ForeignSession."""
    found = session(db, key, scope, started)
    if db.execute(SCOPE, (found,)).fetchone()[0] != scope:
        raise ForeignSession(f"the session {key!r} belongs to another project or agent; choose another name")
    return found


def scope_of(db: Database, key: str) -> int | None:
    """The project or agent that a session belongs to; None for one that is not known."""
    found = db.execute(SCOPE_OF, (key,)).fetchone()
    return int(found[0]) if found else None


def key_of(db: Database, session: int) -> str:
    """The client's session id of a session."""
    return str(db.execute(KEY, (session,)).fetchone()[0])


def began(db: Database, key: str) -> str:
    """The folder without git that a session began in, "" for none."""
    found = db.execute(BEGAN, (key,)).fetchone()
    return str(found[0]) if found else ""


def by_digest(db: apsw.Connection) -> None:
    """Migration: a turn that a fork of its session brings again is found by its digest."""
    db.execute(BY_DIGEST)


def copied(db: Database, session: int, said: Utterance) -> Copied | None:
    """The turn of the project's sessions, elsewhere than this one, with the same role, text and time; a forgotten one,
    without text."""
    same, none = digest(said.role, said.text, repr(said.at)), digest(said.role, "", repr(said.at))
    place = {"said": same, "forgotten": none, "session": session, "position": said.position}
    found = db.execute(COPIED, place).fetchone()
    return Copied(*found) if found else None


def taken_over(db: Database, session: int, said: Utterance, parents: Iterable[str], after: int) -> Copied | None:
    """The turn of a named session, behind the turn *after*, with the same role and text, whenever it was said."""
    for parent in parents:
        found = db.execute(TAKEN_OVER, (parent, after, said.role, said.text, session)).fetchone()
        if found:
            return Copied(*found)
    return None


def end_of_copy(db: Database, session: int) -> list[int]:
    """The last turn that *session* copies, 0 for none; nothing when something was said in it that no other one has."""
    if db.execute(END, (session,)).fetchone()[0]:
        return []
    found = db.execute(LAST_OF_COPY, (session,)).fetchone()
    return [int(found[0]) if found else 0]


def placed(db: Database, session: int, said: Sequence[Utterance]) -> list[Utterance]:
    """The same, but what a file that was written anew says where another turn stood gets a place behind all others."""
    if not said:
        return []
    standing = db.execute(STAND, (session, min(u.position for u in said))).fetchall()
    stood = {position: (role, text, at) for position, role, text, at in standing}
    free = 1 + max(*stood, *(u.position for u in said)) if stood else 0
    out = []
    for u in said:
        role, text, at = stood.get(u.position, (u.role, u.text, u.at))
        same = role == u.role and (text in ("", u.text) or at == u.at)
        if not same and db.execute(SAID, (session, digest(u.role, u.text, repr(u.at)))).fetchone() is None:
            u, free = replace(u, position=free), free + 1
        out.append(u)
    return out


def add(db: Database, session: int, said: Sequence[Utterance]) -> list[int | None]:
    """Store what is new of *said*, in order. A position that is known is left as it is (None in the result)."""
    if not said:
        return []
    if any(u.position < 0 for u in said):
        end = int(db.execute(END, (session,)).fetchone()[0])
        said = [replace(u, position=end + i) for i, u in enumerate(said)]
    first = min(u.position for u in said)
    known = {int(row[0]) for row in db.execute(KNOWN, (session, first)).fetchall()}
    idx = int(db.execute(NEXT_IDX, (session,)).fetchone()[0])
    counts: Counter[str] = Counter()
    out: list[int | None] = []
    for u in said:
        if u.position in known:
            out.append(None)
            continue
        terms = stems(u.text)
        counts.update(set(terms))
        row = (
            session, u.position, idx, u.role, u.speaker, u.provenance, u.text, " ".join(terms),
            u.at, digest(u.role, u.text, repr(u.at)),
        )  # fmt: skip
        out.append(int(db.execute(ADD, row).fetchone()[0]))
        known.add(u.position)
        idx += 1
    count_terms(db, counts)
    return out


def recent(db: Database, session: int, n: int) -> list[tuple[int, int, str, str, float]]:
    """The last *n* turns of a session, oldest first: `(id, idx, role, text, at)`."""
    return [tuple(row) for row in reversed(db.execute(RECENT, (session, n)).fetchall())]


def count_terms(db: Database, counts: Counter[str]) -> None:
    """Add to the number of turns that each stem occurs in."""
    many(db, COUNT_TURNS, sorted(counts.items()))


def many(db: Database, sql: str, rows: Iterable[tuple[object, ...]]) -> None:
    """`executemany` of a writing connection."""
    db.executemany(sql, rows)  # type: ignore[attr-defined]


def digest(*parts: str) -> bytes:
    """Eight bytes that change when a stored text does: a flipped bit in a table is found by comparing."""
    return blake2b("\x00".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).digest()
