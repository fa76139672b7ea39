"""A client whose settings switch hooks off is connected in vain: setup and the doctor say so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentmemory.install import claude, codex, doctor, setup


@pytest.fixture(autouse=True)
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person with both clients and no settings."""
    for name, variable in ((".claude", "CLAUDE_CONFIG_DIR"), (".codex", "CODEX_HOME")):
        (tmp_path / "user" / name).mkdir(parents=True)
        monkeypatch.setenv(variable, str(tmp_path / "user" / name))
    return tmp_path / "user"


def broken(home: Path) -> list[str]:
    return [f.what for f in doctor.examine(str(home)) if f.level == doctor.BAD and "runs no hooks" in f.says]


@pytest.mark.parametrize("setting", ["disableAllHooks", "allowManagedHooksOnly"])
def test_claude_code_without_hooks_is_told(user: Path, home: Path, setting: str) -> None:
    (user / ".claude/settings.json").write_text(json.dumps({setting: True}))

    told = setup.setup(str(home), [claude], dry_run=False)

    assert setting in told[0][1]
    assert broken(home) == [claude.TITLE]


@pytest.mark.parametrize("setting", ["hooks", "codex_hooks"])
def test_codex_without_hooks_is_told(user: Path, home: Path, setting: str) -> None:
    (user / ".codex/config.toml").write_text(f"[features]\n{setting} = false\n")

    told = setup.setup(str(home), [codex], dry_run=False)
    again = setup.setup(str(home), [codex], dry_run=False)

    assert f"features.{setting} = false" in told[0][1]
    assert f"features.{setting} = false" in again[0][1]
    assert broken(home) == [codex.TITLE]


def test_settings_that_leave_hooks_on_are_no_trouble(user: Path, home: Path) -> None:
    (user / ".claude/settings.json").write_text('{"disableAllHooks": false}')
    (user / ".codex/config.toml").write_text("[features]\nhooks = true\n")

    told = setup.setup(str(home), [claude, codex], dry_run=False)

    assert not any("runs no hooks" in said for _, said in told)
    assert broken(home) == []
