"""The graph as the page draws it, a belief's whole life, and a turn with those around it. Reads only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmemory import confidence, paths
from agentmemory.records import marks
from agentmemory.store import listing, retrievals

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

LABEL = 72  # characters of a belief that the graph shows
NEAR = 3  # turns on each side of one that is read

DOTS = f"""
    SELECT b.id, b.kind, iif(b.state = 'retracted' AND b.provenance = 'import', 'refused', b.state), b.locked,
        b.valid_from, b.valid_to, substr(b.text, 1, {LABEL}),
        (SELECT count(*) FROM injection i WHERE i.belief = b.id)
    FROM belief b WHERE b.scope IN ({{}}) ORDER BY b.valid_from, b.id
"""
LINES = """
    SELECT e.src, e.dst, e.type, e.weight FROM edge e JOIN belief a ON a.id = e.src JOIN belief b ON b.id = e.dst
    WHERE a.scope IN ({0}) AND b.scope IN ({0}) AND (e.expires IS NULL OR e.expires > ?)
"""
NEIGHBOURS = """
    SELECT e.type, 'out', b.id, b.text, b.state FROM edge e JOIN belief b ON b.id = e.dst WHERE e.src = :id
    UNION ALL
    SELECT e.type, 'in', b.id, b.text, b.state FROM edge e JOIN belief b ON b.id = e.src WHERE e.dst = :id
"""
SAID = """
    SELECT e.kind, e.weight, e.at, e.detail, s.key, t.idx, t.role, substr(t.text, 1, 2000) FROM evidence e
    LEFT JOIN turn t ON t.id = e.turn LEFT JOIN session s ON s.id = t.session WHERE e.belief = ? ORDER BY e.at, e.id
"""
SUMMED_UP = """
    SELECT s.key, t.idx, t.role, substr(t.text, 1, 2000) FROM summarizes z JOIN turn t ON t.id = z.turn
    JOIN session s ON s.id = t.session WHERE z.belief = ? ORDER BY t.at, t.id
"""
#: a forgotten turn has no text
AROUND = """
    SELECT t.id, s.key, t.idx, p.name, t.at, t.role, t.speaker, t.provenance, t.text, round(t.importance, 4)
    FROM turn c JOIN turn t ON t.session = c.session AND t.idx BETWEEN c.idx - :reach AND c.idx + :reach
    JOIN session s ON s.id = t.session JOIN scope p ON p.id = s.scope WHERE c.id = :id AND t.text <> '' ORDER BY t.idx
"""
LEARNED = """
    SELECT DISTINCT b.id, b.text, b.state FROM evidence e JOIN belief b ON b.id = e.belief
    WHERE e.turn = ? AND e.kind IN ('said', 'restated') ORDER BY b.id
"""
SHOWN = "SELECT session, at, prompt, tokens, outcome FROM injection WHERE belief = ? ORDER BY at DESC LIMIT 50"
BELIEF = listing.ALL.replace("ORDER BY b.id", "WHERE b.id = ?")
PROPOSALS = """
    SELECT id, kind, text, provenance, created FROM belief
    WHERE state = 'proposed' AND scope IN ({}) ORDER BY id DESC LIMIT 200
"""
SESSIONS = """
    SELECT s.key, s.started, s.ended, (SELECT count(*) FROM turn t WHERE t.session = s.id), count(i.id),
        coalesce(sum(i.tokens), 0)
    FROM session s LEFT JOIN injection i ON i.session = s.key
    WHERE s.scope IN ({}) GROUP BY s.id ORDER BY s.started DESC LIMIT 200
"""
INJECTED = """
    SELECT i.at, i.prompt, i.tokens, i.outcome, b.id, b.text FROM injection i JOIN belief b ON b.id = i.belief
    WHERE i.session = ? AND b.scope IN ({}) ORDER BY i.at, i.id LIMIT 500
