"""Forgetting for good: the text leaves the tables, the index, the trail, the log and the free pages."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import apsw

from agentmemory.store import changes, habits, meta, successors, writer
from agentmemory.store.beliefs import COUNT_BELIEFS, CUES_OF, LAST, SET_CUES, recount
from agentmemory.store.beliefs import texts as texts_of
from agentmemory.store.turns import COUNT_TURNS, digest, many
from agentmemory.store.words import without
from agentmemory.text import stems

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

UNSCRUBBED = "unscrubbed"  # whether old bytes wait to leave the store's files
#: a turn that corrected it or took it back says something else, and goes only where it holds the words as well
SAID_IN = """
    SELECT DISTINCT t.id FROM evidence e JOIN turn t ON t.id = e.turn JOIN belief b ON b.id = e.belief
    WHERE e.belief = ? AND (e.kind IN ('said', 'restated') OR holds(t.text, b.text)) ORDER BY t.id
"""
TURNS_WITH = """
    SELECT t.id, substr(t.text, 1, 1000) FROM turn t JOIN session s ON s.id = t.session
    WHERE holds(t.text, :words) AND {} ORDER BY t.id
"""
BELIEFS_WITH = "SELECT id, text FROM belief WHERE holds(text, :words) AND {} ORDER BY id"
CUED_WITH = """
    SELECT id, text FROM belief WHERE NOT holds(text, :words) AND {} AND (
        holds(keywords || ' , ' || context || ' , ' || tags || ' , ' || triggers, :words)
        OR EXISTS (SELECT 1 FROM evidence e WHERE e.belief = belief.id AND holds(e.detail, :words))) ORDER BY id
"""
DERIVED = """
    WITH RECURSIVE above(id) AS (
        SELECT belief FROM summarizes WHERE turn = :turn
        UNION SELECT belief FROM evidence JOIN belief b ON b.id = belief WHERE turn = :turn AND b.kind = 'trait'
        UNION SELECT e.src FROM edge e JOIN above ON e.dst = above.id WHERE e.type IN ('summarizes', 'supersedes')
            AND (SELECT kind FROM belief WHERE id = e.src) = 'summary')
    SELECT id FROM above
"""
OF_THE_USER = """
    SELECT EXISTS (SELECT 1 FROM belief b JOIN json_each(:beliefs) j ON j.value = b.id
            WHERE b.provenance = 'user' OR b.locked = 1)
        OR EXISTS (SELECT 1 FROM turn t JOIN json_each(:turns) j ON j.value = t.id WHERE t.provenance = 'user')
"""
UNEVOLVE = "DELETE FROM change WHERE belief = :id AND what = 'evolved'"
CLEAN = (
    UNEVOLVE,
    "UPDATE evidence SET detail = '' WHERE belief = :id AND holds(detail, :words)",
)
BELIEF_TERMS = "SELECT terms, cues, text, scope, tags FROM belief WHERE id = ?"
IN_NO_TURN = "SELECT 1 FROM term WHERE stem = ? AND turns <= 0 AND beliefs > 0"
WITH_STEM = "SELECT id, terms FROM belief WHERE id IN (SELECT rowid FROM belief_fts WHERE belief_fts MATCH ?)"
TOLD_BESIDE = "SELECT id FROM belief WHERE context IN (SELECT value FROM json_each(?))"
TURN_ROW = "SELECT session, position, idx, role, provenance, at, terms FROM turn WHERE id = ?"
#: what it had replaced is replaced by its own successor, but no rule or lock by what the user did not say
REOPEN = """
    UPDATE belief SET superseded_by = (
        SELECT n.id FROM belief g JOIN belief n ON n.id = g.superseded_by
        WHERE g.id = :gone AND (n.provenance = 'user' OR NOT (belief.kind = 'rule' OR belief.locked = 1)))
    WHERE superseded_by = :gone
