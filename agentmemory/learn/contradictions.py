"""Live beliefs that cannot both hold: the same subject with another value, or once for and once against.

Pairs are looked for among beliefs that share telling words, so the work grows with the beliefs, not their square.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from rapidfuzz import fuzz

from agentmemory.learn import retired
from agentmemory.learn.likeness import alike
from agentmemory.learn.measures import spelled_as
from agentmemory.learn.valued import values
from agentmemory.records import Row
from agentmemory.store import beliefs, changes, conflicts, writer
from agentmemory.text import stems

if TYPE_CHECKING:
    import apsw

    from agentmemory.store.jobs import Job
    from agentmemory.store.rows import Database

TELLING = ("port", "version", "host", "url", "time", "day", "region", "route")  # and every kind of amount
COMMON = 40  # beliefs that may share a word before it tells nothing about a pair
ALIKE = 0.45  # cosine of subjects from which two values are values of one thing
ALIKE_APART = 0.75  # the same where each side names something that the other does not
OPPOSED = 0.5  # cosine of what is said for and against
NEARLY = 70  # token-set ratio that two sentences of one subject reach
PLACES = frozenset("prod production staging stage dev development test local ci qa canary preview".split())
NEGATION = re.compile(
    r"\b(?:never|not|no longer|don'?t|do not|doesn'?t|must not|mustn'?t|shouldn'?t|cannot|can'?t|won'?t|isn'?t|aren'?t"
    r"|avoid|stop|without|instead of|rather than|forbidden|banned|disabled|no|nor|over)\b",
    re.IGNORECASE,
)
SIGNS = frozenset(stems("always never must should avoid please forbidden banned allowed instead rather without"))
NO_SUBJECT = retired.VAGUE | SIGNS  # stems that tell nothing of what a belief is about
CLAUSE = re.compile(r"[,;:.!?]\s|\s[—–-]\s|\b(?:but|and|instead(?! of))\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two live beliefs, the newer first, and why they cannot both hold."""

    newer: Row
    older: Row
    why: str


def find(db: Database, scope: int) -> list[Conflict]:
    """The contradictions between live beliefs of a scope, newest first."""
    sides = [_Side(row) for row in conflicts.live(db, scope)]
    counts = Counter(stem for side in sides for stem in side.subject)
    named = conflicts.named(db, scope)
    out = []
    for a, b in _pairs(sides, counts, named):
        older, newer = sorted((a, b), key=lambda side: (side.row.valid_from, side.row.id))
        why = _differ(newer, older, counts, len(sides)) or _oppose(newer, older, counts, len(sides))
        if why:
            out.append(Conflict(newer.row, older.row, why))
    return sorted(out, key=lambda found: (-found.newer.valid_from, -found.newer.id, found.older.id))


def run(db: apsw.Connection, job: Job, now: float) -> None:
    """The cold job: mark what contradicts in every scope, unmark what no longer does, let the user's newer word win."""
    scopes = [job.ref] if job.ref else conflicts.scopes(db)
    for scope in scopes:
        found = find(db, scope)
        with writer.transaction(db):
            changes.begin(db, "contradictions")
            settle(db, scope, found, now)


def settle(db: Database, scope: int, found: list[Conflict], now: float) -> None:
    """Bring the edges of a scope up to date; an older belief that the user did not state gives way to the user's."""
    pairs = {(one.newer.id, one.older.id) for one in found}
    for newer, older, _ in conflicts.marked(db, (scope,)):
        if (newer, older) not in pairs and (older, newer) not in pairs:
            conflicts.clear(db, newer, older)
    for one in found:
        conflicts.mark(db, one.newer.id, one.older.id, one.why, now)
        yields = one.newer.provenance == "user" and one.older.provenance != "user" and not one.older.locked
        if yields and not conflicts.stands(db, one.older.id):
            beliefs.set_state(db, one.older.id, "retracted", now, ended=True)
            beliefs.witness(db, one.older.id, "contradicted", -1.0, now, detail=f"by {one.newer.id}")


