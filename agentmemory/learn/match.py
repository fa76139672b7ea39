"""Which stored belief a new text repeats, which it replaces, and which it takes back.

Words, weighted by how rare they are among the beliefs, and the values they carry. Reads only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rapidfuzz import fuzz

from agentmemory.learn import cues, retired, thesaurus
from agentmemory.learn.valued import values
from agentmemory.store import lineage
from agentmemory.text import stems
from agentmemory.values import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmemory.store.lineage import Known
    from agentmemory.store.rows import Database

SAME = 0.93  # token-sort similarity from which two texts are one statement
COMPARED = 24  # beliefs that share words, looked at closely
NAMED_PLAINLY = 0.06  # likeness from which an ordinary word ("card", "cluster") names something
NAMED = 0.02  # likeness that an older belief needs when what it holds is named as given up
RETYPED = 0.07  # when a change is announced and another value of the same type is given,
RETYPED_FAR = 0.055  # the same with two telling words in common
ANNOUNCED = 0.22  # when a change is announced
BOTH_NAMED = 0.06  # when the older value and another of its type stand in the text
UNANNOUNCED = 0.35  # without a word of change: the same subject with another value
STEPWISE = 0.45  # pieces of a procedure are alike and stand beside one another
SPREAD = 0.7  # a further belief is replaced with the best when it is at least so near to it
COMMON = 5  # beliefs that hold a word, or are surrounded by it, before it stops naming one of them
LOOSE = frozenset(("symbol", "file", "day"))  # types of values that a text may carry without being about them
#: words of choosing, which say nothing of what is chosen for
CHOOSING = frozenset(
    stems("decide decided go going choose chose agree agreed settle settled find found move switch stick")
)
TAKEN_BACK = 8  # turns that a retraction reaches back
TELLING = 2  # words in common from which it means something said before the user's last turn


def same(db: Database, scope: int, text: str) -> int | None:
    """The live belief of this scope that says the same thing in nearly the same words."""
    mine = set(stems(text))
    known, _, _ = lineage.alike(db, scope, sorted(mine), COMPARED)
    for old in known:
        alike = fuzz.token_sort_ratio(text.lower(), old.text.lower(), score_cutoff=100 * SAME) > 0
        if alike and _marks(mine) == _marks(set(old.terms.split())):
            return old.id
    return None


@dataclass(frozen=True, slots=True)
class Likeness:
    """How an older belief stands to a new text.

    near: cosine of their words. named: the text names what the belief holds as given up. retyped: the text gives
    other values of types that the belief carries. shared: how many telling words they have in common.
    contrasted: the text holds the older value, and another of the same type.
    """

    old: Known
    near: float
    named: bool
    retyped: frozenset[str]
    shared: int
    contrasted: bool

    @property
    def score(self) -> float:
        """What orders them."""
        return self.near + 0.2 * self.named + 0.1 * bool(self.retyped - LOOSE)


def predecessors(db: Database, c: Candidate, text: str) -> tuple[int, ...]:
    """Live beliefs that the new text replaces, the likeliest first; most texts replace none."""
    if c.retracts:
        return taken_back(db, c, text)
    replaced = [like for like in likenesses(db, c, text) if _replaces(c, like)]
    if not replaced:
        return ()
    best = replaced[0]
    return tuple(
        like.old.id for like in replaced[:4]
        if like is best or (like.named and best.named)
        or (like.retyped & best.retyped and like.near >= SPREAD * best.near)
    )  # fmt: skip


def likenesses(db: Database, c: Candidate, text: str) -> list[Likeness]:
    """Beliefs that the text may be about, the likeliest first."""
    said, around = set(stems(text)), set(stems(f"{c.context} {c.keywords}"))
    known, counts, total = lineage.alike(db, c.scope, sorted(said | around), COMPARED)
    given_up = {s for s in retired.named(cues.plain(text)) if counts.get(s, 0) <= max(COMMON, total // 6)}
    carried = values(text)
    mine = _weights(said, counts, total)
    out = []
    for old in known:
        theirs = set(old.terms.split())
        other = values(old.text)
        near = _cosine(mine, _weights(theirs, counts, total))
        retyped = frozenset(kind for kind in carried if kind in other and _differ(kind, carried, other))
        beside = given_up & set(old.cues.split())
        if not beside and len((said & theirs) - retired.VAGUE - CHOOSING) < TELLING:
            retyped -= {"chosen"}  # choices about different matters
        plainly = near >= NAMED_PLAINLY or bool(retyped - LOOSE)
        names = {s for s in given_up & theirs if plainly or not thesaurus.ordinary(s)}
        named = bool(names) or len(beside) > ("chosen" not in retyped)
        shared = len((said & theirs) - retired.VAGUE)
        both = any(len(other[kind]) == 1 and other[kind] < carried[kind] for kind in retyped - LOOSE)
        out.append(Likeness(old, near, named, retyped, shared, both))
    return sorted(out, key=lambda like: (-like.score, -like.old.id))


def _replaces(c: Candidate, like: Likeness) -> bool:
    """Whether the text stands in the older belief's place."""
    if like.old.locked and not like.named:
        return False
    if like.named and c.updates and (like.near >= NAMED or "chosen" in like.retyped):
        return True
    if (c.kind == "procedure") != (like.old.kind == "procedure"):
        return False
    if c.kind == "procedure":
        return c.updates and like.near >= STEPWISE
    role = like.near >= NAMED and any(kind.startswith("role of ") for kind in like.retyped)
    if role and (c.updates or cues.FLAGS["from_now"].search(cues.plain(c.text))):
        return True
    telling = len(like.retyped - LOOSE)
    if c.updates and telling:
        return like.near >= (RETYPED_FAR if like.shared > 1 or telling > 1 else RETYPED)
    if c.updates:
        return like.near >= ANNOUNCED
    return (like.near >= UNANNOUNCED and bool(like.retyped)) or (
        like.near >= BOTH_NAMED and like.contrasted and like.shared > 1
    )


