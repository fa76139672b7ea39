"""Opening the store to read. Standard library only: this is what the prompt hook does.

`_sqlite3` is the C half of `sqlite3`; the Python half only brings adapters for dates, and 3 ms of imports. Of the
Python half of `functools`, 3 ms more, the C half takes `lru_cache` for its statements: it gets that one function.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from sqlite3 import connect
else:
    lone = "functools" not in sys.modules
    try:
        if lone:
            from _functools import _lru_cache_wrapper

            functools = sys.modules["functools"] = type(sys)("functools")
            functools.lru_cache = lambda most: lambda connection: _lru_cache_wrapper(connection, most, False, tuple)
        from _sqlite3 import connect
    except ImportError:  # another interpreter
        connect = None
    finally:
        if lone:
            sys.modules.pop("functools", None)  # whoever wants it gets it whole
    if connect is None:
        from sqlite3 import connect

#: what a reader waits for a lock that a crashed writer's recovery may hold, in seconds
PATIENCE = 0.2
#: SQLite's codes where a reader cannot make its index of the log: READONLY, IOERR, FULL, CANTOPEN
UNWRITABLE = (8, 10, 13, 14)
#: schema that this program reads: the number of migrations (a test holds the two together)
SCHEMA = 23


class NewerStore(Exception):
    """The file was written by a newer version of the program."""


FTS5 = "SELECT 1 FROM pragma_module_list WHERE name = 'fts5'"


def open_read(path: str) -> "sqlite3.Connection":
    """A read-only connection; it never creates, locks for writing or checkpoints the file.

    Where the standard library's SQLite lacks FTS5, apsw's own SQLite reads. On a disk that is full or read-only the
    file is read as it lies there, as long as no log stands beside it.

    Raises:
        sqlite3.DatabaseError: the file is missing, cannot be opened or is no database.
        NewerStore: its schema is beyond what this program reads.
    """
    try:
        return _open(f"{address(path)}?mode=ro")
    except Exception as error:
        code = getattr(error, "sqlite_errorcode", 0) or getattr(error, "result", 0)  # of sqlite3, of apsw
        if code & 0xFF not in UNWRITABLE or has_log(path):
            raise
    return _open(f"{address(path)}?mode=ro&immutable=1")


def address(path: str) -> str:
    """A file as SQLite is told it where options follow."""
    return "file:" + path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def has_log(path: str) -> bool:
    """Whether a log with something in it stands beside the file."""
    try:
        return os.path.getsize(path + "-wal") > 0
    except OSError:
        return False


def _open(uri: str) -> "sqlite3.Connection":
    db = connect(uri, uri=True, timeout=PATIENCE, isolation_level=None)
    if db.execute(FTS5).fetchone() is None:
        db = _apsw(uri)
    db.execute("PRAGMA query_only = 1")
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version > SCHEMA:
        raise NewerStore(f"the store has schema {version}, this program reads {SCHEMA}: upgrade agentmemory")
    return db


def _apsw(uri: str) -> "sqlite3.Connection":
    if sys.flags.no_site:  # hooks start without the folder that holds apsw
        import site

        site.main()
    import apsw

    db = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    db.set_busy_timeout(int(PATIENCE * 1000))
    return db  # type: ignore[return-value]  # what both connections have in common is all that readers use
