"""On which side of a question a belief stands: by polarity, by values, and by what it replaced."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from agentmemory import confidence
from agentmemory.explore.clauses import OF_THE_PAST, Clause, clauses, denials, given_up, plain, supposed
from agentmemory.explore.graph import Scene
from agentmemory.explore.places import Other, other_word, unsaid
from agentmemory.explore.seeds import UNKNOWN
from agentmemory.learn import tongues
from agentmemory.learn.contradictions import TELLING
from agentmemory.learn.measures import spelled_as
from agentmemory.learn.names import common
from agentmemory.learn.valued import values
from agentmemory.records import Row
from agentmemory.text import stem, stems, words

BEARS = 0.3  # share of the question's bits that a belief must answer to bear on it when recall's floor does not say so
BESIDE = 0.6  # of what the best belief answers: one that answers less stands beside the question, not on a side of it
SAME = 0.75  # of the bits of a question's subject that a belief holds which gives it another value
FINE = 0.5  # of the question's bits in a belief from which one of its clauses may speak for it
MOST = 12  # beliefs weighed
SAME_SOURCE = 0.5  # of the strength of a belief that comes from a turn already counted: it is hardly new evidence
NEAR = 0.5  # of the bits of a word of the question for which a belief has one that is near it
NAMELESS = 0.5  # of the bits of a question about a name in a belief that bears on it without the name
USUAL = 0.5  # times the bits of an ordinary word of requests ("keep", "use", "still")
QUOTED = 2.0  # times the bits of a word that the question puts in quotes
#: what a denied value may be the end of
LIMIT = re.compile(r"\b(?:than|over|above|beyond|below|under|after|before)\b", re.IGNORECASE)
#: denies that something is so still, and says that it was
ENDED = re.compile(r"\b(?:any ?more|no longer|switched off|retired|stopped)\b", re.IGNORECASE)
QUOTES = re.compile(r"[\"“`']([^\"”`'\n]{2,60})[\"”`']")
#: a bare number and the word it is of: the one before it ("node 18", "retries are set to 5" tells what is set) and the
#: one before what says how it came about ("the limit was raised to 240")
COPULA = "is|are|was|were|to|at|of|be|now"
CAME = (
    f"{COPULA}|been|has|have|had|still|up|down|set|kept|capped|limited|fixed|rais(?:ed|es)|lower(?:ed|s)|increase[ds]|"
    "reduce[ds]|decrease[ds]|bumped|changed|goes|went|grew|fell|stay(?:s|ed)?|remain(?:s|ed)?"
)
NUMBERS = [
    re.compile(rf"\b{word}(?:\s{{1,3}}(?:{between})){{0,4}}\s{{1,3}}v?(\d+(?:\.\d+)*)\b(?![\w:/-])", re.IGNORECASE)
    for word, between in ((r"([a-z][\w-]*)", COPULA), (rf"(?!(?:{CAME})\b)([a-z][\w-]*)", CAME))
]
AMOUNT = re.compile(r"(\d+(?:\.\d+)?)[ -]?([a-z%])", re.IGNORECASE)
ASKS = re.compile(r"\W*(?:who|whose|whom|what|which|where|when|how|why)\b", re.IGNORECASE)
NAME = re.compile(r"\w+(?:-\w+)+")
#: how a question begins that is answered by yes or no
POLAR = re.compile(
    r"(?:^|[.,;:!?]\s+|\b(?:and|so|but)\s+)(?:is|are|was|were|am|do|does|did|should|shall|must|can|could|may|might|will|"
    r"would|has|have|had|isn['’]?t|aren['’]?t|don['’]?t|doesn['’]?t|didn['’]?t|can['’]?t|shouldn['’]?t)\b(?!\s+(?:not\s+)?"
    r"(?:me|us)\b)(?:[^.!]|[.!]\b)*\?|\bor (?:not|leftover|outdated|still|no longer)\b(?:[^.!]|[.!]\b)*\?|"
    r"\bstill (?:valid|true|current|right|the case)\b|"
    r"^(?:is|are|was|were|does|did|should|has|have|isn['’]?t|aren['’]?t)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Bearing:
    """A belief that bears on the question. side: 1 for, -1 against, 0 beside it: it has something else in the place of
    what is asked about, and whether that excludes it is not known. strength: how surely it bears on it, 0 to 1.

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
    return bool(POLAR.search(question)) or tongues.polar(question)


