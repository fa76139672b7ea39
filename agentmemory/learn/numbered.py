"""Which routine a numbered step goes on with: "second step for a new score", by its number, its words and its name."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from agentmemory.learn import cues, routines
from agentmemory.learn.likeness import cosine
from agentmemory.learn.ordinals import closes, goes_on, place
from agentmemory.learn.retired import VAGUE
from agentmemory.text import stem, stems, words

if TYPE_CHECKING:
    from agentmemory.store.lineage import Known

ALIKE = 0.16  # experiments/LOG.md: likeness from which a piece goes on with a routine
CONTINUED = 0.07  # the same when it says itself that something came before
IN_ORDER = 0.1  # worth of being the very next number
NAMED_SO = 0.16  # worth of naming the routine as the other piece does
AWAITED = 0.03  # the same where a routine waits for just this number
CALLED_SO = 0.06  # worth of its name among the words of the other piece


def before(text: str, around: str, ends: list[Known]) -> Known | None:
    """Of last pieces of routines that one which a step goes on with; None for a first step, and where none fits."""
    number = place(cues.plain(text))
    if number == 1:
        return None
    return _before(text, around, number, routines.named(text), [p for p in ends if not closes(cues.plain(p.text))])


def _before(text: str, around: str, number: int | None, name: list[str], ends: list[Known]) -> Known | None:
    mine = _weights(stems(text), stems(f"{around} {' '.join(name)}"))
    counts: dict[str, int] = {}
    theirs = {}
    for piece in ends:
        theirs[piece.id] = _weights(piece.terms.split(), piece.cues.split())
        for s in theirs[piece.id]:
            counts[s] = counts.get(s, 0) + 1
    named = {stem(w) for w in name}
    scored = []
    waiting = []
    for piece in ends:
        score = _near(mine, theirs[piece.id], counts, len(ends))
        its = place(cues.plain(piece.text))
        if number is not None and its is not None:
            if its >= number:
                continue
            score += IN_ORDER * (its == number - 1)
            if its == number - 1:
                waiting.append(piece)
        elif number is not None:
            score += IN_ORDER / 4  # it may be the one before
        score += NAMED_SO * bool(named & {stem(w) for w in [*words(piece.context), *routines.named(piece.text)]})
        score += CALLED_SO * bool(named & {*piece.terms.split(), *piece.cues.split()})
        scored.append((score, piece.when, piece))
    if not scored:
        return None
    score, _, best = max(scored, key=lambda row: (row[0], row[1]))
    if score >= (AWAITED if best in waiting else CONTINUED if goes_on(cues.plain(text)) else ALIKE):
        return best
    return waiting[0] if len(waiting) == 1 else None  # no other routine waits for this number


def _weights(said: list[str], around: list[str]) -> dict[str, float]:
    out = dict.fromkeys(around, 0.5)
    out.update(dict.fromkeys(said, 1.0))
    return {s: w for s, w in out.items() if s not in VAGUE}


def _near(a: dict[str, float], b: dict[str, float], counts: dict[str, int], total: int) -> float:
    def rare(s: str) -> float:
        return math.log(1.0 + (total + 2.0) / (counts.get(s, 0) + 0.5))

    return cosine({s: w * rare(s) for s, w in a.items()}, {s: w * rare(s) for s, w in b.items()})
