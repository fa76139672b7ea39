"""What models were asked: a row a call. Callers own the transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

ADD = "INSERT INTO model_use (at, model, prompt, completion, cached) VALUES (?, ?, ?, ?, ?)"
BY_MODEL = """
    SELECT model, count(*), sum(prompt), sum(completion), sum(cached) FROM model_use
    WHERE at >= ? GROUP BY model ORDER BY model
"""


def add(db: Database, at: float, model: str, prompt: int, completion: int, cached: int) -> None:
    """One call; *cached* of the prompt's tokens were not computed anew."""
    db.execute(ADD, (at, model, prompt, completion, cached))


def by_model(db: Database, since: float) -> list[tuple[str, int, int, int, int]]:
    """`(model, calls, prompt, completion, cached)` since a time."""
    rows = db.execute(BY_MODEL, (since,)).fetchall()
    return [(str(m), int(n), int(p), int(c), int(k)) for m, n, p, c, k in rows]
