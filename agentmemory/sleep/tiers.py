"""Memory as tiers: the last turns, segments of what came before, what is known of the user and by the agent, habits.

Views over the six concepts; nothing is stored here, so a turn is in the working tier or below it, never in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agentmemory.recall import inherited as recall
from agentmemory.recall.episodes import search_turns
from agentmemory.recall.search import search_beliefs
from agentmemory.records import Hit, Query, Row
from agentmemory.sleep import federation, procedures, segments
from agentmemory.store import scopes as scope_rows
from agentmemory.store import tiers, traits

if TYPE_CHECKING:
    from agentmemory.records import Near
    from agentmemory.store.habits import Habit
    from agentmemory.store.rows import Database
    from agentmemory.store.tiers import Spoken

WORKING = 7  # exchanges that are at hand word for word
QUEUE = 7  # pages that a question brings from further back
HABITS = 5
EXCHANGE = 4  # turns of an exchange of another session
PAGES = 200  # exchanges of a session that are looked at
SEGMENTED = 60  # of them, before the working ones, that are sorted into segments: a tenth of a second, or a few
NEW = 0  # the row of a session that nothing was said in
KNOWN = ("rule", "correction", "preference", "decision", "fact", "procedure")
MANY = 50


@dataclass(frozen=True, slots=True)
class Page:
    """One exchange: what was asked and what was answered."""

    turns: tuple[Spoken, ...]

    @property
    def text(self) -> str:
        return "\n".join(f"{t.role}: {t.text}" for t in self.turns)


@dataclass(frozen=True, slots=True)
class Composition:
    """What a question brings from every tier, labelled."""

    working: list[Page] = field(default_factory=list)
    segments: list[Page] = field(default_factory=list)
    user_knowledge: list[Row] = field(default_factory=list)
    agent_knowledge: list[Row] = field(default_factory=list)
    profile: dict[str, str] = field(default_factory=dict)
    habits: list[Habit] = field(default_factory=list)


class Tiers:
    """The tiers as seen from one scope and, for the working one, one session."""

    def __init__(self, db: Database, scope: int, session: str | int | None = None, near: Near | None = None) -> None:
        """*session*: a row id or a client's session id; one that is new has no turns yet. Without it the working tier
        is the scope's last turns.

        *near*: compares a question with beliefs by their meaning.
        """
        self.db = db
        self._near = near
        self.scopes = scope_rows.visible(db, scope)
        self.own = [s for s in self.scopes if s != scope_rows.USER] or [scope_rows.USER]
        self.session = tiers.session(db, session, self.scopes) or NEW if isinstance(session, str) else session

    def recent(self, n: int = WORKING) -> list[Spoken]:
        """The last *n* turns, oldest first."""
        if self.session is not None:
            return tiers.of_session(self.db, self.session, n)
        return tiers.latest(self.db, self.own, n)

    def pages(self) -> list[Page]:
        """The session's exchanges, oldest first: a user's turn with the answers that follow it."""
        turns = self.recent(2 * PAGES)
        out: list[list[Spoken]] = []
        for turn in turns:
            if turn.role == "user" or not out:
                out.append([])
            out[-1].append(turn)
        return [Page(tuple(each)) for each in out][-PAGES:]

    def working(self) -> list[Page]:
        """The exchanges at hand."""
        return self.pages()[-WORKING:]

    def middle(self) -> list[list[Page]]:
        """The session's exchanges before the working ones, sorted into segments by what they are about."""
        older = self.pages()[:-WORKING][-SEGMENTED:] if self.session is not None else []
        said = ["\n".join(turn.text for turn in page.turns) for page in older]  # who says it is in all of them
        return [[older[i] for i in segment.pages] for segment in segments.segment(said)]

    def profile(self) -> dict[str, str]:
        """What the user said of himself or herself and is still so: attribute -> value; the nearest scope wins."""
        return traits.current(self.db, self.scopes)

    def patterns(self, query: str, now: float) -> list[Habit]:
        """What is usually done about a request of this kind, by oneself and by those that one was forked from."""
        found = [(procedures.worth(h, now), h) for h in procedures.recall(self.db, self.scopes, query, now, HABITS)]
        for ancestor, weight, at in recall.ancestors(self.db, self.scopes[0]):
            habits = federation.inherited_habits(self.db, ancestor, at)
            found += [(weight * procedures.worth(h, now), h) for h in habits if h.ask == procedures.ask_of(query)]
        return [habit for _, habit in sorted(found, key=lambda f: (-f[0], f[1].did))][:HABITS]

    def compose(self, query: str, now: float) -> Composition:
        """What the question brings from every tier."""
        asked = Query(query, now, self.scopes, near=self._near)
        working = self.working()
        at_hand = {turn.id for page in working for turn in page.turns}
        rows = [hit.row for hit in search_beliefs(self.db, asked)[:MANY]]
        beliefs = [row for row in rows if row.kind in KNOWN or row.scope not in self.scopes]  # an ancestor's summary
        return Composition(
            working,
            self._pages_of(search_turns(self.db, asked, 3 * QUEUE), at_hand),
            [row for row in beliefs if row.provenance == "user"][:QUEUE],
            [row for row in beliefs if row.provenance != "user"][:QUEUE],
            self.profile(),
            self.patterns(query, now),
        )

    def _pages_of(self, hits: Sequence[Hit], at_hand: set[int]) -> list[Page]:
        """The exchanges that hold these turns, then the rest of their segments; each once, none of the working tier."""
        mine = {turn.id: page for page in self.pages() for turn in page.turns} if self.session is not None else {}
        out: list[Page] = []
        seen = set(at_hand)
        for hit in hits:
            if hit.id in seen or len(out) == QUEUE:
                continue
            page = mine.get(hit.id) or Page(tuple(tiers.exchange(self.db, hit.id, EXCHANGE)))
            seen.update(turn.id for turn in page.turns)
            out.append(page)
        room = self.middle() if 0 < len(out) < QUEUE else []
        rest = [other for page in out for segment in room if page in segment for other in segment]
        return list(dict.fromkeys([*out, *rest]))[:QUEUE]
