"""Edits of a client's files: planned first, shown as a diff, backed up, applied whole, undone byte for byte."""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentmemory import paths
from agentmemory.install import jsontext

Removals = dict[str, Callable[[str], str]]

FOLDER = "setup"  # below AGENTMEMORY_HOME: backups and one receipt a client


class CannotEdit(Exception):
    """A file of the client cannot be edited safely; nothing was changed."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One file before and after, as text; None where there is no file."""

    path: str
    before: str | None
    after: str | None

    @property
    def changes(self) -> bool:
        """Whether there is anything to do."""
        return self.before != self.after

    def diff(self) -> str:
        """The change, as `diff -u` shows it."""
        old, new = (self.before or "").splitlines(keepends=True), (self.after or "").splitlines(keepends=True)
        lines = difflib.unified_diff(old, new, self.path, self.path)
        return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines)


@dataclass(slots=True)
class Receipt:
    """What a setup did to a client, to be undone. *files*: path -> what it was; *new*: files that were not there."""

    client: str
    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    new: list[str] = field(default_factory=list)


def plan(path: str, change: Callable[[str], str]) -> Edit:
    """The edit that *change* makes to a file (a missing one is an empty text).

    Raises:
        CannotEdit: the file cannot be read, is no text, or *change* refuses it.
    """
    before = read(path)
    try:
        after = change(before or "")
    except ValueError as error:
        raise CannotEdit(f"{path} {error}; nothing was changed") from None
    return Edit(path, before, before if before is None and not after else after)


def read(path: str) -> str | None:
    """A file's text with its line ends as they are; None when there is no file.

    Raises:
        CannotEdit: it cannot be read or is no UTF-8.
    """
    try:
        with open(path, encoding="utf-8", newline="") as f:
            return f.read()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise CannotEdit(f"{path} cannot be read as text ({error}); nothing was changed") from None


def member(path: str, keys: tuple[str, ...]) -> Any:
    """The value that stands at *keys* in a JSON file; None when there is none, or no file.

    Raises:
        CannotEdit: the file cannot be read, or is no JSON.
    """
    try:
        return jsontext.get(read(path) or "", keys)
    except jsontext.NotJson as error:
        raise CannotEdit(f"{path} {error}; nothing was changed") from None


def must_be_writable(edits: Iterable[Edit]) -> None:
    """Make sure, before the first edit, that all can be carried out; a file marked read-only is respected.

    Raises:
        CannotEdit: a file or its folder cannot be written.
    """
    for path in (edit.path for edit in edits if edit.changes):
        target = os.path.realpath(path)
        if os.path.exists(target) and not _writable(target):
            raise CannotEdit(f"{path} is read-only; nothing was changed")
        folder = os.path.dirname(target)
        while not os.path.isdir(folder):
            folder = os.path.dirname(folder)
        if not _writable(folder):
            raise CannotEdit(f"{folder} is read-only; nothing was changed")


def apply(home: str, client: str, edits: Sequence[Edit], without_us: Removals) -> None:
    """Carry out edits and keep what is needed to undo them; a second setup keeps the first one's originals.

    *without_us*: per file, how to take out what is ours, for files that were edited by hand since.
    """
    edits = [edit for edit in edits if edit.changes]
    receipt = load(home, client) or Receipt(client)
    receipt.new = sorted({*receipt.new, *(path for path in without_us if not os.path.exists(path))})
    for edit in edits:
        known = receipt.files.get(edit.path)
        if known is None or edit.before is None or known["after"] != digest(edit.before):
            original = edit.before and without_us[edit.path](edit.before)
            known = {"before": _keep(home, client, edit.path, original), "made": _missing_folders(edit.path)}
        receipt.files[edit.path] = {**known, "after": digest(edit.after or "")}
    _set_aside(home, client)
    _store(home, receipt)
    for edit in edits:
        write(edit.path, edit.after)


def undo(home: str, client: str, without_us: Removals) -> list[Edit]:
    """The edits that take a setup back: the original bytes where they are kept and nobody else wrote since, else what
    is ours is cut."""
    receipt = load(home, client) or Receipt(client)
    edits = []
    for path in dict.fromkeys([*receipt.files, *without_us]):
        now, known = read(path), receipt.files.get(path)
        if now is None or path not in without_us:
            continue
        original = _kept(home, known["before"]) if known and known["before"] else None
        if known and digest(now) == known["after"] and (original is not None or known["before"] is None):
            edits.append(Edit(path, now, original))
        else:
            left = plan(path, without_us[path]).after
            empty = path in receipt.new and (not left or (path.endswith(".json") and jsontext.holds_nothing(left)))
            edits.append(Edit(path, now, None if empty else left))
    return edits


