"""On which side of a question a belief stands, by the words they share and what they deny."""

from __future__ import annotations

import re
from dataclasses import dataclass

from agentmemory.explore.graph import Scene
from agentmemory.explore.lines import sure

BEARS = 0.18  # share of the question's rarity that a belief's words must hold to bear on it
MOST = 12  # beliefs weighed
DENIES = re.compile(
    r"\b(?:no|not|never|none|nothing|without|cannot|can't|don't|doesn't|didn't|won't|isn't|aren't|wasn't|must not|"
    r"stop(?:ped)?|avoid|drop(?:ped)?|forbid(?:den)?|instead of|no longer|rather than)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Bearing:
    """A belief that bears on the question. side: 1 for, -1 against, 0 no evidence now (superseded)."""

    id: int
    side: int
    strength: float
    confidence: float
    why: str = ""


def bearings(scene: Scene, question: str) -> list[Bearing]:
    """The beliefs that bear on *question*, strongest first."""
    denied = bool(DENIES.search(question))
    out = []
    for id, covered in sorted(scene.start.covered.items(), key=lambda pair: -pair[1]):
        if covered < BEARS or id not in scene.rows or len(out) >= MOST:
            continue
        row = scene.rows[id]
        strength = min(1.0, covered)
        if row.state == "active":
            side = 1 if bool(DENIES.search(row.text)) == denied else -1
            out.append(Bearing(id, side, strength, sure(row, scene.now)))
        elif row.state == "superseded":
            out.append(Bearing(id, 0, strength, sure(row, scene.now)))
    return out
