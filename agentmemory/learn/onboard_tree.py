"""The files of a source tree that are worth reading, in bounded time and memory whatever the tree is.

Links are not followed, what `.gitignore` names is not there, nor are other repositories and worktrees that lie in it,
nothing large or binary is opened, nothing is executed.
"""

from __future__ import annotations

import math
import os
import re
import stat
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

from agentmemory.paths import root_of

MOST_FILES = 20_000  # files listed; a larger tree is described by these
MOST_ENTRIES = 200_000  # directory entries looked at, ignored ones too
DEEPEST = 24
NEAR = 2  # folders down, to where what is said of the whole project lies
MOST_BYTES = 512_000  # of one file: a longer one is data
TOTAL_BYTES = 24_000_000  # read of one tree
SECONDS = 8.0  # spent on listing
READING = 12.0  # seconds more after which no further file is read
LONGEST_IGNORE = 64_000  # bytes of one .gitignore
MOST_IGNORES = 1_000  # lines of it
MOST_STARS = 6  # of one ignore pattern; more make matching a path slow
SKIPPED = frozenset(
    """.git .hg .svn .bzr node_modules bower_components vendor third_party dist build target out coverage htmlcov
    __pycache__ .venv venv env .env .tox .nox .mypy_cache .pytest_cache .ruff_cache .cache .next .nuxt .svelte-kit
    .turbo .gradle .terraform .eggs site-packages .idea Pods DerivedData""".split()
)


@dataclass(slots=True)
class Tree:
    """A listed source tree. files: paths below *root* with `/`, sorted by depth and name; whole: nothing was cut.

    cut: files, readers and places (a reader and a file, `rules:CLAUDE.md`) of which a bound left something unread.
    """

    root: str
    files: list[str] = field(default_factory=list)
    whole: bool = True
    left: int = TOTAL_BYTES
    until: float = math.inf
    cut: set[str] = field(default_factory=set)

    def read(self, path: str, most: int = MOST_BYTES) -> str:
        """Text of a listed file; "" when it is too long, binary, gone, no plain file, or bytes or time are used up."""
        if self.left <= 0 or time.monotonic() > self.until:
            self.whole = False
            return ""
        data = _plain(os.path.join(self.root, path), most)
        if data is None:
            self.cut.add(path)
            return ""
        self.left -= len(data)
        if b"\x00" in data[:8192]:
            return ""
        return data.decode("utf-8", "replace").lstrip("\ufeff").replace("\r\n", "\n")

    def named(self, *names: str, deepest: int = DEEPEST) -> list[str]:
        """Listed files of these names (lower case), shallow ones first, none more than *deepest* folders down."""
        return [p for p in self.files if p.rsplit("/", 1)[-1].lower() in names and p.count("/") <= deepest]

    def has(self, path: str) -> bool:
        """Is a file of this path listed?"""
        return path in self.files


_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


def _plain(path: str, most: int) -> bytes | None:
    """What a plain file holds, nothing for what is none: no link is followed, no pipe waited for.

    None for a file that is longer than *most* bytes or not ours to read.
    """
    try:
        fd = os.open(path, os.O_RDONLY | _SAFE)
    except PermissionError:
        return None
    except OSError:
        return b""
    with os.fdopen(fd, "rb") as f:
        found = os.fstat(f.fileno())
        if not stat.S_ISREG(found.st_mode):
            return b""
        data = f.read(most + 1) if found.st_size <= most else None
    return data if data is not None and len(data) <= most else None


def listed(root: str) -> Tree:
    """List the tree below *root*, breadth first, so that a cut leaves the upper levels.

    Raises:
        NotADirectoryError: *root* is no folder.
    """
    root = os.path.realpath(root)
    if not os.path.isdir(root):
        raise NotADirectoryError(f"{root} is no folder")
    until = time.monotonic() + SECONDS
    tree = Tree(root, until=until + READING)
    entries = 0
    level: list[tuple[str, tuple[Ignore, ...]]] = [("", ())]
    for _ in range(DEEPEST):
        below: list[tuple[str, tuple[Ignore, ...]]] = []
        for folder, ignores in level:
            ignores = (*ignores, *_ignores(root, folder))
            for name, is_folder in _entries(os.path.join(root, folder), MOST_ENTRIES - entries):
                entries += 1
                path = f"{folder}{name}"
                if (is_folder and _is_apart(root, path)) or _ignored(path, is_folder, ignores):
                    continue
                if is_folder:
                    below.append((f"{path}/", ignores))
                elif len(tree.files) < MOST_FILES:
                    tree.files.append(path)
            if entries >= MOST_ENTRIES or len(tree.files) >= MOST_FILES or time.monotonic() > until:
                tree.whole = False
                return tree
        level = below
        if not level:
            return tree
    tree.whole = False
    return tree


