"""Segments on disk: which there are, writing within a budget, taking the least used leaf away.

The file names are the index; what is held in memory (the warm tier) is only a copy of sealed headers.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from agentmemory.model import segment_file as file
from agentmemory.model.private import private
from agentmemory.model.segment_file import Header, Tensor
from agentmemory.model.segment_wear import A_DAY, RESTED, Asked, note_replaced, replaced
from agentmemory.model.settings import Limits as Limits

TOUCH_SECONDS = 60.0  # "last used" need not be finer; every touch is a metadata write
STABLE = ("system", "profile", "digest", "session")  # what stands before every conversation, in this order
SCRATCH = "tmp-"
REMOVED, REMOVED_BYTES = "removed", 200_000


@dataclass(slots=True)
class Figures:
    """Counts since the start of this process; bytes are of segment files.

    written_again: of those written, how many this process had written before (they were evicted in between).
    declined: not worth what it would have replaced. refused: the disk or its limits said no.
    """

    written: int = 0
    written_bytes: int = 0
    written_again: int = 0
    read: int = 0
    read_bytes: int = 0
    evicted: int = 0
    expired: int = 0
    damaged: int = 0
    declined: int = 0
    refused: int = 0


@dataclass(slots=True)
class Entry:
    """A file seen on disk."""

    root: str
    header: Header
    used: float


@dataclass(slots=True)
class Disk:
    """The folder of one home's segments, for every model that ever kept some there.

    Two threads may use it: one that only finds, touches and removes, one that puts. Loops go over copies.
    """

    folder: str
    limits: Limits
    now: Callable[[], float]
    figures: Figures = field(default_factory=Figures)
    asked: Asked = field(default_factory=Asked)
    entries: dict[tuple[str, str], Entry] = field(default_factory=dict)

    def open(self) -> None:
        """Make the folder, clear what dead processes left, read every header, drop what has expired."""
        with locked(self.folder):
            self._clear_scratch()
            self.scan()
            self._expire()

    def path(self, root: str, name: str) -> str:
        """Where a segment is."""
        return os.path.join(self.folder, root, name + file.SUFFIX)

    def find(self, root: str, name: str) -> Header | None:
        """The header of a segment, None where there is none (or only a damaged one, which goes)."""
        path = self.path(root, name)
        known = self.entries.get((root, name))
        try:
            used = os.stat(path).st_mtime
            if known is None:
                header = file.read_header(path)
                if header.name != name:
                    raise file.Damaged("the file has another segment's name")
                known = self.entries[root, name] = Entry(root, header, used)
            known.used = max(known.used, used)  # another process may have used it since
        except FileNotFoundError:
            self.entries.pop((root, name), None)
            return None
        except (file.Damaged, OSError):
            self.damaged(root, name)
            return None
        return known.header

    def touch(self, root: str, name: str) -> None:
        """Note that a segment was used now."""
        entry = self.entries.get((root, name))
        now = self.now()
        if entry is None or now - entry.used < TOUCH_SECONDS:
            return
        entry.used = now
        try:
            os.utime(self.path(root, name), (now, now))
        except OSError:
            self.entries.pop((root, name), None)

    def damaged(self, root: str, name: str) -> None:
        """A segment cannot be trusted: it goes, and so does all that was built on it (nothing reaches it)."""
        self.figures.damaged += 1
        self.remove(root, name, "damaged")

    def put(self, root: str, header: Header, tensors: Mapping[str, Tensor]) -> bool:
        """Write a segment unless it is there; False when it is not worth it, or budget, free space or disk refuse."""
        try:
            with locked(self.folder):
                return self._put(root, header, tensors)
        except OSError:
            self.figures.refused += 1
            return False

    def _put(self, root: str, header: Header, tensors: Mapping[str, Tensor]) -> bool:
        path = self.path(root, header.name)
        if os.path.exists(path):
            return True
        self.scan()
        self._expire()
        data = sum(t.data.nbytes for t in tensors.values())
        if why := self._unworthy(root, header, data):  # before the checksums are computed
            self.figures.declined += 1
            if not self.why_removed(header.name):
                self._note(header.name, why)
            return False
        head = file.seal(header, tensors)
        self._make_room(len(head) + data, root, header)
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        file.write(path, head, tensors, os.path.join(self.folder, SCRATCH + header.name))
        os.utime(path, (self.now(), self.now()))
        self.figures.written += 1
        self.figures.written_bytes += len(head) + data
        self.figures.written_again += header.name in self.asked.wrote
        self.asked.wrote.add(header.name)
        return self.find(root, header.name) is not None

    def remove(self, root: str, name: str, why: str) -> None:
        """Delete a segment and remember why, for who asks what became of it."""
        self.entries.pop((root, name), None)
        try:
            os.unlink(self.path(root, name))
        except FileNotFoundError:
            return
        except OSError:
            why += " (but the file could not be deleted)"
        self._note(name, why)

    def why_removed(self, name: str) -> str:
        """Why a segment is gone, "" when nobody noted it."""
        try:
            with open(os.path.join(self.folder, REMOVED), encoding="utf-8", errors="replace") as f:
                found = [line.split(" ", 1)[1].strip() for line in f if line.startswith(name + " ")]
        except OSError:
            return ""
        return found[-1] if found else ""

    def scan(self) -> None:
        """See what is there now; other processes write and delete too."""
        seen = set()
        for root in _folders(self.folder):
            for item in listed(os.path.join(self.folder, root)):
                if not item.name.endswith(file.SUFFIX):
                    continue
                name = item.name.removesuffix(file.SUFFIX)
                if self.find(root, name) is not None:
                    seen.add((root, name))
        for gone in list(self.entries.keys() - seen):
            self.entries.pop(gone, None)

    def used_bytes(self) -> int:
        """Bytes of all segments, as last scanned."""
        return sum(e.header.size for e in list(self.entries.values()))

    def longest(self, root: str) -> int:
        """Bytes of the largest chain of a root, as last scanned."""
        sizes: dict[str, int] = {}
        for header in sorted(
            (e.header for (r, _), e in list(self.entries.items()) if r == root), key=lambda h: h.start
        ):
            sizes[header.name] = header.size + sizes.get(header.parent, 0)
        return max(sizes.values(), default=0)

    def children(self, root: str, name: str) -> list[Header]:
        """The segments that follow *name*."""
        return [e.header for (r, _), e in list(self.entries.items()) if r == root and e.header.parent == name]

    def descendants(self, root: str, name: str) -> list[str]:
        """Names of all segments built on *name*, itself not among them."""
        found, todo = [], [name]
        while todo:
            below = [h.name for h in self.children(root, todo.pop())]
            found += below
            todo += below
        return found

    def replaced_today(self) -> int:
        """Bytes written today in the place of others."""
        return replaced(self.folder, self.now())

    def _unworthy(self, root: str, header: Header, size: int) -> str:
        """Why a segment is not worth a write, "" if it is: it can be reached, and what must go is asked for less."""
        if header.start and (root, header.parent) not in self.entries:
            return "not kept: what it follows is not kept"
        victims = self._victims(size, (root, header.parent))
        if not victims:
            return ""
        if self.replaced_today() + size > A_DAY * self.limits.budget:
            return "not kept: enough was written in the place of other segments today"
        if header.label in STABLE and header.name not in self.asked.wrote:
            return ""
        busy = [v.header.name for v in victims if self.now() - self._used(v) < RESTED]
        if self.asked.worth(header.name, busy):
            return ""
        return "not kept: there is no room, and what would have had to go is asked for as often"

    def _make_room(self, size: int, root: str, header: Header) -> None:
        """Delete what must go for *size* more bytes. Raises OSError when that would not do."""
        victims = self._victims(size, (root, header.parent))
        for victim in victims:
            self.figures.evicted += 1
            self.remove(victim.root, victim.header.name, "evicted: it was the least used when room was needed")
        if victims:
            note_replaced(self.folder, self.now(), size)

    def _victims(self, size: int, keep: tuple[str, str]) -> list[Entry]:
        """The least used leaves that must go until *size* more bytes fit; never of the chain that *keep* ends.

        Raises:
            OSError: no deletion would make so much room.
        """
        missing = max(self.used_bytes() + size - self.limits.budget, self.limits.floor + size - self._free())
        entries, kept = dict(self.entries), self._chain(keep)
        victims: list[Entry] = []
        while missing > 0:
            parents = {(e.root, e.header.parent) for e in entries.values()}
            leaves = [e for key, e in entries.items() if key not in parents and key not in kept]
            if not leaves:
                raise OSError("no room")
            victims.append(min(leaves, key=lambda e: (self._chain_whole(e), self._used(e), -e.header.start)))
            del entries[victims[-1].root, victims[-1].header.name]
            missing -= victims[-1].header.size
        return victims

    def _used(self, entry: Entry) -> float:
        """When a segment was last used, by this process exactly and by others as the file says."""
        return max(entry.used, self.asked.last(entry.header.name))

    def _chain(self, key: tuple[str, str]) -> set[tuple[str, str]]:
        kept = set()
        while key in self.entries:
            kept.add(key)
            key = (key[0], self.entries[key].header.parent)
        return kept

    def _chain_whole(self, entry: Entry) -> bool:
        """False for a segment whose ancestors are missing: nothing can reach it."""
        while entry.header.start:
            above = self.entries.get((entry.root, entry.header.parent))
            if above is None:
                return False
            entry = above
        return True

    def _expire(self) -> None:
        for (root, name), entry in list(self.entries.items()):
            if self.now() - entry.used > self.limits.ttl:
                self.figures.expired += 1
                self.remove(root, name, "expired: unused for longer than the time to live")

    def _free(self) -> int:
        stat = os.statvfs(self.folder)
        return stat.f_bavail * stat.f_frsize

    def _clear_scratch(self) -> None:
        """Scratch files are only written under the lock, which is ours: these belong to the dead."""
        for item in listed(self.folder):
            if item.name.startswith(SCRATCH):
                os.unlink(item.path)

    def _note(self, name: str, why: str) -> None:
        path = os.path.join(self.folder, REMOVED)
        try:
            if os.path.exists(path) and os.path.getsize(path) > REMOVED_BYTES:
                os.unlink(path)  # only explanations are lost
            with open(path, "a", encoding="utf-8", opener=private) as f:
                f.write(f"{name} {why}\n")
        except OSError:
            return


@contextmanager
def locked(folder: str) -> Iterator[None]:
    """One process at a time changes what is in *folder*, which is made if a person deleted it.

    The system lets go of the lock when a process dies.
    """
    os.makedirs(folder, mode=0o700, exist_ok=True)
    try:
        import fcntl
    except ImportError:  # Windows: no local model runs there, so only deletions come here
        yield
        return
    with open(os.path.join(folder, "lock"), "a", opener=private) as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        yield


def _folders(folder: str) -> list[str]:
    return sorted(item.name for item in listed(folder) if item.is_dir())


def listed(folder: str) -> list[os.DirEntry[str]]:
    """What is in *folder*; nothing where it is gone or cannot be read."""
    try:
        return list(os.scandir(folder))
    except OSError:
        return []
