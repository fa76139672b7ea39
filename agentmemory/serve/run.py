"""Running the server: its keys, its port, and an end that loses nothing."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from agentmemory.loopback import HOST, listening
from agentmemory.model.models import Models, require
from agentmemory.model.private import private
from agentmemory.model.settings import FAKE, FILE
from agentmemory.page import api
from agentmemory.serve.app import build
from agentmemory.serve.injection import FromMemory
from agentmemory.serve.warm import ADMIN, PORT_FILE, TOKEN
from agentmemory.sleep.models import adopt
from agentmemory.store import writer

DRAIN_SECONDS = 30


def serve(home: str, port: int, project: str) -> None:
    """Serve models and the memory until interrupted, then let what is under way end.

    Raises:
        NotInstalled: only a local model could be served, and its packages are missing. EngineError: a model is set
        and cannot be had. OSError: the port is taken.
    """
    models = Models.of_home(home)
    adopt(models)
    if not models.names or set(models.settings.models.values()) - {FAKE}:
        require()
    with listening(port) as door:
        first = models.get().name if models.names else f"The memory, without a model ({FILE} may name one),"
        writer.open_store(home).close()  # brought up to date; requests only read
        token, admin = key(home, TOKEN), key(home, ADMIN)
        bound = door.getsockname()[1]
        print(f"{first} at http://{HOST}:{bound}/v1 (key in {os.path.join(home, TOKEN)})", flush=True)
        app = build(models, FromMemory(home, project), token, admin, api.routes(home, project, person=False))
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, lifespan="on",
            timeout_graceful_shutdown=DRAIN_SECONDS,
        )  # fmt: skip
        with _published(home, bound):
            uvicorn.Server(config).run(sockets=[door])


@contextmanager
def _published(home: str, port: int) -> Iterator[None]:
    """Where the server is, in a file that is locked as long as it runs: nobody is asked on a stale port."""
    with open(os.path.join(home, PORT_FILE), "a", encoding="utf-8", opener=private) as f:
        if not writer.try_lock(f.fileno()):
            yield  # another server of this folder is the one to ask
            return
        f.truncate(0)
        f.write(str(port))
        f.flush()
        yield


def key(home: str, name: str) -> str:
    """The key in a file of the data folder, made on first use, readable by its owner only.

    A file that holds none (nothing is in it, or no text) is replaced. Servers that start together have one key.
    """
    path = os.path.join(home, name)
    with writer.queue(home):
        found = _read(path)
        if not found:
            found = secrets.token_urlsafe(32)
            scratch = f"{path}.new"
            with open(scratch, "w", encoding="utf-8", opener=private) as f:
                f.write(found)
            os.replace(scratch, path)
        return found


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as f:
            return f.read().strip()
    except (FileNotFoundError, UnicodeDecodeError):
        return ""
