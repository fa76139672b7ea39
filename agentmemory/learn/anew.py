"""Judges anew, once after an upgrade, what an earlier release believed of talk at work; what it would not believe today
becomes "heard once".

The learner hears the stored turns again. A belief is put aside only if a single sentence of the user's is all that
backs it, and only if the learner rejects that sentence twice: as if the agent's answer had changed a file, and as if it
had not, because a stored turn does not say which it was.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from agentmemory.learn import register
from agentmemory.learn.candidates import candidates
from agentmemory.learn.digest import ANSWERED, BEFORE, answer_of
from agentmemory.learn.passages import EDITED
from agentmemory.store import anew, beliefs, changes, tiers, writer
from agentmemory.values import Utterance

if TYPE_CHECKING:
    import apsw

    from agentmemory.store.tiers import Spoken

CHANGED = f"{EDITED}a file\n```"  # stands for any that the answer may have changed


def judge(db: apsw.Connection, now: float) -> bool:
    """Judge the next project that waits, in one transaction; False when none does."""
    project = anew.project(db)
    if project is None:
        return False
    doubtful = _doubtful(db, project)
    with writer.transaction(db):
        changes.begin(db, "upgrade")
        for belief in doubtful:
            beliefs.set_state(db, belief, "heard", now)
        anew.judged(db, project)
    return True


def _doubtful(db: apsw.Connection, project: int) -> list[int]:
    """What stands of the project's talk at work that the learner would not hold today."""
    sessions = anew.sessions(db, project)
    held: dict[int, list[tuple[int, int, int]]] = {}
    for belief, said_in, start, stop in anew.said_once(db, sessions):
        held.setdefault(said_in, []).append((belief, start, stop))
    talk: deque[float] = deque(maxlen=register.BEFORE)
    out: list[int] = []
    for session in sessions:
        told = tiers.of_session(db, session)
        odds = [register.odds(turn.text) for turn in told if turn.role == "user"]
        asked = 0
        for i, turn in enumerate(told):
            if turn.role == "user":
                of = register.talk([*talk, *odds[asked : asked + register.AFTER]])
                talk.append(odds[asked])
                asked += 1
                if of.works and turn.id in held:
                    spans = _spans(told, i, of)
                    out += [b for b, start, stop in held[turn.id] if not any(a < stop and start < z for a, z in spans)]
    return out


def _spans(told: list[Spoken], i: int, talk: register.Talk) -> list[tuple[int, int]]:
    """Where in a turn the learner finds what stands; *talk*: see candidates."""
    turn, before = told[i], [(each.role, each.text) for each in told[max(0, i - BEFORE) : i]]
    said = Utterance(turn.idx, turn.role, turn.text, turn.at, "user")
    after = [Utterance(each.idx, each.role, each.text, each.at, "agent") for each in told[i + 1 : i + 1 + ANSWERED]]
    reply, found = answer_of(after), []
    for answer in (reply, reply + CHANGED):
        kept = candidates(said, tuple(before), tentative=True, reply=answer, talk=talk)
        found += [(c.start, c.end) for c in kept if not (c.heard or c.tentative or c.named)]
    return found
