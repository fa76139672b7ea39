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
RAREST = "SELECT stem FROM term WHERE stem IN ({}) AND beliefs > 0 ORDER BY beliefs LIMIT ?"


def sharing_stems(db: Database, scope: int, stems: Sequence[str], limit: int) -> list[tuple[int, str, str]]:
    """`(id, text, terms)` of live beliefs of a scope that share words with these stems, best first."""
    if not stems:
        return []
    marks = ", ".join("?" * len(stems))
    rare = [row[0] for row in db.execute(RAREST.format(marks), (*stems, RARE)).fetchall()]
    if not rare:
        return []
    asked = " OR ".join(f'"{stem}"' for stem in rare)
    return [(int(a), b, c) for a, b, c in db.execute(SHARING, (asked, scope, limit)).fetchall()]
