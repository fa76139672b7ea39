"""Reading the neighbourhood of some beliefs: by words, entities, edges, chains, sessions. Every query is bounded."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from agentmemory.records import Row, marks

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

MOST_POSTINGS = 12_000  # rows read of the index for one topic: 6 ms
LATELY = 1_000  # beliefs confirmed last among which rules are looked for
AT_ONCE = 500  # ids of one statement
PER_STEM = 2_000  # newest rows read of one stem

SIZE = "SELECT coalesce(max(id), 0) FROM belief"
FREQUENT = """
    SELECT stem, beliefs FROM term WHERE stem IN (SELECT value FROM json_each(?)) AND beliefs > 0 ORDER BY beliefs, stem
"""
POSTINGS = "SELECT rowid FROM belief_fts WHERE belief_fts MATCH ? ORDER BY rowid DESC LIMIT ?"
ROWS = f"SELECT {Row.COLUMNS} FROM belief WHERE id IN ({{}})"
IN_SCOPES = "SELECT id FROM belief WHERE id IN ({}) AND scope IN ({}) AND state IN ({})"
EDGES = """
    SELECT type, src, dst, weight, created, detail FROM edge
    WHERE (src IN ({0}) OR dst IN ({0})) AND (expires IS NULL OR expires > ?)
    ORDER BY weight DESC, id DESC LIMIT ?
"""
MENTIONED = """
    SELECT m.belief, e.id, coalesce(e.alias_of, e.id), e.name, e.kind FROM mention m JOIN entity e ON e.id = m.entity
    WHERE m.belief IN ({})
"""
MENTIONING = "SELECT belief FROM mention WHERE entity = ? ORDER BY belief DESC LIMIT ?"
OLDER = "SELECT id, superseded_by FROM belief WHERE superseded_by IN ({})"
SAID_NEAR = """
    SELECT DISTINCT e.belief, f.belief, abs(t.idx - u.idx)
    FROM evidence e JOIN turn t ON t.id = e.turn
    JOIN turn u ON u.session = t.session AND u.idx BETWEEN t.idx - ? AND t.idx + ?
    JOIN evidence f ON f.turn = u.id
    WHERE e.belief IN ({}) AND f.belief <> e.belief LIMIT ?
"""
ASKED = """
    SELECT t.id, t.text, t.at FROM turn_fts f JOIN turn t ON t.id = f.rowid
    JOIN session s ON s.id = t.session
    WHERE turn_fts MATCH ? AND t.role = 'user' AND t.provenance = 'user' AND s.scope IN ({}) AND instr(t.text, '?') > 0
    AND NOT EXISTS (SELECT 1 FROM evidence e WHERE e.turn = t.id)
    ORDER BY t.id DESC LIMIT ?
"""
BINDING = """
    SELECT id, confirmed FROM (SELECT id, kind, confirmed FROM belief WHERE scope = ? AND state = 'active'
        ORDER BY confirmed DESC LIMIT ?)
    WHERE kind IN ('rule', 'preference') ORDER BY confirmed DESC LIMIT ?
"""
#: a summary goes on quoting what was replaced since; what it quotes and still stands is told as itself
RECENT = """
    SELECT id FROM belief WHERE scope = ? AND state = 'active' AND +kind <> 'summary' ORDER BY confirmed DESC LIMIT ?
"""
LOCKED = """
    SELECT id FROM belief INDEXED BY belief_locked WHERE locked = 1 AND scope IN ({}) AND state = 'active'
    ORDER BY confirmed DESC LIMIT ?