def finish_undo(home: str, client: str, edits: Sequence[Edit]) -> None:
    """Write what `undo` planned, remove folders that setup had made, and forget the receipt."""
    receipt = load(home, client) or Receipt(client)
    for edit in edits:
        if edit.changes:
            write(edit.path, edit.after)
    for known in receipt.files.values():
        for folder in known["made"]:
            with contextlib.suppress(OSError):
                os.rmdir(folder)
    _set_aside(home, client)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(_receipt(home, client))


def damaged(home: str, client: str) -> str:
    """A sentence where the receipt is there and says nothing: what is done without it, and where it goes."""
    path = _receipt(home, client)
    if not os.path.lexists(path) or load(home, client):
        return ""
    return (
        f"The receipt of an earlier setup was damaged, so that only what is ours is cut out of the settings; it is set"
        f" aside as {path}.damaged, and what the settings were lies beside it."
    )


def _set_aside(home: str, client: str) -> None:
    if damaged(home, client):
        path = _receipt(home, client)
        os.replace(path, path + ".damaged")


def folders(home: str, client: str) -> list[str]:
    """Where the files lie that setup edited: a person may have several configurations of a client."""
    receipt = load(home, client)
    return [os.path.dirname(path) for path in receipt.files] if receipt else []


def load(home: str, client: str) -> Receipt | None:
    """What was done to a client, None when nothing was, or its receipt is damaged: ours is cut without it."""
    try:
        found = json.loads(read(_receipt(home, client)) or "{}")
        files = {
            path: {"before": was["before"] and str(was["before"]), "made": _texts(was["made"]), "after": was["after"]}
            for path, was in found["files"].items()
        }
        return Receipt(client, files, _texts(found["new"]))
    except (CannotEdit, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _texts(said: Any) -> list[str]:
    if not all(isinstance(each, str) for each in said):
        raise TypeError("a receipt names folders and files")
    return [*said]


def write(path: str, text: str | None) -> None:
    """Replace a file whole (None removes it), through a symbolic link, keeping its mode."""
    target = os.path.realpath(path)
    if text is None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(target)
        return
    os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
    mode = stat.S_IMODE(os.stat(target).st_mode) if os.path.exists(target) else 0o600
    fd, temporary = tempfile.mkstemp(dir=os.path.dirname(target))
    try:
        with os.fdopen(fd, "wb") as f:
            f.write(text.encode())
            os.fchmod(f.fileno(), mode)
            os.fsync(f.fileno())
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def digest(text: str) -> str:
    """A short name for exactly this text."""
    return hashlib.sha256(text.encode()).hexdigest()


def _writable(path: str) -> bool:
    return bool(os.stat(path).st_mode & stat.S_IWUSR) and os.access(path, os.W_OK)


def _keep(home: str, client: str, path: str, text: str | None) -> str | None:
    """Back up what a file was; returns the name of the backup, None for a file that was not there."""
    if text is None:
        return None
    when = paths.iso(paths.now()).replace(":", "")
    name = f"{client}-{os.path.basename(path)}-{when}-{digest(text)[:8]}"
    write(os.path.join(_folder(paths.make_home(home)), name), text)
    return name


def _kept(home: str, name: str) -> str | None:
    """What a file was, None where its backup is gone or is not what was put there."""
    try:
        text = read(os.path.join(_folder(home), name))
    except CannotEdit:
        return None
    return text if text is not None and name.endswith(digest(text)[:8]) else None


def _store(home: str, receipt: Receipt) -> None:
    text = json.dumps({"files": receipt.files, "new": receipt.new}, indent=1)
    write(_receipt(paths.make_home(home), receipt.client), text)


def _receipt(home: str, client: str) -> str:
    return os.path.join(_folder(home), f"{client}.json")


def _folder(home: str) -> str:
    return os.path.join(home, FOLDER)


def _missing_folders(path: str) -> list[str]:
    """Folders that writing *path* will make, the innermost first."""
    missing, folder = [], os.path.dirname(path)
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    return missing
