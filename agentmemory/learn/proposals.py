"""Beliefs that somebody other than the user suggests: they wait, and the user's word makes them stand or go.

`revise` calls this for the part that concerns proposals; it is still the one place where beliefs change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agentmemory.store import beliefs, proposals

if TYPE_CHECKING:
    from agentmemory.store.rows import Database
    from agentmemory.values import Outcome


def accept(db: Database, proposal: int, now: float) -> Outcome:
    """The user agrees: the proposal stands as if the user had said it. The caller owns the transaction.

    The guards of a rule are compiled and rest: to be enforced it has to be locked, or they enabled.

    Raises:
        UnknownBelief: there is no such proposal.
    """
    from agentmemory.learn import enforcement, revise

    done = revise.accept(db, proposal, now)
    enforcement.prepare(db, proposal, now)
    return done


def reject(db: Database, proposal: int, now: float) -> None:
    """The user declines: the proposal is retracted, and is not proposed again.

    Raises:
        UnknownBelief: there is no such proposal.
    """
    found = beliefs.get(db, proposal)
    if found.state != "proposed":
        raise beliefs.UnknownBelief(f"belief {proposal} is {found.state}, not a proposal")
    beliefs.set_state(db, proposal, "retracted", now, ended=True)
    beliefs.witness(db, proposal, "rejected", 0.0, now)


def waiting(db: Database, new: int, old: Sequence[int], at: float) -> tuple[int, ...]:
    """What a new proposal may replace at once: other proposals. Beliefs that stand give way when it is accepted."""
    gives_way = []
    for each in old:
        if beliefs.get(db, each).state == "proposed":
            gives_way.append(each)
        else:
            beliefs.link(db, "relates", new, each, at, detail=proposals.WOULD_REPLACE)
    return tuple(gives_way)


def adopt(db: Database, proposal: int, now: float) -> tuple[int, ...]:
    """Make the proposal the user's own; returns the beliefs it was to replace."""
    old = proposals.would_replace(db, proposal)
    proposals.adopt(db, proposal, now)
    beliefs.witness(db, proposal, proposals.ACCEPTED, 0.0, now)
    return tuple(old)
