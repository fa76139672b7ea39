"""On which side of a question a belief stands: by polarity, by values, and by what it replaced."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from agentmemory.explore.graph import Scene
from agentmemory.explore.lines import sure
from agentmemory.explore.places import other_name
from agentmemory.explore.seeds import UNKNOWN
from agentmemory.learn.contradictions import TELLING
from agentmemory.learn.names import common
from agentmemory.learn.valued import values
from agentmemory.records import Row
from agentmemory.text import stem, stems, words

BEARS = 0.3  # share of the question's bits that a belief must answer to bear on it when recall's floor does not say so
BESIDE = 0.6  # of what the best belief answers: one that answers less stands beside the question, not on a side of it
SAME = 0.75  # of the bits of a question's subject that a belief holds which gives it another value
MOST = 12  # beliefs weighed
SAME_SOURCE = 0.5  # of the strength of a belief that comes from a turn already counted: it is hardly new evidence
USUAL = 0.5  # times the bits of an ordinary word of requests ("keep", "use", "still")
QUOTED = 2.0  # times the bits of a word that the question puts in quotes
#: words that turn a statement round; two of them in one clause turn it back ("the freeze is no longer on Friday")
DENIES = re.compile(
    r"\b(?:no|not|never|none|nothing|nobody|without|cannot|can['’]?t|don['’]?t|doesn['’]?t|didn['’]?t|won['’]?t|isn['’]?t|"
    r"aren['’]?t|wasn['’]?t|weren['’]?t|mustn['’]?t|shouldn['’]?t|stop(?:ped)?|avoid|dropped|drop|forbid(?:den|s)?|freeze|"
    r"frozen|ban(?:ned)?|blocked|prohibit(?:ed|s)?|refuse[sd]?|deleted|removed|retired?|deprecated|"
    r"switched off|gone|instead of|rather than)\b",
    re.IGNORECASE,
)
CLAUSE = re.compile(r"[.;!?\n]+\s+|\s+(?:but|however|except|instead)\s+|,\s+(?=(?:no|not|never|don)\b)")
QUOTES = re.compile(r"[\"“`']([^\"”`'\n]{2,60})[\"”`']")
#: a freeze, a ban that only says when: "never deploy during the freeze" denies once
WHEN = re.compile(
    r"\b(?:during|before|after|until|till|since|outside(?: of)?|within|in|while)\s+"
    r"(?:(?:the|a|an|any|our|this|that|each|every)\s+)?(?:\w+\s+)?(?:freeze|ban)s?\b",
    re.IGNORECASE,
)
#: "retries are set to 5", "node 18": a bare number and the word it is of
NUMBER = re.compile(
    r"\b([a-z][\w-]*)(?:\s{1,3}(?:is|are|was|to|at|of|be|now)){0,3}\s{1,3}v?(\d+(?:\.\d+)*)\b(?![\w:/-])", re.IGNORECASE
)
AMOUNT = re.compile(r"(\d+(?:\.\d+)?)[ -]?([a-z%])", re.IGNORECASE)
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
    found = _sides(scene, question) if polar(question) else _answers(scene)
    out: list[Bearing] = []
    counted: dict[int, int] = {}
    for b in sorted(found, key=lambda b: (-b.strength * b.confidence, b.id))[:MOST]:
        rests = next((counted[turn] for turn in sources.get(b.id, ()) if turn in counted), None)
        counted.update({turn: b.id for turn in sources.get(b.id, ()) if turn not in counted})
        out.append(b if rests is None else replace(b, strength=b.strength * SAME_SOURCE, rests=rests))
    return out


def _answers(scene: Scene) -> list[Bearing]:
    """What a question that asks for something gets: beliefs beyond chance, each for an answer."""
    sure_of = set(scene.start.bears)
    out = []
    for id, row in scene.rows.items():
        covered = scene.start.covered.get(id, 0.0)
        if row.state == "active" and (covered >= BEARS or sure_of & {id, *_replaced(scene, id)}):
            out.append(Bearing(id, 1, min(1.0, max(covered, BEARS)), sure(row, scene.now)))
    return out


def _sides(scene: Scene, question: str) -> list[Bearing]:
    """What a yes-or-no question gets: the beliefs that speak of what it supposes, each on its side."""
    bits = _bits_of(scene, question)
    mass = sum(bits.values()) + len(scene.start.unknown) * UNKNOWN * max(bits.values(), default=1.0) or 1.0
    sure_of, asked = set(scene.start.bears), _single(question)
    supposed = {v for held in values(question).values() for v in held}
    out: list[Bearing] = []
    other: dict[int, str] = {}  # beliefs that give what is asked about another value
    for id, row in scene.rows.items():
        if row.state != "active":
            continue
        old = _replaced(scene, id)
        own = _held(row, bits)
        before = max((_held(scene.rows[o], bits) for o in old), key=lambda held: sum(held.values()), default={})
        elsewhere = other_name(question, row.text, [scene.rows[o].text for o in old])
        if elsewhere and not elsewhere.valued:
            continue  # it speaks of another thing
        covered = max(sum(own.values()), sum(before.values())) / mass
        if covered >= BEARS or (covered > 0 and sure_of & {id, *old}):
            side, why = _side(scene, row, old, own, before, question)
            out.append(Bearing(id, side, min(1.0, covered), sure(row, scene.now), why))
            value = _another(asked, row.text) or (elsewhere.given if elsewhere else "")
            if value and not _denials(row.text):
                other[id] = value
                supposed |= {elsewhere.asked} if elsewhere else set()
    best = max((b.strength for b in out), default=0.0)
    out = [b for b in out if b.strength >= BESIDE * best]
    subject = _subject(scene, question, supposed)
    enough = SAME * sum(subject.values())
    against = {id: value for id, value in other.items() if sum(_held(scene.rows[id], subject).values()) >= enough}
    if any(_agrees(asked, scene.rows[b.id].text) for b in out):
        against = {}  # one of them gives the value that is asked about: the others are values of other things
    side = 1 if _denials(question) % 2 else -1
    turned = {b.id for b in out if b.id in against and not (b.side == side and b.why)}
    sides = (replace(b, side=side, why=f"it says {against[b.id]}") if b.id in turned else b for b in out)
    return [b for b in sides if b.id in against or b.id not in other or b.why]


def _side(
    scene: Scene, row: Row, old: Sequence[int], own: Mapping[str, float], before: Mapping[str, float], question: str
) -> tuple[int, str]:
    """For (1) or against (-1) what the question supposes, and why against."""
    supposed, held = values(question), values(row.text)
    for kind, asked in supposed.items():
        gone = {v for id in old for v in values(scene.rows[id].text).get(kind, ())}
        if asked & gone and not asked & held.get(kind, set()):
            return -1, f"it was {', '.join(sorted(asked & gone))} until then"
    lost = {s: bits for s, bits in before.items() if s not in own}
    if sum(lost.values()) > sum(bits for s, bits in own.items() if s not in before):
        return -1, f"what was so ({', '.join(sorted(lost, key=lambda s: -lost[s])[:3])}) is replaced by this"
    asked_of = set(own)
    clause = max(reversed(CLAUSE.split(row.text)), key=lambda c: sum(own.get(s, 0.0) for s in set(stems(c)) & asked_of))
    denied = _denials(clause) % 2 != _denials(question) % 2
    return (-1, "it says otherwise") if denied else (1, "")


def _denials(text: str) -> int:
    return len(DENIES.findall(WHEN.sub(" ", text)))


def _subject(scene: Scene, question: str, supposed: Set[str]) -> dict[str, float]:
    """Bits of what the question speaks of, whatever values it supposes; a word that no belief holds is of something
    that none speaks of."""
    rare = max(scene.start.bits.values(), default=1.0)
    own = {stem(w) for w in words(question) if not common(w) and not any(c.isdigit() for c in w)} & set(
        scene.start.stems
    )
    own -= {s for value in supposed for s in stems(value)}
    return {s: scene.start.bits.get(s, rare) for s in own}


def _another(asked: Mapping[str, str], text: str) -> str:
    """The value that a text gives where the question supposes another one (*asked*), "" where it does not."""
    given = _single(text)
    for kind in asked.keys() & given.keys():
        a, b = asked[kind], given[kind]
        if not (a == b or a.startswith(f"{b}.") or b.startswith(f"{a}.")):
            return b
    return ""


def _agrees(asked: Mapping[str, str], text: str) -> bool:
    """Whether a text gives the very value that the question supposes (*asked*)."""
    given = _single(text)
    return any(asked[kind] == given[kind] for kind in asked.keys() & given.keys())


def _single(text: str) -> dict[str, str]:
    """Kind -> the one value of that kind that a text gives; several are a choice, a list or a span and say nothing."""
    found = {kind: set(held) for kind, held in values(text).items() if kind in TELLING}
    amounts = [
        (kind, AMOUNT.match(v)) for kind, held in values(text).items() if kind.startswith("amount") for v in held
    ]
    for kind, amount in amounts:
        if amount:
            found.setdefault(f"{kind} in {amount[2].lower()}", set()).add(amount[1])
    for word, number in NUMBER.findall(text):
        found.setdefault(f"number of {stem(word.lower())}", set()).add(number)
    days = {day.rstrip("s") for day in found.pop("day", ())}
    found |= {"day": days} if days else {}
    return {kind: held.pop() for kind, held in found.items() if len(held) == 1}


def _bits_of(scene: Scene, question: str) -> dict[str, float]:
    """Bits of the question's words that beliefs hold: more for those in quotes, less for the verbs of any request."""
    quoted = {s for found in QUOTES.findall(question) for s in stems(found)}
    usual = {stem(w) for w in words(question) if common(w)} - quoted
    times = {**dict.fromkeys(quoted, QUOTED), **dict.fromkeys(usual, USUAL)}
    return {s: bits * times.get(s, 1.0) for s, bits in scene.start.bits.items()}


def _held(row: Row, bits: Mapping[str, float]) -> dict[str, float]:
    return {s: bits[s] for s in set(row.terms.split()) if s in bits}


def _replaced(scene: Scene, head: int) -> list[int]:
    return [id for id, top in scene.heads.items() if top == head and id != head]