"""
DROP_BELIEF = (
    "DELETE FROM change WHERE belief = ?",
    "DELETE FROM job WHERE ref = ? AND kind IN ('annotate', 'consolidate')",
    "DELETE FROM belief WHERE id = ?",
)
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
    "DELETE FROM meta WHERE key = 'sleep_report'",  # an earlier release told there of the night in words
    "INSERT INTO belief_fts(belief_fts) VALUES ('optimize')",
    "INSERT INTO turn_fts(turn_fts) VALUES ('optimize')",
)


@dataclass(frozen=True, slots=True)
class Holding:
    """What is to be forgotten, id -> text: beliefs, also those that were made from the turns; beliefs of which only the
    cues hold the words; turns."""

    beliefs: dict[int, str]
    cued: dict[int, str]
    turns: dict[int, str]

    def __bool__(self) -> bool:
        return bool(self.beliefs or self.cued or self.turns)


def matching(db: Database, words: str, scopes: Sequence[int] | None = None) -> Holding:
    """What holds these whole words, whatever their case, in these scopes (None: in all)."""
    where = "1" if scopes is None else f"scope IN ({', '.join(map(str, map(int, scopes)))})"
    beliefs, cued, said = (
        {int(id): str(text) for id, text in db.execute(sql.format(where), {"words": words}).fetchall()}
        for sql in (BELIEFS_WITH, CUED_WITH, TURNS_WITH)
    )
    beliefs |= texts_of(db, derived(db, list(said)))
    return Holding(beliefs, {id: text for id, text in cued.items() if id not in beliefs}, said)


def one(db: Database, belief: int) -> Holding:
    """A belief with the turns that said it; nothing when there is none."""
    said = said_in(db, belief)
    return Holding(texts_of(db, [belief, *derived(db, said)]), {}, dict.fromkeys(said, ""))


def is_the_users(db: Database, held: Holding) -> bool:
    """Whether any of it is the user's word: a belief of theirs, a lock, a turn in which they spoke."""
    ids = {"beliefs": json.dumps([*held.beliefs, *held.cued]), "turns": json.dumps(list(held.turns))}
    return bool(db.execute(OF_THE_USER, ids).fetchone()[0])


def said_in(db: Database, belief: int) -> list[int]:
    """The turns in which a belief was said; forgetting it forgets them."""
    return [int(row[0]) for row in db.execute(SAID_IN, (belief,)).fetchall()]


def derived(db: Database, turns: list[int]) -> list[int]:
    """Summaries that hold words of these turns, the summaries of those, and traits that were read from them."""
    found: set[int] = set()
    for turn in turns:
        found.update(int(row[0]) for row in db.execute(DERIVED, {"turn": turn}).fetchall())
    return sorted(found)


def remove(db: Database, held: Holding, words: str, scope: int, at: float) -> list[int]:
    """Erase what was found, clean what only its cues hold, and leave a line without a word; the caller commits.

    Returns what only the erased had replaced: it holds again.
    """
    for belief in held.cued:
        clean(db, belief, words)
    again = successors.let_go(db, held.beliefs, at)
    erase(db, list(held.beliefs), list(held.turns))
    counted = {"scope": scope, "beliefs": len(held.beliefs), "turns": len(held.turns)}
    changes.log(db, changes.FORGOTTEN, None, None, counted, at)
    return again


def clean(db: Database, belief: int, words: str) -> None:
    """Take *words* out of a belief's cues and of the notes on its evidence; its text does not hold them and stays. One
    that another process has forgotten meanwhile has none."""
    found = db.execute(CUES_OF, (belief,)).fetchone()
    if found is None:
        return
    *fields, cues = found
    left = [without(field, words) for field in fields]
    gone = set(stems(words)) - set(stems(" , ".join(left)))
    kept = " ".join(stem for stem in cues.split() if stem not in gone)
    db.execute(SET_CUES, (*left, kept, belief))
    recount(db, belief, cues, kept)
    for sql in CLEAN:
        db.execute(sql, {"id": belief, "words": words})


