"""Without the extra everything but a local model works, and what needs one says what to install."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from agentmemory.memory import Memory
from tests.conftest import REPOSITORY
from tests.model.conftest import Folder, needs_mlx

#: the modules that are the engine itself; all others must import without mlx
ENGINE = ("mlx_engine", "mlx_text", "mlx_made", "decoder", "kv_layout", "one_pass")
HIDDEN = "import sys; sys.modules.update(dict.fromkeys(('mlx', 'mlx.core', 'mlx_lm', 'safetensors', 'transformers')));"


def run(program: str, home: Path) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if not k.startswith("AGENTMEMORY")} | {"AGENTMEMORY_HOME": str(home)}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, cwd=REPOSITORY, env=env, capture_output=True, text=True, timeout=120)


def test_every_other_module_imports_without_mlx(tmp_path: Path) -> None:
    done = run(
        HIDDEN + "import importlib, pkgutil, agentmemory\n"
        "for m in pkgutil.walk_packages(agentmemory.__path__, 'agentmemory.'):\n"
        f"    if m.name.rsplit('.', 1)[1] not in {(*ENGINE, '__main__')}: importlib.import_module(m.name)\n"
        "print('all')",
        tmp_path,
    )
    assert done.stdout.strip() == "all", done.stderr


def test_nothing_loads_mlx_before_an_engine_is_built(tmp_path: Path) -> None:
    done = run(
        "import sys, agentmemory.serve.run, agentmemory.model.models as m\n"
        "m.Models.of_home('/nowhere').names\n"
        "print([n for n in sys.modules if n.split('.')[0] in ('mlx', 'mlx_lm', 'transformers')])",
        tmp_path,
    )
    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.parametrize(
    "command",
    [
        "demo", "remember 'the port is 8443'", "search port --json", "why 'which port'", "ask 'which port'", "stats",
        "usage", "doctor", "worker --once", "sleep", "wonder port", "reason 'is the port 8443?'", "export", "profile",
        "backup", "setup --dry-run", "forget --yes 'port is'",
    ],
)  # fmt: skip
def test_every_other_command_works(tmp_path: Path, command: str) -> None:
    with Memory(str(tmp_path)) as memory:
        memory.remember("the port is 8443")
    given = shlex.split(command)
    done = run(HIDDEN + f"from agentmemory.cli import main; sys.exit(main({given!r}))", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


def test_serve_says_in_one_sentence_what_to_install(tmp_path: Path) -> None:
    done = run(HIDDEN + "from agentmemory.cli import main; sys.exit(main(['serve', '--port', '0']))", tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "pip install 'agentmemory[sidecar]'" in done.stderr


@needs_mlx
def test_serve_with_the_extra_and_no_model_serves_the_memory_and_says_where_to_name_one(tmp_path: Path) -> None:
    env = {k: v for k, v in os.environ.items() if not k.startswith("AGENTMEMORY")} | {"AGENTMEMORY_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "agentmemory", "serve", "--port", "0"]
    with subprocess.Popen(command, cwd=REPOSITORY, env=env, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        said = server.stdout.readline()
        server.terminate()
    assert "without a model" in said and "sidecar.toml" in said


@needs_mlx
def test_a_local_model_needs_no_compiler(tmp_path: Path, model_folder: Folder) -> None:
    program = (
        "import sys; from agentmemory.model.mlx_engine import MlxEngine; from agentmemory.model.engine import *\n"
        "from agentmemory.model.settings import Limits, Settings\n"
        f"e = MlxEngine({model_folder()!r}, {str(tmp_path)!r}, Settings(limits=Limits(1 << 30, 0, 1e9)))\n"
        "print(e.generate(Prompt(text='the deploy'), Sampling(3)).usage.completion); e.close()"
    )
    env = {k: v for k, v in os.environ.items() if k not in ("MLX_DISABLE_COMPILE", "PATH", "CXX", "CC")}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=REPOSITORY, env=env, capture_output=True, text=True, timeout=120
    )
    assert done.stdout.strip() == "3", done.stderr
