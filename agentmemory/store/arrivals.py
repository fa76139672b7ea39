"""How far the worker has read what hooks left, and what it writes from it. Knows rows, no files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmemory.store import meta
from agentmemory.store.jobs import IS_DUE

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

INBOX, SEEN, DIGEST = "inbox:", "seen:", "digest:"  # prefixes of the keys of byte offsets in `meta`

DROP_OFFSET = "DELETE FROM meta WHERE key = ?"
NOTHING_SEEN = f"DELETE FROM meta WHERE key GLOB '{SEEN}*'"
OFFSETS = "SELECT key FROM meta WHERE key GLOB ? ORDER BY key"
INJECTED = """
    INSERT INTO injection (session, belief, at, prompt, tokens, called)
    SELECT ?, id, ?, ?, coalesce(?, (length(text) + 3) / 4), ? FROM belief WHERE id = ?
"""
SESSION_ENDED = "UPDATE session SET ended = max(coalesce(ended, 0), ?) WHERE key = ?"
HAS_ENDED = "UPDATE session SET ended = ? WHERE key = ? AND ended IS NULL"
SESSIONS = "SELECT key FROM session UNION SELECT session FROM injection ORDER BY 1"
OLD_JOBS = "DELETE FROM job WHERE state = 'done' AND created < ?"
TRANSCRIPTS = """
    SELECT DISTINCT json_extract(payload, '$.path') FROM job WHERE kind = 'digest' AND created > ?
        AND json_valid(payload) ORDER BY 1
"""
#: sessions with injections that nobody judged, and when anything was last heard of them
SILENT = """
    SELECT i.session, max(max(i.at), coalesce((SELECT max(t.at) FROM turn t JOIN session s ON s.id = t.session
        WHERE s.key = i.session), 0)) AS last
    FROM injection i WHERE i.session IN (SELECT session FROM injection WHERE outcome IS NULL)
    GROUP BY i.session HAVING last < ? ORDER BY i.session
"""
TRANSCRIPT = """
    SELECT path FROM (SELECT substr(key, length(:offset) + 1) AS path FROM meta WHERE key GLOB :offset || '*'
        UNION SELECT json_extract(payload, '$.path') FROM job WHERE kind = 'digest' AND json_valid(payload))
    WHERE instr(path, :session) ORDER BY length(path) LIMIT 1
"""
WAITING = f"SELECT DISTINCT kind FROM job WHERE {IS_DUE} ORDER BY kind"


def offset(db: Database, key: str) -> int:
    """Bytes of a file that have been taken in."""
    return int(meta.get(db, key, 0))


def set_offset(db: Database, key: str, value: int) -> None:
    """Remember it; in the same transaction as what the bytes led to."""
    meta.put(db, key, value)


def drop_offset(db: Database, key: str) -> None:
    """The file is gone."""
    db.execute(DROP_OFFSET, (key,))


def nothing_seen(db: Database) -> None:
    """All files of what sessions were given are gone: those that come are taken in from their beginning."""
    db.execute(NOTHING_SEEN)


def known(db: Database, prefix: str) -> list[str]:
    """Keys of the files something was taken from."""
    return [str(row[0]) for row in db.execute(OFFSETS, (prefix + "*",)).fetchall()]


def injected(
    db: Database, session: str, belief: int, at: float, prompt: str, tokens: float | None, called: bool = True
) -> None:
    """One belief was put before the agent; a belief that is gone by now leaves no row. *called*: the prompt's words
    called for it."""
    db.execute(INJECTED, (session, at, prompt, None if tokens is None else round(tokens), int(called), belief))


def session_ended(db: Database, key: str, at: float) -> None:
    """The client said so."""
    db.execute(SESSION_ENDED, (at, key))


def has_ended(db: Database, key: str, at: float) -> None:
    """The same, where its end came before its first turn: then there was no session to mark."""
    db.execute(HAS_ENDED, (at, key))


def sessions(db: Database) -> list[str]:
    """The ids of all sessions that anything is known of, as their clients write them."""
    return [str(row[0]) for row in db.execute(SESSIONS).fetchall()]


def silent(db: Database, before: float) -> list[tuple[str, float]]:
    """`(session, when last heard of)` of sessions with open injections that have said nothing since then."""
    return [(str(key), float(last)) for key, last in db.execute(SILENT, (before,)).fetchall()]


def transcript(db: Database, session: str) -> str:
    """The transcript of a session, "" when none is known."""
    found = db.execute(TRANSCRIPT, {"session": session, "offset": DIGEST}).fetchone()
    return str(found[0]) if found else ""


def kinds_waiting(db: Database, now: float) -> list[str]:
    """Kinds of jobs whose time has come."""
    return [str(row[0]) for row in db.execute(WAITING, {"now": now}).fetchall()]


def transcripts(db: Database, since: float) -> list[str]:
    """Transcripts that were asked to be digested since then."""
    return [str(row[0]) for row in db.execute(TRANSCRIPTS, (since,)).fetchall()]


def drop_old_jobs(db: Database, before: float) -> None:
    """Work done long ago needs no row."""
    db.execute(OLD_JOBS, (before,))
