"""Guessed links: two beliefs of one topic that share a rare word but no path. Kept apart from facts; they expire."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from agentmemory.explore.graph import LOOSE, Scene
from agentmemory.explore.wonder import look
from agentmemory.paths import DAY
from agentmemory.store import beliefs
from agentmemory.store import graph as store

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

LASTS = 14 * DAY  # a guess that nothing confirms in two weeks was none
MOST = 6  # guesses of one topic
FAR = 3  # edges between two beliefs below which a link is no discovery
SUREST = 0.5  # weight that no guess reaches: half of what an edge that somebody drew counts


def speculate(db: Database, topic: str, scopes: Sequence[int], now: float) -> list[tuple[int, int, str]]:
    """Guess links around *topic* and keep them as `speculates` edges that expire; old guesses go.

    Returns `(belief, belief, why)`, the likeliest first. The caller owns the transaction.
    """
    store.expire(db, now)
    around = look(db, topic, scopes, now)
    found = guess(db, around) if around is not None else []
    for a, b, weight, why in found:
        beliefs.link(db, "speculates", a, b, now, weight, now + LASTS, why)
    return [(a, b, why) for a, b, _, why in found]


def guess(db: Database, scene: Scene) -> list[tuple[int, int, float, str]]:
    """`(belief, belief, weight, why)`: active beliefs that share a rare word and are far apart."""
    ways = _ways(scene)
    active = [id for id in scene.ranked(scene.rows) if scene.rows[id].state == "active"]
    words = {id: set(scene.rows[id].terms.split()) for id in active}
    counts = store.frequencies(db, {w for held in words.values() for w in held}, 4_000)
    total = max(store.size(db), 2)
    few = max(3.0, math.sqrt(total))  # beliefs that may hold a word that suggests anything: chance pairs stay constant

    def telling(word: str) -> bool:
        return not word.isdigit() and 1 < counts.get(word, 0) <= few

    out = []
    for i, a in enumerate(active):
        for b in active[i + 1 :]:
            if _near(ways, a, b):
                continue
            shared = {w: 1.0 - counts[w] / total for w in words[a] & words[b] if telling(w)}
            if shared:
                word = min(shared, key=lambda w: (counts[w], w))
                weight = SUREST * sum(shared.values()) / (1 + sum(shared.values()))
                out.append((a, b, round(weight, 3), f"both say {word!r}"))
    return sorted(out, key=lambda g: (-g[2], g[0], g[1]))[:MOST]


def _ways(scene: Scene) -> dict[Any, set[Any]]:
    """Who is one edge away along edges that mean something; to be said in one session means little."""
    out: dict[Any, set[Any]] = {node: set() for node in scene.graph}
    for a, b, type in scene.graph.edges(data="type"):
        if type not in LOOSE:
            out[a].add(b)
            out[b].add(a)
    return out


def _near(ways: dict[Any, set[Any]], a: int, b: int) -> bool:
    """Is there a way of fewer than `FAR` edges?"""
    frontier, seen = {a}, {a}
    for _ in range(FAR - 1):
        frontier = {n for node in frontier for n in ways[node]} - seen
        seen |= frontier
        if b in frontier:
            return True
    return False
