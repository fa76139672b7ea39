"""The seam between a chat request and the memory: who asks in which project, and what then stands in front.

`Prefix` is the seam; `FromMemory` fills it from the store of one data folder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from agentmemory import paths
from agentmemory.memory import Memory
from agentmemory.model.engine import Message, Segment
from agentmemory.model.prompt import plain_text
from agentmemory.recall import pipeline, standing
from agentmemory.recall.render import BACKGROUND, STANDING, render
from agentmemory.records import Query, Row
from agentmemory.store.scopes import USER

#: (agent, project folder, messages) -> remembered segments: profile, digest, session, recall
Prefix = Callable[[str, str, Sequence[Message]], list[Segment]]

MOST_QUERY = 4_000  # characters of the last message that are looked up


def nothing(agent: str, project: str, messages: Sequence[Message]) -> list[Segment]:
    """No memory: what the model server is without one."""
    return []


class FromMemory:
    """Segments from the store in *home*. A request names its agent and its project; others see nothing of it."""

    def __init__(self, home: str, project: str = "") -> None:
        self.home, self.project = home, project

    def __call__(self, agent: str, project: str, messages: Sequence[Message]) -> list[Segment]:
        """Rules and traits of the user; rules and summaries of the project; what this query calls for."""
        with Memory(self.home, project or self.project, agent) as memory:
            return segments(memory.db, memory.scopes, _asked(messages))


def segments(db: Any, scopes: tuple[int, ...], asked: str) -> list[Segment]:
    """The remembered segments for a query of these scopes, the user's own scope first in the text."""
    theirs, here = tuple(s for s in scopes if s == USER), tuple(s for s in scopes if s != USER)
    profile = [*standing.rows(db, standing.RULES, theirs), *standing.rows(db, standing.TRAITS, theirs)]
    digest = [*standing.rows(db, standing.RULES, here), *standing.rows(db, standing.SUMMARIES, here)]
    out = [
        _segment("profile", _told(profile)),
        _segment("digest", _told(digest)),
    ]
    if asked:
        query = Query(asked, paths.now(), scopes)
        hits = pipeline.recall(db, query, frozenset(row.id for row in (*profile, *digest)))
        ids = {row.id for hit in hits for row in (hit.row, *hit.steps, *hit.was)}
        out.append(Segment("recall", render(query, [], hits), tuple(sorted(ids))))
    return [segment for segment in out if segment.text]


def _told(rows: list[Row]) -> tuple[str, list[Row]]:
    rules, rest = [r for r in rows if r.locked], [r for r in rows if not r.locked]
    parts = [standing.told(STANDING, rules), standing.told(BACKGROUND, rest)]
    return "\n".join(p for p in parts if p), rows


def _segment(name: str, told: tuple[str, list[Row]]) -> Segment:
    return Segment(name, told[0], tuple(row.id for row in told[1]))


def _asked(messages: Sequence[Message]) -> str:
    for message in reversed(messages):
        if message.get("role") == "user":
            return plain_text(message)[-MOST_QUERY:]
    return ""