class _Side:
    """A belief taken apart: its subject (stems without values and signs), what it is for and what against."""

    __slots__ = ("against", "places", "row", "said", "subject", "values")

    def __init__(self, row: Row) -> None:
        self.row = row
        self.values = {k: v for k, v in values(row.text).items() if k in TELLING or k.startswith("amount")}
        bare = row.text.lower()
        for held in self.values.values():
            for value in held:
                bare = bare.replace(value, " ")
        self.said, self.against = signed(row.text)
        self.subject = frozenset(s for s in stems(bare) if s not in NO_SUBJECT and not s.isdigit())
        self.places = frozenset(stems(row.text)) & PLACES


def signed(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The stems that a text speaks for, and those that it speaks against, clause by clause."""
    said: set[str] = set()
    against: set[str] = set()
    for clause in CLAUSE.split(text):
        parts = NEGATION.split(clause, maxsplit=1)
        said.update(stems(parts[0]))
        if len(parts) > 1:
            against.update(stems(parts[1]))
    return frozenset(said - against), frozenset(against)


def _pairs(sides: list[_Side], counts: Counter[str], named: dict[int, frozenset[int]]) -> Iterator[tuple[_Side, _Side]]:
    """Beliefs that share two telling words, or one and an entity."""
    by_stem: dict[str, list[int]] = defaultdict(list)
    for i, side in enumerate(sides):
        for stem in side.subject:
            if counts[stem] <= COMMON:
                by_stem[stem].append(i)
    shared: Counter[tuple[int, int]] = Counter()
    for holders in by_stem.values():
        shared.update(combinations(holders, 2))
    for (i, j), n in sorted(shared.items()):
        a, b = sides[i], sides[j]
        if a.places != b.places and (a.places or b.places):
            continue  # two environments may differ
        short = min(len(a.subject), len(b.subject)) <= 2
        if n > 1 or short or named.get(a.row.id, frozenset()) & named.get(b.row.id, frozenset()):
            yield a, b


def _differ(a: _Side, b: _Side, counts: Counter[str], total: int) -> str:
    """Why two beliefs give one thing two values, "" when they do not."""
    kinds = [k for k in a.values if k in b.values and not (a.values[k] & b.values[k])]
    same = values(spelled_as(a.row.text, b.row.text)) if kinds else {}  # 14 days and two weeks
    kinds = [k for k in kinds if not (same.get(k, frozenset()) & b.values[k])]
    if not kinds or bool(a.against) != bool(b.against):
        return ""
    apart = a.subject - b.subject and b.subject - a.subject
    near = _alike(a.subject, b.subject, counts, total)
    if near < (ALIKE_APART if apart else ALIKE):
        return ""
    kind = kinds[0]
    one, other = (", ".join(sorted(side.values[kind])) for side in (a, b))
    return f"{kind.removeprefix('amount of ')}: {one} against {other}"


def _oppose(a: _Side, b: _Side, counts: Counter[str], total: int) -> str:
    """Why one belief is for what the other is against, "" when it is not."""
    for one, other in ((a, b), (b, a)):
        clash = (one.said & other.against & one.subject & other.subject) - one.against
        if not clash or clash & other.said or one.against & other.against:
            continue
        # whatever the negative one prescribes must not be what the positive one says
        if (one.said & other.said & one.subject) - clash and not one.said <= other.said | other.against:
            continue
        apart, both = one.subject ^ other.subject, one.subject & other.subject
        if len(apart) > 1 or (apart and len(both) < 3):
            continue  # tabs here, tabs in Python files: the one is about more than the other
        near = _alike(one.subject, other.against & other.subject or other.subject, counts, total)
        if near >= OPPOSED and fuzz.token_set_ratio(one.row.text.lower(), other.row.text.lower()) >= NEARLY:
            return f"one is for, the other against: {', '.join(sorted(clash))}"
    return ""


def _alike(a: frozenset[str], b: frozenset[str], counts: Counter[str], total: int) -> float:
    return alike(a, b, lambda stem: math.log(1.0 + (total + 1) / max(1, counts[stem])))