def taken_back(db: Database, c: Candidate, text: str) -> tuple[int, ...]:
    """What was said shortly before and is taken back: of the user's last turn what shares most words with the
    retraction; when that turn taught nothing, what it plainly names.
    """
    if c.turn is None:
        found = likenesses(db, c, text)
        return (found[0].old.id,) if found and found[0].near >= ANNOUNCED else ()
    mine = set(stems(f"{text} {c.context}")) - retired.VAGUE
    recent = [(len(mine & set(old.terms.split())), old) for old in lineage.said_before(db, c.turn, TAKEN_BACK)]
    last = [(shared, old) for shared, old in recent if old.when == 0]
    if last:
        return (max(last, key=lambda row: (row[0], row[1].id))[1].id,)
    far = [(shared, old) for shared, old in recent if shared >= TELLING]
    return (max(far, key=lambda row: (row[0], row[1].id))[1].id,) if far else ()


def _differ(kind: str, mine: dict[str, frozenset[str]], theirs: dict[str, frozenset[str]]) -> bool:
    """Whether texts give different values of a type; the staging cluster and the production cluster are two posts."""
    which = "which of chosen" if kind == "chosen" else kind.replace("role of ", "which of ", 1)
    if kind.startswith("which of "):
        return False
    others = which != kind and which in mine and which in theirs and not _one(mine[which], theirs[which])
    return not others and bool(mine[kind] - theirs[kind])


def _one(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether two descriptions fit one thing: what one of them adds the other does not deny."""
    return mine <= theirs or theirs <= mine


def _weights(stems: Iterable[str], counts: dict[str, int], total: int) -> dict[str, float]:
    return {s: _idf(counts.get(s, 0), total) for s in stems}


def _idf(count: int, total: int) -> float:
    return math.log(1.0 + (total + 4.0) / (count + 0.5))


def _cosine(a: dict[str, float], b: dict[str, float]) -> float:
    dot = sum(weight * b[stem] for stem, weight in a.items() if stem in b)
    norm = math.sqrt(sum(w * w for w in a.values()) * sum(w * w for w in b.values()))
    return dot / norm if norm else 0.0


def _marks(stems: set[str]) -> set[str]:
    """Stems that carry a value: numbers and names with digits."""
    return {s for s in stems if any(ch.isdigit() for ch in s)}
