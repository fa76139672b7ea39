"""The one program that works between prompts: takes in what hooks left, runs due jobs, then sleeps a little.

At most one works on a data folder: it holds a lock on `worker.lock`, which the system lets go of when it dies.
"""

from __future__ import annotations

import importlib
import os
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from agentmemory import bounded_log, paths
from agentmemory.learn import arrivals as intake
from agentmemory.model.engine import Away, BadPrompt, EngineError, NotNow
from agentmemory.store import arrivals, forget, jobs, writer

if TYPE_CHECKING:
    import apsw

    from agentmemory.sleep.report import Night

LOG = "worker.log"
NICE = 10
SLICE_SECONDS = 20.0  # of sleep after a session's end: the next session may start any moment
JOBS_AT_ONCE = 100
KEEP_DONE = 7 * paths.DAY

#: kind of job -> who does it: `function(db, job, now)`, with its own transactions; it raises to be tried again
RUNNERS = {
    "digest": "agentmemory.worker:digest",
    "consolidate": "agentmemory.sleep.wording:reword",
    "score": "agentmemory.sleep.surprise:score",
    "profile": "agentmemory.sleep.profile_asked:run",
    "judge": "agentmemory.learn.outcomes:run",
    "contradictions": "agentmemory.learn.contradictions:run",
    "anchor": "agentmemory.learn.anchors:run",
    "annotate": "agentmemory.worker:annotate",
    "prefill": "agentmemory.serve.warm:prefill",
    "embed": "agentmemory.sleep.meanings:run",
}
#: these wait, untried, until a person has named a model
FOR_A_MODEL = frozenset(("consolidate", "annotate", "score", "profile"))

Runner = Callable[["apsw.Connection", jobs.Job, float], None]


def once(home: str | None = None, sleep_seconds: float = SLICE_SECONDS) -> int:
    """Do all that waits, sleep for at most *sleep_seconds*, end. Returns jobs done, -1 when another works."""
    folder = paths.make_home(home or paths.home())
    done, stuck = -1, ""
    while True:
        with holding(folder) as mine:
            if not mine:
                return done
            done = max(done, 0) + _work(folder, sleep_seconds)
        waits = missed(folder)
        if waits in ("", stuck):  # nothing waits, or it cannot be taken in: not again before the next hook
            return done
        stuck = waits


def missed(folder: str) -> str:
    """Where lines wait, "" for none: a hook that came while the lock was held has gone again, they are the holder's."""
    with closing(writer.open_store(folder)) as db:
        return intake.waiting(db, folder)


@contextmanager
def holding(folder: str) -> Iterator[bool]:
    """Hold the worker's lock for a while; False when another process holds it."""
    fd = os.open(os.path.join(folder, paths.WORKER), os.O_CREAT | os.O_RDWR, 0o600)
    try:
        yield writer.try_lock(fd)
    finally:
        os.close(fd)


def drain(db: apsw.Connection, folder: str, now: float) -> int:
    """Take in what hooks left and run every job that is due; returns how many were done."""
    done = 0
    while True:
        took = 0
        with _logged(folder, "the inbox"):
            took = intake.take(db, folder, now)
        left = intake.waiting(db, folder)
        kinds = sorted(arrivals.kinds_waiting(db, now), key=FOR_A_MODEL.__contains__)
        ran = sum(_run(db, folder, kind, now, left) for kind in kinds)
        done += ran
        if not ran and not took:
            return done


def digest(db: apsw.Connection, job: jobs.Job, now: float) -> None:
    """Learn from the transcript that the job names; one that is gone, or no file, has nothing to teach."""
    if os.path.isfile(job.payload["path"]):
        from agentmemory import seen
        from agentmemory.learn.digest import digest as learn

        for fork, (parent, upto) in learn(db, job.payload["path"], now).forks.items():
            seen.take_over(os.path.dirname(db.filename), fork, parent, upto)


def annotate(db: apsw.Connection, job: jobs.Job, now: float) -> None:
    """Let the configured model improve what the job's belief is found by."""
    from agentmemory.learn import evolution
    from agentmemory.sleep import models

    evolution.annotate(db, job, now, models.asker(os.path.dirname(db.filename)))


def be_nice() -> None:
    """Yield the processor to whoever works on this machine: a low priority, and one core for linear algebra."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if hasattr(os, "nice"):
        os.nice(NICE)


def log(folder: str, what: str) -> None:
    """Append to the worker's log."""
    bounded_log.append(os.path.join(folder, LOG), what)


