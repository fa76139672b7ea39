"""Opening the store to write: apsw's own SQLite, WAL, FULL, and one writer at a time behind a file lock."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from array import array
from collections.abc import Iterator
from contextvars import ContextVar

import apsw

from agentmemory import paths
from agentmemory.store import words
from agentmemory.store.db import address, has_log
from agentmemory.store.schema import is_current, migrate

BUSY_MS = 30_000  # readers' locks are short; the queue is the file lock
PATIENCE: ContextVar[float | None] = ContextVar("patience", default=BUSY_MS / 1000)  # seconds; None: for ever
LOCK = "store.lock"
SWAP = "swap.lock"  # who opens the store holds it for a moment, so that no other file is put in its place meanwhile
MARK = "store.mark"  # number of the last commit, beside the file: a WAL cut short shows
NAMED = 4  # words of a command that say which it is: "python -m agentmemory worker"; what follows may be private
EMPTY_LOG = "PRAGMA wal_checkpoint(TRUNCATE)"
COUNT_COMMIT = """
    INSERT INTO meta (key, value) VALUES ('commits', 1)
    ON CONFLICT (key) DO UPDATE SET value = value + 1 RETURNING value
"""
NOTE_LOST = """
    INSERT INTO meta (key, value) VALUES ('lost', ?) ON CONFLICT (key) DO UPDATE SET value = value + excluded.value
"""


#: what SQLite says where nothing can be written beside the file, not even the index of its log
UNWRITABLE = (apsw.ReadOnlyError, apsw.IOError, apsw.FullError, apsw.CantOpenError)


class Unwritable(Exception):
    """The store was opened where nothing can be written: it can only be asked."""


class StoreBusy(Exception):
    """Somebody holds the store's lock for so long that it will not come free soon; nothing was changed."""


class StoreReplaced(Exception):
    """Another file was put in the store's place since it was opened."""


def open_store(folder: str | None = None) -> apsw.Connection:
    """The store of a data folder, created and migrated if need be, open for writing.

    Raises:
        NewerStore: a newer version of the program wrote it.
        apsw.Error: the file cannot be opened or is no database.
    """
    folder = paths.make_home(folder or paths.home())
    path = paths.store_path(folder)
    new = not os.path.exists(path)
    if new:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))  # SQLite gives -wal and -shm the same mode
    with queue(folder, SWAP):
        db = apsw.Connection(path)
        db.set_busy_timeout(BUSY_MS)
        _prepare(db)
        for pragma in ("synchronous = FULL", "foreign_keys = ON", "secure_delete = ON", "temp_store = MEMORY"):
            db.execute(f"PRAGMA {pragma}")
        ready = not new and is_current(db) and db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    if not ready:  # who only asks of a store that is there waits for no writer
        with queue(folder):
            db.execute("PRAGMA journal_mode = WAL")
            migrate(db)
    return db


def _prepare(db: apsw.Connection) -> None:
    words.register(db)
    # no plan depends on the values that are asked for: else each statement would be planned anew at every execution
    db.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)


def open_to_ask(folder: str) -> apsw.Connection:
    """The same for whoever may only ask: where the disk is full or read-only, the file as it lies there, for reading.

    Raises:
        OSError, apsw.Error: as `open_store`, also where a log stands beside the file, or its schema is an older one.
    """
    try:
        return open_store(folder)
    except (OSError, *UNWRITABLE):
        db = _as_it_lies(paths.store_path(folder))
        if db is None:
            raise
        return db


