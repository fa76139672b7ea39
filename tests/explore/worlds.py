"""A small project with a history, for tests of wonder and reason."""

from __future__ import annotations

from dataclasses import dataclass, field

import apsw

from agentmemory.learn.revise import revise
from agentmemory.store import scopes, turns, writer
from agentmemory.values import Candidate, Utterance

DAY = 86_400.0
START = 1_767_225_600.0  # 2026-01-01


@dataclass
class World:
    """Beliefs by name, told one a day in sessions of three turns."""

    db: apsw.Connection
    scope: int = 0
    ids: dict[str, int] = field(default_factory=dict)
    told: int = 0

    @property
    def scopes(self) -> tuple[int, ...]:
        return (self.scope, scopes.USER)

    @property
    def now(self) -> float:
        return START + (self.told + 1) * DAY

    def tell(self, name: str, kind: str, text: str, *, instead_of: str = "", locked: bool = False) -> int:
        at = START + self.told * DAY
        self.told += 1
        with writer.transaction(self.db):
            session = turns.session(self.db, f"s{self.told // 3}", self.scope, at)
            (turn,) = turns.add(self.db, session, [Utterance(self.told, "user", text, at)])
            old = (self.ids[instead_of],) if instead_of else ()
            done = revise(
                self.db, Candidate(kind, text, scope=self.scope, at=at, turn=turn, supersedes=old, locked=locked), at
            )
            self.ids[name] = done.id
        return self.ids[name]

    def ask(self, text: str) -> None:
        at = START + self.told * DAY
        self.told += 1
        with writer.transaction(self.db):
            session = turns.session(self.db, f"s{self.told // 3}", self.scope, at)
            turns.add(self.db, session, [Utterance(self.told, "user", text, at)])


def project(db: apsw.Connection) -> World:
    with writer.transaction(db):
        return World(db, scopes.project(db, "/somewhere/.git", "", START))


def mail_world(db: apsw.Connection, token: str) -> World:
    """Mail went through three providers; bookings have their own rules; nothing joins the two but the guests."""
    w = project(db)
    w.tell("first", "decision", f"Mail goes through sendgrid-{token} because the group pays for a plan there")
    w.tell("rule", "rule", "Never call the clock in booking code; use stay-date helpers instead")
    w.tell(
        "second", "correction", f"Mail goes through postmark-{token} instead of sendgrid-{token}", instead_of="first"
    )
    w.tell("price", "decision", "The booking price is frozen when a guest books, because rates change daily")
    w.tell(
        "third",
        "correction",
        f"Mail goes through brevo-{token} because guest data has to stay in the EU",
        instead_of="second",
    )
    w.tell("bare", "decision", f"Mail templates for guests live in the repository of the {token} team")
    w.tell("steps", "procedure", "To send a new mail: add the template, render the preview, then ask marketing")
    w.tell("locked", "rule", "No guest data leaves the EU", locked=True)
    return w
