"""What a new statement is compared with: live beliefs with their words, who was said when, what replaced what."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentmemory.records import COMPARED, marks
from agentmemory.store import beliefs, changes

if TYPE_CHECKING:
    import apsw

    from agentmemory.store.rows import Database

#: detail of a `relates` edge: the source may speak again, on a later day, of what the target speaks of; its weight says
#: how likely that is
LATER, AT_ONCE = "later", "at once"  # what may change something: on a later day; within the hour
ASKED = 0.2  # likelihood from which who notes something is told of what it may change
MAY_CHANGE = f"""
    SELECT b.id, b.text FROM edge e JOIN belief b ON b.id = e.dst
    WHERE e.src = ? AND e.type = 'relates' AND e.detail IN ('{LATER}', '{AT_ONCE}') AND e.weight >= {ASKED}
        AND b.state = 'active'
    ORDER BY e.weight DESC LIMIT ?
"""
ONE_TIE = "UPDATE edge SET detail = 'later' WHERE type = 'relates' AND detail = 'perhaps'"
VERBATIM = f"""
    SELECT id FROM belief WHERE scope = ? AND lower(text) = lower(?) AND kind <> 'summary' AND state IN {COMPARED}
    ORDER BY id
"""
RARE = 32  # stems of a statement that are looked up, the rarest; more add cost, not matches
FEWEST = 4  # of them, however common they are
POSTINGS = 8_000  # rows that the looked-up stems may bring together: bounds the time in a large store
COUNTS = "SELECT stem, beliefs FROM term WHERE stem IN ({}) AND beliefs > 0"
COUNTED = 1_000  # beliefs that hold a stem up to which those of one scope are counted; of more their share is reckoned
ELSEWHERE = "SELECT EXISTS (SELECT 1 FROM belief WHERE scope < ?1) OR EXISTS (SELECT 1 FROM belief WHERE scope > ?1)"
SHARE = "SELECT (SELECT count(*) FROM belief WHERE scope = ?) * 1.0 / (SELECT count(*) FROM belief)"
COUNTS_HERE = """
    SELECT s.value, (
        SELECT count(*) FROM belief_fts f JOIN belief b ON b.id = f.rowid
        WHERE belief_fts MATCH '"' || s.value || '"' AND b.scope = ?
    ) FROM json_each(?) s
"""
#: without summaries, which are in no index of words; each count is answered by an index alone
LIVE = f"""
    SELECT (SELECT count(*) FROM belief WHERE scope = :scope AND state IN {COMPARED})
         - (SELECT count(*) FROM belief
            WHERE scope = :scope AND state IN {COMPARED} AND kind = 'summary')
"""
ALIKE = f"""
    SELECT b.id, b.kind, b.text, b.terms, b.cues, b.context, b.locked, b.valid_from
    FROM belief_fts f JOIN belief b ON b.id = f.rowid
    WHERE belief_fts MATCH ? AND b.scope = ? AND b.state IN {COMPARED}
"""
BEST = f"{ALIKE} ORDER BY bm25(belief_fts, 1.0, 0.3) LIMIT ?"
ALIKE_BEFORE = f"{ALIKE} AND b.valid_from <= ? LIMIT 1"
#: SQLite counts the characters before a NUL
AS_LONG = f"{ALIKE} AND (length(b.text) BETWEEN ? AND ? OR instr(b.text, char(0))) ORDER BY f.rowid"
REPLACED_WITH = """
    SELECT 1 FROM belief_fts f JOIN belief b ON b.id = f.rowid
    WHERE belief_fts MATCH ? AND b.scope = ? AND b.state = 'superseded' LIMIT 1
"""
REPLACED_BY = """
    SELECT DISTINCT b.superseded_by FROM belief_fts f JOIN belief b ON b.id = f.rowid
    WHERE belief_fts MATCH ? AND b.scope = ? AND b.state = 'superseded' AND b.superseded_by IS NOT NULL
    ORDER BY b.superseded_by DESC LIMIT ?
