"""A server on a free port of loopback, in a thread, with the official client in front of it."""

from __future__ import annotations

import secrets
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openai
import pytest
import uvicorn

from agentmemory.model.engine import Engine, Message, Segment
from agentmemory.model.fake import FakeEngine
from agentmemory.model.models import Models
from agentmemory.model.settings import Settings
from agentmemory.serve.app import build
from agentmemory.serve.injection import Prefix
from tests.model.conftest import *  # noqa: F403  (fixtures that make models)


@dataclass
class Running:
    """A server under test."""

    url: str
    token: str
    admin: str
    models: Models
    server: uvicorn.Server
    thread: threading.Thread

    def client(self, **options: Any) -> openai.OpenAI:
        """The official client; failures are not tried again."""
        options = {"base_url": f"{self.url}/v1", "api_key": self.token, "max_retries": 0, "timeout": 120.0, **options}
        return openai.OpenAI(**options)

    def headers(self, **more: str) -> dict[str, str]:
        """What every request needs, and more."""
        return {"Authorization": f"Bearer {self.token}", **more}

    def stop(self) -> None:
        """As SIGTERM does."""
        self.server.should_exit = True
        self.thread.join(timeout=60)
        assert not self.thread.is_alive()


Serve = Callable[..., Running]


def nothing(agent: str, project: str, messages: Sequence[Message], session: str) -> list[Segment]:
    """No memory in front of a conversation."""
    return []


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """`serve(engines, prefix)`: a running server; it stops with the test."""
    running: list[Running] = []

    def start(
        engines: dict[str, Engine] | None = None, prefix: Prefix = nothing, settings: Settings | None = None
    ) -> Running:
        given = {"fake": FakeEngine()} if engines is None and settings is None else engines
        models = Models(str(tmp_path / "home"), settings or Settings(), given)
        token, admin = secrets.token_urlsafe(16), secrets.token_urlsafe(16)
        listening = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(build(models, prefix, token, admin), log_level="error", lifespan="on")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=lambda: server.run(sockets=[listening]), daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        running.append(Running(url, token, admin, models, server, thread))
        return running[-1]

    yield start
    for one in running:
        if one.thread.is_alive():
            one.stop()
