"""On which side of a question a belief stands: by polarity, by values, and by what it replaced."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agentmemory.explore.graph import Scene
from agentmemory.explore.lines import sure
from agentmemory.learn.valued import values
from agentmemory.records import Row
from agentmemory.text import stems

BEARS = 0.3  # share of the question's bits that a belief must answer to bear on it when recall's floor does not say so
PARTLY = 0.15  # the same for a yes-or-no question when recall says that the words did not meet by chance
MOST = 12  # beliefs weighed
SAME_SOURCE = 0.5  # of the strength of a belief that comes from a turn already counted: it is hardly new evidence
OLD_WORDS = 1.5  # times better that what was replaced answers the question than what replaced it, to speak against it
DENIES = re.compile(
    r"\b(?:no|not|never|none|nothing|without|cannot|can['’]?t|don['’]?t|doesn['’]?t|didn['’]?t|won['’]?t|isn['’]?t|"
    r"aren['’]?t|wasn['’]?t|mustn['’]?t|shouldn['’]?t|stop(?:ped)?|avoid|dropped|drop|forbidden|no longer|forbid)\b",
    re.IGNORECASE,
)
#: how a question begins that is answered by yes or no
POLAR = re.compile(
    r"(?:^|[.,;:!?]\s+|\b(?:and|so|but)\s+)(?:is|are|was|were|am|do|does|did|should|shall|must|can|could|may|might|will|"
    r"would|has|have|had|isn['’]?t|aren['’]?t|don['’]?t|doesn['’]?t|didn['’]?t|can['’]?t|shouldn['’]?t)\b(?!\s+(?:not\s+)?"
    r"(?:me|us)\b)[^.!]*\?|\bor (?:not|leftover|outdated|still|no longer)\b[^.!]*\?|"
    r"\bstill (?:valid|true|current|right|the case)\b|"
    r"^(?:is|are|was|were|does|did|should|has|have|isn['’]?t|aren['’]?t)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Bearing:
    """A belief that bears on the question. side: 1 for, -1 against. strength: how surely it bears on it, 0 to 1.

    rests: the belief whose source it shares, where it is hardly new evidence.
    """

    id: int
    side: int
    strength: float
    confidence: float
    why: str = ""
    rests: int | None = None


def polar(question: str) -> bool:
    """Is it answered by yes or no? Else it asks for something, and what answers it speaks for an answer."""
    return bool(POLAR.search(question))


def bearings(scene: Scene, question: str, sources: Mapping[int, set[int]]) -> list[Bearing]:
    """The active beliefs that bear on *question*, strongest first; *sources*: the turns each came from."""
    asked = polar(question)
    sure_of = set(scene.start.bears)
    out: list[Bearing] = []
    counted: dict[int, int] = {}
    for id in _ranked(scene):
        row = scene.rows[id]
        covered = scene.start.covered.get(id, 0.0)
        old = _replaced(scene, id)
        if row.state != "active" or len(out) >= MOST:
            continue
        side, why = _side(scene, row, old, question) if asked else (1, "")
        if side < 0:  # what it replaced may answer the question better than itself
            covered = max([covered, *(scene.start.covered.get(o, 0.0) for o in old)])
        beyond_chance = bool(sure_of & {id, *old})
        if not (covered >= BEARS or (beyond_chance and (not asked or covered >= PARTLY))):
            continue
        rests = next((counted[turn] for turn in sources.get(id, ()) if turn in counted), None)
        counted.update({turn: id for turn in sources.get(id, ()) if turn not in counted})
        strength = min(1.0, covered if asked else max(covered, BEARS)) * (SAME_SOURCE if rests is not None else 1.0)
        out.append(Bearing(id, side, strength, sure(row, scene.now), why, rests))
    return sorted(out, key=lambda b: (-b.strength * b.confidence, b.id))


def _ranked(scene: Scene) -> Sequence[int]:
    return sorted(
        scene.rows,
        key=lambda id: (-scene.start.worth.get(id, 0.0), -scene.heat.get(id, 0.0), -scene.rows[id].valid_from),
    )


def _replaced(scene: Scene, head: int) -> list[int]:
    return [id for id, top in scene.heads.items() if top == head and id != head]


def _side(scene: Scene, row: Row, old: Sequence[int], question: str) -> tuple[int, str]:
    """For (1) or against (-1) what the question supposes, and why against."""
    supposed, held = values(question), values(row.text)
    before: dict[str, set[str]] = {}
    for id in old:
        for kind, found in values(scene.rows[id].text).items():
            before.setdefault(kind, set()).update(found)
    for kind, asked in supposed.items():
        if asked & held.get(kind, set()):
            break
        if asked & before.get(kind, set()):
            return -1, f"it was {', '.join(sorted(asked & before[kind]))} until then"
    words = set(stems(question))
    mine = _bits(scene, words & set(row.terms.split()))
    for id in old:
        theirs = _bits(scene, words & set(scene.rows[id].terms.split()))
        if theirs > OLD_WORDS * mine and theirs > 0:
            return -1, f"what is asked about was replaced: #{id}"
    if bool(DENIES.search(row.text)) != bool(DENIES.search(question)) and row.kind in (
        "rule",
        "correction",
        "preference",
    ):
        return -1, "it says otherwise"
    return 1, ""


def _bits(scene: Scene, words: set[str]) -> float:
    return sum(scene.start.bits.get(word, 0.0) for word in words)
