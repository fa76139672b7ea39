"""The hot tier: arrays of the segments used last, at most so many bytes. Knows nothing of files."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agentmemory.model.segment_file import Header


@dataclass(slots=True)
class Held:
    """A segment in memory. whole: its end state is here too. written: a file has it (or will)."""

    header: Header
    arrays: Mapping[str, Any]
    size: int
    whole: bool
    written: bool


class Hot:
    """Least recently used goes first; what no file has is handed back when it goes."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._held: OrderedDict[str, Held] = OrderedDict()
        self._bytes = 0
        self._hits = self._asked = self._full_hits = self._requests = 0

    def header(self, name: str) -> Header | None:
        """The header of a segment held here."""
        held = self._held.get(name)
        return held.header if held else None

    def children(self, name: str) -> list[Header]:
        """The segments held here that follow *name*."""
        return [held.header for held in list(self._held.values()) if held.header.parent == name]

    def arrays(self, name: str, whole: bool) -> Mapping[str, Any] | None:
        """The arrays of a segment, with its end state if *whole*."""
        held = self._held.get(name)
        return held.arrays if held and (held.whole or not whole) else None

    def holds(self, size: int) -> bool:
        """A segment of *size* bytes is not too large for this tier."""
        return size <= self.limit

    def touch(self, name: str) -> None:
        """It was used now."""
        if name in self._held:
            self._held.move_to_end(name)

    def put(
        self, header: Header, arrays: Mapping[str, Any], *, written: bool, whole: bool = True
    ) -> list[tuple[Header, Mapping[str, Any]]]:
        """Hold a segment. Returns what had to go and is in no file."""
        before = self._held.get(header.name)
        if before is not None and before.whole:
            self._held.move_to_end(header.name)
            return []
        self.drop(header.name)
        size = sum(int(a.nbytes) for a in arrays.values())
        if size > self.limit:
            return [] if written else [(header, arrays)]
        self._held[header.name] = Held(header, arrays, size, whole, written)
        self._bytes += size
        gone = []
        while self._bytes > self.limit:
            old = self._held[next(iter(self._held))]
            self.drop(old.header.name)
            if not old.written:
                gone.append((old.header, old.arrays))
        return gone

    def above(self, header: Header) -> list[tuple[Header, Mapping[str, Any]]]:
        """What stands before a segment and is in no file, the chain's first one first; from now on taken as written."""
        found: list[Held] = []
        while (held := self._held.get(header.parent)) is not None:
            header = held.header
            if not held.written:
                held.written = True
                found.append(held)
        return [(held.header, held.arrays) for held in reversed(found)]

    def unwritten(self) -> list[tuple[Header, Mapping[str, Any]]]:
        """What no file has, from now on taken as written."""
        found = [held for held in self._held.values() if not held.written]
        for held in found:
            held.written = True
        return [(held.header, held.arrays) for held in sorted(found, key=lambda held: held.header.start)]

    def drop(self, name: str) -> None:
        """Let go of one segment."""
        held = self._held.pop(name, None)
        if held is not None:
            self._bytes -= held.size

    def clear(self) -> None:
        """Let go of everything, also of what no file has."""
        self._held.clear()
        self._bytes = 0

    def hit(self, found: int, asked: int) -> None:
        """Count a look-up: *found* of *asked* segments were kept somewhere."""
        self._requests += 1
        self._asked += asked
        self._hits += found
        self._full_hits += found == asked

    def stats(self) -> dict[str, int]:
        """Figures of this tier, and of look-ups over all tiers."""
        return {
            "segments": len(self._held), "bytes": self._bytes, "limit": self.limit, "lookups": self._requests,
            "whole_hits": self._full_hits, "segments_asked": self._asked, "segments_found": self._hits,
        }  # fmt: skip