"""
#: the turns before one, the nearest with `ago` 1; where its session begins as a copy, those of the copied one too
#: CROSS keeps the order: from these few turns to what they said, not through all that was ever said
BEFORE = """
    WITH RECURSIVE stretch(session, upto, nearest) AS (
        SELECT session, idx - 1, 1 FROM turn WHERE id = :turn
        UNION ALL SELECT b.parent, b.upto, s.nearest + s.upto + 1 FROM stretch s JOIN branch b ON b.session = s.session
    ), before(id, role, text, ago) AS (
        SELECT t.id, t.role, t.text, s.nearest + s.upto - t.idx FROM stretch s CROSS JOIN turn t
            ON t.session = s.session AND t.idx BETWEEN s.nearest + s.upto - :turns AND s.upto
    )
"""
#: of one of them the turns of the user in between
BETWEEN = "(SELECT count(*) FROM before u WHERE u.role = 'user' AND u.ago < t.ago)"
SAID_BEFORE = f"""
    {BEFORE} SELECT DISTINCT b.id, b.kind, b.text, b.terms, b.cues, b.context, b.locked,
        {BETWEEN}
    FROM before t CROSS JOIN evidence e ON e.turn = t.id AND e.kind = 'said' CROSS JOIN belief b ON b.id = e.belief
    WHERE b.state IN {COMPARED} ORDER BY t.ago, b.id DESC
"""
LATELY = f"""
    {BEFORE} SELECT b.id, b.kind, b.text, b.terms, b.cues, b.context, b.locked, b.valid_from, min({BETWEEN})
    FROM before t CROSS JOIN evidence e ON e.turn = t.id AND e.kind = 'said' CROSS JOIN belief b ON b.id = e.belief
    WHERE b.scope = :scope AND b.state IN {COMPARED} AND b.kind <> 'procedure' GROUP BY b.id ORDER BY b.id
"""
REPLACED = "SELECT id, state, valid_to, superseded_by FROM belief WHERE superseded_by = ? ORDER BY id"
REPLACED_TEXTS = "SELECT superseded_by, text FROM belief WHERE superseded_by IN ({}) ORDER BY id"
REINSTATE = "UPDATE belief SET superseded_by = NULL, valid_to = NULL, state = 'active' WHERE id = ? RETURNING id"
STEPS = """
    SELECT id, kind, text, terms, cues, context, locked, valid_from FROM belief
    WHERE scope = ? AND kind = 'procedure' AND state IN ('active', 'proposed') ORDER BY valid_from DESC, id DESC LIMIT ?
"""
LATEST = f"""
    SELECT id, kind, text, terms, cues, context, locked, valid_from FROM belief
    WHERE scope = ? AND provenance = 'user' AND kind <> 'summary' AND state IN {COMPARED}
    ORDER BY valid_from DESC, id DESC LIMIT ?
"""
SAID_AT = """
    SELECT e.belief, t.session, t.id, t.text FROM evidence e JOIN turn t ON t.id = e.turn
    WHERE e.belief IN ({}) AND e.kind = 'said' ORDER BY e.id
"""
SAID_WITH = f"""
    SELECT DISTINCT b.id, b.kind, b.text, b.terms, b.cues, b.context, b.locked, b.valid_from
    FROM evidence one JOIN evidence e ON e.turn = one.turn AND e.kind = 'said' JOIN belief b ON b.id = e.belief
    WHERE one.belief = ? AND one.kind = 'said' AND b.state IN {COMPARED} AND b.provenance = 'user' ORDER BY b.id
"""
LAST_SAID = """
    SELECT e.belief, max(e.at) FROM evidence e JOIN belief b ON b.id = e.belief AND b.provenance = 'user'
    WHERE e.belief IN (SELECT value FROM json_each(?))
        AND (e.kind = 'said' OR e.kind = 'restated' AND e.weight > 0)
    GROUP BY e.belief
