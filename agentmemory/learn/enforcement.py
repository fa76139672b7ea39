"""Locked rules and their guards: what the user locks is enforced, what is unlocked is not.

The caller owns the transaction.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from agentmemory.learn.guards import compile, describe, unguarded
from agentmemory.store import beliefs, guards

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

UNSEEN = "No action in it can be seen before it happens, so agents are told it and nothing enforces it."


def enforce(db: Database, belief: int, now: float, mode: str | None = None) -> list[tuple[int, str]]:
    """Put guards before what a locked rule of the user forbids: `(guard, what it does in plain words)` of each.

    Nothing for a rule that is about no action, or that somebody else stated. *mode*: inform, ask or deny instead of
    what the rule's words mean. Guards that these words do not make any more are removed.
    """
    rule = beliefs.get(db, belief)
    if not rule.locked or rule.provenance != "user":
        return []
    out = []
    meant = compile(rule.text)
    specs = [(p.tool, p.json()) for p in meant]
    for row in guards.listed(db, belief):
        if (row.tool, row.spec) not in specs:  # compiled otherwise before an upgrade
            guards.remove(db, row.id, now)
    for p in meant:
        guard = guards.add(db, belief, rule.scope, mode or p.mode, p.tool, p.json(), p.says, now, enabled=True)
        guards.set_enabled(db, guard, True, now, mode)
        out.append((guard, p.plain))
    return out


def prepare(db: Database, belief: int, now: float) -> list[tuple[int, str]]:
    """Compile the guards of a rule that the user has accepted; they rest until the user enables them or locks it."""
    rule = beliefs.get(db, belief)
    if rule.kind != "rule" or rule.provenance != "user":
        return []
    return [
        (guards.add(db, belief, rule.scope, p.mode, p.tool, p.json(), p.says, now), p.plain) for p in compile(rule.text)
    ]


def told(db: Database, belief: int) -> str:
    """What acts for a rule, a line for each guard; that nothing does, where nothing compiles."""
    found = acting(db, belief)
    if len(found) > 1:
        said = ["Enforced before a tool runs:", *(f"- guard {guard}, {mode}: {what}" for guard, mode, what in found)]
    else:
        said = [f"Enforced before a tool runs (guard {guard}, {mode}): {what}." for guard, mode, what in found]
    return "\n".join([*said, *left_out(beliefs.get(db, belief).text)] if said else [UNSEEN])


def foretold(text: str) -> str:
    """What locking these words would enforce, for the question that asks the user."""
    plain = [p.plain for p in compile(text)]
    said = (
        ["Before a tool runs:", *(f"- {each}" for each in plain)]
        if len(plain) > 1
        else [f"Before a tool runs: {each}" for each in plain]
    )
    return "\n".join([*said, *left_out(text)] if said else [UNSEEN])


def left_out(text: str) -> list[str]:
    """What of a guarded rule nothing enforces, a line for each sentence."""
    return [f"Told to agents and enforced by nothing: {json.dumps(one, ensure_ascii=False)}" for one in unguarded(text)]


def release(db: Database, belief: int, now: float) -> None:
    """Let the guards of a rule rest: it is no longer locked."""
    for guard in guards.listed(db, belief):
        if guard.enabled:
            guards.set_enabled(db, guard.id, False, now)


def resting(db: Database, belief: int) -> bool:
    """Whether a rule has guards that wait for the user's consent."""
    return any(not guard.enabled for guard in guards.listed(db, belief))


def acting(db: Database, belief: int) -> list[tuple[int, str, str]]:
    """`(guard, mode, what it matches)` of the guards that act for a rule."""
    rows = guards.listed(db, belief)
    return [(row.id, row.mode, describe(row.tool, json.loads(row.spec))) for row in rows if row.enabled]
