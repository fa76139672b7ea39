"""Where a dot is drawn at first: what belongs together in one disc, large discs in the middle. Pure arithmetic."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))  # a sunflower fills a disc evenly at any size
ROUNDS = 4  # of label propagation; later ones move few labels
LARGEST = 150  # members of one flock: a graph that hangs together everywhere is still told apart
GAP = 1.35  # radius of the ground of a disc against its own


def place(ids: Sequence[int], pairs: Iterable[tuple[int, int]]) -> list[tuple[float, float]]:
    """A position for each id, in the order given; ids that pairs connect come to lie in one disc."""
    label = _flocks(ids, pairs)
    members: dict[int, list[int]] = {}
    for id in ids:
        members.setdefault(label[id], []).append(id)
    where: dict[int, tuple[float, float]] = {}
    ground = 0.0  # area given away so far, in units of one dot's
    for n, flock in enumerate(sorted(members.values(), key=lambda flock: -len(flock))):
        mine = len(flock) * GAP**2 if len(flock) > 1 else 1.0
        away = math.sqrt(ground + mine / 2) if ground else 0.0
        x, y = away * math.cos(n * GOLDEN_ANGLE), away * math.sin(n * GOLDEN_ANGLE)
        ground += mine
        for seat, id in enumerate(flock):
            r, a = math.sqrt(seat) if len(flock) > 1 else 0.0, seat * GOLDEN_ANGLE
            where[id] = (round(x + r * math.cos(a), 3), round(y + r * math.sin(a), 3))
    return [where[id] for id in ids]


def _flocks(ids: Sequence[int], pairs: Iterable[tuple[int, int]]) -> dict[int, int]:
    """The flock of each id by label propagation (Raghavan et al., 2007): the label that most neighbours bear, the
    smallest of equals; no flock grows beyond `LARGEST`."""
    near: dict[int, list[int]] = {id: [] for id in ids}
    for a, b in pairs:
        if a in near and b in near and a != b:
            near[a].append(b)
            near[b].append(a)
    label = {id: id for id in ids}
    size = Counter(label.values())
    for _ in range(ROUNDS):
        moved = 0
        for id in ids:
            mine = label[id]
            votes = Counter(label[other] for other in near[id])
            open_to_us = [(-votes[each], each) for each in votes if each == mine or size[each] < LARGEST]
            best = min(open_to_us, default=(0, mine))[1]
            if best != mine:
                size[mine] -= 1
                size[best] += 1
                label[id] = best
                moved += 1
        if not moved:
            break
    return label
