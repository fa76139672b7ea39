"""What was asked and what was done about it, counted. Callers own the transaction."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentmemory.records import marks
from agentmemory.store.turns import many

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

TAG = "habit:"  # begins the tag of a procedure that was mined
SAW = "INSERT INTO habit (turn, scope, ask, did) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
UNSEE = "DELETE FROM habit WHERE turn = ?"
UNSEE_OTHERS = "DELETE FROM habit WHERE turn = ? AND did = ? AND ask NOT IN (SELECT value FROM json_each(?))"
ALL = """
    SELECT h.scope, h.ask, h.did, h.n, t.at FROM (
        SELECT scope, ask, did, count(*) AS n, max(turn) AS last FROM habit
        WHERE scope IN ({}) GROUP BY scope, ask, did) h
    JOIN turn t ON t.id = h.last WHERE h.n >= ?
"""
OF_ASK = ALL.replace(" GROUP BY", " AND ask = ? GROUP BY")
TURNS = """
    SELECT h.turn, t.session FROM habit h JOIN turn t ON t.id = h.turn
    WHERE h.scope = ? AND h.ask = ? AND h.did = ? ORDER BY h.turn
"""
ASKED = "SELECT count(DISTINCT turn) FROM habit WHERE scope = ? AND ask = ?"
LATEST = "SELECT DISTINCT turn FROM habit WHERE scope = ? AND ask = ? ORDER BY turn DESC LIMIT ?"
WITNESSED = "SELECT turn FROM evidence WHERE belief = ? AND turn IS NOT NULL"
#: turns that showed that a command ended the failure of something named
NAMED = "SELECT turn FROM habit WHERE scope = ? AND ask GLOB 'fails:*' AND did = ?"
BELIEF = "SELECT id FROM belief WHERE kind = 'procedure' AND scope = ? AND tags = ? ORDER BY id DESC LIMIT 1"
#: what was mined and holds
MINED = f"""
    SELECT id, scope, tags FROM belief WHERE kind = 'procedure' AND state = 'active' AND provenance = 'agent'
    AND locked = 0 AND tags GLOB '{TAG}*>command:*' ORDER BY id
"""
#: sleep took it back, and nobody anything after it
ENDED = """
    SELECT 1 FROM belief b JOIN change c ON c.belief = b.id
    WHERE b.id = ? AND b.state = 'retracted' AND c.what = 'retracted' AND c.actor = 'sleep' AND c.undone = 0
"""
#: what a procedure was mined from, by its tag ("habit:fails:a.py>command:make"), whatever it was counted for
FORGET = f"""
    DELETE FROM habit WHERE scope = :scope AND did = substr(:tag, instr(:tag, '>command:') + 1)
    AND turn IN (SELECT turn FROM habit WHERE scope = :scope AND '{TAG}' || ask || '>' || did = :tag)
"""
#: what was read from an answer is kept with the turn that asked
UNANSWER = """
    DELETE FROM habit WHERE turn = (SELECT a.id FROM turn t JOIN turn a ON a.session = t.session AND a.idx < t.idx
        WHERE t.id = ? AND t.role <> 'user' AND a.role = 'user' ORDER BY a.idx DESC LIMIT 1)
"""


@dataclass(frozen=True, slots=True)
class Habit:
    """A request and its usual answer: how often (`support`), when last."""

    scope: int
    ask: str
    did: str
    support: int
    last: float


def saw(db: Database, rows: Sequence[tuple[int, int, str, str]]) -> None:
    """Count `(turn, scope, ask, did)`; the same turn counts once."""
    many(db, SAW, rows)


def unsee(db: Database, turn: int) -> None:
    """Count nothing of what was asked in this turn."""
    db.execute(UNSEE, (turn,))


def keep(db: Database, turn: int, did: str, asks: Sequence[str]) -> None:
    """Of what was done about a turn count only what was done about these."""
    db.execute(UNSEE_OTHERS, (turn, did, json.dumps(asks)))


def forget(db: Database, scope: int, tag: str) -> None:
    """Count nothing of what a procedure with this tag was mined from."""
    db.execute(FORGET, {"scope": scope, "tag": tag})


def unanswer(db: Database, turn: int) -> None:
    """Count nothing of what this turn, an answer, showed."""
    db.execute(UNANSWER, (turn,))


def of_ask(db: Database, scopes: Sequence[int], ask: str, least: int) -> list[Habit]:
    """What is usually done about a kind of request, in these scopes, seen at least *least* times."""
    sql = OF_ASK.format(marks(scopes))
    return [Habit(*row) for row in db.execute(sql, (*scopes, ask, least)).fetchall()]


def every(db: Database, scopes: Sequence[int], least: int) -> list[Habit]:
    """All habits of these scopes seen at least *least* times."""
    sql = ALL.format(marks(scopes))
    return [Habit(*row) for row in db.execute(sql, (*scopes, least)).fetchall()]


def turns(db: Database, scope: int, ask: str, did: str) -> list[tuple[int, int]]:
    """The turns that showed it, each with its session."""
    rows = db.execute(TURNS, (scope, ask, did)).fetchall()
    return [(int(turn), int(session)) for turn, session in rows]


def asked(db: Database, scope: int, ask: str) -> int:
    """How many turns made such a request."""
    return int(db.execute(ASKED, (scope, ask)).fetchone()[0])


def latest(db: Database, scope: int, ask: str, n: int) -> set[int]:
    """The last *n* turns that made such a request."""
    return {int(row[0]) for row in db.execute(LATEST, (scope, ask, n)).fetchall()}


def named(db: Database, scope: int, did: str) -> set[int]:
    """The turns in which the same was done about a failure of something named."""
    return {int(row[0]) for row in db.execute(NAMED, (scope, did)).fetchall()}


def witnessed(db: Database, belief: int) -> set[int]:
    """The turns that are evidence of a belief already."""
    return {int(row[0]) for row in db.execute(WITNESSED, (belief,)).fetchall()}


def mined(db: Database) -> list[tuple[int, int, str]]:
    """`(id, scope, tag)` of the procedures that were mined and hold."""
    return [tuple(row) for row in db.execute(MINED).fetchall()]


def ended(db: Database, belief: int) -> bool:
    """Whether sleep took a procedure back because it was no longer done."""
    return db.execute(ENDED, (belief,)).fetchone() is not None


def procedure(db: Database, scope: int, tag: str) -> int | None:
    """The last procedure belief that was mined under this tag, in whatever state it is now, replaced or not."""
    found = db.execute(BELIEF, (scope, tag)).fetchone()
    return int(found[0]) if found else None
