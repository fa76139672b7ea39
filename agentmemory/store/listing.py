"""Reading rows out for people and programs: export, counts, what a search tells, the belief that holds given words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from agentmemory import confidence, paths
from agentmemory.records import COMPARED, marks
from agentmemory.store import outcomes
from agentmemory.values import Found

if TYPE_CHECKING:
    from agentmemory.records import Hit, Row
    from agentmemory.store.rows import Database

ALL = """
    SELECT b.id, b.kind, b.text, b.state, b.locked, b.level, b.provenance, s.kind, s.name, b.alpha, b.beta,
        b.valid_from, b.valid_to, b.created, b.confirmed, b.superseded_by, b.keywords, b.context, b.tags, b.triggers
    FROM belief b JOIN scope s ON s.id = b.scope ORDER BY b.id
"""
IN_SCOPES = ALL.replace("ORDER BY", "WHERE b.scope IN ({}) ORDER BY")
SOURCE = """
    SELECT s.key, t.idx FROM evidence e JOIN turn t ON t.id = e.turn JOIN session s ON s.id = t.session
    WHERE e.belief = ? ORDER BY e.id LIMIT 1
"""
TURN_SOURCE = "SELECT s.key, t.idx FROM turn t JOIN session s ON s.id = t.session WHERE t.id = ?"
LABELS = "SELECT keywords, tags FROM belief WHERE id = ?"
NAMED = "SELECT s.id, s.name, b.text FROM belief b JOIN scope s ON s.id = b.scope WHERE b.id = ?"
HOLDING = f"SELECT id FROM belief WHERE holds(text, ?) AND scope IN ({{}}) AND state IN {COMPARED}"
COUNTS = {
    "beliefs": "SELECT state, count(*) FROM belief GROUP BY state",
    "kinds": "SELECT kind, count(*) FROM belief WHERE state = 'active' GROUP BY kind",
    "evidence": "SELECT kind, count(*) FROM evidence GROUP BY kind",
    "outcomes": outcomes.SHARES,
    "edges": "SELECT type, count(*) FROM edge GROUP BY type",
    "jobs": "SELECT state, count(*) FROM job GROUP BY state",
}
NUMBERS = """
    SELECT (SELECT count(*) FROM session), (SELECT count(*) FROM turn), (SELECT count(*) FROM entity),
        (SELECT count(*) FROM belief WHERE locked = 1 AND state = 'active'),
        (SELECT coalesce(sum(tokens), 0) FROM injection), (SELECT count(*) FROM injection),
        (SELECT count(*) FROM guard WHERE enabled = 1)
"""


class UnknownText(Exception):
    """No belief holds the given words, or several do."""


def export(db: Database, scopes: tuple[int, ...] | None = None) -> Iterator[dict[str, Any]]:
    """Every belief (of these scopes) as a plain dictionary, oldest first; times are ISO 8601."""
    if scopes is None:
        rows = db.execute(ALL)
    else:
        rows = db.execute(IN_SCOPES.format(marks(scopes)), scopes)
    for row in rows:
        yield as_dict(row)


def as_dict(row: tuple[Any, ...]) -> dict[str, Any]:
    """One row of `ALL` as a plain dictionary."""
    (id, kind, text, state, locked, level, provenance, scope, scope_name, alpha, beta, *rest) = row
    valid_from, valid_to, created, confirmed, successor, keywords, context, tags, triggers = rest
    return {
        "id": id, "kind": kind, "text": text, "state": state, "locked": bool(locked), "level": level,
        "provenance": provenance, "scope": scope, "scope_name": scope_name,
        "confidence": round(confidence.mean(alpha, beta), 4),
        "valid_from": paths.iso(valid_from), "valid_to": paths.iso(valid_to) if valid_to is not None else None,
        "created": paths.iso(created), "confirmed": paths.iso(confirmed), "superseded_by": successor,
        "keywords": keywords, "context": context, "tags": tags, "triggers": triggers,
    }  # fmt: skip


def source(db: Database, what: str, id: int) -> dict[str, Any] | None:
    """Session id and turn index of a turn, or of a belief's first evidence."""
    row = db.execute(TURN_SOURCE if what == "turn" else SOURCE, (id,)).fetchone()
    return {"session": row[0], "turn": row[1]} if row else None


def found(db: Database, hit: Hit) -> Found:
    """What a search tells of a hit."""
    known, row = hit.source, hit.row
    said_in = {"session": known[0], "turn": known[1]} if known else source(db, hit.what, hit.id)
    labels = db.execute(LABELS, (hit.id,)).fetchone() if hit.what == "belief" else None
    keywords, tags = labels or ("", "")
    return Found(
        hit.id, hit.what, row.kind, row.text, round(hit.score, 4), row.state, paths.date(row.valid_from), said_in,
        row.context, keywords, tags, tuple(hit.reasons), "linked" in hit.scores,
        row.provenance, tuple(replaced(old) for old in hit.was),
    )  # fmt: skip


def replaced(old: Row) -> dict[str, Any]:
    """What a search tells of a belief that a hit replaced; no end where the clock went back, so that it came first."""
    until = None if old.valid_to is None or old.valid_to < old.valid_from else paths.date(old.valid_to)
    return {
        "id": old.id, "text": old.text, "from": paths.date(old.valid_from), "until": until, "in_part": old.in_part,
    }  # fmt: skip


def named(db: Database, belief: int) -> tuple[int, str, str]:
    """A belief's scope, the name of that scope, and its text."""
    scope, name, text = db.execute(NAMED, (belief,)).fetchone()
    return int(scope), str(name), str(text)


def only(db: Database, text: str, scopes: tuple[int, ...]) -> int:
    """The one live belief of these scopes that holds the words of *text*, whatever their case.

    Raises:
        UnknownText: there is none, or there are several.
    """
    found = db.execute(HOLDING.format(marks(scopes)), (text, *scopes)).fetchall()
    if len(found) != 1:
        count = "no belief holds" if not found else f"{len(found)} beliefs hold"
        raise UnknownText(f"{count} the words {text!r}; name one by its id (see `agentmemory search`)")
    return int(found[0][0])


def counts(db: Database) -> dict[str, Any]:
    """How much of everything there is."""
    names = ("sessions", "turns", "entities", "locked", "tokens_injected", "injections", "guards")
    out: dict[str, Any] = dict(zip(names, db.execute(NUMBERS).fetchone()))
    for name, sql in COUNTS.items():
        out[name] = {str(key): int(n) for key, n in db.execute(sql).fetchall()}
    return out