def _as_it_lies(path: str) -> apsw.Connection | None:
    if not os.path.isfile(path) or has_log(path):
        return None
    db = apsw.Connection(f"{address(path)}?immutable=1", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    _prepare(db)
    db.execute("PRAGMA temp_store = MEMORY")
    return db if is_current(db) else None


def open_to_read(folder: str) -> apsw.Connection:
    """The store of a data folder, for reading in a process that also writes.

    `store.db.open_read` is for processes that only read: it brings another copy of SQLite, and two copies in one
    process undo each other's locks (sqlite.org/howtocorrupt.html, 2.2.1).
    """
    db = apsw.Connection(paths.store_path(folder), flags=apsw.SQLITE_OPEN_READONLY)
    db.set_busy_timeout(BUSY_MS)
    _prepare(db)
    return db


def made(db: apsw.Connection) -> bool:
    """Whether the store has its tables; another process may be just about to make them."""
    return db.execute("PRAGMA user_version").fetchone() != (0,)


@contextlib.contextmanager
def transaction(db: apsw.Connection) -> Iterator[apsw.Connection]:
    """One write: queued behind other writers, all or nothing, durable when it returns.

    Where acknowledged commits are missing from the file, how many is noted in it: counting on would hide them.

    Raises:
        StoreBusy: somebody else does not stop writing.
        StoreReplaced: a backup was restored or a damaged store mended; what is written here would be set aside.
        Unwritable: it was opened on a disk that is full or read-only.
    """
    folder = os.path.dirname(db.filename)
    if db.readonly("main"):
        raise Unwritable(f"nothing can be written to {folder}: the disk is full or read-only")
    with queue(folder):
        if _was_moved(db):
            raise StoreReplaced("the store was replaced while it was open (restore, doctor --repair): open it again")
        db.execute("BEGIN IMMEDIATE")
        try:
            yield db
            (number,) = db.execute(COUNT_COMMIT).fetchone() or (0,)
            lost = last_mark(folder) - (int(number) - 1)
            if lost > 0:
                db.execute(NOTE_LOST, (lost,))
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise
        mark(folder, int(number))


def last_mark(folder: str) -> int:
    """Number of the last commit that was acknowledged, 0 when none is known."""
    try:
        with open(os.path.join(folder, MARK), encoding="ascii") as f:
            return int(f.read() or 0)
    except (OSError, ValueError):
        return 0


def mark(folder: str, number: int) -> None:
    """Take so many commits as acknowledged."""
    fd = os.open(os.path.join(folder, MARK), os.O_CREAT | os.O_WRONLY, 0o600)
    try:
        os.ftruncate(fd, os.write(fd, b"%020d" % number))
    finally:
        os.close(fd)


def _was_moved(db: apsw.Connection) -> bool:
    """Whether the file that is open no longer stands where it was opened."""
    moved = array("i", [0])
    db.file_control("main", apsw.SQLITE_FCNTL_HAS_MOVED, moved.buffer_info()[0])
    return bool(moved[0])


@contextlib.contextmanager
def queue(folder: str, name: str = LOCK) -> Iterator[None]:
    """Wait for our turn to write. Waiting on a file lock is fair and cheap; SQLite's busy loop is neither.

    Raises:
        StoreBusy: it does not come in the time that `patient` allows.
    """
    path, seconds = os.path.join(folder, name), PATIENCE.get()
    fd = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    if not _came(fd, seconds):
        raise StoreBusy(f"nothing was changed: {_holder(path)} has held {path} for the last {seconds:.0f} s")
    try:
        yield
    finally:
        os.close(fd)


@contextlib.contextmanager
def patient(seconds: float | None) -> Iterator[None]:
    """Within it who writes waits so long for each turn; None: for ever."""
    before = PATIENCE.set(seconds)
    try:
        yield
    finally:
        PATIENCE.reset(before)


def _came(fd: int, seconds: float | None) -> bool:
    """Whether the lock came in time. Where it did not, the file is closed as soon as it comes, which gives it on."""
    if try_lock(fd):
        return True
    if seconds is None:
        _lock(fd)
        return True
    turn, state = threading.Condition(), {"came": False, "wanted": True}

    def wait() -> None:
        with contextlib.suppress(OSError):  # Windows gives up by itself
            _lock(fd)
            with turn:
                if state["wanted"]:
                    state["came"] = True
                    turn.notify()
                else:
                    os.close(fd)

    threading.Thread(target=wait, daemon=True).start()
    with turn:
        try:
            return turn.wait_for(lambda: state["came"], seconds)
        finally:
            state["wanted"] = state["came"]


def _holder(path: str) -> str:
    """Who holds a lock, where the system tells (Linux)."""
    inode = str(os.stat(path).st_ino)
    with contextlib.suppress(OSError):
        with open("/proc/locks", encoding="ascii") as f:
            held = [line.split() for line in f if "->" not in line]
        for pid in (it[4] for it in held if it[1] == "FLOCK" and it[5].rpartition(":")[2] == inode):
            with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as f:
                command = " ".join(f.read().split("\0")[:NAMED]).strip()
            return f"process {pid} ({command})" if command else f"process {pid}"
    return "another process"


def try_lock(fd: int) -> bool:
    """Take the lock on an open file, unless somebody has it. It goes with the file's last handle."""
    try:
        _lock(fd, wait=False)
    except OSError:
        return False
    return True


if sys.platform == "win32":
    import msvcrt

    def _lock(fd: int, wait: bool = True) -> None:
        msvcrt.locking(fd, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(fd: int, wait: bool = True) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
