"""What was said again in other words: one wording is to stand for a fact that comes up in session after session.

Draws `supports` edges with the detail `restates` and changes no belief. `recall/restated.py` reads them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmemory.learn.contradictions import SIGNS, signed
from agentmemory.learn.retired import VAGUE
from agentmemory.learn.valued import marks
from agentmemory.recall.render import BINDING
from agentmemory.store import beliefs, meta, nights
from agentmemory.store import restatements as store
from agentmemory.text import words

if TYPE_CHECKING:
    from agentmemory.store.restatements import Said
    from agentmemory.store.rows import Database

HELD = "restated"  # recall looks for wordings where this is set
MARK = "restatements"  # the last belief that was looked at
BATCH = 200  # beliefs in one transaction
COMPARED = 48  # earlier beliefs that share a named thing
LEAST_NAMED = 2  # things and figures that both name: a subject and its value
ADDS = 2  # stems that the hidden wording may have beside the other's


def find(db: Database, now: float) -> int | None:
    """Tie the next beliefs to what they repeat; returns how many edges were drawn, None when no belief is left.

    The caller owns the transaction.
    """
    new = store.after(db, int(nights.mark(db, MARK)), BATCH)
    if not new:
        return None
    drawn = 0
    for belief, scope in new:
        near = store.beside(db, belief, scope, COMPARED)
        mine = next((said for said in near if said.id == belief), None)
        if mine is None or not mine.things:
            continue
        for other in sorted(near, key=lambda said: -said.id):
            pair = repeats(other, mine) if other.id != belief else None
            if pair is not None:
                beliefs.link(db, "supports", pair[0], pair[1], now, detail=store.DETAIL)
                drawn += 1
                if pair[0] == belief:
                    break
    if drawn:
        meta.put(db, HELD, 1)
    nights.set_mark(db, MARK, new[-1][0])
    return drawn


def repeats(older: Said, newer: Said) -> tuple[int, int] | None:
    """`(hidden, standing)` when two beliefs say one thing: the same things and figures, nothing denied that the other
    says, and next to nothing that the hidden one adds. The newer stands, unless only the older binds."""
    if older.things != newer.things or _figures(older.text) != _figures(newer.text):
        return None
    if len(newer.things) + len(_figures(newer.text)) < LEAST_NAMED:
        return None
    for hidden, standing in ((older, newer), (newer, older)):
        weaker = hidden.kind in BINDING and standing.kind not in BINDING
        if not (hidden.locked or weaker or _more(hidden, standing) > ADDS or _opposed(hidden, standing)):
            return hidden.id, standing.id
    return None


def _more(hidden: Said, standing: Said) -> int:
    """How many telling stems the hidden wording has that the other lacks."""
    return len(hidden.stems - standing.stems - VAGUE - SIGNS)


def _opposed(a: Said, b: Said) -> bool:
    """Whether one speaks against what the other speaks for."""
    a_for, a_against = signed(a.text)
    b_for, b_against = signed(b.text)
    return bool((a_for & b_against) - b_for or (b_for & a_against) - a_for)


def _figures(text: str) -> frozenset[str]:
    """Words with digits."""
    return frozenset(marks(words(text)))
