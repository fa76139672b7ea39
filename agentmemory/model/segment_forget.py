"""Forgetting for good what prefixes hold: by belief, by words, with all that was computed after them.

Needs no model. A running server learns of it through the size and time of one small file, the epoch.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress

from agentmemory import paths
from agentmemory.model.private import private
from agentmemory.model.segment_disk import Disk, Entry, Limits, listed, locked

FORGOTTEN = "forgotten"
CONVERSATION = "conversation"
ALSO = (paths.HEADS,)  # what else lies here and may hold the words (serve/heads.py)
Decode = Callable[[Sequence[int]], str]


def forget_beliefs(folder: str, beliefs: Sequence[int]) -> int:
    """Delete every segment made from these beliefs, what follows them, and all conversations.

    A conversation may have said the same words, and without the model's tokenizer nobody can tell; prefixes
    are only a cache, so they go. Returns how many files went.
    """
    disk = Disk(folder, Limits(), paths.now)
    return forget(disk, beliefs, ("",))


def forget(disk: Disk, beliefs: Sequence[int], texts: Sequence[str], here: tuple[str, Decode] | None = None) -> int:
    """Delete segments of these beliefs, segments that hold one of *texts*, and their descendants.

    *here*: a root whose tokens can be read, and how. Under other roots conversations go whenever *texts* are given.
    """
    if not os.path.isdir(disk.folder):
        return 0
    with locked(disk.folder):
        disk.scan()
        asked = set(beliefs)
        doomed = {key for key, e in list(disk.entries.items()) if asked & set(e.header.beliefs)}
        if texts:
            for key, entry in list(disk.entries.items()):
                if here and here[0] == key[0]:
                    continue
                if entry.header.label == CONVERSATION:
                    doomed.add(key)
        if here:
            doomed |= _holding(disk, here[0], here[1], texts)
        for root, name in list(doomed):
            doomed |= {(root, below) for below in disk.descendants(root, name)}
        for root, name in doomed:
            disk.remove(root, name, "forgotten")
        _mark(disk.folder)
    return len(doomed)


def epoch(folder: str) -> tuple[int, int]:
    """Changes with every forgetting, whichever process does it."""
    try:
        stat = os.stat(os.path.join(folder, FORGOTTEN))
    except OSError:
        return 0, 0
    return stat.st_size, stat.st_mtime_ns


def _mark(folder: str) -> None:
    for item in listed(folder):
        if item.name.startswith(ALSO):  # also what a server that died was about to put in its place
            with suppress(FileNotFoundError):
                os.unlink(item.path)
    path = os.path.join(folder, FORGOTTEN)
    try:
        with open(path, "a", encoding="utf-8", opener=private) as f:
            f.write(".")
    except OSError:  # a full disk: the time alone says it too
        os.utime(path)


def _holding(disk: Disk, root: str, decode: Decode, texts: Sequence[str]) -> set[tuple[str, str]]:
    """Segments of *root* in which one of *texts* begins, looked for along every chain."""
    wanted = [_plain(text) for text in texts if _plain(text)]
    entries = {name: e for (r, name), e in list(disk.entries.items()) if r == root}
    parents = {e.header.parent for e in entries.values()}
    found = set()
    for leaf in entries.keys() - parents:
        chain = _chain(entries, leaf)
        words = [_plain(decode(e.header.tokens)) for e in chain]
        whole = "".join(words)
        starts = [at for text in wanted if (at := whole.find(text)) >= 0]
        if starts:
            found.add((root, _at(chain, words, min(starts)).header.name))
    return found


def _chain(entries: dict[str, Entry], leaf: str) -> list[Entry]:
    chain, name = [], leaf
    while name in entries:
        chain.append(entries[name])
        name = entries[name].header.parent
    return chain[::-1]


def _at(chain: list[Entry], words: list[str], position: int) -> Entry:
    for entry, text in zip(chain, words, strict=True):
        if position < len(text):
            return entry
        position -= len(text)
    return chain[-1]


def _plain(text: str) -> str:
    """Without white space and case, so that it may be cut anywhere and joined again."""
    return "".join(text.split()).casefold()
