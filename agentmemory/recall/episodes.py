"""Turns that speak to a question: what was said, by whom, when. Reads only; knows nothing of beliefs."""

from math import log

from agentmemory.records import Hit, Query, Row
from agentmemory.text import stems

TYPE_CHECKING = False  # the hot path does not import typing
if TYPE_CHECKING:
    from typing import Any

    from agentmemory.store.rows import Database

POSTINGS = 20_000  # rows that a question may touch; the rarest stems are taken until it is spent
CANDIDATES = 400  # turns that are read and scored

DOCUMENT_FREQUENCIES = "SELECT stem, turns FROM term WHERE turns > 0 AND stem IN ({}) ORDER BY turns, stem"
HOW_MANY = "SELECT coalesce(max(id), 0) FROM turn"
MATCHING = "SELECT rowid, ? AS worth FROM turn_fts WHERE turn_fts MATCH ?"
BEST = "SELECT rowid FROM ({}) GROUP BY rowid ORDER BY sum(worth) DESC, rowid DESC LIMIT ?"
TURNS = """
    SELECT t.id, s.scope, t.text, t.terms, t.near, t.provenance, t.at, t.role, t.speaker, s.key, t.idx
    FROM turn t JOIN session s ON s.id = t.session WHERE t.id IN ({}) AND s.scope IN ({}) AND t.at <= ?
"""
FOREVER = 1e300


def search_turns(db: "Database", query: Query, limit: int) -> "list[Hit]":
    """The turns of the query's scopes that speak to its words, best first; none later than `query.as_of`."""
    asked = query.stems or list(dict.fromkeys(stems(query.text)))
    worth = worths(db, asked)
    if not worth:
        return []
    found = candidates(db, worth)
    marks = ", ".join("?" * len(found)), ", ".join("?" * len(query.scopes))
    until = FOREVER if query.as_of is None else query.as_of
    rows = db.execute(TURNS.format(*marks), (*found, *query.scopes, until)).fetchall()
    total = sum(worth.values())
    hits = []
    for row in rows:
        said, near = set(row[3].split()), set(row[4].split())
        score = sum(w if stem in said else 0.3 * w if stem in near else 0.0 for stem, w in worth.items()) / total
        hits.append(_hit(row, score))
    hits.sort(key=lambda hit: (-hit.score, -hit.row.created))
    return hits[:limit]


def worths(db: "Database", asked: "list[str]") -> "dict[str, float]":
    """Weight (idf) of the rarest of these stems that the turns hold, as many as the budget of rows allows."""
    count = int(db.execute(HOW_MANY).fetchone()[0])
    out: dict[str, float] = {}
    spent = 0
    for stem, n in db.execute(DOCUMENT_FREQUENCIES.format(", ".join("?" * len(asked))), tuple(asked)).fetchall():
        if out and spent + n > POSTINGS:
            break
        spent += n
        out[stem] = log(1 + (count - n + 0.5) / (n + 0.5)) if n <= count else 0.01
    return out


def candidates(db: "Database", worth: "dict[str, float]") -> "list[int]":
    """Ids of the turns that hold most of what the stems are worth."""
    union = " UNION ALL ".join([MATCHING] * len(worth))
    values = [value for stem, w in worth.items() for value in (w, f'"{stem}"')]
    return [int(row[0]) for row in db.execute(BEST.format(union), (*values, CANDIDATES)).fetchall()]


def _hit(row: "tuple[Any, ...]", score: float) -> Hit:
    id, scope, text, terms, _near, provenance, at, role, speaker, session, idx = row
    turn = Row(id, scope, "turn", 1, text, terms, "", "", provenance, "active", 0, 1.0, 1.0, at, None, at, at, None)
    hit = Hit(id, turn, "turn")
    hit.score = score
    hit.scores["turns"] = score
    hit.reasons.append(f"said by {speaker or role} in {session}, turn {idx}")
    return hit