def _is_apart(root: str, path: str) -> bool:
    """What is made or fetched, and what is a working tree of its own: it speaks for another project or branch."""
    if path.rsplit("/", 1)[-1] in SKIPPED:
        return True
    folder = os.path.join(root, path)
    return os.path.lexists(os.path.join(folder, ".git")) and root_of(folder) == folder


def _entries(folder: str, most: int) -> list[tuple[str, bool]]:
    """Plain files and folders of a folder, by name; no links, pipes or devices."""
    out: list[tuple[str, bool]] = []
    try:
        with os.scandir(folder) as found:
            for entry in found:
                if len(out) >= most:
                    break
                if entry.is_symlink():
                    continue
                if entry.is_dir(follow_symlinks=False):
                    out.append((entry.name, True))
                elif entry.is_file(follow_symlinks=False):
                    out.append((entry.name, False))
    except OSError:
        return []
    return sorted(e for e in out if e[0].isprintable())


@dataclass(frozen=True, slots=True)
class Ignore:
    """One line of a `.gitignore`: a pattern over paths below *base*."""

    base: str
    pattern: re.Pattern[str]
    negated: bool
    folders_only: bool


def _ignores(root: str, folder: str) -> Iterator[Ignore]:
    text = (_plain(os.path.join(root, folder, ".gitignore"), LONGEST_IGNORE) or b"").decode("utf-8", "replace")
    lines = text.splitlines()[:MOST_IGNORES]
    for line in lines:
        found = _parse(line, folder)
        if found is not None:
            yield found


def _parse(line: str, base: str) -> Ignore | None:
    """A line of gitignore(5): `!` negates, a slash within anchors, a slash at the end means folders."""
    line = line if line.endswith("\\ ") else line.rstrip()
    if not line or line.startswith("#"):
        return None
    negated = line.startswith("!")
    line = line[1:] if negated else line.removeprefix("\\")
    folders_only = line.endswith("/")
    line = line.rstrip("/")
    if not line or len(line) > 300 or line.count("*") > MOST_STARS:
        return None
    anchored = "/" in line
    source = _glob(line.lstrip("/"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of brackets that a later Python may read otherwise
            pattern = re.compile(source if anchored else f"(?:.*/)?{source}")
    except re.error:
        return None
    return Ignore(base, pattern, negated, folders_only)


def _glob(line: str) -> str:
    """Git's wildcards as a regular expression; runs of stars are one star, so that no pattern explodes."""
    out, i = "", 0
    while i < len(line):
        c = line[i]
        if line.startswith("**/", i):
            out += "" if out.endswith("(?:.*/)?") else "(?:.*/)?"
            i += 3
            continue
        if line.startswith("/**", i) and i + 3 == len(line):
            out += "/.*"
            break
        if c == "*":
            while i + 1 < len(line) and line[i + 1] == "*":
                i += 1
            out += "[^/]*"
        elif c == "?":
            out += "[^/]"
        elif c == "[" and (end := line.find("]", i + 2)) > 0:
            inner = line[i + 1 : end].replace("\\", "\\\\")
            out += f"[{'^' + inner[1:] if inner[0] in '!^' else inner}]"
            i = end
        elif c == "\\" and i + 1 < len(line):
            i += 1
            out += re.escape(line[i])
        else:
            out += re.escape(c)
        i += 1
    return out


def _ignored(path: str, is_folder: bool, ignores: tuple[Ignore, ...]) -> bool:
    for ignore in reversed(ignores):
        if ignore.folders_only and not is_folder:
            continue
        if ignore.pattern.fullmatch(path[len(ignore.base) :]):
            return not ignore.negated
    return False