"""


def graph(db: Database, scopes: tuple[int, ...], now: float) -> dict[str, Any]:
    """`{"dots": [[id, kind, state, locked, from, to, label, uses]], "lines": [[src, dst, type, weight]]}`.

    What was suggested and never stood is "refused".
    """
    dots = db.execute(DOTS.format(marks(scopes)), scopes).fetchall()
    lines = db.execute(LINES.format(marks(scopes)), (*scopes, *scopes, now)).fetchall()
    return {"dots": [list(d) for d in dots], "lines": [list(line) for line in lines]}


def life(db: Database, belief: int) -> dict[str, Any] | None:
    """A belief with its evidence, neighbours in the graph, injections and the turns that it sums up; None when there is
    none."""
    row = db.execute(BELIEF, (belief,)).fetchone()
    if row is None:
        return None
    said = ("kind", "weight", "at", "detail", "session", "turn", "role", "text")
    shown = ("session", "at", "prompt", "tokens", "outcome")
    near = ("type", "way", "id", "text", "state")
    counts = row[9], row[10]
    times, last = retrievals.uses(db, belief)
    return {
        **listing.as_dict(row),
        "timestamp": paths.digits(row[11]),
        "retrieval_count": times,
        "last_accessed": None if last is None else paths.iso(last),
        "alpha": round(counts[0], 3),
        "beta": round(counts[1], 3),
        "prior": confidence.prior(row[6], row[1]),
        "evidence": _dated(said, db.execute(SAID, (belief,)).fetchall()),
        "neighbours": [dict(zip(near, r)) for r in db.execute(NEIGHBOURS, {"id": belief}).fetchall()],
        "injections": _dated(shown, db.execute(SHOWN, (belief,)).fetchall()),
        "sums_up": [dict(zip(said[4:], r)) for r in db.execute(SUMMED_UP, (belief,)).fetchall()],
    }


def turn(db: Database, id: int) -> dict[str, Any] | None:
    """A turn whole, with those before and after it in its session, and the beliefs that it said; None when there is
    none, or it was forgotten. importance: 0 to 1, None before sleep has scored it."""
    names = ("id", "session", "turn", "scope_name", "at", "role", "speaker", "provenance", "text", "importance")
    talk = _dated(names, db.execute(AROUND, {"id": id, "reach": NEAR}).fetchall())
    at = next((at for at, each in enumerate(talk) if each["id"] == id), None)
    if at is None:
        return None
    learned = db.execute(LEARNED, (id,)).fetchall()
    said = [dict(zip(("id", "text", "state"), row)) for row in learned]
    return {**talk[at], "before": talk[:at], "after": talk[at + 1 :], "beliefs": said}


def scope_of(db: Database, belief: int) -> int | None:
    """The scope of a belief, None when there is no such belief."""
    row = db.execute("SELECT scope FROM belief WHERE id = ?", (belief,)).fetchone()
    return int(row[0]) if row else None


def scope_of_turn(db: Database, turn: int) -> int | None:
    """The scope that a turn was said in, None when there is no such turn."""
    row = db.execute("SELECT s.scope FROM turn t JOIN session s ON s.id = t.session WHERE t.id = ?", (turn,)).fetchone()
    return int(row[0]) if row else None


def proposals(db: Database, scopes: tuple[int, ...]) -> list[dict[str, Any]]:
    """What waits for the user's consent, newest first."""
    rows = db.execute(PROPOSALS.format(marks(scopes)), scopes).fetchall()
    return [dict(zip(("id", "kind", "text", "provenance", "created"), row)) for row in rows]


def sessions(db: Database, scopes: tuple[int, ...]) -> list[dict[str, Any]]:
    """Sessions, newest first, with what was said and injected in them."""
    rows = db.execute(SESSIONS.format(marks(scopes)), scopes).fetchall()
    return [dict(zip(("session", "started", "ended", "turns", "injections", "tokens"), row)) for row in rows]


def injected(db: Database, session: str, scopes: tuple[int, ...]) -> list[dict[str, Any]]:
    """What a session was given, when, for which prompt."""
    rows = db.execute(INJECTED.format(marks(scopes)), (session, *scopes)).fetchall()
    return _dated(("at", "prompt", "tokens", "outcome", "id", "text"), rows)


def _dated(names: tuple[str, ...], rows: list[tuple[Any, ...]]) -> list[dict[str, Any]]:
    out = [dict(zip(names, row)) for row in rows]
    for each in out:
        each["at"] = paths.iso(each["at"])
    return out
