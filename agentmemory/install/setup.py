"""`agentmemory setup`: plan the edits of all clients, show them, apply them, take them back."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from types import ModuleType

from agentmemory.install import claude, codex, files, launch
from agentmemory.install.files import Edit, Removals

CLIENTS: dict[str, ModuleType] = {claude.NAME: claude, codex.NAME: codex}


def chosen(name: str | None) -> list[ModuleType]:
    """The clients to set up: the named one, else those this person uses, else Claude Code."""
    if name:
        return [CLIENTS[name]]
    return [client for client in CLIENTS.values() if client.is_here()] or [claude]


def setup(home: str, clients: Sequence[ModuleType], dry_run: bool) -> list[tuple[str, str]]:
    """Connect clients, all of them or none; returns `(diff, sentence)` for each.

    Raises:
        files.CannotEdit: one of their files cannot be edited safely; nothing was changed.
    """
    planned = [(client, client.edits(home)) for client in clients]
    files.must_be_writable(edit for _, edits in planned for edit in edits)
    if not dry_run:
        launch.record(home)
        launch.copy_plugin(home)
    return [_connect(home, client, edits, dry_run) for client, edits in planned]


def uninstall(home: str, clients: Sequence[ModuleType], dry_run: bool) -> list[tuple[str, str]]:
    """Take the setup of clients back; returns `(diff, sentence)` for each. The memory itself stays.

    Raises:
        files.CannotEdit: one of their files cannot be edited safely; nothing was changed.
    """
    planned = [(client, files.undo(home, client.NAME, _removals(home, client))) for client in clients]
    files.must_be_writable(edit for _, edits in planned for edit in edits)
    told = [_disconnect(home, client, edits, dry_run) for client, edits in planned]
    if not dry_run and not any(files.load(home, name) for name in CLIENTS):
        launch.remove(home)
    return told


def _connect(home: str, client: ModuleType, edits: list[Edit], dry_run: bool) -> tuple[str, str]:
    diff = "".join(edit.diff() for edit in edits)
    if dry_run:
        return diff, _foretold(client, diff)
    hurt = files.damaged(home, client.NAME)
    files.apply(home, client.NAME, edits, client.removals(home, client.folder()))
    if not edits:
        return diff, f"{client.TITLE}: the plugin is installed from another marketplace and was left as it is."
    off = client.without_hooks()
    hurt = f"{hurt} But it runs no hooks ({off}): take that line out, or nothing is learned.".strip() if off else hurt
    if not diff:
        return diff, f"{client.TITLE}: was connected already. {hurt if off else ''}".strip()
    kept = os.path.join(home, files.FOLDER)
    said = f"{client.TITLE}: connected; start a new session. What was changed is backed up in {kept}."
    return diff, f"{said} {hurt}".strip()


def _disconnect(home: str, client: ModuleType, edits: list[Edit], dry_run: bool) -> tuple[str, str]:
    diff = "".join(edit.diff() for edit in edits)
    if dry_run:
        return diff, _foretold(client, diff)
    folders = [cached for at in _folders(home, client) for cached in client.cached(home, at)]
    hurt = files.damaged(home, client.NAME)
    files.finish_undo(home, client.NAME, edits)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    if diff:
        return diff, f"{client.TITLE}: disconnected. Your memories stay in {home}. {hurt}".strip()
    if client is claude and claude.from_marketplace(home):
        return diff, f"{client.TITLE}: the plugin is from another marketplace and stays; {claude.UNINSTALL} removes it."
    return diff, f"{client.TITLE}: was not connected."


def _folders(home: str, client: ModuleType) -> list[str]:
    """Configuration folders of a client that may hold something of ours: its own, and all that setup was run for."""
    return list(dict.fromkeys([client.folder(), *files.folders(home, client.NAME)]))


def _removals(home: str, client: ModuleType) -> Removals:
    return {path: cut for at in _folders(home, client) for path, cut in client.removals(home, at).items()}


def _foretold(client: ModuleType, diff: str) -> str:
    return f"{client.TITLE}: this would be changed." if diff else f"{client.TITLE}: nothing to change."
