"""Wonder about a topic: independent walks through the memory, gathered into one briefing with ids behind every line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agentmemory.explore import seeds
from agentmemory.explore.graph import scene
from agentmemory.explore.lines import BUDGET, Line, fit
from agentmemory.explore.walks import WALKS
from agentmemory.store import graph as read

if TYPE_CHECKING:
    from agentmemory.store.rows import Database


@dataclass(frozen=True, slots=True)
class Section:
    """What one walk brought back."""

    name: str
    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Briefing:
    """What the memory holds around a topic, open questions and contradictions first.

    known: False when nothing stored speaks to the topic. unknown: words of the topic that no belief holds.
    """

    topic: str
    known: bool
    sections: tuple[Section, ...]
    unknown: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[int, ...]:
        """Every belief cited, in order, each once."""
        return tuple(dict.fromkeys(id for s in self.sections for line in s.lines for id in line.ids))

    def as_json(self) -> dict[str, Any]:
        """The briefing as plain values."""
        return {
            "topic": self.topic, "known": self.known, "unknown": list(self.unknown),
            "sections": [
                {"name": s.name, "title": s.title, "lines": [line.as_json() for line in s.lines]} for s in self.sections
            ],
        }  # fmt: skip

    def text(self, budget: float = BUDGET) -> str:
        """The briefing for a reader, within *budget* tokens."""
        if not self.known:
            return f"Nothing in memory speaks to {self.topic!r}."
        return fit(((s.title, s.lines) for s in self.sections), budget)

    def __str__(self) -> str:
        return self.text()


def wonder(db: Database, topic: str, scopes: Sequence[int], now: float) -> Briefing:
    """Explore what is stored around *topic*; reads only."""
    begin = seeds.start(db, topic, scopes, read.size(db))
    if not begin.scores:
        return Briefing(topic, False, (), begin.unknown)
    around = scene(db, begin, scopes, now)
    sections = []
    for walk in WALKS:
        lines = walk.go(db, around, scopes)
        if lines:
            sections.append(Section(walk.name, walk.title, tuple(lines)))
    return Briefing(topic, bool(sections), tuple(sections), begin.unknown)
