"""Codex: hooks in `hooks.json` and the MCP server in `config.toml`, both by the launcher in the data folder."""

from __future__ import annotations

import json
import os
import re
import shutil
from typing import Any

from agentmemory.install import jsontext, launch, tomltext
from agentmemory.install.files import CannotEdit, Edit, Removals, plan, read
from agentmemory.unwrap import quoted

NAME = "codex"
TITLE = "Codex"
SECONDS = 5
#: Codex's event -> ours; its sessions have no end, so every Stop hands over what was said
EVENTS = {
    "SessionStart": "session-start", "UserPromptSubmit": "prompt-submit", "PreToolUse": "pre-tool", "Stop": "stop",
    "PreCompact": "pre-compact",
}  # fmt: skip
TABLE = "mcp_servers"
SERVER = "agentmemory"


def folder() -> str:
    """Codex's configuration folder."""
    return os.path.abspath(os.environ.get("CODEX_HOME") or os.path.expanduser("~/.codex"))


def is_here() -> bool:
    """Whether this person uses the client."""
    return os.path.isdir(folder()) or shutil.which("codex") is not None


def edits(home: str) -> list[Edit]:
    """What setup changes.

    Raises:
        CannotEdit: a file is not what its format allows, or another data folder is connected.
    """

    def add_hooks(text: str) -> str:
        for other in _others(home, text):
            launch.must_be_gone(other, TITLE)
            text = _cut_hooks(other, text)
        return _add_hooks(home, text)

    def add_server(text: str) -> str:
        held = _servers(text).get(SERVER, {})
        other = launch.home_of(str(held.get("command"))) if isinstance(held, dict) else ""
        if other and other != home and not os.path.exists(_launcher(other)):
            text = _cut_server(other, text)
        return _add_server(home, text)

    return [plan(_hooks(folder()), add_hooks), plan(_config(folder()), add_server)]


def removals(home: str, at: str) -> Removals:
    """How to take what is ours out of each file of a configuration folder."""
    return {_hooks(at): lambda text: _cut_hooks(home, text), _config(at): lambda text: _cut_server(home, text)}


def cached(home: str, at: str) -> list[str]:
    """Folders that the client keeps copies of ours in: none."""
    return []


def is_set_up(home: str) -> bool:
    """Whether the client runs our hooks.

    Raises:
        CannotEdit: the file that says so is no JSON.
    """
    edit = plan(_hooks(folder()), lambda text: _add_hooks(home, text))
    return bool(edit.before) and not edit.changes


def without_hooks() -> str:
    """The setting by which the client runs no hook, "" where it runs them.

    Raises:
        CannotEdit: the file that says so is no TOML.
    """
    try:
        features = tomltext.parse(read(_config(folder())) or "").get("features", {})
    except tomltext.NotToml as error:
        raise CannotEdit(f"{_config(folder())} {error}; nothing was changed") from None
    for name in ("hooks", "codex_hooks"):  # the second is what it was called
        if isinstance(features, dict) and features.get(name) is False:
            return f"features.{name} = false in {_config(folder())}"
    return ""


def offers_tools(home: str) -> bool:
    """Whether the client's configuration names a server as ours is named.

    Raises:
        CannotEdit: it is no TOML.
    """
    return not plan(_config(folder()), lambda text: _add_server(home, text)).changes


def times_hooked() -> int:
    """How often a prompt would start a hook of ours: more than once after a move of the data folder."""
    return (read(_hooks(folder())) or "").count("hooks/agentmemory' hook prompt-submit")


def _add_hooks(home: str, text: str) -> str:
    for event, ours in EVENTS.items():
        text = jsontext.append(text, ("hooks", event), _entry(home, ours))
    return text


def _cut_hooks(home: str, text: str) -> str:
    for event, ours in EVENTS.items():
        held = jsontext.get(text, ("hooks", event))
        if isinstance(held, list) and _entry(home, ours) in held:
            text = jsontext.drop(text, ("hooks", event, held.index(_entry(home, ours))))
            for path in (("hooks", event), ("hooks",)):
                text = text if jsontext.get(text, path) else jsontext.drop(text, path)
    return text


def _others(home: str, text: str) -> list[str]:
    """Other data folders whose hooks stand in the file."""
    held = jsontext.get(text, ("hooks",))
    written = json.dumps(held, ensure_ascii=False)
    commands = re.findall(r"\"'([^\"]+)' hook [a-z-]+\"", written)
    homes = {launch.home_of(json.loads(f'"{command}"').replace("'\\''", "'")) for command in commands}
    return sorted(homes - {home, ""})


def _entry(home: str, event: str) -> dict[str, Any]:
    command = f"{quoted(_launcher(home))} hook {event}"
    return {"hooks": [{"type": "command", "command": command, "timeout": SECONDS}]}


def _add_server(home: str, text: str) -> str:
    if SERVER in _servers(text):
        return text
    gap = "" if not text else ("\n" if text.endswith("\n") else "\n\n")
    after = text + gap + _server(home)
    tomltext.parse(after)  # an inline table of servers cannot be added to: better said now than found by the client
    return after


def _cut_server(home: str, text: str) -> str:
    """Take our table out with all that was added to it: what a tool may do, kept without a command, stops Codex."""
    held = _servers(text).get(SERVER)
    ours = isinstance(held, dict) and held.get("command") == _launcher(home)
    return tomltext.drop(text, (TABLE, SERVER)) if ours else text


def _servers(text: str) -> dict[str, Any]:
    """The servers that the configuration names.

    Raises:
        tomltext.NotToml: it is no TOML, or says something else where they stand.
    """
    found = tomltext.parse(text).get(TABLE, {})
    if not isinstance(found, dict):
        raise tomltext.NotToml(f"holds no table under {TABLE}")
    return found


def _server(home: str) -> str:
    return f'[{TABLE}.{SERVER}]\ncommand = {json.dumps(_launcher(home))}\nargs = ["mcp"]\n'


def _launcher(home: str) -> str:
    return os.path.join(home, launch.LAUNCHER)


def _hooks(at: str) -> str:
    return os.path.join(at, "hooks.json")


def _config(at: str) -> str:
    return os.path.join(at, "config.toml")
