"""Opening the store to read. Standard library only: this is what the prompt hook does."""

import sqlite3

#: what a reader waits for a lock that a crashed writer's recovery may hold, in seconds
PATIENCE = 0.2
#: schema that this program reads: the number of migrations (a test holds the two together)
SCHEMA = 5


class NewerStore(Exception):
    """The file was written by a newer version of the program."""


def open_read(path: str) -> sqlite3.Connection:
    """A read-only connection; it never creates, locks for writing or checkpoints the file.

    Raises:
        sqlite3.DatabaseError: the file is missing, cannot be opened or is no database.
        NewerStore: its schema is beyond what this program reads.
    """
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    db = sqlite3.connect(f"file:{quoted}?mode=ro", uri=True, timeout=PATIENCE, isolation_level=None)
    db.execute("PRAGMA query_only = 1")
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version > SCHEMA:
        raise NewerStore(f"the store has schema {version}, this program reads {SCHEMA}: upgrade agentmemory")
    return db
