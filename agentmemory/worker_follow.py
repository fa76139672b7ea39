"""A worker that stays: it follows the inbox and the transcripts of running sessions, and ends when nothing moves."""

from __future__ import annotations

import contextlib
import os
import queue
import time
from typing import TYPE_CHECKING

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from agentmemory import paths, worker
from agentmemory.store import arrivals, inbox, jobs, writer

if TYPE_CHECKING:
    import apsw

IDLE_SECONDS = 900.0  # without a line from anybody: the last session has gone
QUIET_SECONDS = 60.0  # then the machine is idle enough to sleep for a slice
PAUSE_SECONDS = 1.0  # a client writes several lines for one turn; they are read together
RECENT = paths.DAY  # transcripts touched within a day are followed


def follow(home: str | None = None, idle_seconds: float = IDLE_SECONDS) -> int:
    """Work whenever something arrives, until nothing has for *idle_seconds*. Returns -1 when another works."""
    folder = paths.make_home(home or paths.home())
    with worker.holding(folder) as mine:
        if not mine:
            return -1
        db = writer.open_store(folder)
        try:
            done = _follow(db, folder, idle_seconds)
        finally:
            db.close()
    if worker.missed(folder):
        done += max(worker.once(folder, sleep_seconds=0.0), 0)
    return done


def _follow(db: apsw.Connection, folder: str, idle_seconds: float) -> int:
    events = _Touched()
    observer = Observer()
    incoming = os.path.join(folder, inbox.FOLDER)
    os.makedirs(incoming, mode=0o700, exist_ok=True)
    observer.schedule(events, incoming)
    observer.start()
    watched = {incoming}
    done, quiet = worker.drain(db, folder, paths.now()), 0.0
    try:
        while True:
            for place in _transcript_folders(db) - watched:
                watched.add(place)
                with contextlib.suppress(OSError):  # gone meanwhile, or no watch is left: `drain` reads what hooks name
                    observer.schedule(events, place)
            touched = events.wait(min(QUIET_SECONDS, idle_seconds - quiet))
            if touched:
                quiet = 0.0
                done += _arrived(db, folder, touched)
                continue
            quiet += QUIET_SECONDS
            done += worker.rest(db, folder, worker.SLICE_SECONDS)
            if quiet >= idle_seconds:
                return done
    finally:
        observer.stop()
        observer.join()


def _arrived(db: apsw.Connection, folder: str, touched: set[str]) -> int:
    now = paths.now()
    known = set(arrivals.transcripts(db, now - RECENT))
    moved = sorted(path for path in touched if path in known)
    if moved:
        with writer.transaction(db):
            for path in moved:
                jobs.add_now(db, "digest", now, path=path)
    return worker.drain(db, folder, now)


def _transcript_folders(db: apsw.Connection) -> set[str]:
    found = {os.path.dirname(path) for path in arrivals.transcripts(db, paths.now() - RECENT)}
    return {place for place in found if os.path.isdir(place)}


class _Touched(FileSystemEventHandler):
    """Paths that were written to, handed from watchdog's thread to ours."""

    def __init__(self) -> None:
        self.paths: queue.Queue[str] = queue.Queue()

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type in ("created", "modified", "moved"):
            self.paths.put(os.fsdecode(event.dest_path or event.src_path))

    def wait(self, seconds: float) -> set[str]:
        """What was touched, after the burst has settled; nothing when *seconds* pass quietly."""
        try:
            found = {self.paths.get(timeout=seconds)}
        except queue.Empty:
            return set()
        time.sleep(PAUSE_SECONDS)
        while not self.paths.empty():
            found.add(self.paths.get())
        return found
