"""The shell launcher that hooks and MCP server of the plugin start with."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agentmemory.install import launch
from tests.conftest import REPOSITORY

LAUNCHER = REPOSITORY / "hooks" / "agentmemory"
INSTALL = "pipx install agentmemory"


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A PATH with a shell and nothing else."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "sh").symlink_to(str(shutil.which("sh")))
    return folder


def start(
    launcher: Path, *args: str, path: Path, home: Path | None, user: Path, stdin: str = "{}"
) -> subprocess.CompletedProcess[str]:
    """Run the launcher as a client does."""
    env = {"PATH": str(path), "HOME": str(user), "PYTHONDONTWRITEBYTECODE": "1"}
    if home:
        env["AGENTMEMORY_HOME"] = str(home)
    return subprocess.run([launcher, *args], env=env, input=stdin, capture_output=True, text=True, timeout=60)


def test_without_the_package_only_the_sessions_start_says_so(bare: Path, home: Path, tmp_path: Path) -> None:
    for event in ("prompt-submit", "pre-tool", "stop", "session-end", "pre-compact"):
        done = start(LAUNCHER, "hook", event, path=bare, home=home, user=tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    done = start(LAUNCHER, "hook", "session-start", path=bare, home=home, user=tmp_path)

    assert done.returncode == 0
    assert INSTALL in json.loads(done.stdout)["systemMessage"]


def test_without_the_package_a_command_fails_with_a_sentence(bare: Path, home: Path, tmp_path: Path) -> None:
    done = start(LAUNCHER, "mcp", path=bare, home=home, user=tmp_path)

    assert (done.returncode, done.stdout) == (1, "")
    assert INSTALL in done.stderr


def test_the_recorded_python_is_used_without_any_path(bare: Path, home: Path, tmp_path: Path) -> None:
    launch.record(str(home))

    done = start(LAUNCHER, "--version", path=bare, home=home, user=tmp_path)

    assert done.stdout.startswith("agentmemory ")


def test_the_copy_in_the_data_folder_knows_its_folder(bare: Path, home: Path, tmp_path: Path, token: str) -> None:
    launch.record(str(home))
    launch.copy_plugin(str(home))
    copy = home / "plugin" / "hooks" / "agentmemory"

    done = start(copy, "remember", f"the port of {token} is 8443", path=bare, home=None, user=tmp_path)

    assert "Remembered" in done.stdout
    assert (home / "memory.db").exists()


def test_a_python_that_is_gone_falls_back_to_the_path(bare: Path, home: Path, tmp_path: Path) -> None:
    home.mkdir()
    (home / "launch").write_text("/gone/bin/python\n/gone\n")
    (bare / "agentmemory").write_text('#!/bin/sh\necho "from PATH: $*"\n')
    (bare / "agentmemory").chmod(0o755)

    done = start(LAUNCHER, "hook", "stop", path=bare, home=home, user=tmp_path)

    assert done.stdout == "from PATH: hook stop\n"


@pytest.mark.parametrize("content", ["", "\n", "/gone\n", f"{sys.executable}\n", f"{sys.executable}\n/gone\n"])
def test_a_launch_file_that_says_nothing_useful_is_ignored(
    bare: Path, home: Path, tmp_path: Path, content: str
) -> None:
    home.mkdir()
    (home / "launch").write_text(content)

    done = start(LAUNCHER, "hook", "stop", path=bare, home=home, user=tmp_path)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_half_an_upgrade_fails_no_hook(bare: Path, home: Path, tmp_path: Path) -> None:
    (tmp_path / "agentmemory").mkdir()
    (tmp_path / "agentmemory" / "__init__.py").write_text("")
    (tmp_path / "agentmemory" / "__main__.py").write_text("import agentmemory.gone\n")
    home.mkdir()
    (home / "launch").write_text(f"{sys.executable}\n{tmp_path}\n")

    done = start(LAUNCHER, "hook", "prompt-submit", path=bare, home=home, user=tmp_path)

    assert (done.returncode, done.stdout) == (0, "")
    assert "agentmemory.gone" in done.stderr


def test_a_project_cannot_put_its_own_modules_before_ours(
    bare: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    launch.record(str(home))
    trap = tmp_path / "trap"
    (trap / "agentmemory").mkdir(parents=True)
    for name in ("agentmemory/__init__.py", "time.py", "sqlite3.py", "json.py"):
        (trap / name).write_text("open('sprung', 'w')\n")
    monkeypatch.chdir(trap)
    monkeypatch.setenv("PYTHONPATH", str(trap))

    start(LAUNCHER, "hook", "prompt-submit", path=bare, home=home, user=tmp_path, stdin='{"prompt": "hello"}')
    start(LAUNCHER, "stats", path=bare, home=home, user=tmp_path)

    assert not (trap / "sprung").exists()


def test_a_data_folder_with_odd_letters_works(bare: Path, tmp_path: Path, token: str) -> None:
    home = tmp_path / "it's a $HOME `x` folder"
    launch.record(str(home))

    done = start(LAUNCHER, "remember", f"port of {token} is 1", path=bare, home=home, user=tmp_path)

    assert "Remembered" in done.stdout


def test_the_launcher_finds_the_same_default_folder_as_the_package(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = tmp_path / "somebody"
    user.mkdir()
    env = {"HOME": str(user), "PATH": os.environ["PATH"]}
    script = "from agentmemory import paths; print(paths.home())"
    default = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
    launch.record(default.stdout.strip())

    assert start(LAUNCHER, "--version", path=bare, home=None, user=user).stdout.startswith("agentmemory ")