def bearings(scene: Scene, question: str, sources: Mapping[int, set[int]]) -> list[Bearing]:
    """The active beliefs that bear on *question*, strongest first; *sources*: the turns each came from."""
    found = _sides(scene, question) if polar(question) else _answers(scene, question)
    out: list[Bearing] = []
    counted: dict[int, int] = {}
    for b in sorted(found, key=lambda b: (-b.strength * b.confidence, b.id))[:MOST]:
        rests = next((counted[turn] for turn in sources.get(b.id, ()) if turn in counted), None)
        counted.update({turn: b.id for turn in sources.get(b.id, ()) if turn not in counted})
        out.append(b if rests is None else replace(b, strength=b.strength * SAME_SOURCE, rests=rests))
    return out


def _answers(scene: Scene, question: str) -> list[Bearing]:
    """What a question that asks for something gets: beliefs beyond chance, those that hold most of it for an answer.

    The others stand beside it, as does what holds no word of the question and nothing that it names, only words that
    are near its own; recall's floor has to speak for that.
    """
    sure_of, bits, name = set(scene.start.bears), _bits_of(scene, question), _asked_name(question)
    mass = _mass(scene, bits)
    rare = max(scene.start.bits.values(), default=1.0)
    named_mass = sum(bits.values()) + len(scene.start.unknown) * rare or 1.0
    out = []
    for id, row in scene.rows.items():
        covered, all_of_it = scene.start.covered.get(id, 0.0), [id, *scene.replaced(id)]
        spoken = not sure_of.isdisjoint(all_of_it)
        if row.state != "active" or not (covered >= BEARS or spoken):
            continue
        rows = [scene.rows[each] for each in all_of_it]
        held = [_held(each, bits) for each in rows]
        if not (spoken or any(held)):
            continue
        if name and not any(_names(each, name) for each in rows):
            if max(sum(bits[s] for s in own.keys() - set(name)) for own in held) < NAMELESS * named_mass:
                continue
        itself = max(sum(own.values()) for own in held) / mass
        strength = min(1.0, itself + NEAR * max(0.0, covered - itself))
        speaks = any(held) or not scene.mentions(id).isdisjoint(scene.start.entities)
        out.append(Bearing(id, 1 if speaks else 0, strength, confidence.of(row, scene.now)))
    best = max((b.strength for b in out if b.side), default=0.0)
    return [b if b.strength >= BESIDE * best else replace(b, side=0) for b in out]


def _asked_name(question: str) -> list[str]:
    """The stems of the hyphenated name that a question asks about ("who owns the read-model?"), none for one that only
    describes something further ("how many first-time donors came?")."""
    found = NAME.search(question) if ASKS.match(question) else None
    return stems(found[0]) if found and len(stems(question[found.end() :])) <= 1 else []


def _names(row: Row, name: Sequence[str]) -> bool:
    """Whether a belief holds a name, in one word or in its parts side by side."""
    said = stems(f"{row.text}\n{row.cues}")
    return "".join(name) in said or any(said[i : i + len(name)] == name for i in range(len(said)))


