"""A person with both clients, and each of them."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from agentmemory.install import claude, codex


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder in which both clients have their folders."""
    folder = tmp_path / "user"
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(folder / ".claude"))
    monkeypatch.setenv("CODEX_HOME", str(folder / ".codex"))
    (folder / ".claude").mkdir(parents=True)
    (folder / ".codex").mkdir()
    return folder


@pytest.fixture(params=[claude, codex], ids=["claude-code", "codex"])
def client(request: pytest.FixtureRequest, user: Path) -> ModuleType:
    """Each test once per client."""
    return request.param  # type: ignore[no-any-return]
