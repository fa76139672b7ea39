"""Injections and what became of them. Reads for judging, writes the judgement; callers own the transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmemory.records import marks
from agentmemory.store.archive import BROUGHT_BACK

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

OPEN = """
    SELECT belief, min(at) FROM injection WHERE session = ? AND outcome IS NULL GROUP BY belief ORDER BY belief
"""
JUDGED = "UPDATE injection SET outcome = ? WHERE session = ? AND belief = ? AND outcome IS NULL"
SAID = """
    SELECT t.id, t.role, t.text, t.at FROM turn t JOIN session s ON s.id = t.session WHERE s.key = ? ORDER BY t.idx
"""
WITNESSED = """
    SELECT e.kind, e.turn FROM evidence e JOIN turn t ON t.id = e.turn JOIN session s ON s.id = t.session
    WHERE e.belief = ? AND s.key = ? AND t.at >= ? ORDER BY e.id
"""
SESSIONS_WITH = "SELECT count(DISTINCT session) FROM injection WHERE belief = ? AND outcome IN ({})"
UNBEARING = f"""
    SELECT i.belief FROM injection i JOIN belief b ON b.id = i.belief
    WHERE b.state = 'active' AND b.locked = 0
    AND b.kind NOT IN ('rule', 'correction', 'preference', 'decision', 'procedure', 'trait')
    GROUP BY i.belief HAVING count(DISTINCT CASE WHEN i.called THEN i.session END) >= ?
    AND sum(coalesce(i.outcome, '') <> 'unused') = 0 AND NOT {BROUGHT_BACK}
    ORDER BY i.belief
"""
RECURRING = """
    SELECT b.id, count(DISTINCT i.session) AS times FROM injection i JOIN belief b ON b.id = i.belief
    WHERE i.outcome IN ('recurred', 'ignored') AND b.state = 'active' AND b.scope IN ({}) GROUP BY b.id
    HAVING times >= ? ORDER BY times DESC, b.id
"""
PROPOSED = "SELECT id FROM belief WHERE state = 'proposed' AND scope IN ({}) ORDER BY id"
SHARES = "SELECT coalesce(outcome, 'open'), count(*) FROM injection GROUP BY 1"
NUMBERS = """
    SELECT (SELECT count(*) FROM belief WHERE kind = 'correction'),
        (SELECT count(*) FROM evidence WHERE kind = 'recurred'), (SELECT coalesce(sum(tokens), 0) FROM injection)
"""


def open_injections(db: Database, session: str) -> list[tuple[int, float]]:
    """`(belief, when first)` of what a session was given and nobody has judged."""
    return [(int(b), float(at)) for b, at in db.execute(OPEN, (session,)).fetchall()]


def judged(db: Database, session: str, belief: int, outcome: str) -> None:
    """Write the outcome on every injection of a belief into a session that has none."""
    db.execute(JUDGED, (outcome, session, belief))


def said(db: Database, session: str) -> list[tuple[int, str, str, float]]:
    """`(turn, role, text, at)` of a session, in order."""
    return [(int(a), str(b), str(c), float(d)) for a, b, c, d in db.execute(SAID, (session,)).fetchall()]


def witnessed(db: Database, session: str, belief: int, since: float) -> list[tuple[str, int]]:
    """`(kind, turn)` of the evidence about a belief that turns of a session gave since then."""
    return [(str(k), int(t)) for k, t in db.execute(WITNESSED, (belief, session, since)).fetchall()]


def sessions_with(db: Database, belief: int, *outcomes: str) -> int:
    """In how many sessions a belief had one of these outcomes."""
    return int(db.execute(SESSIONS_WITH.format(marks(outcomes)), (belief, *outcomes)).fetchone()[0])


def called_for(db: Database) -> None:
    """Migration: whether the words of a prompt called for what it was given."""
    db.execute("ALTER TABLE injection ADD COLUMN called INTEGER NOT NULL DEFAULT 1")


def unbearing(db: Database, sessions: int) -> list[int]:
    """Facts that were of no use so far: prompts of so many sessions called for them, and none of those sessions used
    them. Sessions in which a fact only stood beside what was called for do not count against it; what the user wants
    done, or said of himself or herself, is never of no use."""
    return [int(row[0]) for row in db.execute(UNBEARING, (sessions,)).fetchall()]


def recurring(db: Database, scopes: tuple[int, ...], times: int) -> list[tuple[int, int]]:
    """`(belief, sessions)` of what was corrected or ignored again in so many sessions."""
    rows = db.execute(RECURRING.format(marks(scopes)), (*scopes, times)).fetchall()
    return [(int(a), int(b)) for a, b in rows]


def proposed(db: Database, scopes: tuple[int, ...]) -> list[int]:
    """Beliefs that wait for the user's word."""
    return [int(row[0]) for row in db.execute(PROPOSED.format(marks(scopes)), scopes).fetchall()]


def shares(db: Database) -> dict[str, int]:
    """Injections by outcome; `open` for those not judged yet."""
    return {str(what): int(n) for what, n in db.execute(SHARES).fetchall()}


def summary(db: Database) -> dict[str, Any]:
    """corrections, recurrences, tokens spent, and the share of judged injections that was heeded (None without any)."""
    corrections, recurrences, tokens = db.execute(NUMBERS).fetchone()
    counted = shares(db)
    bore = sum(n for what, n in counted.items() if what not in ("open", "unused"))
    return {
        "corrections": int(corrections), "recurrences": int(recurrences), "tokens": int(tokens),
        "heeded_share": round(counted.get("heeded", 0) / bore, 3) if bore else None,
    }  # fmt: skip