def _sides(scene: Scene, question: str) -> list[Bearing]:
    """What a yes-or-no question gets: the beliefs that speak of what it supposes, each on its side."""
    question = supposed(plain(question))
    bits = _bits_of(scene, question)
    mass = _mass(scene, bits)
    sure_of = set(scene.start.bears)
    named = {v for held in values(question).values() for v in held}
    out: list[Bearing] = []
    other: dict[int, str] = {}  # beliefs that give what is asked about another value
    agreeing: set[int] = set()  # those that give the very value that is asked about
    for id, row in scene.rows.items():
        if row.state != "active":
            continue
        old = scene.replaced(id)
        own = _held(row, bits)
        before = max((_held(scene.rows[o], bits) for o in old), key=lambda held: sum(held.values()), default={})
        covered = max(sum(own.values()), sum(before.values())) / mass
        if not (covered >= BEARS or (covered > 0 and sure_of & {id, *old})):
            continue
        said = spelled_as(question, plain(row.text))
        asked = _single(said)
        told = _told(row, own, said, asked, [scene.rows[o].text for o in old], covered >= FINE)
        name = told.other if told.other and told.other.named else None
        gone = given_up(row.text, said)
        if name and not name.valued and not gone:
            continue  # it speaks of another thing
        side, why = (-1, f"it gives up {gone}") if gone else _side(scene, row, old, own, before, said, told)
        if told.given and not told.denies:
            other[id] = told.given
            named |= {name.asked} if name else set()
        if side and _agrees(asked, told.text):
            agreeing.add(id)
        out.append(Bearing(id, side, min(1.0, covered), confidence.of(row, scene.now), why))
    best = max((b.strength for b in out), default=0.0)
    out = [b for b in out if b.strength >= BESIDE * best]
    subject = _subject(scene, question, named)
    enough = SAME * sum(subject.values())
    against = {id: value for id, value in other.items() if sum(_held(scene.rows[id], subject).values()) >= enough}
    if any(b.id in agreeing for b in out):
        against = {}  # the others are values of other things
    side = 1 if denials(question) % 2 else -1
    past = OF_THE_PAST.match(question)
    turned = {b.id for b in out if b.id in against and not (b.why and (b.side == side or past))}
    sides = (replace(b, side=side, why=f"it says {against[b.id]}") if b.id in turned else b for b in out)
    return [b for b in sides if b.id in against or b.id not in other or b.why]


def _side(
    scene: Scene, row: Row, old: Sequence[int], own: Mapping[str, float], before: Mapping[str, float], question: str,
    told: _Told,
) -> tuple[int, str]:  # fmt: skip
    """For (1) or against (-1) what the question supposes or beside it (0), and why where it is not for it."""
    supposes, held, past = values(question), values(row.text), OF_THE_PAST.match(question)
    was = 1 if past and denials(question) % 2 == 0 else -1  # what was so speaks for a question of how it was
    for kind, asked in supposes.items():
        gone = {v for id in old for v in values(scene.rows[id].text).get(kind, ())}
        if asked & gone and not asked & held.get(kind, set()):
            return was, f"it was {', '.join(sorted(asked & gone))} until then"
    lost = {s: bits for s, bits in before.items() if s not in own}
    if sum(lost.values()) > sum(bits for s, bits in own.items() if s not in before):
        return was, f"what was so ({', '.join(sorted(lost, key=lambda s: -lost[s])[:3])}) is replaced by this"
    if told.beside:
        return 0, told.beside
    if told.denies != (denials(question) % 2 == 1) and not (past and ENDED.search(told.text)):
        return -1, "it says otherwise"
    if scene.mentions(row.id).isdisjoint(scene.start.entities) and (
        name := unsaid(question, [row.text, row.cues, *(scene.rows[id].text for id in old)])
    ):
        return 0, f"it says nothing of {name}"
    return 1, ""


@dataclass(frozen=True, slots=True)
class _Told:
    """The part of a belief that speaks of the question, and what it has in the place of what is asked about."""

    text: str
    denies: bool
    value: str = ""
    other: Other | None = None

    @property
    def given(self) -> str:
        """The value that it gives where the question supposes another one, "" where it gives none."""
        return self.value or (self.other.given if self.other and self.other.named else "")

    def lacks(self, said: Set[str]) -> bool:
        """Whether it has something else in the place of a word that the whole belief (*said*) does not hold."""
        return self.other is not None and stem(self.other.asked.lower()) not in said

    @property
    def beside(self) -> str:
        """Why it takes no side, "" where it may take one: a limit that is denied is one for every value."""
        if self.given:
            return f"it speaks of {self.given}" if self.denies and not LIMIT.search(self.text) else ""
        return f"it says {self.other.given}, not {self.other.asked}" if self.other else ""