"""
ANSWER = 600  # characters of an answer's stems
#: the stems of the turn that said a belief, and those with which the assistant began to answer it
EXCHANGES = f"""
    SELECT e.belief, t.terms, coalesce((
        SELECT substr(a.terms, 1, {ANSWER}) FROM turn a
        WHERE a.session = t.session AND a.idx = t.idx + 1 AND a.role = 'assistant'
    ), '')
    FROM evidence e JOIN turn t ON t.id = e.turn WHERE e.belief IN ({{}}) AND e.kind = 'said' ORDER BY e.id
"""
READ = 200  # characters of an answer
#: how the assistant began to answer the turns that said a belief, the last one last
ANSWERS = f"""
    SELECT e.belief, substr(a.text, 1, {READ}) FROM evidence e JOIN turn t ON t.id = e.turn
    JOIN turn a ON a.session = t.session AND a.idx = t.idx + 1 AND a.role = 'assistant'
    WHERE e.belief IN ({{}}) AND e.kind = 'said' ORDER BY e.id
"""
LED_TO = f"{BEFORE} SELECT role, text FROM before"
BY_ID = f"""
    SELECT id, kind, text, terms, cues, context, locked, valid_from FROM belief
    WHERE id IN ({{}}) AND state IN {COMPARED}
"""
TURN = "SELECT session, text FROM turn WHERE id = ?"
FOLLOWING = "SELECT src, dst FROM edge WHERE type = 'next' AND (src IN ({0}) OR dst IN ({0}))"


@dataclass(frozen=True, slots=True)
class Known:
    """A live belief as it is compared. when: since when it holds, or how long ago it was said."""

    id: int
    kind: str
    text: str
    terms: str
    cues: str
    context: str
    locked: int
    when: float


def one_tie(db: apsw.Connection) -> None:
    """Migration: what rather does not speak of a matter was tied by a link of its own kind."""
    db.execute(ONE_TIE)


def alike(
    db: Database, scope: int, stems: Sequence[str], limit: int, before: float | None = None
) -> tuple[list[Known], dict[str, int], int]:
    """Live beliefs of a scope that share words with these stems, the *limit* that share most, in no order. *before*:
    none of them where none held by then.

    Returns them with the number of the scope's beliefs that hold each stem, and that of its live beliefs.
    """
    if not stems:
        return [], {}, 0
    every = _counts(db, stems)
    counts = _here(db, scope, every)
    asked: list[str] = []
    rows_ahead = 0
    for stem in _rarest(counts)[:RARE]:
        if rows_ahead + every[stem] > POSTINGS and len(asked) >= FEWEST:
            break
        rows_ahead += every[stem]
        asked.append(stem)
    if not asked:
        return [], counts, 0
    if before is not None and db.execute(ALIKE_BEFORE, (_any(asked), scope, before)).fetchone() is None:
        return [], counts, _live(db, scope)
    if rows_ahead <= limit:  # there are no more: to rank them costs more than to find them
        rows = db.execute(ALIKE, (_any(asked), scope)).fetchall()
    else:
        rows = db.execute(BEST, (_any(asked), scope, limit)).fetchall()
    return [Known(*row) for row in rows], counts, _live(db, scope)


def counted(db: Database, scope: int, stems: Sequence[str]) -> tuple[dict[str, int], int]:
    """The number of a scope's beliefs that hold each of these stems that any holds, and that of its live beliefs."""
    return _here(db, scope, _counts(db, stems)), _live(db, scope)


