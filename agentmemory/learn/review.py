"""The user looks at what was learned: what is kept is surer from then on, what is dropped is taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmemory.learn import revise
from agentmemory.store import beliefs
from agentmemory.store.review import KEPT

if TYPE_CHECKING:
    from agentmemory.records import Row
    from agentmemory.store.rows import Database


def keep(db: Database, belief: int, now: float) -> None:
    """It holds, says the user, as if it had been said again; what was heard once stands. The caller owns the
    transaction.

    Raises:
        UnknownBelief: it neither stands nor was heard.
    """
    if _held(db, belief).state == "heard":
        beliefs.set_state(db, belief, "active", now)
    beliefs.witness(db, belief, KEPT, revise.RESTATED, now)


def drop(db: Database, belief: int, now: float) -> None:
    """It is not to be held, says the user; what it had replaced holds again. The caller owns the transaction.

    Raises:
        UnknownBelief: the same; or it is locked.
    """
    if _held(db, belief).locked:
        raise beliefs.UnknownBelief(f"belief {belief} is locked; unlock it before you drop it")
    revise.retract(db, belief, now, "user")


def _held(db: Database, belief: int) -> Row:
    found = beliefs.get(db, belief)
    if found.state not in ("active", "heard"):
        raise beliefs.UnknownBelief(f"belief {belief} is {found.state}: it neither stands nor was heard")
    return found
