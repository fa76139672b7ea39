"""Tables that sleep keeps beside the six concepts: what it counted, whom agents trust, what models cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import apsw

TABLES = """
CREATE TABLE habit (                        -- what was asked and what was done about it, one row an answered turn
    turn INTEGER NOT NULL REFERENCES turn(id) ON DELETE CASCADE,
    scope INTEGER NOT NULL REFERENCES scope(id),
    ask TEXT NOT NULL,                      -- kind of request, or stems of a failure
    did TEXT NOT NULL,                      -- kind of answer, or the command that helped
    PRIMARY KEY (turn, ask, did)
) WITHOUT ROWID;
CREATE INDEX habit_pair ON habit(scope, ask, did, turn);

CREATE TABLE summary_word (                 -- the keywords of a summary's topic; summaries are in no other index
    stem TEXT NOT NULL,
    scope INTEGER NOT NULL REFERENCES scope(id),
    belief INTEGER NOT NULL REFERENCES belief(id) ON DELETE CASCADE,
    PRIMARY KEY (stem, scope, belief)
) WITHOUT ROWID;
CREATE INDEX summary_word_belief ON summary_word(belief);

CREATE TABLE promoted (                     -- a summary whose heat was spent; visits and turns count from here
    belief INTEGER PRIMARY KEY REFERENCES belief(id) ON DELETE CASCADE,
    at REAL NOT NULL,
    turn INTEGER NOT NULL,
    times INTEGER NOT NULL DEFAULT 1
);

CREATE TABLE trust (                        -- of one scope in another, 0.05 to 0.98
    src INTEGER NOT NULL REFERENCES scope(id),
    dst INTEGER NOT NULL REFERENCES scope(id),
    value REAL NOT NULL,
    updated REAL NOT NULL,
    PRIMARY KEY (src, dst)
) WITHOUT ROWID;

CREATE TABLE shared (                       -- beliefs that an agent gave to the agents beside it
    belief INTEGER PRIMARY KEY REFERENCES belief(id) ON DELETE CASCADE,
    scope INTEGER NOT NULL REFERENCES scope(id),
    pool INTEGER NOT NULL REFERENCES scope(id),
    at REAL NOT NULL,
    accesses INTEGER NOT NULL DEFAULT 0,
    archived REAL
);
CREATE INDEX shared_pool ON shared(pool) WHERE archived IS NULL;

CREATE TABLE branch (                       -- a session that began as a copy of another one
    session INTEGER PRIMARY KEY REFERENCES session(id),
    parent INTEGER NOT NULL REFERENCES session(id),
    upto INTEGER NOT NULL                   -- idx of the parent's last turn in the copy
);

CREATE INDEX belief_trait ON belief(scope, tags) WHERE kind = 'trait';
CREATE INDEX belief_mined ON belief(scope, tags) WHERE kind = 'procedure';

CREATE TABLE model_use (
    id INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    model TEXT NOT NULL,
    prompt INTEGER NOT NULL,
    completion INTEGER NOT NULL,
    cached INTEGER NOT NULL DEFAULT 0       -- of the prompt's tokens
);
"""


def sleep_tables(db: apsw.Connection) -> None:
    """Habits, promotions, trust, the shared pool, branches and model use."""
    db.execute(TABLES)


def summaries_by_scope(db: apsw.Connection) -> None:
    """How many summaries a scope has is asked for every belief that is learned."""
    db.execute("CREATE INDEX belief_summary ON belief(scope, state) WHERE kind = 'summary'")


SHARES = """
CREATE TABLE IF NOT EXISTS shares (         -- agents of which the user said that they share after each night
    scope INTEGER PRIMARY KEY REFERENCES scope(id),
    since REAL NOT NULL
);
DROP TABLE IF EXISTS shared;                -- what nights gave away unasked is taken back
CREATE TABLE shared (                       -- beliefs that an agent gave to the agents beside it
    belief INTEGER PRIMARY KEY REFERENCES belief(id) ON DELETE CASCADE,
    scope INTEGER NOT NULL REFERENCES scope(id),
    pool INTEGER NOT NULL REFERENCES scope(id),
    text TEXT NOT NULL,                     -- what the others are told of it
    at REAL NOT NULL,
    accesses INTEGER NOT NULL DEFAULT 0,
    archived REAL
);
CREATE INDEX shared_pool ON shared(pool) WHERE archived IS NULL;
"""


def sharing_is_asked_for(db: apsw.Connection) -> None:
    """Who shares, and what the others are told; sharing begins anew."""
    db.execute(SHARES)
