"""Forgetting for good: the text leaves the tables, the index, the trail, the log and the free pages."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

from agentmemory.store.beliefs import COUNT_BELIEFS
from agentmemory.store.turns import COUNT_TURNS, digest, many

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

SAID_IN = """
    SELECT DISTINCT turn FROM evidence WHERE belief = ? AND turn IS NOT NULL
    AND kind IN ('said', 'restated', 'corrected', 'retracted')
"""
TURNS_WITH = "SELECT id FROM turn WHERE instr(lower(text), lower(?)) > 0"
BELIEFS_WITH = "SELECT id FROM belief WHERE instr(lower(text || ' ' || keywords || ' ' || context), lower(?)) > 0"
DERIVED = """
    WITH RECURSIVE above(id) AS (
        SELECT belief FROM summarizes WHERE turn = :turn
        UNION SELECT belief FROM evidence JOIN belief b ON b.id = belief WHERE turn = :turn AND b.kind = 'trait'
        UNION SELECT e.src FROM edge e JOIN above ON e.dst = above.id WHERE e.type IN ('summarizes', 'supersedes')
            AND (SELECT kind FROM belief WHERE id = e.src) = 'summary')
    SELECT id FROM above
"""
BELIEF_TERMS = "SELECT terms, cues FROM belief WHERE id = ?"
TURN_ROW = "SELECT session, position, idx, role, provenance, at, terms FROM turn WHERE id = ?"
REOPEN = """
    UPDATE belief SET superseded_by = (SELECT superseded_by FROM belief WHERE id = :gone) WHERE superseded_by = :gone
"""
DROP_BELIEF = ("DELETE FROM change WHERE belief = ?", "DELETE FROM belief WHERE id = ?")
DROP_TURN = "DELETE FROM turn WHERE id = ?"
TOMBSTONE = """
    INSERT INTO turn (id, session, position, idx, role, provenance, text, terms, at, digest)
    VALUES (?, ?, ?, ?, ?, ?, '', '', ?, ?)
"""
SWEEP = (
    "DELETE FROM term WHERE beliefs <= 0 AND turns <= 0",
    "DELETE FROM bridge WHERE stem NOT IN (SELECT stem FROM term) OR other NOT IN (SELECT stem FROM term)",
    """DELETE FROM entity WHERE id NOT IN (SELECT entity FROM mention)
        AND id NOT IN (SELECT alias_of FROM entity WHERE alias_of IS NOT NULL)""",
    "DELETE FROM job WHERE state = 'done'",
    "DELETE FROM meta WHERE key = 'sleep_report'",  # it tells of the night in the words of that day
    "INSERT INTO belief_fts(belief_fts) VALUES ('optimize')",
    "INSERT INTO turn_fts(turn_fts) VALUES ('optimize')",
)


def matching(db: Database, text: str) -> tuple[list[int], list[int]]:
    """Beliefs and turns that hold *text*: `(beliefs, turns)`."""
    beliefs = [int(row[0]) for row in db.execute(BELIEFS_WITH, (text,)).fetchall()]
    turns = [int(row[0]) for row in db.execute(TURNS_WITH, (text,)).fetchall()]
    return beliefs, turns


def one(db: Database, belief: int) -> tuple[list[int], list[int]]:
    """A belief with the turns that said it, `([], [])` when there is none: `(beliefs, turns)`."""
    known = db.execute(BELIEF_TERMS, (belief,)).fetchone()
    return ([belief], said_in(db, belief)) if known else ([], [])


def said_in(db: Database, belief: int) -> list[int]:
    """The turns in which a belief was said; forgetting it forgets them."""
    return [int(row[0]) for row in db.execute(SAID_IN, (belief,)).fetchall()]


def derived(db: Database, turns: list[int]) -> list[int]:
    """Summaries that hold words of these turns, the summaries of those, and traits that were read from them."""
    found: set[int] = set()
    for turn in turns:
        found.update(int(row[0]) for row in db.execute(DERIVED, {"turn": turn}).fetchall())
    return sorted(found)


def erase(db: Database, beliefs: list[int], turns: list[int]) -> None:
    """Remove these rows and every trace of their words; the caller owns the transaction.

    A turn leaves an empty row in its place, so that reading the transcript again does not bring it back.
    """
    gone_beliefs: Counter[str] = Counter()
    gone_turns: Counter[str] = Counter()
    for id in sorted({*beliefs, *derived(db, turns)}):
        found = db.execute(BELIEF_TERMS, (id,)).fetchone()
        if found is None:
            continue
        gone_beliefs.update(set(f"{found[0]} {found[1]}".split()))
        db.execute(REOPEN, {"gone": id})
        for sql in DROP_BELIEF:
            db.execute(sql, (id,))
    for id in turns:
        found = db.execute(TURN_ROW, (id,)).fetchone()
        if found is None:
            continue
        session, position, idx, role, provenance, at, terms = found
        gone_turns.update(set(str(terms).split()))
        db.execute(DROP_TURN, (id,))
        db.execute(TOMBSTONE, (id, session, position, idx, role, provenance, at, digest(str(role), "", repr(at))))
    many(db, COUNT_BELIEFS, [(stem, -n) for stem, n in gone_beliefs.items()])
    many(db, COUNT_TURNS, [(stem, -n) for stem, n in gone_turns.items()])
    for sql in SWEEP:
        db.execute(sql)


def scrub(db: Database) -> None:
    """After the commit: empty the write-ahead log, so that no old page image stays on disk."""
    db.execute("VACUUM")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def drop_seen(home: str) -> None:
    """What sessions were given is only a saving; after forgetting it starts anew."""
    folder = os.path.join(home, "seen")
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        os.unlink(os.path.join(folder, name))
