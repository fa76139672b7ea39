"""Which Python runs agentmemory for the clients, and the copy of the plugin that they load."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import sys

from agentmemory import paths

LAUNCH = "launch"  # read by hooks/agentmemory: the interpreter, then the folder that holds the package
PLUGIN = "plugin"
LAUNCHER = os.path.join(PLUGIN, "hooks", "agentmemory")
PARTS = (".claude-plugin", ".mcp.json", "commands", "hooks")
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def record(home: str) -> None:
    """Tell the launcher of the clients which Python has agentmemory: this one."""
    from agentmemory.install.files import write

    here = f"{os.path.abspath(sys.executable)}\n{os.path.dirname(PACKAGE)}\n"
    write(os.path.join(paths.make_home(home), LAUNCH), here)


def is_this(recorded: str) -> bool:
    """Whether a launch file starts this installation, by whichever of its names Python was called."""
    python, root = [*recorded.split("\n"), "", ""][:2]
    return [os.path.dirname(python), root] == [
        os.path.dirname(os.path.abspath(sys.executable)),
        os.path.dirname(PACKAGE),
    ]


def recorded(home: str) -> str:
    """What the launch file says, empty when there is none."""
    try:
        with open(os.path.join(home, LAUNCH), encoding="utf-8") as f:
            return f.read()
    except OSError:
        return ""


def python(home: str) -> str:
    """The Python that the clients start: the recorded one while it is there, else this."""
    found = recorded(home).split("\n")[0]
    return found if os.access(found, os.X_OK) else os.path.abspath(sys.executable)


def home_of(launcher: str) -> str:
    """The data folder that a launcher lies in, "" for another program."""
    return launcher.removesuffix(f"/{LAUNCHER}") if launcher.endswith(f"/{LAUNCHER}") else ""


def must_be_gone(home: str, client: str) -> None:
    """Make sure that no client is taken from a data folder that is in use.

    Raises:
        CannotEdit: it is there.
    """
    if home and os.path.exists(os.path.join(home, LAUNCH)):
        from agentmemory.install.files import CannotEdit

        undo = f"AGENTMEMORY_HOME={shlex.quote(home)} agentmemory setup --uninstall"
        raise CannotEdit(f"{client} is connected to another data folder; nothing was changed; first run: {undo}")


def copy_plugin(home: str) -> str:
    """Bring the plugin's copy in the data folder up to date; returns its folder."""
    folder = os.path.join(paths.make_home(home), PLUGIN)
    fresh = folder + ".new"
    shutil.rmtree(fresh, ignore_errors=True)
    os.makedirs(fresh, mode=0o700)
    for part in PARTS:
        source = os.path.join(plugin_source(), part)
        if os.path.isdir(source):
            shutil.copytree(source, os.path.join(fresh, part))
        else:
            shutil.copy(source, os.path.join(fresh, part))
    for inner, folders, names in os.walk(fresh):
        for name in folders:
            os.chmod(os.path.join(inner, name), 0o700)
        for name in names:
            os.chmod(os.path.join(inner, name), 0o700 if name == "agentmemory" else 0o600)
    shutil.rmtree(folder, ignore_errors=True)
    os.replace(fresh, folder)
    return folder


def plugin_source() -> str:
    """Where the plugin's files come from: inside an installed package, or the root of a checkout."""
    inside = os.path.join(PACKAGE, PLUGIN)
    return inside if os.path.isdir(inside) else os.path.dirname(PACKAGE)


def plugin_is_current(home: str) -> bool:
    """Whether the copy holds what this release ships."""
    folder = os.path.join(home, PLUGIN)
    return all(_same(os.path.join(plugin_source(), part), os.path.join(folder, part)) for part in PARTS)


def remove(home: str) -> None:
    """Take the launch file and the plugin's copy away; the memory itself stays."""
    shutil.rmtree(os.path.join(home, PLUGIN), ignore_errors=True)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(os.path.join(home, LAUNCH))


def _same(ours: str, theirs: str) -> bool:
    if os.path.isdir(ours):
        return os.path.isdir(theirs) and all(
            _same(os.path.join(ours, name), os.path.join(theirs, name)) for name in os.listdir(ours)
        )
    try:
        with open(ours, "rb") as a, open(theirs, "rb") as b:
            return a.read() == b.read()
    except OSError:
        return False
