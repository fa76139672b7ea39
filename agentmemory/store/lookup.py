"""Live beliefs by their words, for code that decides what a new text means to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

RARE = 24  # stems of a text that are looked up; more add cost, not matches
SHARING = """
    SELECT b.id, b.text, b.terms FROM belief_fts f JOIN belief b ON b.id = f.rowid
    WHERE belief_fts MATCH ? AND b.scope = ? AND b.state IN ('active', 'proposed')
    ORDER BY bm25(belief_fts) LIMIT ?
"""
POSTINGS = 1_500  # entries of the index that one look-up may read: the rarest words find the same belief
RAREST = "SELECT stem, beliefs FROM term WHERE stem IN ({}) AND beliefs > 0 ORDER BY beliefs LIMIT ?"


def sharing_stems(db: Database, scope: int, stems: Sequence[str], limit: int) -> list[tuple[int, str, str]]:
    """`(id, text, terms)` of live beliefs of a scope that share words with these stems, best first."""
    if not stems:
        return []
    rare = rarest(db, stems)
    if not rare:
        return []
    asked = " OR ".join(f'"{stem}"' for stem in rare)
    return [(int(a), b, c) for a, b, c in db.execute(SHARING, (asked, scope, limit)).fetchall()]


def rarest(db: Database, stems: Sequence[str]) -> list[str]:
    """The rarest of these stems among beliefs, one at least, as many as the budget of postings allows."""
    chosen: list[str] = []
    spent = 0
    for stem, beliefs in db.execute(RAREST.format(", ".join("?" * len(stems))), (*stems, RARE)).fetchall():
        spent += int(beliefs)
        if chosen and spent > POSTINGS:
            break
        chosen.append(str(stem))
    return chosen
