"""Opening the store to read. Standard library only: this is what the prompt hook does."""

import sqlite3

#: what a reader waits for a lock that a crashed writer's recovery may hold, in seconds
PATIENCE = 0.2


def open_read(path: str) -> sqlite3.Connection:
    """A read-only connection; it never creates, locks for writing or checkpoints the file.

    Raises:
        sqlite3.OperationalError: the file is missing or cannot be opened.
    """
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    db = sqlite3.connect(f"file:{quoted}?mode=ro", uri=True, timeout=PATIENCE, isolation_level=None)
    db.execute("PRAGMA query_only = 1")
    return db
