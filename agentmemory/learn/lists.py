"""Which lists are meant to last, as the line says that announces them."""

from __future__ import annotations

from agentmemory.learn import cues
from agentmemory.learn.cues import SHAPES
from agentmemory.learn.groups import valued
from agentmemory.learn.passages import items
from agentmemory.learn.rated import INSISTS, VETOES, Rated

PASSES = VETOES | set(cues.PASSING) | {"question", "reported", "dismissed"}


def weigh(rated: list[Rated], text: str) -> bool:
    """Let what announces a routine, our rules or our values, and a list below it, be meant to last; returns whether
    that is all that the turn says."""
    whole, said = False, [r.said for r in rated]
    for i, r in enumerate(rated):
        listed = items(said, text, i)
        if listed and (mark := _lasts(r, [rated[j] for j in listed])):
            r.order, r.idle, r.score = False, False, max(r.score, INSISTS)
            r.marks.add(mark)
            whole = whole or (i == 0 and listed[-1] == len(rated) - 1)
    return whole


def _lasts(r: Rated, listed: list[Rated]) -> str:
    """The mark of a line that announces what holds each time; "" for what is to be done or was seen now."""
    if r.marks & PASSES:
        return ""
    if SHAPES["heads_routine"].search(r.plain):
        return "step"
    if SHAPES["heads_rules"].search(r.plain):
        return "must"
    ours = SHAPES["heads_ours"].match(r.plain)
    return "where" if ours and all(map(valued, listed)) else ""
