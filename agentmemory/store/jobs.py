"""Work that is due, durable: a job stays until somebody has done it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

RETRY_SECONDS = 60.0  # doubled at every attempt
MAX_ATTEMPTS = 12  # then it waits three days at a time; a job is never thrown away
LONGEST = RETRY_SECONDS * 2.0**MAX_ATTEMPTS
#: where it is not the work's fault, as a server is down: trying costs little, and it may be back at once
SOON, SOON_AT_MOST = 1.0, 60.0
#: its time has come, or lies so far ahead that only a clock that was wrong can have set it; and it can be read
IS_DUE = f"state = 'pending' AND (due <= :now OR due > :now + {LONGEST}) AND json_valid(payload)"

ADD = "INSERT INTO job (kind, ref, payload, due, created) VALUES (?, ?, ?, ?, ?) RETURNING id"
SAME = "SELECT id FROM job WHERE state = 'pending' AND kind = ? AND ref IS ? AND payload = ?"
DUE = f"""
    SELECT id, kind, ref, payload, attempts FROM job WHERE kind = :kind AND {IS_DUE} ORDER BY due, id LIMIT :limit
"""
DONE = "UPDATE job SET state = 'done' WHERE id = ?"
LATER = "UPDATE job SET attempts = attempts + 1, due = ? WHERE id = ?"
NOW = "UPDATE job SET due = min(due, ?) WHERE id = ?"
COUNT = "SELECT kind, state, count(*) FROM job GROUP BY kind, state"


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of work: what (`kind`), about which row (`ref`), with what (`payload`)."""

    id: int
    kind: str
    ref: int | None
    payload: dict[str, Any]
    attempts: int


def add(db: Database, kind: str, now: float, ref: int | None = None, **payload: Any) -> int:
    """Put work in the queue; the same work that waits already is not put twice."""
    text = json.dumps(payload, ensure_ascii=False, sort_keys=True)
    waiting = db.execute(SAME, (kind, ref, text)).fetchone()
    return int((waiting or db.execute(ADD, (kind, ref, text, now, now)).fetchone())[0])


def add_now(db: Database, kind: str, now: float, **payload: Any) -> None:
    """The same, and where that work failed and waits for its next try, there is a new reason to try."""
    db.execute(NOW, (now, add(db, kind, now, **payload)))


def due(db: Database, kind: str, now: float, limit: int = 100) -> list[Job]:
    """Work of a kind whose time has come, oldest first."""
    rows = db.execute(DUE, {"kind": kind, "now": now, "limit": limit}).fetchall()
    return [Job(int(id), kind, ref, json.loads(payload), int(tried)) for id, kind, ref, payload, tried in rows]


def done(db: Database, job: int) -> None:
    """It is finished."""
    db.execute(DONE, (job,))


def later(db: Database, job: Job, now: float, *, soon: bool = False) -> None:
    """It failed: try again after a pause that doubles; *soon*: a short one, which stays below a minute."""
    pause = 2.0 ** min(job.attempts, MAX_ATTEMPTS)
    due = now + (min(SOON * pause, SOON_AT_MOST) if soon else RETRY_SECONDS * pause)
    db.execute(LATER, (due, job.id))


def count(db: Database) -> dict[str, dict[str, int]]:
    """How many jobs there are, by kind and state."""
    out: dict[str, dict[str, int]] = {}
    for kind, state, n in db.execute(COUNT).fetchall():
        out.setdefault(kind, {})[state] = int(n)
    return out
