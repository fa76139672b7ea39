"""An order under a condition of the work's own: "if the backup times out, page Olek" is meant for each time, unlike
what is only imagined ("if we ever move ..."), left to the agent ("if you want ...") or goes on with the work ("if that
works, commit"). Words are data (data/marks.toml, data/tongues.toml)."""

from __future__ import annotations

from agentmemory.learn import cues, tongues
from agentmemory.learn.cues import SHAPES
from agentmemory.learn.rated import Rated, asks


def standing(r: Rated) -> bool:
    """Whether a sentence orders what is to be done whenever something of the work happens."""
    if r.out or asks(r.said.text) or not SHAPES["on_event"].match(cues.start(r.plain)):
        return False
    return not SHAPES["of_moment"].search(r.plain) and (ordered(r.plain) or tongues.orders(r.said.text))


def ordered(plain: str) -> bool:
    """Whether a plain sentence orders something behind its condition."""
    return bool(SHAPES["ordered_then"].search(plain))
