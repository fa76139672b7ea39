"""Whether a segment is worth a write when another must go for it: disks wear, and room is for what is asked for.

Where there is room everything is written. Where there is none, what stands before every conversation still is; a
conversation must be asked for again, and more than what it replaces, unless that has rested; anything that was written
before and had to go, more still. In a day no more is replaced than twice what the budget holds.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable

from agentmemory.model.private import private
from agentmemory.paths import DAY

REPLACED = "replaced"  # file: day and bytes; it outlives a process, as the disk does
SECOND_HIT = 2  # a conversation that is asked for once will hardly be asked for again
RESTED = 3600.0  # seconds; what was not used for so long is worth no more than any newcomer
MORE = 2  # times as often as what it replaces, and twice that to be written again; less, and they would take turns
A_DAY = 2  # budgets that may be written in a day in the place of others
FADE = 2048  # look-ups after which old ones count half


class Asked:
    """How often segments were asked for lately, and when last, and which were written, in this process."""

    def __init__(self) -> None:
        self.wrote: set[str] = set()  # also what is gone since
        self._counts: Counter[str] = Counter()
        self._last: dict[str, float] = {}
        self._lookups = 0

    def count(self, names: Iterable[str], now: float) -> None:
        """A look-up of a chain."""
        names = list(names)
        self._counts.update(names)
        self._last.update(dict.fromkeys(names, now))
        self._lookups += 1
        if self._lookups % FADE == 0:
            self._counts = Counter({name: n // 2 for name, n in self._counts.items() if n > 1})
            self._last = {name: self._last[name] for name in self._counts}

    def last(self, name: str) -> float:
        """When the segment was last asked for; 0 where nobody knows."""
        return self._last.get(name, 0.0)

    def again(self, name: str) -> bool:
        """The segment was asked for more than once."""
        return self._counts[name] >= SECOND_HIT

    def worth(self, name: str, victims: Iterable[str]) -> bool:
        """Whether *name* may take the place of *victims*, which were used within `RESTED`."""
        more = MORE * MORE if name in self.wrote else MORE
        return self._counts[name] >= max([SECOND_HIT, *(more * self._counts[victim] for victim in victims)])


_of_folders: dict[str, Asked] = {}


def of_folder(folder: str) -> Asked:
    """What this process knows of a folder: its models share the room in it."""
    return _of_folders.setdefault(os.path.realpath(folder), Asked())


def replaced(folder: str, now: float) -> int:
    """Bytes that were written in the place of others today, by any process."""
    try:
        with open(os.path.join(folder, REPLACED), encoding="ascii") as f:
            day, size = f.read().split()
        return int(size) if int(day) == int(now // DAY) else 0
    except (OSError, ValueError):
        return 0


def note_replaced(folder: str, now: float, size: int) -> None:
    """Count *size* more bytes for today. The caller holds the folder's lock."""
    total = replaced(folder, now) + size
    with open(os.path.join(folder, REPLACED), "w", encoding="ascii", opener=private) as f:
        f.write(f"{int(now // DAY)} {total}")
