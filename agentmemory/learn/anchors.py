"""What of a project's folder its beliefs name: files, definitions, tasks; recorded as they are now.

Cold: the worker calls it after learning and at night. What a belief names and the folder does not hold (a server's
path, a file of another repository, a build output) gets no anchor. Two places with one name are none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agentmemory.learn.entities import extract
from agentmemory.learn.onboard_tree import Tree, listed
from agentmemory.paths import DAY
from agentmemory.recall import anchors as hot
from agentmemory.store import anchors as rows
from agentmemory.store import arrivals, writer
from agentmemory.store.anchors import Anchor

if TYPE_CHECKING:
    import apsw

    from agentmemory.store.jobs import Job
    from agentmemory.store.rows import Database

MARK = "anchors:"  # prefix of the keys under which the last belief looked at is remembered, by scope
WEEK = 7 * DAY  # beliefs that are younger, or stand since then, are looked at again: what they name may have come
AT_ONCE = 2_000  # beliefs looked at in one run
EACH = 6  # anchors of one belief

KINDS = frozenset(("file", "path", "symbol", "command"))  # of named things that a folder can hold
CODE = re.compile(
    r"\.(?:py|pyi|js|jsx|mjs|cjs|ts|tsx|go|rs|rb|java|kt|kts|scala|swift|c|h|cc|cpp|hpp|cs|php|ex|exs|lua|sh|vue|svelte)$"
)
PLAIN = re.compile(r"[\w.@+-]+(?:/[\w.@+-]+)*")
NAME = re.compile(r"[A-Za-z_]\w{2,}")
#: programs whose first argument is a task of a file
TASKS = {
    "make": ("Makefile", "makefile", "GNUmakefile"), "just": ("justfile", "Justfile", ".justfile"),
    "npm": ("package.json",), "pnpm": ("package.json",), "yarn": ("package.json",), "bun": ("package.json",),
}  # fmt: skip
#: a task named in a sentence, without backticks; it is one only where the file has it
TASKED = re.compile(rf"(?<![\w/.-])({'|'.join(TASKS)})\s+((?:run\s+)?[\w:.-]*\w)")
DEFINED = re.compile(
    rf"\b(?:{'|'.join(sorted(hot.DEFINERS))})\s+(?:\([^()\n]*\)\s*)?(\w+)|^(\w+)\s*(?::[^=\n]+)?=(?!=)", re.MULTILINE
)


def run(db: apsw.Connection, job: Job, now: float) -> None:
    """The cold job: record the anchors of a project's newer beliefs. A folder that is not here is left for later."""
    scope = int(job.ref or 0)
    root = folder_of(db, scope)
    if not root:
        return
    mark = int(arrivals.offset(db, f"{MARK}{scope}"))
    beliefs = rows.unanchored(db, scope, mark, now - WEEK, AT_ONCE)
    if not beliefs:
        return
    found = record(root, beliefs, now)
    with writer.transaction(db):
        rows.put(db, found)
        arrivals.set_offset(db, f"{MARK}{scope}", max(mark, beliefs[-1][0]))


def folder_of(db: Database, scope: int) -> str:
    """The folder of a project's scope, "" when it has none here."""
    key = rows.project_key(db, scope)
    root = os.path.dirname(key) if os.path.basename(key) == ".git" else key
    return root if key and os.path.isdir(root) and not os.path.exists(os.path.join(root, "HEAD")) else ""


