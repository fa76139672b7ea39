"""The keys of `serve`: one for all who start together, none that is empty."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import anyio
import httpx
import pytest

from agentmemory.model.fake import FakeEngine
from agentmemory.model.models import Models
from agentmemory.model.settings import Settings
from agentmemory.serve.app import build
from agentmemory.serve.run import key
from tests.serve.conftest import nothing

MANY = 60
TOGETHER = """
import sys
from agentmemory.serve.run import key
print("ready", flush=True)
for name in sys.stdin:
    print(key(sys.argv[1], name.strip()), flush=True)
"""


def test_two_servers_that_start_together_have_one_key(tmp_path: Path) -> None:
    command = [sys.executable, "-c", TOGETHER, str(tmp_path)]
    servers = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ)
        for _ in range(2)
    ]
    said = []
    for server in servers:
        assert server.stdout is not None and server.stdout.readline() == "ready\n"
    for i in range(MANY):
        if i % 2:
            (tmp_path / f"t{i}").touch()  # what a killed process leaves
        for server in servers:
            assert server.stdin is not None
            server.stdin.write(f"t{i}\n")
            server.stdin.flush()
    for server in servers:
        said.append(server.communicate()[0].splitlines())

    assert said[0] == said[1] == [(tmp_path / f"t{i}").read_text() for i in range(MANY)]
    assert all(len(each) > 40 for each in said[0])


@pytest.mark.parametrize("left", [b"", b" \n", b"\xff\xfe"])
def test_a_file_without_a_key_gets_one(tmp_path: Path, left: bytes) -> None:
    path = tmp_path / "serve.token"
    path.write_bytes(left)
    made = key(str(tmp_path), "serve.token")

    assert len(made) > 40 and made == key(str(tmp_path), "serve.token") == path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600
    assert sorted(p.name for p in tmp_path.iterdir()) == ["serve.token", "store.lock"]


def test_a_key_that_a_person_wrote_stays(tmp_path: Path) -> None:
    (tmp_path / "serve.token").write_text("my own key\n")

    assert key(str(tmp_path), "serve.token") == "my own key"


@pytest.mark.parametrize(("token", "path", "refused"), [("", "/v1/models", 401), ("right", "/admin/stats", 403)])
def test_an_empty_key_opens_nothing(tmp_path: Path, token: str, path: str, refused: int) -> None:
    app = build(Models(str(tmp_path), Settings(), {"fake": FakeEngine()}), nothing, token, "")

    async def ask() -> int:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8766") as client:
            headers = {"Authorization": f"Bearer {token}", "X-Admin-Key": ""}
            return (await client.get(path, headers=headers)).status_code

    assert anyio.run(ask) == refused
