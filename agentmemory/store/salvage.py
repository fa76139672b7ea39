"""Copies what can still be read of a damaged store into a new one, row by row, around the damage."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import apsw

from agentmemory import paths
from agentmemory.records import marks
from agentmemory.store import check, lexicon, meta, nights, writer

TABLES = """
    SELECT name, sql LIKE '%WITHOUT ROWID%' FROM sqlite_master
    WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND sql NOT LIKE 'CREATE VIRTUAL%'
    AND name NOT LIKE '%\\_fts\\_%' ESCAPE '\\'
"""
TRIGGERS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
COLUMNS = "SELECT name FROM pragma_table_info(?)"
EMPTY = 'DELETE FROM "{}"'
AFTER = 'SELECT rowid, {} FROM "{}" WHERE rowid > ? ORDER BY rowid'
ALL = 'SELECT 0, {} FROM "{}"'
PUT = 'INSERT OR IGNORE INTO "{}" ({}) VALUES ({})'
DROP = 'DROP TRIGGER "{}"'
DANGLING = 'SELECT "table", rowid FROM pragma_foreign_key_check WHERE rowid IS NOT NULL'
CUT = 'DELETE FROM "{}" WHERE rowid = ?'
NO_KEYS = "PRAGMA foreign_keys = OFF"
CUT_SHORT = "PRAGMA writable_schema = ON"  # a file that is shorter than its first page says is read as far as it goes
UNREADABLE = (apsw.CorruptError, apsw.SQLError, apsw.IOError)
FAR = 1 << 20  # ids skipped at most at once behind a damaged page


def salvage(damaged: str, folder: str) -> str:
    """The path of a new, whole store in *folder* with every row of *damaged* that can be read."""
    db = writer.open_store(folder)
    try:
        with closing(apsw.Connection(damaged, flags=apsw.SQLITE_OPEN_READWRITE)) as source:
            source.execute(CUT_SHORT)
            db.execute(NO_KEYS)
            with writer.transaction(db):
                _copy(source, db)
    except (apsw.NotADBError, apsw.CantOpenError):
        pass  # nothing of it is readable: the new store is empty
    finally:
        db.close()
    return os.path.join(folder, paths.STORE)


def _copy(source: apsw.Connection, db: apsw.Connection) -> None:
    """Every table; without the triggers, which would count again, and without rows that point at what is lost."""
    triggers = db.execute(TRIGGERS).fetchall()
    for name, _ in triggers:
        db.execute(DROP.format(name))
    for name, without_rowid in db.execute(TABLES).fetchall():
        _copy_table(source, db, str(name), bool(without_rowid))
    while dangling := db.execute(DANGLING).fetchall():
        for table, row in dangling:
            db.execute(CUT.format(table), (row,))
    for _, sql in triggers:
        db.execute(str(sql))
    check.rebuild(db)
    nights.after_a_loss(db)
    lexicon.refill(db)
    meta.put(db, "speaker", "user")  # as it is between two writes


def _copy_table(source: apsw.Connection, db: apsw.Connection, table: str, without_rowid: bool) -> None:
    """Its rows, in the columns that both stores have: the damaged one may be of an earlier release."""
    db.execute(EMPTY.format(table))
    known = _columns(source, table)
    columns = [name for name in _columns(db, table) if name in known]
    if not columns:
        return
    names = ", ".join(f'"{name}"' for name in columns)
    put = PUT.format(table, names, marks(columns))
    sql = (ALL if without_rowid else AFTER).format(names, table)
    for row in _readable_rows(source, sql, without_rowid):
        db.execute(put, row)


def _columns(db: apsw.Connection, table: str) -> list[str]:
    """The columns of a table; none where there is no such table, or nothing tells of it any more."""
    try:
        return [str(row[0]) for row in db.execute(COLUMNS, (table,)).fetchall()]
    except UNREADABLE:
        return []


def _readable_rows(source: apsw.Connection, sql: str, without_rowid: bool) -> Iterator[tuple[Any, ...]]:
    """Rows of a table, in order; where a page cannot be read, on behind it."""
    last, skip = -1, 1
    while True:
        try:
            for id, *row in source.execute(sql, () if without_rowid else (last,)):
                last, skip = int(id), 1
                yield tuple(row)
            return
        except UNREADABLE:
            if without_rowid or skip > FAR:
                return
            last, skip = last + skip, skip * 2
