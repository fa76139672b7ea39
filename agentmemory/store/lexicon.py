"""The table of words and the concepts they stand for, kept equal to the thesaurus that comes with the program."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from agentmemory.store import meta
from agentmemory.store.turns import many

if TYPE_CHECKING:
    import apsw

    from agentmemory.store.rows import Database

TABLE = """
    CREATE TABLE concept (                  -- a prompt's stem -> the concept token that cues of beliefs hold
        stem TEXT NOT NULL,
        concept TEXT NOT NULL,
        PRIMARY KEY (stem, concept)
    ) WITHOUT ROWID
"""
ALIASES = "CREATE INDEX entity_alias ON entity(alias_of) WHERE alias_of IS NOT NULL"
EDITION = "thesaurus"  # in `meta`
CLEAR = "DELETE FROM concept"
ADD = "INSERT OR IGNORE INTO concept (stem, concept) VALUES (?, ?)"


def words_and_concepts(db: apsw.Connection) -> None:
    """Words of prompts and the concepts they stand for; the way from an entity to its other names."""
    db.execute(TABLE)
    db.execute(ALIASES)


def edition(db: Database) -> str:
    """Which thesaurus the table was filled from, "" for none."""
    return str(meta.get(db, EDITION, ""))


def fill(db: Database, edition: str, pairs: Iterable[tuple[str, str]]) -> None:
    """Replace the table by `(stem, concept)` pairs; the caller owns the transaction."""
    db.execute(CLEAR)
    many(db, ADD, sorted(pairs))
    meta.put(db, EDITION, edition)


def refill(db: Database) -> None:
    """Rows of the table may be lost: it is filled anew when the thesaurus is asked for next."""
    meta.put(db, EDITION, "")
