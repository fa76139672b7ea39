"""Conversations for the tests of sleep: sentences of a few topics, each topic around its own random name."""

from __future__ import annotations

import json
import random
import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path

import apsw

from agentmemory.sleep.importance import Worth, score_stems
from agentmemory.sleep.night import sleep
from agentmemory.store import scopes, summaries, turns, writer
from agentmemory.text import stems
from agentmemory.values import Utterance

NOW = 1_780_000_000.0
DAY = 86_400.0

TOPICS = {
    "pool": (
        "The Postgres connection pool of {n} exhausts at 200 clients", "Postgres pool size should be raised for {n}",
        "{n} opens too many Postgres connections under load", "We set max_connections of Postgres to 400 for {n}",
        "PgBouncer would fix the Postgres connection pool of {n}", "the pool timeout of {n} connections is 30 seconds",
        "Postgres connections leak when {n} restarts", "Measure how many clients the Postgres pool of {n} serves",
    ),
    "page": (
        "The login button on the settings page of {n} is misaligned", "Make the settings page button of {n} blue",
        "The login form of {n} loses focus on the settings page", "button padding on the login form of {n} is wrong",
        "CSS of the settings page overrides the login button in {n}", "please center the login form of {n} on mobile",
        "the login page button of {n} needs a hover style", "settings page layout of {n} breaks with the login form",
    ),
    "trip": (
        "We booked flights to {n} for the summer trip", "The hotel in {n} costs 120 a night of the trip",
        "Trip to {n}: pack sunscreen for the beach", "flights to {n} leave at 7 in the morning",
        "Rent a car in {n} for the trip to the beach", "The {n} hotel has a pool near the beach",
        "book a table in {n} for the last night of the trip", "summer trip to {n}: budget for flights and hotel is 900",
    ),
    "bread": (
        "the {n} sourdough starter needs feeding every morning", "bake the {n} sourdough at 230 degrees",
        "my {n} bread dough did not rise", "use rye flour for the {n} sourdough starter",
        "knead the {n} dough for ten minutes", "the {n} bread crust burned in the oven at 230 degrees",
        "let the {n} dough rise overnight in the fridge", "flour and water ratio for {n} sourdough bread is 5 to 3",
    ),
}  # fmt: skip
NOISE = "The choir rehearses {n} in the old chapel on Thursday evenings"


def name() -> str:
    """A word that nothing else holds."""
    return "".join(secrets.choice("bdfgklmnprstvz") + secrets.choice("aeiou") for _ in range(4)).capitalize()


def topic(kind: str, of: str | None = None) -> list[str]:
    """The eight sentences of a topic around one name."""
    given = of or name()
    return [sentence.format(n=given) for sentence in TOPICS[kind]]


def shuffled(*groups: Sequence[str], seed: int = 1) -> list[tuple[str, int]]:
    """`(sentence, number of its group)` in an order of no meaning."""
    out = [(text, i) for i, group in enumerate(groups) for text in group]
    random.Random(seed).shuffle(out)
    return out


def say(
    db: apsw.Connection, texts: Iterable[str | tuple[str, str]], key: str = "s", scope: int = 1, at: float = NOW
) -> list[int]:
    """Store what was said, by the user unless given as `(role, text)`; the ids of the turns."""
    said = [("user", t) if isinstance(t, str) else t for t in texts]
    with writer.transaction(db):
        session = turns.session(db, key, scope, at)
        first = len(turns.recent(db, session, 1_000_000))
        rows = [Utterance(first + i, role, text, at + first + i) for i, (role, text) in enumerate(said)]
        return [id for id in turns.add(db, session, rows) if id is not None]


def worth(text: str, earlier: Iterable[str] = (), since: int = 0, lesson: float = 0.0) -> Worth:
    """The terms of a turn's importance where nothing is counted yet."""
    return score_stems(text, stems(text), [set(stems(each)) for each in earlier], since, lesson, {}, 0)


def a_project(db: apsw.Connection, key: str = "/p", agent: str = "") -> int:
    """A project's scope, or that of an agent below it."""
    with writer.transaction(db):
        found = scopes.project(db, key, "", NOW)
        return scopes.agent(db, agent, found, NOW) if agent else found


def rise(db: apsw.Connection, scope: int, of: str, kind: str = "pool") -> int:
    """A topic comes up in three sessions and is slept on each time; the summary that has risen to level 2."""
    for i in range(3):
        say(db, topic(kind, of)[i : i + 5], key=f"{kind} {scope} {i}", scope=scope, at=NOW + i * DAY)
        sleep(db, NOW + i * DAY)
    (risen,) = [s.id for s in summaries.live(db, [scope]) if s.level >= 2 and of.lower() in s.text.lower()]
    return risen


def transcript(folder: Path, said: Iterable[tuple[str, str]], name: str = "t.jsonl") -> Path:
    """A transcript file."""
    path = folder / name
    path.write_text("".join(json.dumps({"role": r, "text": t, "at": NOW + i}) + "\n" for i, (r, t) in enumerate(said)))
    return path
