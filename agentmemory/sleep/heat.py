"""Which summaries are used: heat from visits, length and recency; the hot ones become long-term memory.

Heat as in J. Kang et al., Memory OS of AI Agent, 2025: `visits + turns + exp(-age / tau)`.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from agentmemory.store import beliefs, nights, summaries

if TYPE_CHECKING:
    from agentmemory.store.rows import Database
    from agentmemory.store.summaries import Warmth

TAU_HOURS = 24.0
HOT = 5.0
MARK = "heat"  # newest belief and injection that were looked at


def heat(visits: int, length: int, hours: float) -> float:
    """Visits and turns since the last promotion, and how lately the last of them was."""
    return visits + length + math.exp(-max(0.0, hours) / TAU_HOURS)


def of(warmth: Warmth, now: float) -> float:
    """The heat of a summary now."""
    return heat(warmth.visits, warmth.length, (now - warmth.last) / 3600.0)


def promote(db: Database, now: float) -> list[int]:
    """Promote every summary that is hot, in one pass; their heat starts anew. The caller owns the transaction.

    Only summaries that are new or were visited since the last pass are looked at: others can only have cooled.
    """
    since = json.loads(nights.mark(db, MARK) or "[0, 0]")
    end = summaries.ends(db)
    out = []
    for warmth in summaries.warmth(db, (since[0], since[1])):
        if of(warmth, now) >= HOT:
            summaries.promote(db, warmth.belief, now)
            beliefs.witness(db, warmth.belief, "promoted", 0.0, now)
            out.append(warmth.belief)
    nights.set_mark(db, MARK, json.dumps(end))
    return out
