"""What a night did: the whole report for the person, and for a reader of some scopes only what belongs to those."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from agentmemory import paths
from agentmemory.store import beliefs, meta
from agentmemory.values import counted

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

LINE, LAST = "sleep_line", "sleep_last"
SHOWN = 5  # beliefs of each kind that the report quotes


@dataclass(slots=True)
class Night:
    """What one night did; beliefs are ids."""

    turns: int = 0
    sessions: int = 0
    summaries: list[int] = field(default_factory=list)
    traits: list[int] = field(default_factory=list)
    procedures: list[int] = field(default_factory=list)
    ended: list[int] = field(default_factory=list)
    promoted: list[int] = field(default_factory=list)
    archived: list[int] = field(default_factory=list)
    bridges: int = 0
    shortened: int = 0
    restated: int = 0
    shared: int = 0
    finished: bool = False


def tell(db: Database, night: Night, now: float) -> None:
    """Keep what this night did, by ids, until the next one is told of."""
    meta.put(db, LINE, line(night, now))
    meta.put(db, LAST, json.dumps({"at": now, "night": asdict(night)}))


def told(db: Database, scopes: Sequence[int] | None = None) -> str | None:
    """The report of the last night, with the beliefs of every scope or of *scopes* alone; None before the first."""
    last = meta.get(db, LAST)
    if last is None:
        return None
    kept = json.loads(last)
    return report(db, Night(**kept["night"]), kept["at"], scopes)


def report(db: Database, night: Night, now: float, scopes: Sequence[int] | None = None) -> str:
    """The report, with the beliefs of every scope, or of *scopes* alone."""
    out = [f"Night of {paths.date(now)}: {counted(night.turns, 'turn')} of {counted(night.sessions, 'session')} read."]
    for title, ids, state in (
        ("About you", night.traits, "active"), ("Topics", night.summaries, "active"),
        ("Procedures", night.procedures, "active"), ("No longer done", night.ended, "retracted"),
        ("Became long-term", night.promoted, "active"), ("Archived", night.archived, "archived"),
    ):  # fmt: skip
        told = list(beliefs.texts(db, ids, scopes, state).items())  # nothing that was forgotten or taken back since
        if told:
            out.append(f"{title} ({len(told)}):")
            out += [f"- {_short(text)} [{id}]" for id, text in told[:SHOWN]]
    if night.bridges:
        out.append(f"{counted(night.bridges, 'pair')} of words found to stand for each other.")
    if night.restated:
        out.append(f"{counted(night.restated, 'belief')} said again by another one; one wording stands for both.")
    if night.shortened:
        out.append(f"{counted(night.shortened, 'belief')} with a shorter wording for the block now.")
    if night.shared:
        out.append(f"{counted(night.shared, 'belief')} now shared with the agents beside this one.")
    return "\n".join(out)


def line(night: Night, now: float) -> str:
    """The same in one line."""
    counts = (
        ("topics", night.summaries), ("things about you", night.traits), ("procedures", night.procedures),
        ("promoted", night.promoted),
    )  # fmt: skip
    told = [f"{name} {len(ids)}" for name, ids in counts if ids]
    return f"{paths.date(now)}: {counted(night.turns, 'turn')} slept on" + (f", {', '.join(told)}" if told else "")


def _short(text: str) -> str:
    return text if len(text) <= 160 else text[:157] + "..."
