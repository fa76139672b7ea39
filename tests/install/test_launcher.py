"""The shell launcher that hooks and MCP server of the plugin start with."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import threading
from pathlib import Path

import pytest

from agentmemory.install import launch
from agentmemory.store import writer
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
    launcher: Path, *args: str, path: Path, home: Path | None, user: Path, stdin: str = "{}", **more: str
) -> subprocess.CompletedProcess[str]:
    """Run the launcher as a client does; *more* stands in its environment."""
    env = {"PATH": str(path), "HOME": str(user), "PYTHONDONTWRITEBYTECODE": "1", **more}
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


def session_of(folder: Path) -> str:
    """What a client says at the end of a session in which something was typed."""
    transcript = folder / "session.jsonl"
    said = {"type": "user", "sessionId": "s", "timestamp": "2026-06-01T12:00:00Z",
            "message": {"role": "user", "content": "NEVER push to main directly. Use scripts/publish.sh."}}  # fmt: skip
    transcript.write_text(json.dumps(said) + "\n")
    return json.dumps({"session_id": "s", "transcript_path": str(transcript), "cwd": str(folder)})


def learned(home: Path) -> int:
    """How many turns the worker that a hook has started learned; it is waited for."""
    for _ in range(2_000):
        if (home / "memory.db").exists() and (home / "worker.lock").exists():
            with open(home / "worker.lock") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
            db = writer.open_store(str(home))
            turns = int(db.execute("SELECT count(*) FROM turn").fetchone()[0])
            db.close()
            if turns:
                return turns
        threading.Event().wait(0.02)
    return 0


def test_a_project_cannot_put_its_own_modules_before_ours(
    bare: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    launch.record(str(home))
    trap = tmp_path / "trap"
    (trap / "agentmemory").mkdir(parents=True)
    for name in ("agentmemory/__init__.py", "time.py", "sqlite3.py", "json.py", "sitecustomize.py"):
        (trap / name).write_text(f"open({str(trap / 'sprung')!r}, 'w')\n")
    monkeypatch.chdir(trap)

    given = {"hook prompt-submit": '{"prompt": "hello"}', "hook session-end": session_of(tmp_path), "stats": ""}
    for command, stdin in given.items():
        start(LAUNCHER, *command.split(), path=bare, home=home, user=tmp_path, stdin=stdin, PYTHONPATH=str(trap))

    assert learned(home) == 1
    assert not (trap / "sprung").exists()


@pytest.fixture
def for_one_user(home: Path, tmp_path: Path) -> str:
    """A Python that finds the package and what it needs in its user's own folder, as after `pip install --user`."""
    python = str(getattr(sys, "_base_executable", sys.executable))
    ask = [python, "-E", "-c", "import site; print(site.getusersitepackages())"]
    told = subprocess.run(ask, env={"HOME": str(tmp_path)}, capture_output=True, text=True, check=True)
    own = Path(told.stdout.strip())
    own.mkdir(parents=True)
    (own / "agentmemory").symlink_to(REPOSITORY / "agentmemory")
    (own / "needed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    home.mkdir()
    (home / "launch").write_text(f"{python}\n{own}\n")
    return python


def test_installed_for_one_user_the_launcher_finds_what_the_package_needs(
    for_one_user: str, bare: Path, home: Path, tmp_path: Path, token: str
) -> None:
    done = start(LAUNCHER, "remember", f"the port of {token} is 8443", path=bare, home=home, user=tmp_path)

    assert "Remembered" in done.stdout


def test_installed_for_one_user_the_worker_of_a_hook_learns(
    for_one_user: str, bare: Path, home: Path, tmp_path: Path
) -> None:
    start(LAUNCHER, "hook", "session-end", path=bare, home=home, user=tmp_path, stdin=session_of(tmp_path))

    assert learned(home) == 1


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
