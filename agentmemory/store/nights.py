"""What sleep reads and writes about turns: the next ones, their importance, how far it has come."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agentmemory.records import marks
from agentmemory.store import meta
from agentmemory.store.turns import many

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

#: ids of beliefs are given once, so that marks behind the last belief stay behind those to come (store/beliefs.py)
KEEP_IDS = """
    INSERT INTO meta (key, value) SELECT 'last_belief', max(value) FROM meta
    WHERE key IN ('last_belief', 'sleep:gists', 'sleep:restatements') AND typeof(value) = 'integer'
    GROUP BY 1 ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""
NO_FURTHER = """
    UPDATE meta SET value = (SELECT coalesce(max(id), 0) FROM turn)
    WHERE key GLOB 'sleep:*' AND key NOT IN ('sleep:gists', 'sleep:restatements', 'sleep:read')
    AND typeof(value) = 'integer' AND value > (SELECT coalesce(max(id), 0) FROM turn)
"""
LOOK_AGAIN = "DELETE FROM meta WHERE key = 'sleep:heat'"
MARKS = "sleep:"  # prefix of the keys in `meta` under which sleep remembers how far it has come

COLUMNS = "t.id, t.session, s.scope, t.idx, t.role, t.provenance, t.text, t.terms, t.at, t.importance"
NEXT = f"""
    SELECT {COLUMNS} FROM turn t JOIN session s ON s.id = t.session
    WHERE t.id > ? AND t.text <> '' ORDER BY t.id LIMIT ?
"""
BY_ID = f"""
    SELECT {COLUMNS} FROM turn t JOIN session s ON s.id = t.session
    WHERE t.id IN (SELECT value FROM json_each(?)) ORDER BY t.id
"""
BEFORE = f"""
    SELECT {COLUMNS} FROM turn t JOIN session s ON s.id = t.session
    WHERE t.session = ? AND t.idx < ? AND t.text <> '' ORDER BY t.idx DESC LIMIT ?
"""
LOOSE = f"""
    SELECT {COLUMNS} FROM turn t CROSS JOIN session s ON s.id = t.session
    WHERE t.id <= :mark AND t.id > :mark - :back AND s.scope = :scope AND t.text <> ''
    AND NOT EXISTS (SELECT 1 FROM summarizes z WHERE z.turn = t.id) ORDER BY t.id DESC LIMIT :most
"""
TAUGHT = """
    SELECT e.turn, max(CASE b.kind WHEN 'rule' THEN 1.0 WHEN 'correction' THEN 1.0 ELSE 0.5 END)
    FROM evidence e JOIN belief b ON b.id = e.belief
    WHERE e.turn IN ({}) AND e.kind IN ('said', 'restated', 'corrected')
    AND b.kind NOT IN ('summary', 'procedure', 'trait') GROUP BY e.turn
"""
SPANS = """
    SELECT DISTINCT e.turn, e.start, e.stop FROM evidence e JOIN belief b ON b.id = e.belief
    WHERE e.turn IN ({}) AND e.kind IN ('said', 'restated') AND e.stop > e.start AND b.state = 'active'
    AND b.kind NOT IN ('summary', 'trait') ORDER BY e.turn, e.start
"""
WAS_READ = """
    SELECT EXISTS (SELECT 1 FROM turn t JOIN evidence e ON e.turn = t.id JOIN belief b ON b.id = e.belief
            WHERE t.session = :id AND e.kind = 'said' AND e.stop > e.start AND b.kind <> 'trait')
        OR EXISTS (SELECT 1 FROM session s WHERE s.id = :id AND s.client <> '')
        OR EXISTS (SELECT 1 FROM meta m, session s WHERE s.id = :id AND m.key GLOB 'digest:*' AND instr(m.key, s.key))
"""
SCORE = "UPDATE turn SET importance = ? WHERE id = ?"
FREQUENCIES = "SELECT stem, turns FROM term WHERE stem IN ({})"
BELIEVED = "SELECT stem FROM term WHERE beliefs > 0 AND stem IN ({})"
LAST = "SELECT coalesce(max(id), 0) FROM turn"
UNSLEPT = """
    SELECT coalesce(sum(length(t.text)), 0) FROM turn t WHERE t.session = ? AND t.id > ?
"""
SESSIONS_SINCE = "SELECT DISTINCT session FROM turn WHERE id > ?"
ENDED_SINCE = "SELECT count(*) FROM session s WHERE s.ended IS NOT NULL AND EXISTS ({})".format(
    "SELECT 1 FROM turn t WHERE t.session = s.id AND t.id > ?"
)
BATCH_OF_NAMES = 900  # SQLite's limit on values in one statement is higher everywhere


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn as sleep reads it; `terms` are its stems."""

    id: int
    session: int
    scope: int
    idx: int
    role: str
    provenance: str
    text: str
    terms: str
    at: float
    importance: float | None


def after(db: Database, mark: int, limit: int) -> list[Turn]:
    """The next turns behind *mark*, whatever their session."""
    return [Turn(*row) for row in db.execute(NEXT, (mark, limit)).fetchall()]


def by_id(db: Database, ids: Sequence[int]) -> list[Turn]:
    """These turns, oldest first."""
    return [Turn(*row) for row in db.execute(BY_ID, (json.dumps(ids),)).fetchall()]


def before(db: Database, session: int, idx: int, limit: int) -> list[Turn]:
    """The turns of a session just before one, oldest first."""
    return [Turn(*row) for row in reversed(db.execute(BEFORE, (session, idx, limit)).fetchall())]


def loose(db: Database, scope: int, mark: int, back: int, most: int) -> list[Turn]:
    """Turns up to *mark*, at most *back* ids before it, that no summary stands for; oldest first."""
    values = {"scope": scope, "mark": mark, "back": back, "most": most}
    return [Turn(*row) for row in reversed(db.execute(LOOSE, values).fetchall())]


def taught(db: Database, ids: Sequence[int]) -> dict[int, float]:
    """How much of a lesson each turn was: 1 for a rule or a correction, 0.5 for another belief said in it."""
    rows = db.execute(TAUGHT.format(marks(ids)), tuple(ids)).fetchall() if ids else []
    return {int(turn): float(weight) for turn, weight in rows}


def spans(db: Database, ids: Sequence[int]) -> dict[int, list[tuple[int, int]]]:
    """Which parts of these turns are what a live belief was learned from."""
    out: dict[int, list[tuple[int, int]]] = {}
    for turn, start, stop in db.execute(SPANS.format(marks(ids)), tuple(ids)).fetchall() if ids else ():
        out.setdefault(int(turn), []).append((int(start), int(stop)))
    return out


def was_read(db: Database, session: int) -> bool:
    """Whether the learner has read this session: what it did not keep was not meant to last."""
    return bool(db.execute(WAS_READ, {"id": session}).fetchone()[0])


def score(db: Database, importances: Sequence[tuple[float, int]]) -> None:
    """Write `(importance, turn)`."""
    many(db, SCORE, importances)


def frequencies(db: Database, stems: Sequence[str]) -> dict[str, int]:
    """In how many turns of the store each stem occurs."""
    out: dict[str, int] = {}
    for start in range(0, len(stems), BATCH_OF_NAMES):
        part = tuple(stems[start : start + BATCH_OF_NAMES])
        out.update((stem, int(n)) for stem, n in db.execute(FREQUENCIES.format(marks(part)), part).fetchall())
    return out


def believed(db: Database, stems: Sequence[str]) -> set[str]:
    """Those of *stems* that some belief holds."""
    return {str(row[0]) for row in db.execute(BELIEVED.format(marks(stems)), tuple(stems)).fetchall()}


def last(db: Database) -> int:
    """Id of the newest turn, which is also how many there are: counting rows would read the whole table."""
    return int(db.execute(LAST).fetchone()[0])


def mark(db: Database, name: str) -> Any:
    """How far one part of sleep has come; 0 at the beginning."""
    return meta.get(db, MARKS + name, 0)


def set_mark(db: Database, name: str, value: Any) -> None:
    """Remember it; in the transaction of the work itself."""
    meta.put(db, MARKS + name, value)


def after_a_loss(db: Database) -> None:
    """Rows may be gone from the end of the tables: no new one gets an id that sleep takes for done."""
    db.execute(KEEP_IDS)
    db.execute(NO_FURTHER)
    db.execute(LOOK_AGAIN)


def sessions_since(db: Database, mark: int) -> list[int]:
    """Sessions that have turns behind *mark*."""
    return [int(row[0]) for row in db.execute(SESSIONS_SINCE, (mark,)).fetchall()]


def unslept(db: Database, session: int, mark: int) -> int:
    """Characters of a session's turns behind *mark*."""
    return int(db.execute(UNSLEPT, (session, mark)).fetchone()[0])


def ended_since(db: Database, mark: int) -> int:
    """Sessions with turns behind *mark* whose client has said that they ended."""
    return int(db.execute(ENDED_SINCE, (mark,)).fetchone()[0])