def as_long(
    db: Database, scope: int, stems: Sequence[str], every: Sequence[str], shortest: float, longest: float
) -> Iterator[Known]:
    """Live beliefs of a scope, so many characters long, that may hold all the stems of *every*; where there is none to
    be held, one of the two rarest *stems* and one of the next two. The oldest first."""
    counts = _counts(db, every or stems)
    asked = _rarest(counts)[: 1 if every else FEWEST]
    if asked and len(counts) >= len(every):
        pairs = (asked[:2], asked[2:])
        match = " AND ".join(f"({_any(pair)})" for pair in pairs if pair)
        for row in db.execute(AS_LONG, (match, scope, shortest, longest)):
            yield Known(*row)


def verbatim(db: Database, scope: int, text: str) -> list[Known]:
    """Live beliefs of a scope that are just this text, the oldest first: the way to those that have no stems."""
    return known(db, [int(id) for (id,) in db.execute(VERBATIM, (scope, text)).fetchall()])


def _counts(db: Database, stems: Sequence[str]) -> dict[str, int]:
    """How many beliefs hold each stem that any holds."""
    return {str(stem): int(n) for stem, n in db.execute(COUNTS.format(marks(stems)), tuple(stems)).fetchall()}


def _here(db: Database, scope: int, every: dict[str, int]) -> dict[str, int]:
    """How many beliefs of a scope hold each stem that any of it holds, of what *every* scope has: what another project
    says makes no word of this one more common."""
    if not every or not db.execute(ELSEWHERE, (scope,)).fetchone()[0]:
        return every
    few = [stem for stem, n in every.items() if n <= COUNTED]
    found = db.execute(COUNTS_HERE, (scope, json.dumps(few))).fetchall()
    here = {str(stem): int(n) for stem, n in found if n}
    if len(few) < len(every):
        share = float(db.execute(SHARE, (scope,)).fetchone()[0])
        here |= {stem: max(1, round(n * share)) for stem, n in every.items() if n > COUNTED}
    return here


def _live(db: Database, scope: int) -> int:
    return int(db.execute(LIVE, {"scope": scope}).fetchone()[0])


def _rarest(counts: dict[str, int]) -> list[str]:
    return sorted(counts, key=lambda stem: (counts[stem], stem))


def _any(stems: Sequence[str]) -> str:
    """What FTS5 is asked for them."""
    return " OR ".join(f'"{stem}"' for stem in stems)


def were_replaced(db: Database, scope: int, stems: Sequence[str]) -> bool:
    """Whether a belief of this scope that was replaced held one of these stems."""
    return bool(stems) and db.execute(REPLACED_WITH, (_any(stems), scope)).fetchone() is not None


def replaced_by(db: Database, scope: int, stems: Sequence[str], limit: int) -> list[int]:
    """What has replaced beliefs of this scope that held one of these stems, the latest first."""
    if not stems:
        return []
    return [int(id) for (id,) in db.execute(REPLACED_BY, (_any(stems), scope, limit)).fetchall()]


def said_before(db: Database, turn: int, turns: int) -> list[Known]:
    """Live beliefs that the last *turns* turns before this one said, the latest first.

    Their `when` counts the user's turns in between: 0 is what the user said last.
    """
    return [Known(*row) for row in db.execute(SAID_BEFORE, {"turns": turns, "turn": turn}).fetchall()]


def lately(db: Database, turn: int, scope: int, turns: int) -> list[tuple[Known, int]]:
    """What the last *turns* turns before this one said of a scope, but for pieces of routines, each with how many turns
    of the user lie between."""
    rows = db.execute(LATELY, {"turns": turns, "turn": turn, "scope": scope}).fetchall()
    return [(Known(*row[:-1]), int(row[-1])) for row in rows]


def answers(db: Database, ids: Sequence[int]) -> dict[int, str]:
    """For each belief that a turn said how the assistant began to answer that; what nobody answered is left out."""
    rows = db.execute(ANSWERS.format(marks(ids)), tuple(ids)).fetchall() if ids else []
    return {int(id): str(answer) for id, answer in rows}