"""
SOURCES = "SELECT belief, turn FROM evidence WHERE belief IN ({}) AND turn IS NOT NULL ORDER BY id"
EXPIRE = "DELETE FROM edge WHERE type = 'speculates' AND expires IS NOT NULL AND expires <= ? RETURNING id"


def size(db: Database) -> int:
    """How many beliefs there are, from the highest id: counting a million rows takes 20 ms."""
    return int(db.execute(SIZE).fetchone()[0])


def frequencies(db: Database, stems: Iterable[str], most: int = 200) -> dict[str, int]:
    """In how many beliefs each stem occurs, rarest first; stems of no belief are left out."""
    asked = list(dict.fromkeys(stems))[:most]
    return {stem: int(n) for stem, n in db.execute(FREQUENT, (json.dumps(asked),)).fetchall()}


def postings(db: Database, stem: str, limit: int) -> list[int]:
    """The newest beliefs that hold a stem in their words or cues."""
    return [int(row[0]) for row in db.execute(POSTINGS, (f'"{stem}"', limit)).fetchall()]


def within(db: Database, ids: Iterable[int], scopes: Sequence[int], states: Sequence[str]) -> set[int]:
    """Those of *ids* that belong to the scopes and are in one of the states."""
    out: set[int] = set()
    for part in _parts(ids):
        sql = IN_SCOPES.format(marks(part), marks(scopes), marks(states))
        out.update(int(row[0]) for row in db.execute(sql, (*part, *scopes, *states)).fetchall())
    return out


def rows(db: Database, ids: Iterable[int]) -> dict[int, Row]:
    """The beliefs of these ids."""
    out: dict[int, Row] = {}
    for part in _parts(ids):
        for row in db.execute(ROWS.format(marks(part)), tuple(part)).fetchall():
            out[int(row[0])] = Row(*row)
    return out


def edges(db: Database, ids: Sequence[int], now: float, limit: int) -> list[tuple[str, int, int, float, float, str]]:
    """`(type, src, dst, weight, created, detail)` of the edges at these beliefs, heaviest first, none expired."""
    out: dict[tuple[str, int, int], tuple[str, int, int, float, float, str]] = {}
    for part in _parts(ids):
        for row in db.execute(EDGES.format(marks(part)), (*part, *part, now, limit)).fetchall():
            out[(row[0], int(row[1]), int(row[2]))] = tuple(row)
    return list(out.values())


def mentioned(db: Database, ids: Iterable[int]) -> list[tuple[int, int, int, str, str]]:
    """`(belief, entity, head of its aliases, name, kind)` of what these beliefs mention."""
    out: list[tuple[int, int, int, str, str]] = []
    for part in _parts(ids):
        out += [tuple(row) for row in db.execute(MENTIONED.format(marks(part)), tuple(part)).fetchall()]
    return out


def mentioning(db: Database, entity: int, limit: int) -> list[int]:
    """The newest beliefs that mention an entity."""
    return [int(row[0]) for row in db.execute(MENTIONING, (entity, limit)).fetchall()]


def older(db: Database, ids: Iterable[int]) -> list[tuple[int, int]]:
    """`(older, its successor)` for what these beliefs replaced."""
    out: list[tuple[int, int]] = []
    for part in _parts(ids):
        out += [(int(a), int(b)) for a, b in db.execute(OLDER.format(marks(part)), tuple(part)).fetchall()]
    return out


def said_near(db: Database, ids: Sequence[int], turns: int, limit: int) -> list[tuple[int, int, int]]:
    """`(one of ids, another belief, turns between)` for what was said in the same session close by."""
    out: list[tuple[int, int, int]] = []
    for part in _parts(ids):
        rows = db.execute(SAID_NEAR.format(marks(part)), (turns, turns, *part, limit)).fetchall()
        out += [(int(a), int(b), int(n)) for a, b, n in rows]
    return out


def asked(db: Database, stems: Sequence[str], scopes: Sequence[int], limit: int) -> list[tuple[int, str, float]]:
    """Questions of the user that hold all these stems and that no belief came of: `(turn, text, at)`."""
    if not stems:
        return []
    match = " AND ".join(f'"{stem}"' for stem in stems)
    rows = db.execute(ASKED.format(marks(scopes)), (match, *scopes, limit)).fetchall()
    return [(int(id), text, float(at)) for id, text, at in rows]


def sources(db: Database, ids: Iterable[int]) -> dict[int, set[int]]:
    """The turns that each belief's evidence came from."""
    out: dict[int, set[int]] = {}
    for part in _parts(ids):
        for belief, turn in db.execute(SOURCES.format(marks(part)), tuple(part)).fetchall():
            out.setdefault(int(belief), set()).add(int(turn))
    return out


def binding(db: Database, scopes: Sequence[int], limit: int) -> list[int]:
    """Rules and preferences that stand: the locked ones, then those among the beliefs confirmed last."""
    locked = db.execute(LOCKED.format(marks(scopes)), (*scopes, limit)).fetchall()
    lately = [row for scope in scopes for row in db.execute(BINDING, (scope, LATELY, limit)).fetchall()]
    lately.sort(key=lambda row: -row[1])
    return list(dict.fromkeys(int(row[0]) for row in (*locked, *lately)))[:limit]


def recent(db: Database, scopes: Sequence[int], limit: int) -> list[int]:
    """The active beliefs of each scope that were confirmed last, summaries apart."""
    return [int(row[0]) for scope in scopes for row in db.execute(RECENT, (scope, limit)).fetchall()]


def expire(db: Database, now: float) -> int:
    """Remove the guesses whose time is over; returns how many."""
    return len(db.execute(EXPIRE, (now,)).fetchall())


def _parts(ids: Iterable[int]) -> Iterable[list[int]]:
    all_ids = list(dict.fromkeys(ids))
    for i in range(0, len(all_ids), AT_ONCE):
        yield all_ids[i : i + AT_ONCE]