def rest(db: apsw.Connection, folder: str, seconds: float) -> int:
    """Clean up, sleep for at most *seconds*, and do the jobs that sleep leaves; returns how many were done."""
    done = 0
    with _logged(folder, "tidying"):
        if intake.overlooked(db, folder, paths.now()):
            done = drain(db, folder, paths.now())
        intake.tidy(db, folder, paths.now())
        with writer.transaction(db):
            arrivals.drop_old_jobs(db, paths.now() - KEEP_DONE)
    with _logged(folder, "removing what was forgotten"):
        forget.scrub(db)
    with _logged(folder, "meanings"):
        _place(db, folder)
    if seconds <= 0:
        return done + drain(db, folder, paths.now())
    with _logged(folder, "sleep"):
        _sleep(db, folder, seconds)
        _prefill_next(db, folder)
    return done + drain(db, folder, paths.now())


def _sleep(db: apsw.Connection, folder: str, seconds: float) -> None:
    """A slice of sleep, where a session has ended or has filled its window."""
    from agentmemory.sleep import night, settings

    given = settings.read(folder)
    if night.due(db, given.threshold, given.window):
        leave_work(db, night.sleep(db, paths.now(), seconds=min(seconds, given.slice_seconds), cap=given.cap))


def leave_work(db: apsw.Connection, done: Night) -> None:
    """What is to be looked at after a night, some of it by a model, waits as jobs."""
    from agentmemory.sleep import profile_asked, surprise

    if done.finished and done.turns:
        with writer.transaction(db):
            jobs.add(db, "contradictions", paths.now())
    surprise.ask(db, paths.now())
    profile_asked.ask(db, paths.now())


def _place(db: apsw.Connection, folder: str) -> None:
    """Where a sentence encoder is named, new beliefs get their places among the others by their meaning."""
    if os.path.exists(os.path.join(folder, paths.SIDECAR)):
        from agentmemory.sleep import meanings, models

        if why := models.problem(folder):
            log(folder, f"no model takes part: {why}")
        meanings.ask(db, paths.now())


def _prefill_next(db: apsw.Connection, folder: str) -> None:
    """Where a local model has been used, what its next session begins with is computed before it is asked for."""
    if os.path.exists(os.path.join(folder, paths.SEGMENTS, paths.HEADS)):
        with writer.transaction(db):
            jobs.add(db, "prefill", paths.now())


def _work(folder: str, sleep_seconds: float) -> int:
    db = writer.open_store(folder)
    try:
        return drain(db, folder, paths.now()) + rest(db, folder, sleep_seconds)
    finally:
        db.close()


def _run(db: apsw.Connection, folder: str, kind: str, now: float, left: str) -> int:
    """Jobs of one kind that are due; each is marked done, or put off with its reason in the log.

    A model takes its time: what arrives in the inbox meanwhile, beyond what was *left* there, comes first.
    """
    if kind not in RUNNERS or (kind in FOR_A_MODEL and not _has_model(folder)):
        return 0
    done = 0
    due = jobs.due(db, kind, now, JOBS_AT_ONCE)
    for n, job in enumerate(due):
        if kind in FOR_A_MODEL and intake.waiting(db, folder) != left:
            break
        try:
            _runner(kind)(db, job, now)
        except Exception as error:
            the_rest_too = isinstance(error, EngineError) and not isinstance(error, BadPrompt)  # it would hear the same
            with writer.transaction(db):
                for each in due[n:] if the_rest_too and not isinstance(error, NotNow) else [job]:
                    jobs.later(db, each, now, soon=isinstance(error, Away))
            if the_rest_too:
                log(folder, f"jobs of kind {kind} wait: {error}")
                break
            why = f" {error}" if isinstance(error, EngineError) else f"\n{traceback.format_exc()}"
            log(folder, f"job {job.id} ({kind}, attempt {job.attempts + 1}) failed:{why}")
        else:
            with writer.transaction(db):
                jobs.done(db, job.id)
            done += 1
    return done


def _has_model(folder: str) -> bool:
    """Whether a person has named one, in a file that can be understood: `doctor` says where it cannot."""
    from agentmemory.sleep import models

    return models.configured(folder)


def _runner(kind: str) -> Runner:
    module, name = RUNNERS[kind].split(":")
    found: Runner = getattr(importlib.import_module(module), name)
    return found


@contextmanager
def _logged(folder: str, what: str) -> Iterator[None]:
    """The worker's one net: what fails is in the log, and the rest of the round goes on."""
    try:
        yield
    except Exception:
        log(folder, f"{what} failed:\n{traceback.format_exc()}")
