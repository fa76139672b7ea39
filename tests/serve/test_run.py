"""The real command in a process of its own: keys, the lock on its port, prefill through it, its end."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import openai

from agentmemory.serve.heads import Heads
from agentmemory.serve.warm import by_server, running
from tests.conftest import REPOSITORY
from tests.model.conftest import *  # noqa: F403  (fixtures that make models)
from tests.model.conftest import Folder, needs_mlx, words

pytestmark = needs_mlx


def test_serve_from_start_to_end(tmp_path: Path, model_folder: Folder) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "sidecar.toml").write_text(f'free_gib = 0\n[models]\ntiny = "{model_folder()}"\n')
    env = {**os.environ, "AGENTMEMORY_HOME": str(home), "MLX_DISABLE_COMPILE": "1"}
    command = [sys.executable, "-m", "agentmemory", "serve", "--port", "0"]
    server = subprocess.Popen(command, cwd=REPOSITORY, env=env, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        said = server.stdout.readline()
        url = next(word for word in said.split() if word.startswith("http"))
        token = home / "serve.token"
        assert token.stat().st_mode & 0o777 == 0o600
        client = openai.OpenAI(base_url=url, api_key=token.read_text(), max_retries=0, timeout=60)
        messages = [{"role": "system", "content": words(60, 1)}, {"role": "user", "content": words(60, 2)}]
        talk = [*messages, {"role": "assistant", "content": words(60, 3)}, {"role": "user", "content": "and?"}]
        made = client.chat.completions.create(model="tiny", messages=talk, max_tokens=4, temperature=0)
        assert made.usage.completion_tokens <= 4
        assert httpx.get(url.replace("127.0.0.1", "localhost") + "/models").status_code == 401
        assert running(str(home))
        assert by_server(str(home))
        assert [head.model for head in Heads(str(home)).all()] == ["tiny"]
        before = len(list(home.rglob("*.safetensors")))
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=60)
        assert len(list(home.rglob("*.safetensors"))) > before, "the conversation was written at the end"
        assert not running(str(home))
        assert not by_server(str(home))
    finally:
        server.kill()
        server.wait()


def test_forgetting_reaches_every_file_and_the_memory_of_a_running_server(tmp_path: Path, model_folder: Folder) -> None:
    home, model = tmp_path / "home", model_folder()
    home.mkdir()
    (home / "sidecar.toml").write_text(f'free_gib = 0\n[models]\ntiny = "{model}"\n')
    env = {**os.environ, "AGENTMEMORY_HOME": str(home), "MLX_DISABLE_COMPILE": "1", "AGENTMEMORY_WORKER": "off"}

    def agentmemory(*command: str) -> str:
        run = [sys.executable, "-m", "agentmemory", *command]
        return subprocess.run(run, cwd=tmp_path, env=env, capture_output=True, text=True, check=True).stdout

    agentmemory("lock", "Releases go through the smoke suite first.", "--everywhere")
    agentmemory("lock", f"{SECRET} opens the staging database.", "--everywhere")
    command = [sys.executable, "-m", "agentmemory", "serve", "--port", "0"]
    with subprocess.Popen(command, cwd=REPOSITORY, env=env, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            url = next(word for word in server.stdout.readline().split() if word.startswith("http"))
            client = openai.OpenAI(base_url=url, api_key=(home / "serve.token").read_text(), max_retries=0, timeout=60)
            talk = [{"role": "user", "content": f"is it {SECRET}?"}, {"role": "assistant", "content": words(70, 1)}]
            for said in ("go on", "and then?"):
                messages = [*talk, {"role": "user", "content": said}]
                client.chat.completions.create(model="tiny", messages=messages, max_tokens=2)
            assert admin(url, home)["hot"]["segments"] > 1
            wait_until(lambda: admin(url, home)["cold"]["segments"] >= 1)
            needles = spelled(model, SECRET)
            assert [path for path in home.rglob("*.safetensors") if holds(path, needles)] != []

            agentmemory("forget", "--yes", SECRET)
            assert [path for path in home.rglob("*") if path.is_file() and holds(path, needles)] == []
            wait_until(lambda: admin(url, home)["hot"]["segments"] == 0)
        finally:
            server.terminate()
    assert [path for path in home.rglob("*") if path.is_file() and holds(path, needles)] == []


SECRET = "quince-albatross-7781"


def admin(url: str, home: Path) -> Any:
    """The first model's tiers."""
    keys = {"Authorization": f"Bearer {(home / 'serve.token').read_text()}"}
    keys["X-Admin-Key"] = (home / "serve.admin").read_text()
    stats = httpx.get(url.removesuffix("/v1") + "/admin/stats", headers=keys).raise_for_status().json()
    return stats["loaded"][0]["prefixes"]


def wait_until(true: Callable[[], bool]) -> None:
    """The test's own time limit ends what never comes."""
    while not true():
        time.sleep(0.05)


def spelled(model: str, text: str) -> list[bytes]:
    """Everything by which a file may hold *text*: its words, its tokens as numbers, and those in base64."""
    from transformers import AutoTokenizer

    found = [text.encode(), json.dumps(text).encode()[1:-1]]
    for written in (text, f" {text}"):
        tokens = AutoTokenizer.from_pretrained(model).encode(written, add_special_tokens=False)[1:-1]
        raw = b"".join(token.to_bytes(4, "little") for token in tokens)
        found.append(raw)
        for skip in range(3):  # three ways to fall on the borders of base64
            begin = -skip % 3
            found.append(base64.b64encode(raw[begin : begin + (len(raw) - begin) // 3 * 3]))
    return found


def holds(path: Path, needles: list[bytes]) -> bool:
    data = path.read_bytes()
    return any(needle in data for needle in needles)