def erase(db: Database, beliefs: list[int], turns: list[int]) -> None:
    """Remove these rows and every trace of their words; the caller owns the transaction.

    A turn leaves an empty row in its place, so that reading the transcript again does not bring it back.
    """
    gone_beliefs: Counter[str] = Counter()
    gone_turns: Counter[str] = Counter()
    texts: set[str] = set()
    for id in sorted({*beliefs, *derived(db, turns)}):
        found = db.execute(BELIEF_TERMS, (id,)).fetchone()
        if found is None:
            continue
        gone_beliefs.update(set(f"{found[0]} {found[1]}".split()))
        if str(found[4]).startswith(habits.TAG):
            habits.forget(db, int(found[3]), str(found[4]))
        texts.add(str(found[2]))
        db.execute(REOPEN, {"gone": id})
        for sql in DROP_BELIEF:
            db.execute(sql, (id,))
        meta.put(db, LAST, max(id, meta.get(db, LAST, 0)))
    for id in turns:
        found = db.execute(TURN_ROW, (id,)).fetchone()
        if found is None:
            continue
        session, position, idx, role, provenance, at, terms = found
        gone_turns.update(set(str(terms).split()))
        habits.unanswer(db, id)
        db.execute(DROP_TURN, (id,))
        db.execute(TOMBSTONE, (id, session, position, idx, role, provenance, at, digest(str(role), "", repr(at))))
    many(db, COUNT_BELIEFS, [(stem, -n) for stem, n in gone_beliefs.items()])
    many(db, COUNT_TURNS, [(stem, -n) for stem, n in gone_turns.items()])
    _unsay(db, gone_beliefs.keys() | gone_turns.keys(), texts)
    for sql in SWEEP:
        db.execute(sql)
    meta.put(db, UNSCRUBBED, 1)


def _unsay(db: Database, words: set[str], texts: set[str]) -> None:
    """Beliefs that stay are not found by *words* (stems) that nothing says any more, and do not tell *texts* beside."""
    told_by = db.execute(TOLD_BESIDE, (json.dumps(sorted(texts)),)).fetchall()
    lost: dict[int, set[str]] = {int(row[0]): set() for row in told_by}
    for word in sorted(words):
        held = db.execute(WITH_STEM, (f'"{word}"',)).fetchall() if db.execute(IN_NO_TURN, (word,)).fetchone() else []
        if not any(word in str(terms).split() for _, terms in held):
            for id, _ in held:
                lost.setdefault(int(id), set()).add(word)
    for id, gone in lost.items():
        keywords, context, tags, triggers, cues = db.execute(CUES_OF, (id,)).fetchone()
        told = "" if context in texts or not gone.isdisjoint(stems(context)) else context
        kept = " ".join(stem for stem in cues.split() if stem not in gone)
        db.execute(SET_CUES, (_spared(keywords, gone), told, _spared(tags, gone), _spared(triggers, gone), kept, id))
        recount(db, id, cues, kept)
        db.execute(UNEVOLVE, {"id": id})


def _spared(field: str, gone: set[str]) -> str:
    """A field of cues without the words of these stems."""
    parts = (" ".join(w for w in part.split() if gone.isdisjoint(stems(w))) for part in field.split(","))
    return ", ".join(part for part in parts if part)


def scrub(db: apsw.Connection) -> bool:
    """After the commit, or later where that could not be: make the file anew and empty the write-ahead log, so that no
    old page image stays on disk.

    Returns:
        whether it could be: not while another process reads, or does not stop writing, nor on a full disk.
    """
    if not meta.get(db, UNSCRUBBED):
        return True
    try:
        with writer.queue(os.path.dirname(db.filename)):
            db.execute("VACUUM")
        (busy, *_) = db.execute(writer.EMPTY_LOG).fetchone() or (1,)
        if not busy:
            with writer.transaction(db):
                meta.put(db, UNSCRUBBED, 0)
        return not busy
    except (writer.StoreBusy, apsw.FullError, apsw.IOError):
        return False
