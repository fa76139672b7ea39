"""Pieces of a routine that was taught in pieces: each is tied to the one before it and shares the routine's name.

A piece is a belief of kind procedure. Works on ordinals and on words; draws `next` edges, changes no text.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from agentmemory.learn import cues
from agentmemory.learn.cues import SHAPES
from agentmemory.learn.ordinals import NUMBERS, closes, goes_on, place
from agentmemory.learn.retired import VAGUE
from agentmemory.store import beliefs, lineage
from agentmemory.text import STOP, stem, stems, words

if TYPE_CHECKING:
    from agentmemory.store.lineage import Known
    from agentmemory.store.rows import Database

LOOKED_AT = 200  # pieces of procedures that a new one is compared with, the latest
ALIKE = 0.16  # experiments/LOG.md: likeness from which a piece goes on with a routine
CONTINUED = 0.07  # the same when it says itself that something came before
IN_ORDER = 0.1  # worth of being the very next number
NAMED_SO = 0.16  # worth of naming the routine as the other piece does
AWAITED = 0.03  # the same where a routine waits for just this number
CALLED_SO = 0.06  # worth of its name among the words of the other piece
NAME_WORDS = 7  # of a routine's name

NAMES = (
    re.compile(
        r"(?:^|[.,;!?] |\b(?:the|a|an|our|next|to|of) )((?:[\w'-]+ ){0,2}[\w'-]+)[,:]? "
        r"(?:(?:first|second|third|fourth|fifth|last|1st|2nd|3rd|4th) (?:step|part|bit|piece)|"
        r"(?:step|part|pt\.?) (?:one|two|three|four|five|\d))\b"
    ),
    SHAPES["routine_of"],
    re.compile(r"\b((?:[\w'-]+ ){0,4}[\w'-]+) (?:always )?(?:starts?|begins?) (?:always )?(?:with|by)\b"),
    re.compile(r"^(?:so |then |ok |and )*(?:for|on|about|with) ((?:[\w'-]+ ){0,4}[\w'-]+)[,:]"),
    re.compile(
        r"\b(?:in|for|of|with) (?:the|our|a|an) ((?:[\w'-]+ ){1,3})"
        r"(?:procedure|routine|runbook|checklist|drill|process)\b"
    ),
    re.compile(r"\bthe ((?:[\w'-]+ ){1,2})steps?\b"),
    re.compile(r"\b(?:with|for) (?:any|every|each) ((?:[\w'-]+ ){0,2}[\w'-]+)"),
    re.compile(r"^(?:so |then |ok |and )*((?:[\w'-]+ ){0,2}[\w'-]+): "),
    re.compile(r"\b(?:before|when|whenever|after) (?:you |we |i )?((?:[\w'-]+ ){0,3}[\w'-]+)"),
)  # fmt: skip


UNNAMED = frozenset("always usually normally ccc qqq thing things very exactly great merged today".split())


def tie(db: Database, new: int, scope: int, text: str, around: str, at: float) -> int | None:
    """Tie a new piece to the routine that it goes on with; returns the piece before it, None when it begins one."""
    plain = cues.plain(text)
    number = place(plain)
    name = routine(text)
    best = None
    if number != 1:
        pieces = [p for p in lineage.steps(db, scope, LOOKED_AT) if p.id != new]
        after = {a for a, _ in lineage.follows(db, [p.id for p in pieces])}
        best = _before(
            text, around, number, name, [p for p in pieces if p.id not in after and not closes(cues.plain(p.text))]
        )
    if best is None:
        if name:
            beliefs.evolve(db, new, at, context=" ".join(name), why="the name of its routine")
        return None
    beliefs.link(db, "next", best.id, new, at)
    _share_name(db, best, new, name, at)
    return best.id


def routine(text: str) -> list[str]:
    """Words that name the routine a piece belongs to, as the piece itself says; may be none."""
    plain = cues.plain(text)
    for shape in NAMES:
        for found in shape.finditer(plain):
            name = [
                w
                for w in words(found.group(1))
                if w not in STOP and stem(w) not in VAGUE and w not in NUMBERS and w not in UNNAMED
            ]
            if name:
                return name[:4]
    return []


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
        score += NAMED_SO * bool(named & {stem(w) for w in [*words(piece.context), *routine(piece.text)]})
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

    dot = sum(w * b[s] * rare(s) ** 2 for s, w in a.items() if s in b)
    norm = math.sqrt(sum((w * rare(s)) ** 2 for s, w in a.items()) * sum((w * rare(s)) ** 2 for s, w in b.items()))
    return dot / norm if norm else 0.0


def _share_name(db: Database, before: Known, new: int, name: list[str], at: float) -> None:
    """All pieces of a routine carry one context, so that whoever asks for it finds them all."""
    known = before.context.split()
    fresh = [w for w in name if stem(w) not in {stem(k) for k in known}]
    shared = " ".join([*known, *fresh][:NAME_WORDS])
    chain, seen = [before.id], {before.id, new}
    while chain:
        piece = chain.pop()
        if shared != before.context:
            beliefs.evolve(db, piece, at, context=shared, why="the name of its routine grew")
        earlier = [a for a, b in lineage.follows(db, [piece]) if b == piece and a not in seen]
        seen.update(earlier)
        chain += earlier
    if shared:
        beliefs.evolve(db, new, at, context=shared, why="the name of its routine")
