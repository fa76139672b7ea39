"""Where an exploration begins: what recall finds for the topic, and beliefs of any state that share its rare words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agentmemory.learn import entities, names
from agentmemory.recall import ours
from agentmemory.recall.need import weigh
from agentmemory.recall.pipeline import brought
from agentmemory.recall.practice import everything
from agentmemory.records import Hit, Query
from agentmemory.store import entities as entity_rows
from agentmemory.store import graph as read
from agentmemory.text import stems

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

MOST = 60  # beliefs an exploration starts from
PER_ENTITY = 24  # newest beliefs taken of one named thing
ENTITY_BITS = 6.0  # a named thing in common counts as much as a word that one belief in 64 holds
UNKNOWN = 0.5  # of the rarest word's bits: a word that no belief holds may be chatter or the heart of the question
STATES = ("active", "superseded", "proposed", "archived")


@dataclass(frozen=True, slots=True)
class Start:
    """What the topic's words lead to.

    query: the topic as recall read it. stems: its words. bits: stem -> rarity among the beliefs. worth: belief -> bits
    of evidence that the topic means it. bears: those whose evidence is beyond chance, best first. covered: belief ->
    share of the topic's bits that it answers, 0 to 1. needed: belief -> how likely whoever acts on the topic needs it,
    0 to 1, as a block has it. unknown: words no belief holds. entities: heads named.
    """

    query: Query
    stems: tuple[str, ...]
    bits: Mapping[str, float]
    worth: Mapping[int, float]
    bears: tuple[int, ...]
    covered: Mapping[int, float]
    needed: Mapping[int, float]
    unknown: tuple[str, ...]
    entities: tuple[int, ...]

    @property
    def strange(self) -> bool:
        """Whether no belief holds a word of the topic or is sure to be meant by it: it says nothing of the rest."""
        return not (self.bits or self.bears or self.entities)


def start(db: Database, topic: str, scopes: Sequence[int], now: float) -> Start:
    """Beliefs of any age and state that the topic leads to, the best `MOST`."""
    query = Query(topic, now, tuple(scopes))
    hits = brought(db, query)
    kept = hits if ours.bits(query, hits) >= ours.EVEN else []
    bears = tuple(dict.fromkeys(id for hit in kept if hit.matched for id in _ids(hit)))
    worth: dict[int, float] = {}
    matched: dict[int, float] = {}
    for hit in hits:
        bits = sum(hit.matched.values())
        for id in _ids(hit):
            worth[id] = max(worth.get(id, 0.0), bits)
            matched[id] = max(matched.get(id, 0.0), bits)
    needed: dict[int, float] = {}
    for hit in weigh(query, everything(db, query, hits) if scopes else hits):
        needed |= {id: max(needed.get(id, 0.0), hit.likely) for id in _ids(hit)}
    counts = read.frequencies(db, stems(topic))
    total = read.size(db)
    bits_of = {stem: math.log2(1.0 + (total + 1.0) / (n + 0.5)) for stem, n in counts.items()}
    for id, bits in _sharing(db, bits_of).items():
        worth[id] = max(worth.get(id, 0.0), bits)
        matched[id] = max(matched.get(id, 0.0), bits)
    heads = tuple(_named(db, topic, scopes))
    for entity in entity_rows.family(db, heads):
        for id in read.mentioning(db, entity, PER_ENTITY):
            worth[id] = worth.get(id, 0.0) + ENTITY_BITS
    chosen = _best(db, worth, scopes)
    asked = tuple(dict.fromkeys(stems(topic)))
    unknown = tuple(s for s in asked if s not in bits_of)
    mass = sum(bits_of.values()) + UNKNOWN * math.log2(total + 2.0) * len(unknown) or 1.0
    found = Start(
        query, asked, bits_of, {id: worth[id] for id in chosen}, bears,
        {id: min(1.0, matched.get(id, 0.0) / mass) for id in chosen},
        {id: needed[id] for id in _best(db, needed, scopes)}, unknown, heads,
    )  # fmt: skip
    if found.strange:  # what any work is likely to need is nothing that the topic leads to
        return replace(found, needed={id: likely for id, likely in found.needed.items() if id in found.worth})
    return found


def _ids(hit: Hit) -> list[int]:
    """The beliefs a hit stands for: itself, the pieces of its procedure, what it replaced."""
    return list(dict.fromkeys([hit.id, *(row.id for row in hit.steps), *(row.id for row in hit.was)]))


def _sharing(db: Database, bits: Mapping[str, float]) -> dict[int, float]:
    """Bits of the topic's words that each belief shares, the rarest words first, up to a budget of index rows."""
    out: dict[int, float] = {}
    left = read.MOST_POSTINGS
    for stem, worth in bits.items():
        found_rows = read.postings(db, stem, min(read.PER_STEM, left))
        left -= len(found_rows)
        for id in found_rows:
            out[id] = out.get(id, 0.0) + worth
        if left <= 0:
            break
    return out


def _best(db: Database, worth: Mapping[int, float], scopes: Sequence[int]) -> list[int]:
    """The best that these scopes may see: the list is read in slices until enough of it is theirs."""
    ranked = sorted(worth, key=lambda id: (-worth[id], -id))
    out: list[int] = []
    for i in range(0, len(ranked), 500):
        part = ranked[i : i + 500]
        allowed = read.within(db, part, scopes, STATES)
        out += [id for id in part if id in allowed]
        if len(out) >= MOST:
            break
    return out[:MOST]


def _named(db: Database, topic: str, scopes: Sequence[int]) -> list[int]:
    norms = [n.norm for n in entities.extract(topic)] + names.plain(topic)
    return entity_rows.named(db, list(dict.fromkeys(norms)), scopes)
