"""How long the tiers take to answer over a large store: built on the spot, asked at random, told as percentiles."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from agentmemory.learn.revise import revise
from agentmemory.recall.search import search
from agentmemory.records import Query
from agentmemory.sleep import procedures
from agentmemory.sleep.tiers import Tiers
from agentmemory.store import nights, scopes, tiers, turns, writer
from agentmemory.values import Candidate, Utterance

if TYPE_CHECKING:
    import apsw

START = 1_700_000_000.0
SESSION = 50  # turns
QUERIES = 200  # of each kind
ASKS = (
    "{s} fails with {n}",
    "deploy {s}",
    "add tests for the {p} of {s}",
    "why does {s} keep {n} {p}",
    "set {p} of {s} to {n}",
)
ANSWERS = ("the {p} of {s} is {n} now", "```\n{s} --{p} {n}\n```", "{s} reads its {p} from {s}/{p}.toml")
#: milliseconds, 95th percentile, over 100,000 turns and 10,000 beliefs
LIMITS = {"recent": 5.0, "session": 20.0, "search": 50.0, "patterns": 30.0}


def measure(turns_: int, beliefs: int) -> dict[str, dict[str, float]]:
    """Milliseconds by what was asked: `{"recent": {"p50": ..., "p95": ...}, ...}`."""
    rng = random.Random(0)
    with tempfile.TemporaryDirectory(prefix="agentmemory-bench-") as home:
        db = writer.open_store(home)
        try:
            scope, names = _fill(db, rng, turns_, beliefs)
            return {name: _ask(ask) for name, ask in _questions(db, rng, scope, names).items()}
        finally:
            db.close()


def _questions(
    db: apsw.Connection, rng: random.Random, scope: int, names: dict[str, list[str]]
) -> dict[str, Callable[[], object]]:
    def words() -> str:
        return rng.choice(ASKS).format(s=rng.choice(names["s"]), p=rng.choice(names["p"]), n=rng.randrange(900))

    def a_session() -> int:
        return rng.randrange(1, nights.last(db) // SESSION + 1)

    whole = Tiers(db, scope)
    return {
        "recent": lambda: Tiers(db, scope, a_session()).recent(7),
        "session": lambda: tiers.of_session(db, a_session()),
        "search": lambda: search(db, Query(words(), START, whole.scopes), 10),
        "patterns": lambda: whole.patterns(words(), START),
    }


def _ask(ask: Callable[[], object]) -> dict[str, float]:
    took = []
    for _ in range(QUERIES):
        start = time.perf_counter()
        ask()
        took.append(1000.0 * (time.perf_counter() - start))
    took.sort()
    return {f"p{p}": round(took[QUERIES * p // 100], 2) for p in (50, 95, 99)}


def _fill(db: apsw.Connection, rng: random.Random, turns_: int, beliefs: int) -> tuple[int, dict[str, list[str]]]:
    def word() -> str:
        return "".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(3))

    names = {"s": [f"{word()}-api" for _ in range(400)], "p": [word() for _ in range(200)]}
    with writer.transaction(db):
        scope = scopes.project(db, "/bench", "", START)
    for first in range(0, turns_, SESSION):
        said = []
        for i in range(min(SESSION, turns_ - first)):
            shape = rng.choice(ANSWERS if i % 2 else ASKS)
            text = shape.format(s=rng.choice(names["s"]), p=rng.choice(names["p"]), n=rng.randrange(900))
            said.append(Utterance(i, "assistant" if i % 2 else "user", text, START + first + i))
        with writer.transaction(db):
            session = turns.session(db, f"bench-{first}", scope, START + first)
            turns.add(db, session, said)
            procedures.mine(db, [t for t in nights.after(db, first, SESSION) if t.session == session], START)
    for first in range(0, beliefs, 200):
        with writer.transaction(db):
            for _ in range(min(200, beliefs - first)):
                text = f"{rng.choice(names['s'])} keeps its {rng.choice(names['p'])} at {word()} {rng.randrange(9000)}"
                revise(db, Candidate("fact", text, scope=scope, at=START), START)
    return scope, names
