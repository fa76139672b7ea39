"""Which lists are meant to last, as the line says that announces them."""

from __future__ import annotations

from agentmemory.learn import answered, cues, for_now
from agentmemory.learn.cues import SHAPES
from agentmemory.learn.groups import valued
from agentmemory.learn.passages import items
from agentmemory.learn.rated import COLOURS, INSISTS, VETOES, Rated, asks

PASSES = VETOES | set(cues.PASSING) | {"question", "reported", "dismissed"}
EVEN = 0.5


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


def likely(r: Rated, each: float, reply: str = "") -> float:
    """The likelihood *each* that a sentence lasts, at least even of a series that the answer takes note of;
    none of what is for now."""
    if for_now.MARK in r.marks:
        return 0.0
    return max(each, EVEN) if _taken(r, reply) else each


def _taken(r: Rated, reply: str) -> bool:
    """Whether the answer *reply* takes note of several things told in one breath (see `series`), or of what is so in
    one place and not in another; what is to be done or was seen now is none."""
    if not (r.said.series or SHAPES["yes_and_no"].match(r.plain)) or asks(r.said.text) or r.marks & COLOURS:
        return False
    return answered.sort_of(reply)["reply notes"] > 0.0 or answered.written_down(reply)


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
