"""The seam between a chat request and the memory: who asks in which project, and what then stands in front.

`Prefix` is the seam; `FromMemory` fills it from the store of one data folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from agentmemory import paths, typed
from agentmemory.model.engine import Message, Segment
from agentmemory.model.prompt import plain_text
from agentmemory.recall import pipeline, standing
from agentmemory.recall.latest import changed
from agentmemory.recall.render import BACKGROUND, STANDING, STATE, render
from agentmemory.records import Query, Row
from agentmemory.serve.sessions import Sessions, opening
from agentmemory.sleep import models
from agentmemory.store import scopes, writer
from agentmemory.store.scopes import USER

if TYPE_CHECKING:
    from agentmemory.records import Near

#: (agent, project folder, messages, name of the session or "") -> remembered segments: profile, digest, session, recall
Prefix = Callable[[str, str, Sequence[Message], str], list[Segment]]

MOST_QUERY = 4_000  # characters of the last message that are looked up
MOST_CHANGES = 8  # of the last week, told once a session


class FromMemory:
    """Segments from the store in *home*. A request names its agent and its project; others see nothing of it."""

    def __init__(self, home: str, project: str = "") -> None:
        self.home, self.project = home, project
        self._sessions = Sessions(home)

    def __call__(self, agent: str, project: str, messages: Sequence[Message], session: str = "") -> list[Segment]:
        """Rules and traits of the user; rules and summaries of the project; what had changed when the session began;
        what this query calls for."""
        where = project or self.project
        began = self._sessions.began((agent, where, session or opening(messages)), paths.now()) if messages else None
        if not os.path.exists(paths.store_path(self.home)):
            return []
        with closing(writer.open_to_read(self.home)) as db:
            if not writer.made(db):
                return []
            near = models.near(self.home)
            return segments(db, _scopes(db, where, agent), _asked(messages), began, near)


def segments(
    db: Any, visible: tuple[int, ...], asked: str, began: float | None = None, near: Near | None = None
) -> list[Segment]:
    """The remembered segments for a query of these scopes, the user's own scope first in the text.

    *began*: when the session did. What has changed since then comes by recall, so that what stands before the
    conversation stays the same; what no longer holds goes from there at once.
    """
    theirs, here = tuple(s for s in visible if s == USER), tuple(s for s in visible if s != USER)
    profile = [*standing.rows(db, standing.RULES, theirs), *standing.rows(db, standing.TRAITS, theirs)]
    digest = [*standing.rows(db, standing.RULES, here), *standing.rows(db, standing.SUMMARIES, here)]
    now = paths.now()
    told = {row.id for row in (*profile, *digest)}
    lately = [row for row in changed(db, visible, now if began is None else began, MOST_CHANGES) if row.id not in told]
    out = [
        _segment("profile", _told(profile)),
        _segment("digest", _told(digest)),
        _segment("session", (standing.told(STATE, lately[::-1]), lately)),
    ]
    if said := typed.asked(asked):
        query = Query(said, now, visible, near=near)
        hits = pipeline.recall(db, query, frozenset(told))
        ids = {row.id for hit in hits for row in (hit.row, *hit.steps, *hit.was)}
        out.append(Segment("recall", render(query, [], hits), tuple(sorted(ids))))
    return [segment for segment in out if segment.text]


def _scopes(db: Any, where: str, agent: str) -> tuple[int, ...]:
    """What an agent in a project folder may read; one that nothing is known of reads what is the user's own."""
    project = scopes.find_project(db, *paths.project_of(where)) if where else None
    return scopes.visible(db, scopes.find_agent(db, agent, project) if agent else project)


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
