"""The worker's `prefill` job: the next session's prefix is computed while nobody waits.

A running server does it itself; without one, and with a local model set, the worker does, within its allowance.
"""

from __future__ import annotations

import json
import os
import urllib.request
from typing import TYPE_CHECKING

from agentmemory.model.allowance import Background, may_begin
from agentmemory.model.engine import EngineError
from agentmemory.model.models import Models, UnknownModel
from agentmemory.serve.heads import Heads, warm
from agentmemory.serve.injection import FromMemory, Prefix
from agentmemory.sleep.models import configured
from agentmemory.store.writer import try_lock

if TYPE_CHECKING:
    import apsw

    from agentmemory.store.jobs import Job

PORT_FILE = "serve.port"
TOKEN, ADMIN = "serve.token", "serve.admin"  # files that hold the keys
TIMEOUT = 600.0


def prefill(db: apsw.Connection, job: Job, now: float) -> None:
    """Do the job for the data folder of *db*. Raises EngineError to be tried again."""
    home = os.path.dirname(db.filename)
    if not configured(home) or not Heads(home).all():
        return
    if not by_server(home):
        by_worker(home)


def by_server(home: str) -> bool:
    """Ask a running server; False when there is none."""
    if not running(home):
        return False
    try:
        port, token, key = (_read(home, name) for name in (PORT_FILE, TOKEN, ADMIN))
        request = urllib.request.Request(
            f"http://127.0.0.1:{int(port)}/admin/warm", b"{}", {"Authorization": f"Bearer {token}", "X-Admin-Key": key}
        )
        with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
            return bool(json.load(response)["warmed"])
    except (OSError, ValueError, KeyError):
        return False


def running(home: str) -> bool:
    """Whether a server holds the lock on its port file; only then is the port its own."""
    try:
        with open(os.path.join(home, PORT_FILE), encoding="utf-8") as f:
            return not try_lock(f.fileno())
    except OSError:
        return False


def by_worker(home: str) -> int:
    """Load the models that heads name and prefill within the allowance; returns how many heads are warm.

    Raises:
        Spent: not now; nothing was loaded, or the rest waits. EngineError: the model cannot be had.
    """
    models = Models.of_home(home)
    may_begin(home, models.settings)
    done = 0
    try:
        for head in Heads(home).all():
            try:
                engine = Background(models.get(head.model), home, models.settings)
                warm(engine, FromMemory(home), head)
                done += 1
            except UnknownModel:
                continue
    finally:
        models.close()
    return done


def all_heads(models: Models, prefix: Prefix) -> int:
    """In the server: prefill every head whose model is in memory; returns how many are warm."""
    done = 0
    loaded = {engine.name: engine for engine in models.open_engines()}
    for head in Heads(models.home).all():
        if head.model in loaded:
            try:
                warm(loaded[head.model], prefix, head)
                done += 1
            except EngineError:
                continue
    return done


def _read(home: str, name: str) -> str:
    with open(os.path.join(home, name), encoding="utf-8") as f:
        return f.read().strip()