def stood_before(db: Database, ids: Sequence[int]) -> dict[int, list[str]]:
    """For each belief what it has replaced, in its words; none for what has replaced nothing."""
    out: dict[int, list[str]] = {}
    for id, text in db.execute(REPLACED_TEXTS.format(marks(ids)), tuple(ids)).fetchall():
        out.setdefault(int(id), []).append(str(text))
    return out


def reinstate(db: Database, successor: int, at: float) -> list[int]:
    """Let what *successor* had replaced stand again, because it was taken back itself."""
    out = []
    for id, state, valid_to, superseded_by in db.execute(REPLACED, (successor,)).fetchall():
        db.execute(REINSTATE, (id,)).fetchone()
        beliefs.unlink(db, "supersedes", successor, id)
        changes.log(
            db, "reinstated", int(id), {"state": state, "valid_to": valid_to, "superseded_by": superseded_by},
            {"state": "active", "valid_to": None, "superseded_by": None}, at,
        )  # fmt: skip
        out.append(int(id))
    return out


def steps(db: Database, scope: int, limit: int) -> list[Known]:
    """Live pieces of procedures of a scope, the latest first."""
    return [Known(*row) for row in db.execute(STEPS, (scope, limit)).fetchall()]


def latest(db: Database, scope: int, limit: int) -> list[Known]:
    """Live statements of the user about a scope, the latest first."""
    return [Known(*row) for row in db.execute(LATEST, (scope, limit)).fetchall()]


def follows(db: Database, ids: Sequence[int]) -> list[tuple[int, int]]:
    """`next` edges that touch one of these beliefs: (earlier, later)."""
    if not ids:
        return []
    return [(int(a), int(b)) for a, b in db.execute(FOLLOWING.format(marks(ids)), (*ids, *ids)).fetchall()]


def known(db: Database, ids: Sequence[int]) -> list[Known]:
    """Those of these beliefs that are live."""
    return [Known(*row) for row in db.execute(BY_ID.format(marks(ids)), tuple(ids)).fetchall()]


def said_at(db: Database, ids: Sequence[int]) -> dict[int, tuple[int, int, str]]:
    """For each belief that a turn said: the session, the turn, and the turn's whole text."""
    if not ids:
        return {}
    rows = db.execute(SAID_AT.format(marks(ids)), tuple(ids)).fetchall()
    return {int(id): (int(session), int(turn), str(text)) for id, session, turn, text in reversed(rows)}


def said_with(db: Database, id: int) -> list[Known]:
    """Live statements that a turn said which said this one, itself among them, in their order."""
    return [Known(*row) for row in db.execute(SAID_WITH, (id,)).fetchall()]


def last_said(db: Database, ids: Sequence[int]) -> dict[int, float]:
    """For each belief of the user when they said it last."""
    return {int(id): float(at) for id, at in db.execute(LAST_SAID, (json.dumps(list(ids)),))}


def exchanges(db: Database, ids: Sequence[int]) -> dict[int, tuple[str, str]]:
    """For each belief that a turn said: the stems of that turn, and those with which the assistant answered it."""
    if not ids:
        return {}
    rows = db.execute(EXCHANGES.format(marks(ids)), tuple(ids)).fetchall()
    return {int(id): (str(said), str(answer)) for id, said, answer in reversed(rows)}


def led_to(db: Database, turn: int) -> str:
    """What the assistant said right before this turn in its session, "" where it was not the one who spoke."""
    found = db.execute(LED_TO, {"turns": 1, "turn": turn}).fetchone()
    return str(found[1]) if found and found[0] == "assistant" else ""


def told(db: Database, turn: int) -> tuple[int, str]:
    """The session and the text of a turn."""
    session, text = db.execute(TURN, (turn,)).fetchone()
    return int(session), str(text)


def may_change(db: Database, belief: int, most: int) -> list[tuple[int, str]]:
    """What a belief may change: ids and texts, the likeliest first."""
    rows: list[tuple[int, str]] = db.execute(MAY_CHANGE, (belief, most)).fetchall()
    return rows
