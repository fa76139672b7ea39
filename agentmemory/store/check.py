"""Is the store whole? Every check returns sentences about what is wrong, none when all is well."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING

import apsw

from agentmemory import paths
from agentmemory.store import beliefs, meta, writer
from agentmemory.store.turns import count_terms, digest, many

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

StoreError = apsw.Error  # for those who look at a store and do not know apsw
#: errors of the database whose text is for a person: of the disk, of other programs, what it refuses; others are ours
SAYABLE = (
    apsw.BusyError, apsw.CantOpenError, apsw.ConstraintError, apsw.CorruptError, apsw.FullError, apsw.IOError,
    apsw.NotADBError, apsw.ReadOnlyError,
)  # fmt: skip

#: of these, what they say of the file that holds the store
OF_THE_FILE = tuple(kind for kind in SAYABLE if kind is not apsw.ConstraintError)

SHOWN = 5  # ids named in a sentence

INTEGRITY = "PRAGMA integrity_check(5)"
FOREIGN = 'SELECT DISTINCT "table" FROM pragma_foreign_key_check'
BELIEFS = "SELECT id, text, created, digest FROM belief"
TURNS = "SELECT id, role, text, at, digest FROM turn"
INDEXES = ("belief_fts", "turn_fts")
COMPARE = "INSERT INTO {0}({0}, rank) VALUES ('integrity-check', 1)"
REBUILD = "INSERT INTO {0}({0}) VALUES ('rebuild')"
BELIEF_STEMS = "SELECT terms || ' ' || cues FROM belief"
TURN_STEMS = "SELECT terms FROM turn"
TERMS = "SELECT stem, beliefs, turns FROM term WHERE beliefs <> 0 OR turns <> 0"
NO_TERMS = "DELETE FROM term"
TRY_FTS5 = "CREATE VIRTUAL TABLE temp.probe USING fts5(words)"


def sayable(error: Exception) -> bool:
    """Whether the text of an error is a sentence for whoever asked: our own, the file system's, the store's, of a wrong
    value. Any other is our mistake, and its trace is kept."""
    ours = type(error).__module__.startswith("agentmemory")
    return ours or isinstance(error, (OSError, ValueError, LookupError, *SAYABLE))


def sentence(error: Exception) -> str:
    """What an error says to whoever asked; of the store's file also which one it is, and who says more of it."""
    return f"{paths.store_path()}: {error}; see `agentmemory doctor`" if isinstance(error, OF_THE_FILE) else str(error)


def hook_can_search() -> bool:
    """Whether the standard library's SQLite, which the prompt hook reads with, has FTS5."""
    try:
        with closing(sqlite3.connect(":memory:")) as db:
            db.execute(TRY_FTS5)
    except sqlite3.OperationalError:
        return False
    return True


def sqlite_version() -> str:
    """Version of the SQLite that everything that writes brings along."""
    return apsw.sqlite_lib_version()


def structure(db: apsw.Connection) -> list[str]:
    """Pages, indexes and references of the file, by SQLite's own check."""
    said = [str(row[0]) for row in db.execute(INTEGRITY).fetchall()]
    wrong = [] if said == ["ok"] else [f"SQLite finds the file damaged: {'; '.join(said)}"]
    dangling = [str(row[0]) for row in db.execute(FOREIGN).fetchall()]
    return wrong + [f"rows of {name} point at rows that are gone" for name in dangling]


def texts(db: Database) -> list[str]:
    """Every stored text against the digest that was stored with it: a flipped bit shows here and nowhere else."""
    bad_beliefs = [id for id, text, at, mark in db.execute(BELIEFS) if digest(text, repr(at)) != mark]
    bad_turns = [id for id, role, text, at, mark in db.execute(TURNS) if digest(role, text, repr(at)) != mark]
    found = [("belief", bad_beliefs), ("turn", bad_turns)]
    return [f"the text of {what} {_some(ids)} is not what was stored" for what, ids in found if ids]


def high_water(db: Database, folder: str) -> list[str]:
    """Whether commits that were acknowledged are missing, as when a damaged log was dropped; also before later ones."""
    last = max(0, writer.last_mark(folder) - int(meta.get(db, "commits", 0)))
    lost = last + int(meta.get(db, "lost", 0))
    which = f"the last {lost}" if lost == last else str(lost)
    return [f"{which} acknowledged changes are missing from the file"] if lost else []


def indexes(db: apsw.Connection) -> list[str]:
    """The word indexes against the rows that they index."""
    wrong = []
    for name in INDEXES:
        try:
            db.execute(COMPARE.format(name))
        except apsw.Error:
            wrong.append(f"the index {name} does not agree with its rows")
    return wrong


def word_counts(db: Database) -> list[str]:
    """In how many rows each word occurs, against the rows; recall picks its words by these numbers."""
    kept = {stem: (b, t) for stem, b, t in db.execute(TERMS)}
    held, said = _count(db, BELIEF_STEMS), _count(db, TURN_STEMS)
    right = {stem: (held[stem], said[stem]) for stem in held.keys() | said.keys()}
    wrong = sum(1 for stem in kept.keys() | right.keys() if kept.get(stem) != right.get(stem))
    return [f"{wrong} words are counted wrongly"] if wrong else []


def rebuild(db: apsw.Connection) -> None:
    """Make indexes and word counts anew from the rows; the caller owns the transaction."""
    for name in INDEXES:
        db.execute(REBUILD.format(name))
    db.execute(NO_TERMS)
    many(db, beliefs.COUNT_BELIEFS, sorted(_count(db, BELIEF_STEMS).items()))
    count_terms(db, _count(db, TURN_STEMS))


def _count(db: Database, sql: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for (stems,) in db.execute(sql):
        counts.update(set(stems.split()))
    return counts


def _some(ids: list[int]) -> str:
    return ", ".join(map(str, ids[:SHOWN])) + (f" and {len(ids) - SHOWN} more" if len(ids) > SHOWN else "")
