"""The tables, made by ordered migrations. Each is one function; its number is the `user_version` it leaves."""

from __future__ import annotations

import apsw

from agentmemory.store import (
    anchors,
    anew,
    beliefs,
    cooccurrence,
    heard,
    lexicon,
    lineage,
    outcomes,
    places,
    retrievals,
    rules,
    sleep_tables,
    turns,
    wordings,
)
from agentmemory.store.db import NewerStore


def migrate(db: apsw.Connection) -> None:
    """Bring the file to the newest schema; a migration and its version number commit together.

    Raises:
        NewerStore: the file's version is beyond what this program knows.
    """
    if is_current(db):
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        for number in range(_version(db), len(MIGRATIONS)):
            MIGRATIONS[number](db)
            db.execute(f"PRAGMA user_version = {number + 1}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:  # on a full disk SQLite has rolled back by itself
            db.execute("ROLLBACK")
        raise


def is_current(db: apsw.Connection) -> bool:
    """Whether the file has the newest schema.

    Raises:
        NewerStore: the file's version is beyond what this program knows.
    """
    version = _version(db)
    if version > len(MIGRATIONS):
        raise NewerStore(f"the store has schema {version}, this program knows {len(MIGRATIONS)}: upgrade agentmemory")
    return version == len(MIGRATIONS)


def _version(db: apsw.Connection) -> int:
    (found,) = db.execute("PRAGMA user_version").fetchone() or (0,)
    return int(found)


SIX_CONCEPTS = """
CREATE TABLE scope (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('user', 'project', 'agent')),
    key TEXT NOT NULL,                      -- project: path of the git common directory; agent: its name
    fingerprint TEXT NOT NULL DEFAULT '',   -- project: survives a rename of the folder
    parent INTEGER REFERENCES scope(id),
    name TEXT NOT NULL DEFAULT '',
    created REAL NOT NULL,
    UNIQUE (kind, key, parent)
);
CREATE INDEX scope_fingerprint ON scope(fingerprint) WHERE fingerprint <> '';
INSERT INTO scope (id, kind, key, name, created) VALUES (1, 'user', '', 'user', 0);

CREATE TABLE session (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,               -- the client's session id
    scope INTEGER NOT NULL REFERENCES scope(id),
    client TEXT NOT NULL DEFAULT '',
    started REAL NOT NULL,
    ended REAL
);
CREATE INDEX session_scope ON session(scope, started);

CREATE TABLE turn (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session(id),
    position INTEGER NOT NULL,              -- place in the transcript, stable when it is read again
    idx INTEGER NOT NULL,                   -- 0, 1, 2 ... among the turns kept
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
    speaker TEXT NOT NULL DEFAULT '',
    provenance TEXT NOT NULL CHECK (provenance IN ('user', 'agent', 'tool', 'import')),
    text TEXT NOT NULL,
    terms TEXT NOT NULL,                    -- its stems, what FTS indexes
    at REAL NOT NULL,
    importance REAL,                        -- worth of its content, written by sleep
    digest BLOB NOT NULL,
    UNIQUE (session, position)
);
CREATE INDEX turn_recent ON turn(session, idx);

CREATE TABLE belief (
    id INTEGER PRIMARY KEY,
    scope INTEGER NOT NULL REFERENCES scope(id),
    kind TEXT NOT NULL CHECK (kind IN
        ('rule', 'correction', 'preference', 'decision', 'fact', 'procedure', 'summary', 'trait')),
    level INTEGER NOT NULL DEFAULT 1 CHECK (level BETWEEN 1 AND 3),
    text TEXT NOT NULL,
    terms TEXT NOT NULL,                    -- stems of text
    cues TEXT NOT NULL DEFAULT '',          -- stems of keywords, context, tags, triggers, expansions
    keywords TEXT NOT NULL DEFAULT '',
    context TEXT NOT NULL DEFAULT '',
    tags TEXT NOT NULL DEFAULT '',
    triggers TEXT NOT NULL DEFAULT '',
    provenance TEXT NOT NULL CHECK (provenance IN ('user', 'agent', 'tool', 'import')),
    state TEXT NOT NULL DEFAULT 'active' CHECK (state IN
        ('active', 'superseded', 'retracted', 'proposed', 'archived')),
    locked INTEGER NOT NULL DEFAULT 0 CHECK (locked IN (0, 1)),
    alpha REAL NOT NULL,
    beta REAL NOT NULL,
    valid_from REAL NOT NULL,               -- when it became true
    valid_to REAL,                          -- when it ceased to be
    created REAL NOT NULL,                  -- when we learned it
    confirmed REAL NOT NULL,                -- last evidence; decay counts from here
    superseded_by INTEGER REFERENCES belief(id),
    digest BLOB NOT NULL,
    CHECK (superseded_by IS NULL OR superseded_by <> id)
);
CREATE INDEX belief_scope ON belief(scope, state, confirmed);
CREATE INDEX belief_locked ON belief(scope) WHERE locked = 1;
CREATE INDEX belief_successor ON belief(superseded_by) WHERE superseded_by IS NOT NULL;

CREATE TABLE evidence (                     -- append-only
    id INTEGER PRIMARY KEY,
    belief INTEGER NOT NULL REFERENCES belief(id) ON DELETE CASCADE,
    kind TEXT NOT NULL,                     -- said, restated, heeded, ignored, contradicted, corrected, edited ...
    weight REAL NOT NULL DEFAULT 0,         -- > 0 for, < 0 against
    turn INTEGER REFERENCES turn(id) ON DELETE SET NULL,
    start INTEGER NOT NULL DEFAULT 0,
    stop INTEGER NOT NULL DEFAULT 0,
    at REAL NOT NULL,
    detail TEXT NOT NULL DEFAULT ''
);
CREATE INDEX evidence_belief ON evidence(belief, at);
CREATE INDEX evidence_turn ON evidence(turn) WHERE turn IS NOT NULL;

CREATE TABLE entity (
    id INTEGER PRIMARY KEY,
    scope INTEGER NOT NULL REFERENCES scope(id),
    kind TEXT NOT NULL,                     -- file, symbol, command, host, url, person, service, package, version ...
    name TEXT NOT NULL,
    norm TEXT NOT NULL,                     -- what two spellings of one thing share
    alias_of INTEGER REFERENCES entity(id),
    created REAL NOT NULL,
    UNIQUE (scope, kind, norm)
);
CREATE INDEX entity_norm ON entity(norm);

CREATE TABLE mention (
    entity INTEGER NOT NULL REFERENCES entity(id) ON DELETE CASCADE,
    belief INTEGER REFERENCES belief(id) ON DELETE CASCADE,
    turn INTEGER REFERENCES turn(id) ON DELETE CASCADE,
    CHECK ((belief IS NULL) <> (turn IS NULL))
);
CREATE UNIQUE INDEX mention_belief ON mention(entity, belief) WHERE belief IS NOT NULL;
CREATE UNIQUE INDEX mention_turn ON mention(entity, turn) WHERE turn IS NOT NULL;
CREATE INDEX mention_of_belief ON mention(belief) WHERE belief IS NOT NULL;
CREATE INDEX mention_of_turn ON mention(turn) WHERE turn IS NOT NULL;

CREATE TABLE edge (                         -- belief to belief
    id INTEGER PRIMARY KEY,
    type TEXT NOT NULL CHECK (type IN
        ('supersedes', 'contradicts', 'supports', 'relates', 'summarizes', 'next', 'speculates')),
    src INTEGER NOT NULL REFERENCES belief(id) ON DELETE CASCADE,
    dst INTEGER NOT NULL REFERENCES belief(id) ON DELETE CASCADE,
    weight REAL NOT NULL DEFAULT 1,
    created REAL NOT NULL,
    expires REAL,
    detail TEXT NOT NULL DEFAULT '',
    UNIQUE (type, src, dst),
    CHECK (src <> dst)
);
CREATE INDEX edge_dst ON edge(dst, type);
CREATE INDEX edge_src ON edge(src, type);

CREATE TABLE summarizes (                   -- summary belief to the turns it stands for
    belief INTEGER NOT NULL REFERENCES belief(id) ON DELETE CASCADE,
    turn INTEGER NOT NULL REFERENCES turn(id) ON DELETE CASCADE,
    PRIMARY KEY (belief, turn)
) WITHOUT ROWID;
CREATE INDEX summarizes_turn ON summarizes(turn);

CREATE TABLE entity_edge (                  -- entity to entity: co-occurs, alias-of
    type TEXT NOT NULL CHECK (type IN ('co-occurs', 'alias-of')),
    src INTEGER NOT NULL REFERENCES entity(id) ON DELETE CASCADE,
    dst INTEGER NOT NULL REFERENCES entity(id) ON DELETE CASCADE,
    weight REAL NOT NULL DEFAULT 1,
    last REAL NOT NULL,
    PRIMARY KEY (type, src, dst)
) WITHOUT ROWID;
CREATE INDEX entity_edge_dst ON entity_edge(dst, type);

CREATE TABLE scope_edge (                   -- scope to scope: inherits (fork), reads (linked project)
    type TEXT NOT NULL CHECK (type IN ('inherits', 'reads')),
    src INTEGER NOT NULL REFERENCES scope(id),
    dst INTEGER NOT NULL REFERENCES scope(id),
    weight REAL NOT NULL DEFAULT 1,         -- trust
    created REAL NOT NULL,
    PRIMARY KEY (type, src, dst)
) WITHOUT ROWID;

CREATE TABLE job (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,                     -- digest, link, score, consolidate, annotate, prefill
    ref INTEGER,
    payload TEXT NOT NULL DEFAULT '',
    state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'done', 'failed')),
    attempts INTEGER NOT NULL DEFAULT 0,
    due REAL NOT NULL,
    created REAL NOT NULL
);
CREATE INDEX job_due ON job(kind, due) WHERE state = 'pending';
CREATE INDEX job_same ON job(kind, ref) WHERE state = 'pending';

CREATE TABLE guard (
    id INTEGER PRIMARY KEY,
    belief INTEGER NOT NULL REFERENCES belief(id) ON DELETE CASCADE,
    scope INTEGER NOT NULL REFERENCES scope(id),
    mode TEXT NOT NULL CHECK (mode IN ('inform', 'ask', 'deny')),
    tool TEXT NOT NULL,                     -- Bash, Edit, or the start of an MCP tool's name
    spec TEXT NOT NULL,                     -- what is matched, JSON
    says TEXT NOT NULL,                     -- what the agent is told instead
    enabled INTEGER NOT NULL DEFAULT 0,
    created REAL NOT NULL
);
CREATE INDEX guard_scope ON guard(scope) WHERE enabled = 1;

CREATE TABLE injection (
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    belief INTEGER NOT NULL REFERENCES belief(id) ON DELETE CASCADE,
    at REAL NOT NULL,
    prompt TEXT NOT NULL DEFAULT '',
    tokens INTEGER NOT NULL,
    outcome TEXT
);
CREATE INDEX injection_belief ON injection(belief, at);
CREATE INDEX injection_session ON injection(session);

CREATE TABLE change (                       -- the audit trail; undo writes the before-image back
    id INTEGER PRIMARY KEY,
    batch INTEGER NOT NULL,
    at REAL NOT NULL,
    actor TEXT NOT NULL,
    what TEXT NOT NULL,
    belief INTEGER,
    before TEXT,                            -- JSON of the columns that changed
    after TEXT,
    undone INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX change_belief ON change(belief);
CREATE INDEX change_batch ON change(batch);

CREATE TABLE term (                         -- in how many beliefs and turns a stem occurs
    stem TEXT PRIMARY KEY,
    beliefs INTEGER NOT NULL DEFAULT 0,
    turns INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

CREATE TABLE bridge (                       -- a prompt's stem -> a stem that beliefs use for the same thing
    stem TEXT NOT NULL,
    other TEXT NOT NULL,
    weight REAL NOT NULL,
    PRIMARY KEY (stem, other)
) WITHOUT ROWID;

CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

CREATE VIRTUAL TABLE belief_fts USING fts5(
    terms, cues, content='belief', content_rowid='id', tokenize='unicode61 remove_diacritics 0');
CREATE TRIGGER belief_fts_insert AFTER INSERT ON belief BEGIN
    INSERT INTO belief_fts(rowid, terms, cues) VALUES (new.id, new.terms, new.cues);
END;
CREATE TRIGGER belief_fts_delete AFTER DELETE ON belief BEGIN
    INSERT INTO belief_fts(belief_fts, rowid, terms, cues) VALUES ('delete', old.id, old.terms, old.cues);
END;
CREATE TRIGGER belief_fts_update AFTER UPDATE OF terms, cues ON belief BEGIN
    INSERT INTO belief_fts(belief_fts, rowid, terms, cues) VALUES ('delete', old.id, old.terms, old.cues);
    INSERT INTO belief_fts(rowid, terms, cues) VALUES (new.id, new.terms, new.cues);
END;

CREATE VIRTUAL TABLE turn_fts USING fts5(
    terms, content='turn', content_rowid='id', tokenize='unicode61 remove_diacritics 0');
CREATE TRIGGER turn_fts_insert AFTER INSERT ON turn BEGIN
    INSERT INTO turn_fts(rowid, terms) VALUES (new.id, new.terms);
END;
CREATE TRIGGER turn_fts_delete AFTER DELETE ON turn BEGIN
    INSERT INTO turn_fts(turn_fts, rowid, terms) VALUES ('delete', old.id, old.terms);
END;
CREATE TRIGGER turn_fts_update AFTER UPDATE OF terms ON turn BEGIN
    INSERT INTO turn_fts(turn_fts, rowid, terms) VALUES ('delete', old.id, old.terms);
    INSERT INTO turn_fts(rowid, terms) VALUES (new.id, new.terms);
END;
"""

SHARING = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'shares'"


def six_concepts(db: apsw.Connection) -> None:
    """Sessions and turns, beliefs, evidence, entities, edges, jobs, and what recall reads beside them."""
    db.execute(SIX_CONCEPTS)
    db.execute(rules.WHO_MAY_SAY_WHAT)


def who_may_alter(db: apsw.Connection) -> None:
    """The rule about rules; a checkout between releases had it in the place of sharing, which is made up for here."""
    rules.who_may_alter(db)
    if db.execute(SHARING).fetchone() is None:
        sleep_tables.sharing_is_asked_for(db)


MIGRATIONS = (
    six_concepts,
    cooccurrence.co_occurrence,
    lexicon.words_and_concepts,
    sleep_tables.sleep_tables,
    rules.who_may_take_back,
    retrievals.retrieval_counts,
    anchors.anchors,
    wordings.gists,
    sleep_tables.summaries_by_scope,
    places.places,
    heard.heard,
    wordings.briefs,
    lineage.one_tie,
    turns.by_digest,
    cooccurrence.said_together,
    beliefs.few_segments,
    rules.waiting_rules_give_way,
    sleep_tables.sharing_is_asked_for,
    who_may_alter,
    outcomes.called_for,
    beliefs.few_segments,  # four became one before
    rules.consent_makes_it_theirs,
    anew.to_be_judged,
)