def _told(
    row: Row, own: Mapping[str, float], question: str, asked: Mapping[str, str], before: Sequence[str], fine: bool
) -> _Told:
    """What a belief tells of the question. Where a clause has something else in the place of what is asked about, the
    one that holds the question's first word and most of the others, itself rather than by its "it", tells; of two, the
    one that has nothing else."""
    whole = clauses(plain(row.text))
    parts = [part for part in reversed(whole) if part.words & own.keys()]
    told = [
        _Told(part.text, part.denies(question), _another(asked, part.text), other_word(question, part.text, before))
        for part in parts
    ]
    apart = [one for one in told if one.value or one.other]
    if not apart:
        return _part(whole, parts, own, question if fine else "")
    subject = next(s for s in stems(question) if any(s in part.words for part in parts))
    said = own.keys() & {s for part in parts for s in part.words}
    counts = [
        (len(part.words & own.keys()), one.lacks(said), len(part.own & own.keys()))
        if subject in part.words
        else (0, False, 0)
        for part, one in zip(parts, told)
    ]
    if 2 * max(counts)[0] <= len(said):
        return apart[0]
    best = [one for n, one in zip(counts, told) if n == max(counts)]
    return next((one for one in best if one not in apart), best[0])


def _part(whole: Sequence[Clause], parts: Sequence[Clause], own: Mapping[str, float], question: str) -> _Told:
    """The one clause that says all that a belief says of the *question*, if that is much (else it is ""), or the larger
    part that says most of it."""
    said = own.keys() & {s for part in parts for s in part.words}
    full = [part for part in parts if question and said <= part.words]
    if full:
        part = max(full, key=lambda part: len(said & part.own))
        return _Told(part.text, part.denies(question))
    turns: dict[int, list[Clause]] = {}
    for part in whole:
        turns.setdefault(part.turn, []).append(part)
    bits = {
        turn: [
            sum(own[s] for s in said & set[str]().union(*held)) for held in ([p.words for p in t], [p.own for p in t])
        ]
        for turn, t in turns.items()
    }
    most = turns[max(reversed(turns), key=lambda turn: bits[turn])]
    text = " ".join(part.text for part in most)
    return _Told(text, denials(text) % 2 == 1)


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
        if not (a == b or a.startswith(f"{b}.") or b.startswith(f"{a}.") or _holds(text, a)):
            return b
    return ""


def _holds(text: str, value: str) -> bool:
    """Whether a text has a value somewhere, as a word of its own."""
    return re.search(rf"(?<![\w.]){re.escape(value)}(?![\w]|\.\w)", text, re.IGNORECASE) is not None


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
    for word, number in {found for numbers in NUMBERS for found in numbers.findall(text)}:
        found.setdefault(f"number of {stem(word.lower())}", set()).add(number)
    days = {day.rstrip("s") for day in found.pop("day", ())}
    found |= {"day": days} if days else {}
    return {kind: held.pop() for kind, held in found.items() if len(held) == 1}


def _mass(scene: Scene, bits: Mapping[str, float]) -> float:
    """Bits of a whole question, with those of its words that no belief holds."""
    return sum(bits.values()) + len(scene.start.unknown) * UNKNOWN * max(bits.values(), default=1.0) or 1.0


def _bits_of(scene: Scene, question: str) -> dict[str, float]:
    """Bits of the question's words that beliefs hold: more for those in quotes, less for the verbs of any request."""
    quoted = {s for found in QUOTES.findall(question) for s in stems(found)}
    usual = {stem(w) for w in words(question) if common(w)} - quoted
    times = {**dict.fromkeys(quoted, QUOTED), **dict.fromkeys(usual, USUAL)}
    asked = set(stems(question))
    return {s: bits * times.get(s, 1.0) for s, bits in scene.start.bits.items() if s in asked}


def _held(row: Row, bits: Mapping[str, float]) -> dict[str, float]:
    return {s: bits[s] for s in set(row.terms.split()) if s in bits}
