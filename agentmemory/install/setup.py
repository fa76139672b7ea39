"""`agentmemory setup`: plan the edits of each client, show them, apply them, take them back."""

from __future__ import annotations

import os
import shutil
from types import ModuleType

from agentmemory.install import claude, codex, files, launch

CLIENTS: dict[str, ModuleType] = {claude.NAME: claude, codex.NAME: codex}


def chosen(name: str | None) -> list[ModuleType]:
    """The clients to set up: the named one, else those this person uses, else Claude Code."""
    if name:
        return [CLIENTS[name]]
    return [client for client in CLIENTS.values() if client.is_here()] or [claude]


def setup(home: str, client: ModuleType, dry_run: bool) -> tuple[str, str]:
    """Connect a client; returns `(diff, sentence)`.

    Raises:
        files.CannotEdit: one of its files cannot be edited safely; nothing was changed.
    """
    edits = client.edits(home)
    diff = "".join(edit.diff() for edit in edits)
    if dry_run:
        return diff, f"{client.TITLE}: this would be changed." if diff else f"{client.TITLE}: nothing to change."
    launch.record(home)
    launch.copy_plugin(home)
    files.apply(home, client.NAME, edits, client.removals(home))
    if client is claude and not edits:
        return diff, f"{client.TITLE}: the plugin is installed from another marketplace and was left as it is."
    if not diff:
        return diff, f"{client.TITLE}: was connected already."
    kept = os.path.join(home, files.FOLDER)
    return diff, f"{client.TITLE}: connected; start a new session. What was changed is backed up in {kept}."


def uninstall(home: str, client: ModuleType, dry_run: bool) -> tuple[str, str]:
    """Take a setup back; returns `(diff, sentence)`. The memory itself stays.

    Raises:
        files.CannotEdit: one of its files cannot be edited safely; nothing was changed.
    """
    folders = client.cached(home) if client is claude else []
    edits = files.undo(home, client.NAME, client.removals(home))
    diff = "".join(edit.diff() for edit in edits)
    if dry_run:
        return diff, f"{client.TITLE}: this would be changed." if diff else f"{client.TITLE}: nothing to change."
    files.finish_undo(home, client.NAME, edits)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    if not any(files.load(home, name) for name in CLIENTS):
        launch.remove(home)
    return diff, f"{client.TITLE}: disconnected. Your memories stay in {home}." if diff else (
        f"{client.TITLE}: was not connected."
    )
