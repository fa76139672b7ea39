"""Wonder about a topic: independent walks through the memory, gathered into one briefing with ids behind every line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from agentmemory.explore import seeds
from agentmemory.explore.graph import Scene, scene
from agentmemory.explore.lines import BUDGET, Line, fit, price, short, within
from agentmemory.explore.walks import WALKS
from agentmemory.text import tokens

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

SPARE = 30.0  # tokens of a budget that stay free: who counts otherwise counts more
NAMED = 240  # characters of a topic or question that its answer repeats
HANDOUT = 500  # tokens of one task for a subagent


@dataclass(frozen=True, slots=True)
class Section:
    """What one walk brought back."""

    name: str
    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Briefing:
    """What the memory holds around a topic, open questions and contradictions first.

    known: False when nothing stored speaks to the topic.
    """

    topic: str
    known: bool
    sections: tuple[Section, ...]

    @property
    def ids(self) -> tuple[int, ...]:
        """Every belief cited, in order, each once."""
        return tuple(dict.fromkeys(id for s in self.sections for line in s.lines for id in line.ids))

    def within(self, budget: float, json_form: bool = False) -> Briefing:
        """The briefing cut to *budget* tokens of text, or of JSON: every walk keeps what it puts first."""
        empty = replace(self, sections=tuple(replace(section, lines=()) for section in self.sections))
        titles = "".join(f"\n{section.title}\n" for section in self.sections)
        frame = tokens(json.dumps(empty.plain(), ensure_ascii=False) if json_form else titles) + SPARE
        room, cost = budget - frame, price(json_form)
        kept = within([s.lines for s in self.sections], room, cost)
        cut = (replace(section, lines=tuple(lines)) for section, lines in zip(self.sections, kept) if lines)
        return replace(self, sections=tuple(cut))

    def as_json(self, budget: float = BUDGET) -> dict[str, Any]:
        """The briefing as plain values, within *budget* tokens."""
        return self.within(budget, json_form=True).plain()

    def plain(self) -> dict[str, Any]:
        """All of it as plain values."""
        sections = [{"title": s.title, "lines": [line.as_json() for line in s.lines]} for s in self.sections]
        return {"topic": self.topic, "known": self.known, "sections": sections}

    def text(self, budget: float = BUDGET) -> str:
        """The briefing for a reader, within *budget* tokens."""
        if not self.known:
            return f"Nothing in memory speaks to {self.topic!r}."
        return fit(((s.title, s.lines) for s in self.within(budget).sections), budget)

    def handouts(self) -> tuple[str, ...]:
        """One task for each of an agent's subagents: what to find out, what is known of it, and how to report."""
        known = {s.name: s for s in self.sections}
        out = []
        for name, task in TASKS:
            section = known.get(name)
            if section is not None:
                head = f"Topic: {self.topic}\nTask: {task}\nMemory says (cite #ids; superseded is history):"
                foot = "Report: what you found, the #ids it rests on, and what memory should learn, correct or drop."
                body = fit([(head, section.lines)], HANDOUT - tokens(foot) - 1)
                out.append(f"{body}\n{foot}")
        return tuple(out)

    def __str__(self) -> str:
        return self.text()


TASKS = (
    ("open", "Settle these open questions from the code and the people's words."),
    ("contradictions", "Find out which side of each contradiction holds today."),
    ("binding", "Check that the work at hand keeps these rules, and where it would break one."),
    ("procedures", "Check that these steps still work as they are written."),
    ("decisions", "Check whether the reasons for these decisions still hold and what hangs on them."),
    ("time", "Check that nothing still relies on what was superseded."),
)


def wonder(db: Database, topic: str, scopes: Sequence[int], now: float) -> Briefing:
    """Explore what is stored around *topic*; reads only."""
    around = look(db, topic, scopes, now)
    named = short(topic, NAMED)
    if around is None:
        return Briefing(named, False, ())
    sections: list[Section] = []
    shown: set[int | str] = set()
    for walk in WALKS:
        lines = [line for line in walk.go(db, around, scopes) if _says(line) not in shown]
        shown.update(map(_says, lines))
        if lines:
            sections.append(Section(walk.name, walk.title, tuple(lines)))
    return Briefing(named, bool(sections), tuple(sections))


def _says(line: Line) -> int | str:
    """What a line is known by, so that no walk brings it again: its belief; where it is about several, its words."""
    return line.ids[0] if len(line.ids) == 1 else line.text


def look(db: Database, topic: str, scopes: Sequence[int], now: float) -> Scene | None:
    """The neighbourhood of a topic, None when nothing stored speaks to it."""
    begin = seeds.start(db, topic, scopes, now)
    if not begin.worth:
        return None
    return scene(db, begin, scopes, now)