def record(root: str, beliefs: Iterable[tuple[int, str]], now: float) -> list[Anchor]:
    """The anchors of beliefs `(id, text)` in the folder *root*."""
    named_by = [(id, names) for id, text in beliefs if (names := _names(text))]
    if not named_by:
        return []
    tree = listed(root)
    folders = {path[:i] for path in tree.files for i, c in enumerate(path) if c == "/"}
    out: list[Anchor] = []
    wanted: list[tuple[int, str]] = []
    for id, names in named_by:
        places: dict[tuple[str, str], str] = {}
        for kind, name in names:
            if kind in ("file", "path"):
                places.update({(path, ""): path for path in _path(tree, folders, name)})
            elif kind == "command":
                places.update(_of_command(tree, folders, name))
            elif kind == "symbol" and not name.startswith("-"):
                wanted.append((id, name))
        out += [a for at, name in list(places.items())[:EACH] if (a := _anchor(tree, id, name, *at, now))]
    out.extend(_definitions(tree, wanted, now))
    defined = {(a.belief, a.path) for a in out if a.symbol}  # tells more than its file does: that only has to be there
    return [a if a.symbol or (a.belief, a.path) not in defined else replace(a, mark="") for a in out]


def _names(text: str) -> list[tuple[str, str]]:
    """`(kind, name)` of what a text names that a folder can hold."""
    tasks = [("command", f"{program} {task}") for program, task in TASKED.findall(text)]
    return [(n.kind, n.name) for n in extract(text) if n.kind in KINDS] + tasks


def moved(db: Database, scope: int) -> list[dict[str, Any]]:
    """What of the anchors of a scope no longer is what it was: `{id, name, became}`."""
    root = folder_of(db, scope)
    if not root:
        return []
    states = ((a, hot.state(root, a.path, a.symbol, a.mark, a.size, a.changed)) for a in rows.of_scope(db, scope))
    return [{"id": a.belief, "name": a.name, "became": became} for a, became in states if became]


def _path(tree: Tree, folders: set[str], name: str) -> list[str]:
    """The one listed file or folder that a name stands for: from the root, or the end of one path only."""
    name = name.removeprefix("./").rstrip("/.,:")
    if not PLAIN.fullmatch(name) or ".." in name.split("/"):
        return []
    if tree.has(name) or name in folders:
        return [name]
    ends = [path for path in (*tree.files, *folders) if path.endswith(f"/{name}")]
    return ends if len(ends) == 1 and ("/" in name or "." in name) else []


def _of_command(tree: Tree, folders: set[str], command: str) -> dict[tuple[str, str], str]:
    """Places `(path, symbol)` of a command, with the name to show: the task it runs, the scripts it names."""
    words = command.split()
    out = {(path, ""): path for word in words if "/" in word or "." in word for path in _path(tree, folders, word)}
    tasks = [word for word in words[1:] if word not in ("run", "run-script") and not word.startswith("-")]
    for path in TASKS.get(words[0], ()):
        if tasks and tree.has(path):
            out[path, f"{tasks[0]}:"] = " ".join(words[: words.index(tasks[0]) + 1])
    return out


def _definitions(tree: Tree, wanted: list[tuple[int, str]], now: float) -> list[Anchor]:
    """Anchors of the symbols that exactly one place of the tree defines."""
    last = {name: name.replace("::", ".").rsplit(".", 1)[-1] for _, name in wanted}
    places: dict[str, set[str]] = {short: set() for short in last.values() if NAME.fullmatch(short)}
    for path in filter(CODE.search, tree.files) if places else ():
        for match in DEFINED.finditer(tree.read(path, hot.MOST_BYTES)):
            if (name := match[1] or match[2]) in places:
                places[name].add(path)
    out = []
    for id, name in wanted:
        here = places.get(last[name], set())
        out += [a for path in here if len(here) == 1 and (a := _anchor(tree, id, name, path, last[name], now))]
    return out


def _anchor(tree: Tree, belief: int, name: str, path: str, symbol: str, now: float) -> Anchor | None:
    """One anchor as the folder is now; None where the symbol is not defined there."""
    at = os.path.join(tree.root, path)
    try:
        found = os.lstat(at)
        plain = os.path.isfile(at) and hot.inside(tree.root, at)
        mark = hot.measure(hot.read(at, found.st_size), symbol) if plain else ""
    except OSError:
        return None
    if symbol and not mark:
        return None
    return Anchor(belief, name, path, symbol, mark, found.st_size, found.st_mtime_ns, now)
