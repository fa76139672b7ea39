"""What hooks left in the data folder becomes rows: inbox lines become jobs, seen lines become injections.

A file's bytes are taken in the transaction that remembers how many were taken: each line exactly once.
"""

from __future__ import annotations

import contextlib
import json
import os
from typing import TYPE_CHECKING, Any

from agentmemory import paths
from agentmemory.learn.transcripts import moment
from agentmemory.store import arrivals, guards, inbox, jobs, writer

if TYPE_CHECKING:
    import apsw

SEEN_DAYS = 7  # a session that rests longer than this is told everything again
SILENT_SECONDS = 6 * 3_600.0  # without a word: nobody works like that, and what comes later is judged later
UNREAD_DAYS = 30  # a transcript whose rest cannot be read is not tried for ever
LARGEST = 2**63
CHUNK = 4_000_000  # bytes of one file taken in one transaction


def take(db: apsw.Connection, home: str, now: float) -> int:
    """Take in everything that waits; returns the number of inbox lines read."""
    lines = 0
    for day, path in _inbox(home):
        while taken := _take_chunk(db, home, arrivals.INBOX + day, path, now):
            lines += taken
    return lines


def waiting(db: apsw.Connection, home: str) -> str:
    """Where in the inbox the first whole line stands that was not taken in yet, "" when all were."""
    for day, path in _inbox(home):
        start = arrivals.offset(db, arrivals.INBOX + day)
        if _new_lines(path, start)[0]:
            return f"{day}:{start}"
    return ""


def overlooked(db: apsw.Connection, home: str, now: float) -> int:
    """Sessions whose end nobody saw (killed, crashed, closed with the machine) end when they have long been silent.

    What they were given last is taken in, their transcripts are read to the end, and they are judged. Returns how
    many jobs that makes.
    """
    unread = [path for path in _transcripts(db) if _unread(db, path, now)]
    with writer.transaction(db):
        named = _names(os.path.join(home, inbox.SEEN))
        whose = {inbox.file_name(session): session for session in arrivals.sessions(db)} if named else {}
        for name in named:
            _seen(db, home, whose.get(name, name.removesuffix(".log")), now)
        silent = [(key, last, arrivals.transcript(db, key)) for key, last in arrivals.silent(db, now - SILENT_SECONDS)]
        for path in sorted({*unread, *(path for _, _, path in silent if path)}):
            jobs.add(db, "digest", now, path=path)
        for session, last, path in silent:
            jobs.add(db, "judge", now, session=session, path=path, ended=last)
    return len(unread) + len(silent)


def tidy(db: apsw.Connection, home: str, now: float) -> None:
    """Remove files that are done with, then what is remembered of files that are gone."""
    yesterday = paths.utc_date(now - paths.DAY)  # a hook that fired before midnight may still write yesterday's file
    for day, path in _inbox(home):
        if day < yesterday and not _new_lines(path, arrivals.offset(db, arrivals.INBOX + day))[0]:
            _remove(path)
    seen = os.path.join(home, inbox.SEEN)
    for name in _names(seen):
        path = os.path.join(seen, name)
        if os.lstat(path).st_mtime < now - SEEN_DAYS * paths.DAY:
            _remove(path)
    gone = [k for k in arrivals.known(db, arrivals.INBOX) if not _exists(home, inbox.FOLDER, k, ".jsonl")]
    gone += [k for k in arrivals.known(db, arrivals.SEEN) if not _exists(home, inbox.SEEN, k, "")]
    gone += [k for k in arrivals.known(db, arrivals.DIGEST) if not _exists("", "", k, "")]
    if gone:
        with writer.transaction(db):
            for key in gone:
                arrivals.drop_offset(db, key)


def _remove(path: str) -> None:
    """What somebody else put there, a folder or a file of another user, stays."""
    with contextlib.suppress(OSError):
        os.unlink(path)


def _take_chunk(db: apsw.Connection, home: str, key: str, path: str, now: float) -> int:
    if not _new_lines(path, arrivals.offset(db, key))[0]:
        return 0
    with writer.transaction(db):
        lines, end = _new_lines(path, arrivals.offset(db, key))
        for event in map(_object, lines):
            _arrived(db, home, event, now)
        arrivals.set_offset(db, key, end)
    return len(lines)


