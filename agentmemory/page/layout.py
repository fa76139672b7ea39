"""Where a dot is drawn at first: connected beliefs side by side, older ones nearer the middle. Pure arithmetic."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))  # a sunflower fills a disc evenly at any size


def place(ids: Sequence[int], pairs: Iterable[tuple[int, int]]) -> list[tuple[float, float]]:
    """A position for each id, in the order given; ids that pairs connect come to lie next to each other."""
    group = _groups(ids, pairs)
    members: dict[int, list[int]] = {}
    for id in ids:
        members.setdefault(group[id], []).append(id)
    where: dict[int, tuple[float, float]] = {}
    seat = 0
    for flock in members.values():
        for id in flock:
            r, a = math.sqrt(seat + 0.5), seat * GOLDEN_ANGLE
            where[id] = (round(r * math.cos(a), 3), round(r * math.sin(a), 3))
            seat += 1
        seat += 2 if len(flock) > 1 else 0
    centres = {root: _centre([where[id] for id in flock]) for root, flock in members.items() if len(flock) > 1}
    return [_towards(where[id], centres.get(group[id]), i) for i, id in enumerate(ids)]


def _groups(ids: Sequence[int], pairs: Iterable[tuple[int, int]]) -> dict[int, int]:
    """Union-find: the representative of each id's connected component."""
    parent = {id: id for id in ids}

    def root(x: int) -> int:
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x

    for a, b in pairs:
        if a in parent and b in parent:
            parent[root(a)] = root(b)
    return {id: root(id) for id in ids}


def _centre(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return sum(p[0] for p in points) / len(points), sum(p[1] for p in points) / len(points)


def _towards(point: tuple[float, float], centre: tuple[float, float] | None, i: int) -> tuple[float, float]:
    if centre is None:
        return point
    angle = i * GOLDEN_ANGLE
    near = 0.15
    return (
        round(centre[0] + (point[0] - centre[0]) * near + 0.8 * math.cos(angle), 3),
        round(centre[1] + (point[1] - centre[1]) * near + 0.8 * math.sin(angle), 3),
    )
