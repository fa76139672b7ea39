"""`agentmemory doctor`: every part between a prompt and the disk, looked at; `--repair` mends without deleting."""

from __future__ import annotations

import json
import os
import platform
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from importlib import metadata

from agentmemory import __version__, inject, nearness, paths
from agentmemory.install import claude, codex, files, launch
from agentmemory.install.files import CannotEdit, read
from agentmemory.store import backup, check, forget, inbox, listing, places, writer
from agentmemory.store.db import NewerStore
from agentmemory.values import counted

OK, WARN, BAD = "ok", "warn", "bad"
FOLDERS = (inbox.FOLDER, inbox.SEEN, files.FOLDER, backup.FOLDER)  # besides the data folder itself
LEARNS = "import agentmemory.worker, agentmemory.learn.digest"
LEAST = 1 << 16  # bytes that opening the store needs beside it
STALE_INBOX = paths.DAY  # seconds a line may wait: a worker starts with every session's end


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: how it is, and what a person can do about it."""

    what: str
    level: str
    says: str
    do: str = ""


def main(home: str, repair: bool = False, as_json: bool = False) -> int:
    """Print what was found; 0 when nothing is broken, else 1."""
    mended = mend(home) if repair else []
    found = examine(home)
    if as_json:
        print(json.dumps({"mended": mended, "findings": [asdict(f) for f in found]}, ensure_ascii=False))
    else:
        from agentmemory.terminal import table

        for line in mended:
            print(f"Mended: {line}")
        table(("", "part", "finding"), [(f.level, f.what, f"{f.says}{f' -> {f.do}' if f.do else ''}") for f in found])
    return int(any(f.level == BAD for f in found))


def examine(home: str) -> list[Finding]:
    """Everything that `doctor` looks at; a check that fails itself is a finding, not an end."""
    found: list[Finding] = []
    for look in CHECKS:
        name = look.__name__.strip("_").replace("_", " ")
        try:
            found += look(home)
        except (OSError, check.StoreError, CannotEdit, NewerStore) as error:
            found.append(Finding(name, BAD, str(error)))
    return found


def mend(home: str) -> list[str]:
    """Mend what can be mended; says what was done. A damaged store is set aside, what is readable taken over."""
    done = _mend_permissions(home)
    if _is_connected(home):
        if not launch.is_this(launch.recorded(home)):
            launch.record(home)
            done.append("the clients start this Python again")
        if not launch.plugin_is_current(home):
            launch.copy_plugin(home)
            done.append("the plugin's copy is of this release again")
    if not os.path.exists(paths.store_path(home)):
        return done
    aside = backup.mend(home)
    db = writer.open_store(home)
    try:
        if aside:
            held = listing.counts(db)
            said = f"the damaged store was set aside in {aside}; what could be read is in a new one"
            saved = f"{counted(sum(held['beliefs'].values()), 'belief')}, {counted(held['turns'], 'turn')}"
            done.append(f"{said}: {saved} (`agentmemory restore` puts a backup in its place)")
        if check.indexes(db) or check.word_counts(db):
            with writer.transaction(db):
                check.rebuild(db)
            done.append("indexes and word counts were made anew from the rows")
        lost = check.high_water(db, home)
        if lost:
            backup.accept_loss(home, db)
            done.append(f"{lost[0]}; counting goes on from what is there")
    finally:
        db.close()
    return done


def _versions(home: str) -> Iterator[Finding]:
    parts = [f"agentmemory {__version__}", f"Python {platform.python_version()}", f"SQLite {check.sqlite_version()}"]
    yield Finding("versions", OK, ", ".join([*parts, f"mcp {metadata.version('mcp')}"]))


def _interpreter(home: str) -> Iterator[Finding]:
    if check.hook_can_search():
        yield Finding("interpreter", OK, f"{sys.executable}; its SQLite has FTS5")
    else:
        yield Finding("interpreter", WARN, f"the SQLite of {sys.executable} lacks FTS5; the prompt hook is slower so")
    recorded = launch.recorded(home)
    if recorded and not os.access(recorded.split("\n")[0], os.X_OK):
        yield Finding("interpreter", BAD, f"{recorded.split(chr(10))[0]} is gone", "agentmemory setup")
    elif recorded and not launch.is_this(recorded):
        yield Finding("interpreter", WARN, "the clients start another Python than this", "agentmemory doctor --repair")


def _permissions(home: str) -> Iterator[Finding]:
    if not os.path.isdir(home):
        yield Finding("data folder", WARN, f"{home} is not there yet; it is made by the first session")
        return
    if why := _unwritable(home):
        said = f"nothing can be written to {home}: {why}; nothing is learned, prompts and questions get what is there"
        yield Finding("data folder", BAD, said, "make room, or let its owner write there")
        return
    open_to_others = [path for path, _ in _too_open(home)]
    if open_to_others:
        said = f"{counted(len(open_to_others), 'file')} can be read by others, such as {open_to_others[0]}"
        yield Finding("data folder", BAD, said, "agentmemory doctor --repair")
    else:
        yield Finding("data folder", OK, f"{home}, for its owner only")


def _store(home: str) -> Iterator[Finding]:
    try:
        os.stat(paths.store_path(home))
    except FileNotFoundError:
        yield Finding("store", OK, "nothing is remembered yet")
        return
    except OSError as e:
        yield Finding("store", BAD, f"it cannot be looked at: {e}")
        return
    if _unwritable(home):
        yield Finding("store", WARN, "not looked at: that takes a folder that can be written to")
        return
    if backup.is_damaged(home):
        yield Finding("store", BAD, "the file is damaged", "agentmemory doctor --repair")
        return
    db = writer.open_store(home)
    try:
        mendable = check.structure(db) + check.indexes(db) + check.word_counts(db) + check.high_water(db, home)
        texts = check.texts(db)
        scrubbed = forget.scrub(db)
    finally:
        db.close()
    for said in mendable:
        yield Finding("store", BAD, said, "agentmemory doctor --repair")
    if not scrubbed:
        said = "old bytes of what was forgotten are still in its files: another process reads them"
        yield Finding("store", WARN, said, "end that process (a session, a server, a page), then agentmemory doctor")
    for said in texts:
        yield Finding("store", BAD, said, "agentmemory restore a backup, or correct or forget it")
    if not mendable and not texts:
        size = os.path.getsize(paths.store_path(home)) / 1e6
        yield Finding("store", OK, f"whole: pages, references, texts, indexes, counts, last change ({size:.1f} MB)")


def _clients(home: str) -> Iterator[Finding]:
    found = list(_each_client(home))
    if not found:
        said = "neither Claude Code nor Codex is connected: no session is learned, no prompt is told anything"
        yield Finding("clients", WARN, said, "agentmemory setup")
    yield from found
    settings = read(os.path.join(claude.folder(), "settings.json")) or ""
    if "agentmemory hook" in settings or "agentmemory' hook" in settings:
        said = "hooks of agentmemory stand in settings.json beside the plugin's and would run twice"
        yield Finding(claude.TITLE, BAD, said, "remove them from settings.json")
    if codex.times_hooked() > 1:
        said = "hooks.json starts agentmemory from more than one data folder"
        yield Finding(codex.TITLE, BAD, said, f"remove the hooks of other folders than {home}")
    if os.path.isdir(os.path.join(home, launch.PLUGIN)) and not launch.plugin_is_current(home):
        yield Finding("plugin", WARN, "the clients load the plugin of another release", "agentmemory doctor --repair")


def _each_client(home: str) -> Iterator[Finding]:
    for client in (claude, codex):
        connected = client.is_set_up(home)
        if connected and client is codex and not codex.offers_tools(home):
            said = "its hooks run, but the model has no tools"
            yield Finding(client.TITLE, WARN, said, f"agentmemory setup --client {client.NAME}")
        elif connected and (why := client.without_hooks()):
            said = f"connected, but it runs no hooks ({why}): nothing is learned, told or guarded"
            yield Finding(client.TITLE, BAD, said, "take that line out")
        elif connected:
            yield Finding(client.TITLE, OK, "connected")
        elif client is claude and claude.from_marketplace(home):
            yield Finding(client.TITLE, OK, "the plugin comes from another marketplace")
        elif client is claude and claude.from_elsewhere(home):
            said = f"connected to another data folder, {claude.other_home(home)}"
            yield Finding(client.TITLE, WARN, said, "agentmemory setup says how to change that")
        elif client.is_here():
            yield Finding(client.TITLE, WARN, "not connected", f"agentmemory setup --client {client.NAME}")


def _worker(home: str) -> Iterator[Finding]:
    if not os.path.isdir(home):
        return
    python = launch.python(home)
    started = subprocess.run([python, *inject.ALONE, "-c", LEARNS], cwd=home, capture_output=True, text=True)
    if started.returncode:
        said = f"{python} cannot start it, nothing is learned: {(started.stderr.splitlines() or ['it died'])[-1]}"
        yield Finding("worker", BAD, said, "install agentmemory again for this Python, then agentmemory setup")
        return
    folder = os.path.join(home, inbox.FOLDER)
    waiting = [found.st_mtime for _, found in _files_in(folder)] if os.path.isdir(folder) else []
    stale = [at for at in waiting if at < paths.now() - STALE_INBOX and not _taken(home)]
    if stale:
        said = f"{counted(len(stale), 'day')} of the inbox not taken in"
        yield Finding("worker", WARN, said, "agentmemory worker --once")
    else:
        yield Finding("worker", OK, "at work now" if _working(home) else "idle; the agent's next answer starts it")


def _sleep(home: str) -> Iterator[Finding]:
    from agentmemory.model.settings import BadSettings
    from agentmemory.sleep import models, settings

    try:
        settings.read(home)
    except BadSettings as error:
        yield Finding("sleep", BAD, f"no night runs: {error}", "put it right, or remove the line")
    if problem := models.problem(home):
        yield Finding("models", BAD, f"none takes part: {problem}", "put it right, or remove the line")
    for name, why in models.missing(home):
        yield Finding("models", WARN, f"{name} does not answer: {why}")


def _meanings(home: str) -> Iterator[Finding]:
    if nearness.problem(home):
        yield Finding("embedding", WARN, f"what is asked is found by words alone: {nearness.problem(home)}")
    elif nearness.of(home) is not None and os.path.exists(paths.store_path(home)):
        with closing(writer.open_to_read(home)) as db:
            yield Finding("embedding", OK, f"{counted(places.count(db)[0], 'belief')} found by their meaning too")


def _logs(home: str) -> Iterator[Finding]:
    for name in ("hook.log", "mcp.log", "worker.log"):
        path = os.path.join(home, name)
        if os.path.exists(path) and os.path.getmtime(path) > paths.now() - STALE_INBOX and _complains(path):
            yield Finding("log", WARN, f"{name} has entries of the last day", f"read {path}")


def _complains(log: str) -> bool:
    """Whether a log says more than that a memory was new."""
    with open(log, encoding="utf-8", errors="replace") as f:
        return any(line.strip() and not line.endswith(f" {inject.EMPTY}\n") for line in f)


CHECKS: tuple[Callable[[str], Iterator[Finding]], ...] = (
    _versions, _interpreter, _permissions, _store, _clients, _worker, _sleep, _meanings, _logs,
)  # fmt: skip


def _unwritable(home: str) -> str:
    """Why nothing can be written to the data folder, "" where it can."""
    try:
        with tempfile.TemporaryFile(dir=home, buffering=0) as probe:
            probe.write(bytes(LEAST))
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _too_open(home: str) -> Iterator[tuple[str, int]]:
    """Files and folders of ours that others may read, with the mode they should have."""
    folders = [home, *(os.path.join(home, name) for name in FOLDERS)]
    for folder in filter(os.path.isdir, folders):
        if stat.S_IMODE(os.stat(folder).st_mode) & 0o077:
            yield folder, 0o700
        for path, found in _files_in(folder):
            if stat.S_IMODE(found.st_mode) & 0o077:
                yield path, 0o600


def _files_in(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """The plain files of a folder, but for those that another process takes away meanwhile."""
    for entry in os.scandir(folder):
        try:
            found = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            continue
        if stat.S_ISREG(found.st_mode):
            yield entry.path, found


def _mend_permissions(home: str) -> list[str]:
    wrong = list(_too_open(home)) if os.path.isdir(home) and sys.platform != "win32" else []
    for path, mode in wrong:
        with suppress(FileNotFoundError):  # it went meanwhile
            os.chmod(path, mode)
    return [f"{counted(len(wrong), 'file')} for their owner only again"] if wrong else []


def _is_connected(home: str) -> bool:
    """Whether any client is; of one whose file cannot be read nobody knows, `examine` says so."""
    for client in (claude, codex):
        with suppress(CannotEdit):
            if client.is_set_up(home) or (client is claude and claude.from_marketplace(home)):
                return True
    return False


def _working(home: str) -> bool:
    from agentmemory import worker

    with worker.holding(home) as mine:
        return not mine


def _taken(home: str) -> bool:
    """Whether the worker has read all of the inbox: then old files only wait to be tidied away."""
    from agentmemory.learn import arrivals

    db = writer.open_store(home)
    try:
        return not arrivals.waiting(db, home)
    finally:
        db.close()
