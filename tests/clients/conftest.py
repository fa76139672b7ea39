"""Real clients in a private home, with a stand-in for their model. `make test` installs them; here they must be."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from agentmemory.learn import arrivals
from agentmemory.store import jobs, writer
from tests.clients.standin import Standin
from tests.conftest import REPOSITORY, git

CLIENTS = REPOSITORY / ".cache" / "clients" / "node_modules" / ".bin"
PLUGIN_PARTS = (".claude-plugin", ".mcp.json", "commands", "hooks", "README.md")
MINUTES = 180  # seconds a client may take on a busy machine; it takes two


@dataclass
class Person:
    """Somebody with a home folder, a project, the clients, and `agentmemory` in some Python."""

    home: Path
    memory: Path
    project: Path
    standin: Standin

    def environment(self, **more: str) -> dict[str, str]:
        """What the clients and agentmemory see: no network, no update, nothing of the machine's own user."""
        return {
            "PATH": os.environ["PATH"], "HOME": str(self.home), "AGENTMEMORY_HOME": str(self.memory),
            "CLAUDE_CONFIG_DIR": str(self.home / ".claude"), "CODEX_HOME": str(self.home / ".codex"),
            "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "ANTHROPIC_BASE_URL": self.standin.url, "ANTHROPIC_API_KEY": "sk-ant-none", **more,
        }  # fmt: skip

    def run(self, *command: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run a program in the project."""
        return subprocess.run(
            command, cwd=self.project, env=self.environment(**more), capture_output=True, text=True,
            stdin=subprocess.DEVNULL, timeout=MINUTES,
        )  # fmt: skip

    def agentmemory(self, *args: str) -> str:
        """Run our program as a person does; what it prints."""
        done = self.run(sys.executable, "-m", "agentmemory", *args)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def claude(self, *args: str, **more: str) -> str:
        """Run the real Claude Code; what it prints."""
        done = self.run(str(CLIENTS / "claude"), *args, **more)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def says(self, prompt: str, *args: str, **more: str) -> list[str]:
        """One session of Claude Code with one prompt: everything that each request put before the model."""
        before = len(self.standin.prompts())
        self.claude("-p", prompt, *args, **more)
        return [self.standin.text_of(n) for n in range(before, len(self.standin.prompts()))]

    def talks(self, command: str, *prompts: str) -> None:
        """One session: the agent answers the first prompt with *command*; each next one is typed when all is taken in.

        Where *command* waits for the file `go`, it has that when the last one is typed.
        """
        self.standin.call = ("Bash", {"command": command, "description": "look"})
        talk = ("--input-format", "stream-json", "--output-format", "stream-json", "--verbose")
        running = subprocess.Popen(
            [str(CLIENTS / "claude"), "-p", *talk, "--allowedTools", "Bash"], cwd=self.project,
            env=self.environment(), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        assert running.stdin is not None
        for n, prompt in enumerate(prompts, start=1):
            said = {"type": "user", "message": {"role": "user", "content": prompt}}
            running.stdin.write(json.dumps(said) + "\n")
            running.stdin.flush()
            wait_until(lambda n=n: self._taken_in() == n and bool(self.standin.prompts()))
        (self.project / "go").touch()
        running.communicate(timeout=MINUTES)
        assert running.returncode == 0

    def _taken_in(self) -> int:
        """How many prompts the client has put into its queue."""
        transcripts = (self.home / ".claude" / "projects").rglob("*.jsonl")
        return sum(path.read_text().count('"operation":"enqueue"') for path in transcripts)

    def wait_for_worker(self) -> None:
        """Until the worker that the hooks started has learned all they left: nothing is run, only looked at."""
        wait_until(self._all_is_learned)

    def said(self) -> list[str]:
        """What the memory holds of the person's words, in order."""
        db = writer.open_store(str(self.memory))
        try:
            return [
                str(row[0]) for row in db.execute("SELECT text FROM turn WHERE role = 'user' ORDER BY at").fetchall()
            ]
        finally:
            db.close()

    def _all_is_learned(self) -> bool:
        if not (self.memory / "memory.db").exists() or _is_held(self.memory / "worker.lock"):
            return False
        db = writer.open_store(str(self.memory))
        try:
            waiting = jobs.count(db).get("digest", {}).get("pending", 0)
            return not waiting and not arrivals.waiting(db, str(self.memory))
        finally:
            db.close()


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Person]:
    """Somebody who never used any of this; their clock is the machine's, as the client's is."""
    monkeypatch.delenv("AGENTMEMORY_NOW")
    assert (CLIENTS / "claude").exists(), "the clients are missing: run `make setup`"
    home, project = tmp_path / "user", tmp_path / "user" / "work"
    project.mkdir(parents=True)
    git(project, "init", "-q")
    with Standin() as standin:
        yield Person(home, home / "memory", project, standin)


@pytest.fixture
def marketplace(tmp_path: Path) -> Path:
    """The repository as a marketplace, without what a checkout gathers beside it."""
    folder = tmp_path / "marketplace"
    folder.mkdir()
    for part in PLUGIN_PARTS:
        source = REPOSITORY / part
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, folder / part)
    return folder


def wait_until(done: Callable[[], bool]) -> None:
    """Look again and again."""
    for _ in range(MINUTES * 20):
        if done():
            return
        threading.Event().wait(0.05)
    raise AssertionError("it did not come to that")


def _is_held(lock: Path) -> bool:
    if not lock.exists():
        return False
    with open(lock) as f:
        try:
            fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
    return False
