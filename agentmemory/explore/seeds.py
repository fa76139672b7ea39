"""Where an exploration begins: beliefs that share rare words or named things with the topic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentmemory.learn import entities, names
from agentmemory.store import entities as entity_rows
from agentmemory.store import graph as read
from agentmemory.text import stems

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

MOST = 40  # beliefs an exploration starts from
PER_ENTITY = 24  # newest beliefs taken of one named thing
ENTITY_WORTH = 4.0  # a named thing in common counts as much as a word that one belief in fifty holds
STATES = ("active", "superseded", "proposed", "archived")


@dataclass(frozen=True, slots=True)
class Start:
    """What the topic's words lead to.

    scores: belief -> worth (sum of idf). idf: stem -> rarity among the beliefs. covered: belief -> share of
    the topic's rarity that its words hold, 0 to 1. unknown: stems no belief holds. entities: heads named.
    """

    stems: tuple[str, ...]
    scores: dict[int, float]
    idf: dict[str, float]
    covered: dict[int, float]
    unknown: tuple[str, ...]
    entities: tuple[int, ...]


def start(db: Database, topic: str, scopes: Sequence[int], total: int, limit: int = MOST) -> Start:
    """Beliefs of any age and state that the topic leads to, the *limit* best."""
    asked = tuple(dict.fromkeys(stems(topic)))
    counts = read.frequencies(db, asked)
    idf = {stem: math.log(1.0 + (total + 1.0) / (n + 0.5)) for stem, n in counts.items()}
    worth: dict[int, float] = {}
    shared: dict[int, float] = {}
    budget = read.MOST_POSTINGS
    for stem in counts:  # rarest first
        found = read.postings(db, stem, min(read.PER_STEM, budget))
        budget -= len(found)
        for id in found:
            worth[id] = worth.get(id, 0.0) + idf[stem]
            shared[id] = shared.get(id, 0.0) + idf[stem]
        if budget <= 0:
            break
    heads = tuple(_named(db, topic, scopes))
    family = entity_rows.family(db, heads)
    for entity in family:
        for id in read.mentioning(db, entity, PER_ENTITY):
            worth[id] = worth.get(id, 0.0) + ENTITY_WORTH
    best = sorted(worth, key=lambda id: (-worth[id], -id))[: limit * 10]
    allowed = read.within(db, best, scopes, STATES)
    chosen = [id for id in best if id in allowed][:limit]
    mass = sum(idf.values()) + math.log(total + 2.0) * sum(1 for s in asked if s not in idf) or 1.0
    return Start(
        stems=asked,
        scores={id: worth[id] for id in chosen},
        idf=idf,
        covered={id: shared.get(id, 0.0) / mass for id in chosen},
        unknown=tuple(s for s in asked if s not in idf),
        entities=heads,
    )


def _named(db: Database, topic: str, scopes: Sequence[int]) -> list[int]:
    norms = [n.norm for n in entities.extract(topic)] + names.plain(topic)
    return entity_rows.named(db, list(dict.fromkeys(norms)), scopes)
