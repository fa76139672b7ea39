"""What all tests share: a data folder of their own, a clock that stands, a store, a project."""

from __future__ import annotations

import os
import secrets
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest
from hypothesis import settings

from agentmemory.memory import Memory
from agentmemory.store import schema, writer

settings.register_profile("any machine", deadline=None)  # no test depends on how fast a machine is
settings.load_profile("any machine")

NOW = "2026-06-01T12:00:00Z"
REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of this test; nothing else is ever written."""
    folder = tmp_path / "home"
    monkeypatch.setenv("AGENTMEMORY_HOME", str(folder))
    monkeypatch.setenv("AGENTMEMORY_NOW", NOW)
    live_in(monkeypatch, "UTC")
    return folder


@pytest.fixture
def db(home: Path) -> Iterator[apsw.Connection]:
    """A real store, open for writing."""
    connection = writer.open_store(str(home))
    yield connection
    connection.close()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A git repository, and the current folder."""
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def token() -> str:
    """A word that nothing else holds."""
    return unheard_of()


@pytest.fixture
def taught(home: Path, project: Path, token: str) -> str:
    """A store with a locked rule and a fact; returns the fact's own word."""
    with Memory() as memory:
        memory.lock("never push to github directly, use scripts/publish.sh")
        memory.remember(f"our billing host is {token}.example.org since the move", "fact")
    return token


def unheard_of() -> str:
    """A word that nothing else holds, always of one shape: no ending to stem, no digits to take for a name."""
    return "tok" + "".join(secrets.choice("bcdfghjkmnpqrtvwxz") for _ in range(12))


def live_in(monkeypatch: pytest.MonkeyPatch, zone: str) -> None:
    """The user's clock is that of a time zone, in this process and in those that it starts."""
    monkeypatch.setenv("TZ", zone)
    time.tzset()


def older_store(folder: Path, migration: Callable[[apsw.Connection], None]) -> apsw.Connection:
    """A store as it was before a migration, open."""
    db = apsw.Connection(str(folder / "memory.db"))
    for number, earlier in enumerate(schema.MIGRATIONS[: schema.MIGRATIONS.index(migration)]):
        earlier(db)
        db.execute(f"PRAGMA user_version = {number + 1}")
    return db


def git(folder: Path, *args: str) -> None:
    """Run git there, whoever's machine this is."""
    names = {f"GIT_{who}_{what}": "t@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    subprocess.run(["git", *args], cwd=folder, check=True, env={**os.environ, **names}, capture_output=True)
