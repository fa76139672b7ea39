"""The real command in a process of its own: keys, the lock on its port, prefill through it, its end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

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
