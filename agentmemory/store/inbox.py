"""What hooks leave for the worker: one appended line each, no lock, no database.

A file a day; the worker remembers in the store how far it has read and removes files of past days, so a
line is taken exactly once and an appender never races with a reader. Standard library only.
"""

import os

FOLDER = "inbox"
SEEN = "seen"  # one file a session: what has been put before the agent already


def append(home: str, day: str, line: str) -> None:
    """Append one JSON line to the inbox of *day* (`2026-03-09`, UTC). A single write: lines never mix."""
    _append(os.path.join(home, FOLDER), day + ".jsonl", line)


def note_seen(home: str, session: str, *lines: str) -> None:
    """Append lines to what *session* has been given, in one write."""
    _append(os.path.join(home, SEEN), file_name(session), *lines)


def seen(home: str, session: str) -> "list[str]":
    """The lines of what *session* has been given; none when nothing was."""
    try:
        with open(os.path.join(home, SEEN, file_name(session)), encoding="utf-8", errors="replace") as f:
            return f.read().splitlines()
    except OSError:
        return []


def file_name(session: str) -> str:
    """A file name for a client's session id, whatever it holds; no two ids share one."""
    safe = "".join(c if (c.isalnum() and c.isascii()) or c in "-_" else "_" for c in session[:120])
    if safe != session:
        from hashlib import blake2b  # ids of most clients need none

        safe += "_" + blake2b(session.encode("utf-8", "replace"), digest_size=8).hexdigest()
    return (safe or "none") + ".log"


def _append(folder: str, name: str, *lines: str) -> None:
    path = os.path.join(folder, name)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    try:
        fd = os.open(path, flags, 0o600)
    except FileNotFoundError:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        fd = os.open(path, flags, 0o600)
    try:
        whole = "".join(line.replace("\n", " ") + "\n" for line in lines)
        os.write(fd, whole.encode("utf-8", "replace"))
    finally:
        os.close(fd)
