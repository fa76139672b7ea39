"""Past sessions about a project that clients left on this machine: found and offered, not read unasked."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from agentmemory.learn.onboard_values import of_json, table_of
from agentmemory.learn.transcripts import began

MOST = 2_000  # transcripts looked at per client
HEAD = 64_000  # bytes in which a transcript names its folder
DEEPEST = 5


@dataclass(frozen=True, slots=True)
class Past:
    """A transcript on disk: the client that wrote it, its path, size in bytes and when its first turn was said."""

    client: str
    path: str
    size: int
    at: float


def past(folder: str, home: str | None = None) -> list[Past]:
    """Transcripts of sessions that ran in *folder* or below it, newest first."""
    user = home or os.path.expanduser("~")
    root = os.path.realpath(folder)
    claude = os.path.join(os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(user, ".claude"), "projects")
    codex = os.path.join(os.environ.get("CODEX_HOME") or os.path.join(user, ".codex"), "sessions")
    found = [*_claude(claude, root), *_codex(codex, root)]
    return sorted(found, key=lambda p: (-p.at, p.path))


def _claude(projects: str, root: str) -> Iterator[Past]:
    """A folder per project, named by its path with every other character turned into a dash."""
    name = re.sub(r"[^A-Za-z0-9]", "-", root)
    for entry in _folders(projects):
        if entry == name or entry.startswith(f"{name}-"):
            for path in _jsonl(os.path.join(projects, entry), 1):
                if _is_below(_folder_named_in(path), root):
                    yield _past("claude-code", path)


def _codex(sessions: str, root: str) -> Iterator[Past]:
    for path in _jsonl(sessions, DEEPEST):
        if _is_below(_folder_named_in(path), root):
            yield _past("codex", path)


def _folder_named_in(path: str) -> str:
    """The working folder that the first lines of a transcript name, "" for none."""
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            lines = f.read(HEAD).split("\n")
    except OSError:
        return ""
    for line in lines:
        record = of_json(line)
        cwd = record.get("cwd") or table_of(record, "payload").get("cwd")
        if isinstance(cwd, str) and cwd and "\0" not in cwd:  # no file's name holds that
            return cwd
    return ""


def _is_below(folder: str, root: str) -> bool:
    if not folder:
        return False
    real = os.path.realpath(folder)
    return real == root or real.startswith(root.rstrip(os.sep) + os.sep)


def _past(client: str, path: str) -> Past:
    found, at = os.stat(path), began(path)
    return Past(client, path, found.st_size, at if math.isfinite(at) else found.st_mtime)


def _folders(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as found:
            return sorted(entry.name for entry in found if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


def _jsonl(folder: str, depth: int) -> list[str]:
    """Transcripts below a folder, newest names first, links not followed."""
    out: list[str] = []
    level = [folder]
    for _ in range(depth):
        below: list[str] = []
        for each in level:
            try:
                with os.scandir(each) as found:
                    entries = sorted(found, key=lambda e: e.name, reverse=True)
            except OSError:
                continue
            out += [e.path for e in entries if e.name.endswith(".jsonl") and e.is_file(follow_symlinks=False)]
            below += [e.path for e in entries if e.is_dir(follow_symlinks=False)]
        level = below
    return out[:MOST]