def _arrived(db: apsw.Connection, home: str, event: dict[str, Any], now: float) -> None:
    session, transcript = str(event.get("session_id") or ""), event.get("transcript_path")
    if not isinstance(transcript, str) or "\0" in transcript:  # no file's name holds that
        transcript = ""
    if session:
        _seen(db, home, session, now)
    if transcript:
        jobs.add_now(db, "digest", now, path=os.path.abspath(os.path.expanduser(transcript)))
    if event.get("event") == "session-start" and os.path.exists(os.path.join(home, paths.SEGMENTS, paths.HEADS)):
        jobs.add(db, "prefill", now)  # a local model was used here: its prefix is to be warm when it is asked
    if event.get("event") == "guard":
        _guard_spoke(db, event, now)
    if event.get("event") == "session-end" and session:
        jobs.add(db, "judge", now, session=session, path=transcript)
        arrivals.session_ended(db, session, moment(event.get("at"), now))


def _guard_spoke(db: apsw.Connection, event: dict[str, Any], now: float) -> None:
    said = {"deny": "guard denied", "ask": "guard asked", "inform": "guard informed"}.get(str(event.get("mode")))
    if said and isinstance(event.get("guard"), int):
        detail = {"session": str(event.get("session") or ""), "tool": str(event.get("tool") or "")}
        guards.spoke(db, event["guard"], said, detail, moment(event.get("at"), now))


def _seen(db: apsw.Connection, home: str, session: str, now: float) -> None:
    """New lines of what *session* was given become `injection` rows."""
    name = inbox.file_name(session)
    key = arrivals.SEEN + name
    lines, end = _new_lines(os.path.join(home, inbox.SEEN, name), arrivals.offset(db, key))
    for given in map(_object, lines):
        belief, tokens = given.get("belief"), given.get("tokens")
        if isinstance(belief, int):
            tokens = float(tokens) if isinstance(tokens, int | float) else None
            at, prompt, called = moment(given.get("at"), now), str(given.get("prompt") or ""), given.get("called") != 0
            arrivals.injected(db, session, belief, at, prompt, tokens, called)
    if lines:
        arrivals.set_offset(db, key, end)


def _inbox(home: str) -> list[tuple[str, str]]:
    folder = os.path.join(home, inbox.FOLDER)
    return [(n.removesuffix(".jsonl"), os.path.join(folder, n)) for n in _names(folder) if n.endswith(".jsonl")]


def _names(folder: str) -> list[str]:
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def _transcripts(db: apsw.Connection) -> set[str]:
    """Transcripts that were read in part, and those that a hook named while they were still empty."""
    read = {key.removeprefix(arrivals.DIGEST) for key in arrivals.known(db, arrivals.DIGEST)}
    return read | {os.path.realpath(path) for path in arrivals.transcripts(db, 0.0)}


def _unread(db: apsw.Connection, path: str, now: float) -> bool:
    """Whether a transcript holds more than was read of it, and has rested long enough that nobody writes to it now."""
    try:
        found = os.stat(path)
    except OSError:
        return False
    quiet = now - UNREAD_DAYS * paths.DAY < found.st_mtime < now - SILENT_SECONDS
    return quiet and found.st_size > arrivals.offset(db, arrivals.DIGEST + path)


def _exists(home: str, folder: str, key: str, suffix: str) -> bool:
    return os.path.exists(os.path.join(home, folder, key.partition(":")[2] + suffix))


def _new_lines(path: str, start: int) -> tuple[list[bytes], int]:
    """Whole lines from *start* (from the beginning when the file is shorter: it is another one), and their end."""
    try:
        with open(path, "rb") as f:
            size = os.fstat(f.fileno()).st_size
            start = start if start <= size else 0
            f.seek(start)
            data = f.read(CHUNK)
            whole = data[: data.rfind(b"\n") + 1]
            if whole or len(data) < CHUNK:
                return whole.splitlines(), start + len(whole)
            ended = f.readline().endswith(b"\n")  # what is so long says nothing; the lines behind it do
            return ([b""], f.tell()) if ended else ([], start)
    except OSError:
        return [], start


def _object(line: bytes) -> dict[str, Any]:
    """What a hook left in a line; where one that was cut begins the line, what was left behind it."""
    try:
        found = json.loads(line[max(0, line.rfind(b'{"')) :])  # within a text the quote would be escaped
    except (ValueError, RecursionError):
        return {}
    return {name: _storable(value) for name, value in found.items()} if isinstance(found, dict) else {}


def _storable(value: Any) -> Any:
    """Half a pair of surrogates cannot be stored, nor a number beyond what SQLite counts to: that is None."""
    if isinstance(value, int | float) and not abs(value) < LARGEST:
        return None
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
