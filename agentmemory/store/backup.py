"""Whole copies of the store: taken while it is in use, put back, and saved from a damaged file. Nothing is deleted."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import sys
import tempfile

import apsw

from agentmemory import paths
from agentmemory.store import arrivals, inbox, meta, salvage, writer
from agentmemory.store.schema import MIGRATIONS

FOLDER = "backups"
ASIDE = "set-aside"
PAGES = 1_000  # pages copied at a time; other writers get their turn between
LOGS = (paths.STORE + "-wal", paths.STORE + "-shm")

QUICK = "PRAGMA quick_check(1)"
VERSION = "PRAGMA user_version"
SINGLE = "PRAGMA journal_mode = DELETE"
ACCEPT_LOSS = "DELETE FROM meta WHERE key = 'lost'"


class BadBackup(Exception):
    """The file is not a whole store of a version that this program knows."""


def backup(home: str, path: str | None = None) -> str:
    """Copy the store to *path* (default: a new file in `backups`), whole and as of one moment; returns the path.

    Raises:
        FileNotFoundError: there is no store, or no folder for *path*.
        FileExistsError: there is something at *path*.
        OSError: the copy cannot be written.
    """
    try:
        os.stat(paths.store_path(home))
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no store in {home} yet") from None
    if not path:
        os.makedirs(os.path.join(home, FOLDER), mode=0o700, exist_ok=True)
        path = _unused(os.path.join(home, FOLDER, f"memory-{_stamp()}"))
    folder = os.path.dirname(path)
    if os.path.exists(path):
        raise FileExistsError(f"{path} exists already")
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"there is no folder {folder}")
    fd, unfinished = tempfile.mkstemp(dir=folder, suffix=".unfinished")
    os.close(fd)
    try:
        _copy(paths.store_path(home), unfinished)
        verify(unfinished)
        os.replace(unfinished, path)
    except BaseException:
        os.unlink(unfinished)
        raise
    _settle(folder)
    return path


def _unused(name: str) -> str:
    """A file of this name that is not there; of backups within a second the later ones are numbered."""
    numbered = (f"{name}{f'-{n}' if n > 1 else ''}.db" for n in itertools.count(1))
    return next(path for path in numbered if not os.path.exists(path))


def verify(path: str) -> int:
    """Number of the last commit in a backup.

    Raises:
        FileNotFoundError: there is no such file.
        BadBackup: with the reason.
    """
    if not os.path.isfile(path):
        raise FileNotFoundError(f"there is no file {path}")
    try:
        db = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
        try:
            said = db.execute(QUICK).fetchall()
            (version,) = db.execute(VERSION).fetchone() or (0,)
            commits = int(meta.get(db, "commits", 0)) if version else 0
        finally:
            db.close()
    except apsw.Error as error:
        raise BadBackup(f"{path} is not a store ({error})") from None
    if said != [("ok",)]:
        raise BadBackup(f"{path} is damaged: {said[0][0]}")
    if not 0 < int(version) <= len(MIGRATIONS):
        raise BadBackup(f"{path} has schema {version}; this program knows 1 to {len(MIGRATIONS)}")
    return commits


def restore(home: str, path: str) -> str:
    """Put a backup in the store's place; returns the folder where the present store was set aside, "" without one.

    The present file goes together with its write-ahead log: a log beside another file than its own corrupts it.

    Raises:
        FileNotFoundError: there is no such file.
        BadBackup: the backup is not whole; nothing was changed.
    """
    commits = verify(path)
    with writer.queue(paths.make_home(home)), writer.queue(home, writer.SWAP):
        return _put_in_place(home, path, commits)


def mend(home: str) -> str:
    """Replace a damaged store by what can still be read of it; returns the folder that keeps the damaged one.

    Of several processes that find the damage one mends: the others see a whole store when their turn comes. The damaged
    one stands until the new one is whole: where none stood, the next who comes would begin an empty one.
    """
    with writer.queue(home):
        if not is_damaged(home):
            return ""
        with writer.queue(home, writer.SWAP), tempfile.TemporaryDirectory(prefix=f"{ASIDE}-new-", dir=home) as folder:
            rescued = salvage.salvage(paths.store_path(home), folder)
            return _put_in_place(home, rescued, verify(rescued))


def is_damaged(home: str) -> bool:
    """Whether the store is there and SQLite cannot read it whole."""
    path = paths.store_path(home)
    if not os.path.exists(path):
        return False
    try:
        db = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            db.set_busy_timeout(writer.BUSY_MS)
            return db.execute(QUICK).fetchall() != [("ok",)]
        finally:
            db.close()
    except (apsw.CorruptError, apsw.NotADBError):
        return True


def set_aside(home: str) -> str:
    """Keep the store with its log in a folder of its own; returns the folder, "" when there is no store.

    The file itself also stays where it is until another takes its name: at no moment is there none, beside which the
    next who comes would begin an empty one. What sessions were given goes along: it names beliefs by ids that mean
    others in the store that comes.
    """
    store = paths.store_path(home)
    if not any(map(os.path.exists, (store, *(os.path.join(home, name) for name in LOGS)))):
        return ""
    folder = tempfile.mkdtemp(prefix=f"{ASIDE}-{_stamp()}-", dir=home)
    kept = os.path.join(folder, paths.STORE)
    if os.path.exists(store):
        with contextlib.suppress(apsw.Error), contextlib.closing(apsw.Connection(store)) as db:
            db.execute(writer.EMPTY_LOG)
        try:
            os.link(store, kept)
        except OSError:  # a file system without links
            shutil.copy(store, kept)
    for name in (*LOGS, inbox.SEEN):
        with contextlib.suppress(FileNotFoundError):
            os.replace(os.path.join(home, name), os.path.join(folder, name))
    return folder


def copies(home: str) -> list[str]:
    """Backups in the data folder and stores that were set aside there, with all that they held."""
    folder = os.path.join(home, FOLDER)
    made = [os.path.join(folder, name) for name in os.listdir(folder)] if os.path.isdir(folder) else []
    return sorted(made) + sorted(entry.path for entry in os.scandir(home) if entry.name.startswith(ASIDE))


def accept_loss(home: str, db: apsw.Connection) -> None:
    """Take what is there as right and count on from it, after the loss was reported."""
    writer.mark(home, 0)
    with writer.transaction(db):
        db.execute(ACCEPT_LOSS)


def _copy(source: str, target: str) -> None:
    """SQLite's online backup, into one file without a log."""
    there, here = apsw.Connection(target), apsw.Connection(source, flags=apsw.SQLITE_OPEN_READONLY)
    try:
        here.set_busy_timeout(writer.BUSY_MS)
        here.execute(VERSION).fetchone()  # of a file that is no store, or cannot be read, this says so
        with there.backup("main", here, "main") as copy:
            while not copy.done:
                copy.step(PAGES)
        there.execute(SINGLE)
    except (apsw.FullError, apsw.IOError) as error:  # whose own words are those of the last call that went well
        why = "the disk is full" if isinstance(error, apsw.FullError) else "the disk cannot be read or written"
        raise OSError(f"no copy was made in {os.path.dirname(target)}: {why}") from error
    finally:
        here.close()
        there.close()
    fd = os.open(target, os.O_RDWR)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _put_in_place(home: str, path: str, commits: int) -> str:
    """Copy a whole store to where the store belongs; what was there is set aside. The caller holds the queue."""
    fd, fresh = tempfile.mkstemp(dir=home, suffix=".restoring")
    os.close(fd)
    try:
        _copy(path, fresh)
        with contextlib.closing(apsw.Connection(fresh)) as db:
            db.execute(ACCEPT_LOSS)
            arrivals.nothing_seen(db)
        aside = set_aside(home)
        os.replace(fresh, paths.store_path(home))
    except BaseException:
        if os.path.exists(fresh):
            os.unlink(fresh)
        raise
    writer.mark(home, commits)
    _settle(home)
    return aside


def _settle(folder: str) -> None:
    """Make a rename durable."""
    if sys.platform == "win32":
        return
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _stamp() -> str:
    return paths.iso(paths.now()).replace(":", "").replace("-", "")
