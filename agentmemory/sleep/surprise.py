"""How little a local model expected what was said: one more term of a turn's importance, as a job after sleep.

A few turns at a time, in the order they were said; their importances and the mark that says how far it has come are
written in one transaction, so a killed job adds its term to no turn twice. A server that is reached by address
shows the probabilities of single tokens only, so it takes no part.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from agentmemory.sleep import importance, models
from agentmemory.sleep.night import waiting
from agentmemory.store import jobs, nights, writer

if TYPE_CHECKING:
    import apsw

    from agentmemory.model.engine import Asked
    from agentmemory.store.jobs import Job
    from agentmemory.store.nights import Turn

KIND = "score"
MARK = "surprise"  # name of the mark: the last turn whose surprisal is in its importance
AT_ONCE = 20
GIVEN = 800  # characters of the turns before that the model is shown
LOOKED_AT = 400  # characters of a turn that are measured: about a hundred tokens, a step of the model each


def ask(db: apsw.Connection, now: float) -> bool:
    """Queue the work where a local model is set and turns that were slept on wait for it."""
    if not models.given(os.path.dirname(db.filename)).models or not waiting(db, MARK, 1):
        return False
    with writer.transaction(db):
        jobs.add(db, KIND, now)
    return True


def score(db: apsw.Connection, job: Job, now: float) -> None:
    """Do the job with the local model, within the day's allowance. Raises EngineError to go on later."""
    from agentmemory.model.allowance import Background, may_begin

    home = os.path.dirname(db.filename)
    found = models.engines(home)
    if found.settings.models:
        may_begin(home, found.settings)  # before a model is loaded for nothing
        engine = Background(found.get(next(iter(found.settings.models))), home, found.settings)
        while apply(db, engine):
            pass


def apply(db: apsw.Connection, engine: Asked) -> int:
    """Add its surprisal to the importance of each of the next turns; how many there were."""
    new = waiting(db, MARK, AT_ONCE)
    told = [(turn, surprisal(engine, turn, nights.before(db, turn.session, turn.idx, 3))) for turn in new]
    if new:
        with writer.transaction(db):
            known = {turn.id: turn.importance for turn in nights.by_id(db, [turn.id for turn in new])}
            rows = [(importance.with_surprisal(known.get(t.id), value), t.id) for t, value in told]
            nights.score(db, rows)
            nights.set_mark(db, MARK, new[-1].id)
    return len(new)


def surprisal(engine: Asked, turn: Turn, before: Sequence[Turn]) -> float:
    """Of one turn, 0 to 1, after the turns before it (oldest first)."""
    from agentmemory.model.engine import Prompt

    text = turn.text[:LOOKED_AT]
    given = "\n".join(f"{t.role}: {t.text}" for t in before)[-GIVEN:]
    (logp,) = engine.score(Prompt(text=f"{given}\n{turn.role}:"), [f" {text}"])
    return importance.surprisal(logp, len(text))
