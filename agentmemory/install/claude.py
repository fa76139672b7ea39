"""Claude Code: two members of its settings switch on the plugin `mem` from the copy in the data folder.

Hooks, MCP server and commands all come from that one plugin, so nothing can be installed twice.
"""

from __future__ import annotations

import os
import shutil
from typing import Any

from agentmemory.install import jsontext
from agentmemory.install.files import CannotEdit, Edit, Removals, member, plan
from agentmemory.install.launch import PLUGIN, home_of, must_be_gone

NAME = "claude-code"
TITLE = "Claude Code"
ID = "mem@agentmemory"
MARKETPLACE = ("extraKnownMarketplaces", "agentmemory")
ENABLED = ("enabledPlugins", ID)
UNINSTALL = f"`claude plugin uninstall {ID}`"


def folder() -> str:
    """Claude Code's configuration folder."""
    return os.path.abspath(os.environ.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude"))


def is_here() -> bool:
    """Whether this person uses the client."""
    return os.path.isdir(folder()) or shutil.which("claude") is not None


def edits(home: str) -> list[Edit]:
    """What setup changes: nothing when the plugin came from another marketplace, it is left to work from there.

    Raises:
        CannotEdit: the settings are not JSON, commands of ours stand in the user's own folder, or another data folder
            is connected.
    """
    own = os.path.join(folder(), "commands", "mem")
    if os.path.isdir(own):
        raise CannotEdit(f"{own} holds commands of the same names as the plugin; move it away first")
    if from_elsewhere(home):
        must_be_gone(other_home(home), TITLE)
        return []

    def switch_on(text: str) -> str:
        source = {"source": {"source": "directory", "path": os.path.join(home, PLUGIN)}}
        text = jsontext.put(text, MARKETPLACE, source)
        return jsontext.put(text, ENABLED, True)

    return [plan(_settings(folder()), switch_on)]


def removals(home: str, at: str) -> Removals:
    """How to take what is ours out of each file of a configuration folder, also what the client noted itself."""

    def switch_off(text: str) -> str:
        if not _is_ours(home, jsontext.get(text, (*MARKETPLACE, "source"))):
            return text
        return _drop_with_empty(_drop_with_empty(text, ENABLED), MARKETPLACE)

    def unlist(text: str) -> str:
        ours = _is_ours(home, jsontext.get(text, ("agentmemory", "source")))
        return jsontext.drop(text, ("agentmemory",)) if ours else text

    def uninstalled(text: str) -> str:
        return jsontext.drop(text, ("plugins", ID)) if _is_ours(home, _source(at)) else text

    return {
        _settings(at): switch_off,
        _noted(at, "known_marketplaces.json"): unlist,
        _noted(at, "installed_plugins.json"): uninstalled,
    }


def cached(home: str, at: str) -> list[str]:
    """Folders in the client's plugin cache that hold nothing but our plugin."""
    return [os.path.join(at, "plugins", "cache", "agentmemory")] if _is_ours(home, _source(at)) else []


def is_set_up(home: str) -> bool:
    """Whether the client loads the plugin from this data folder.

    Raises:
        CannotEdit: the file that says so is no JSON.
    """
    return _is_ours(home, _source(folder())) and member(_settings(folder()), ENABLED) is True


def without_hooks() -> str:
    """The setting by which the client runs no hook of a plugin, "" where it runs them.

    Raises:
        CannotEdit: the file that says so is no JSON.
    """
    for setting in ("disableAllHooks", "allowManagedHooksOnly"):
        if member(_settings(folder()), (setting,)) is True:
            return f"{setting} in {_settings(folder())}"
    return ""


def from_elsewhere(home: str) -> bool:
    """Whether the person installed the plugin themselves, from a marketplace that is there and not our copy."""
    source = _source(folder())
    gone = isinstance(source, dict) and "path" in source and not os.path.isdir(str(source["path"]))
    return source is not None and not gone and not _is_ours(home, source)


def from_marketplace(home: str) -> bool:
    """Whether the plugin is no data folder's copy: its hooks start the Python that is noted in this one."""
    return from_elsewhere(home) and not other_home(home)


def other_home(home: str) -> str:
    """The data folder whose plugin the client loads in place of this one's, "" when it loads none of those."""
    source = _source(folder())
    path = str(source.get("path", "")) if isinstance(source, dict) and not _is_ours(home, source) else ""
    return home_of(os.path.join(path, "hooks", "agentmemory"))


def _source(at: str) -> Any:
    """Where the settings say that the plugin is, None when they do not."""
    return member(_settings(at), (*MARKETPLACE, "source"))


def _is_ours(home: str, source: Any) -> bool:
    return isinstance(source, dict) and source.get("path") == os.path.join(home, PLUGIN)


def _drop_with_empty(text: str, path: tuple[str, str]) -> str:
    """Remove a member, and the object around it when nothing is left in it."""
    text = jsontext.drop(text, path)
    return jsontext.drop(text, path[:1]) if jsontext.get(text, path[:1]) == {} else text


def _settings(at: str) -> str:
    return os.path.join(at, "settings.json")


def _noted(at: str, name: str) -> str:
    return os.path.join(at, "plugins", name)
