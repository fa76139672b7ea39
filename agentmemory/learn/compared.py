"""How older beliefs stand to a new text: their words, weighted by how rare they are among the beliefs, the values both
carry, and what the text names as given up. Reads only.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from agentmemory.learn import answered, cues, retired, retold, thesaurus
from agentmemory.learn.given import in_one_case, of_a_kind, of_another
from agentmemory.learn.likeness import bag, cosine, rarity
from agentmemory.learn.parallel import narrows, parallel
from agentmemory.learn.righted import COMPARED
from agentmemory.learn.valued import LOOSE, UNITS, Values, differ, marks, numbers, says_a_value, tells, values
from agentmemory.store import lineage
from agentmemory.text import stems

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Set

    from agentmemory.store.lineage import Known
    from agentmemory.store.rows import Database
    from agentmemory.values import Candidate

APART = 3_600.0  # seconds between two statements before one may amend the other without saying so
NAMED_PLAINLY = 0.05  # likeness from which an ordinary word ("card", "cluster") names something
NAMED_BY_ONE = 0.2  # the same where they have one telling word in common
TELLING = 2  # words in common from which it means something said before the user's last turn
ABBREVIATED = 5  # letters from which the beginning of a name stands for it
COMMON = 5  # beliefs that hold a word, or are surrounded by it, before it stops naming one of them
#: words of choosing, which say nothing of what is chosen for
CHOOSING = frozenset(
    stems("decide decided go going choose chose agree agreed settle settled find found move switch stick")
)
PLACES = frozenset(("place to", "place from"))
FOLDERS = re.compile(r"(?:[\w.@~-]*/)+")  # of a path, without what lies in them
MOST_POINTED = 3.0  # words of no other belief from which more tell nothing
LATELY = 8  # turns of the user within which a statement may put right what was said without naming it
FORBIDS = re.compile(r"\b(?:no|not|never|dont|without|avoid)\s+(?:(?:us(?:e|ing)|any|more|an?|the)\s+)*(\w[\w./-]*)")


@dataclass(frozen=True, slots=True)
class Likeness:
    """How an older belief stands to a new text.

    near: cosine of their words. named: the text names what the belief holds as given up. gone: it names so a thing as a
    whole, and both speak of one matter. retyped: the text gives other values of types that the belief carries. shared:
    how many telling words they have in common; unique: how many of these no other belief has; telling: how rare they
    are, summed up.
    contrasted: the text holds the older value, and another of the same type. moved: it says of the very same thing
    that it goes to or comes from elsewhere. alone: no other belief carries such a value. parallel: both are one
    sentence said of two things. narrower: the text gives another value for one case only.
    ago: how many turns of the user lie between them, where one of the last ones said it.
    answer: how the assistant began to answer the older one.
    matter: share of its telling words, with those of what it settled, that the new one or its answer has. retold: so
    they give other values of a type. number: whether they have a number in common ("again") or only "other" ones.
    about: the words of the older exchange that tell what it is of. foremost: of no other belief a larger share is met.
    pointed: how far those that both exchanges have are of few others, 1 for one that is of no other; singled: no other
    belief is pointed at more.
    """

    old: Known
    near: float
    named: bool
    gone: bool
    retyped: frozenset[str]
    shared: int
    unique: int
    telling: float
    contrasted: bool
    moved: bool
    alone: bool
    parallel: bool
    narrower: bool
    ago: int | None
    answer: str
    matter: float
    retold: bool
    number: str
    about: frozenset[str]
    foremost: bool = False
    pointed: float = 0.0
    singled: bool = False

    @property
    def firm(self) -> frozenset[str]:
        """The types of other values that a text hardly carries without being about them."""
        return self.retyped - LOOSE

    @property
    def score(self) -> float:
        """What orders them."""
        return self.near + 0.2 * self.named + 0.1 * bool(self.firm)


def briefly(c: Candidate) -> bool:
    """Whether a text was answered, and the answer only takes note."""
    return bool(c.answer) and answered.only_notes(c.answer)


def likenesses(db: Database, c: Candidate, text: str) -> list[Likeness]:
    """Beliefs that the text may be about, the likeliest first."""
    stems = sorted(bag(text).union(bag(f"{c.context} {c.keywords}"), c.gone))
    turn = c.turn if c.answer and not briefly(c) else None
    lately = lineage.lately(db, turn, c.scope, 2 * LATELY) if turn is not None and c.kind != "procedure" else []
    # talk that announces nothing may change what was said on other days, by a value, or a moment ago
    idle = c.tentative and c.kind != "procedure" and not c.updates
    known: list[Known] = []
    counts, total = dict[str, int](), 0
    if not idle or c.heard or says_a_value(text):
        known, counts, total = lineage.alike(db, c.scope, stems, COMPARED, c.at - APART if idle else None)
        known = known if not idle or any(later(c, old) for old in known) else []
    elif lately:
        counts, total = lineage.counted(db, c.scope, stems)
    found = {old.id for old in known}
    known += [old for old, _ in lately if old.id not in found]
    if not known:
        return []
    ago = {old.id: turns for old, turns in lately}
    new = _read(c, text, known, counts, total)
    answers = lineage.answers(db, [old.id for old in known]) if turn is not None else {}
    answers = {id: answer for id, answer in answers.items() if not retold.alike(c.answer, answer)}
    held = {old.id: values(old.text) for old in known}
    carriers = Counter(kind for each in held.values() for kind in each)
    out = [
        _likeness(new, old, held[old.id], carriers, c.updates, ago.get(old.id), answers.get(old.id, ""))
        for old in known
    ]
    out = _pointed_at(new, out)
    return sorted(out, key=lambda like: (-like.score, -like.old.id))


def _pointed_at(new: _New, alike: list[Likeness]) -> list[Likeness]:
    """The same, where those that were answered know which of them the words of the new exchange point at."""
    told = [like for like in alike if like.answer]
    times = Counter(s for like in told for s in like.about)
    rare = {s: math.log((len(told) + 1) / times[s]) / math.log(len(told) + 1) for s in new.about & times.keys()}
    points = {like.old.id: min(MOST_POINTED, math.fsum(rare[s] for s in rare.keys() & like.about)) for like in told}
    most, matter = max(points.values(), default=0.0), max((like.matter for like in alike), default=0.0)
    return [
        replace(
            like, foremost=like.matter == matter > 0.0, pointed=points[like.old.id],
            singled=points[like.old.id] == most > 0.0,
        )
        if like.answer else like
        for like in alike
    ]  # fmt: skip


def later(c: Candidate, old: Known) -> bool:
    """Whether two statements, the later one no piece of a routine, are of different days."""
    return c.kind != "procedure" and c.at - old.when >= APART


@dataclass(frozen=True, slots=True)
class _New:
    """A new text: its stems, what it weighs, the values that it carries, what it names as given up.

    written: names it gives up, as they are written. things: those of several words. by: what of given_up a belief may
    hold by a word alone. set_apart: stems of what it is contrasted with. apart: values said to be past.
    """

    text: str
    said: frozenset[str]
    weights: dict[str, float]
    carried: Values
    given_up: Set[str]
    written: list[str]
    things: list[set[str]]
    by: frozenset[str]
    set_apart: list[set[str]]
    apart: Values
    about: frozenset[str]
    told: Values
    counts: dict[str, int]
    total: int


def _read(c: Candidate, text: str, known: list[Known], counts: dict[str, int], total: int) -> _New:
    plain, said = retired.with_code(text), bag(text)
    named = {s for s in retired.named(plain) | set(c.gone) if counts.get(s, 0) <= max(COMMON, total // 6)}
    given_up = named - UNITS.keys()
    names, phrases = retired.things(plain)
    if any(retired.holds(old.text, name) for old in known for name in names):
        by = given_up & (set(c.gone) | retired.taken_back(plain)).union(*phrases)
    else:
        by = given_up
    past = values(retired.told(plain)).items()
    settled = f"{text} {c.context} {c.answer[: lineage.READ]}"
    return _New(
        text=text, said=said, weights=_weights(said | set(c.gone), counts, total), carried=values(text),
        given_up=given_up, written=names, things=[each for each in phrases if len(each) > 1], by=frozenset(by),
        set_apart=[each - UNITS.keys() for each in retired.contrasted(plain)],
        apart={kind: held for kind, held in past if kind not in LOOSE and kind not in PLACES},
        about=_about(settled), told=values(settled),
        counts=counts, total=total,
    )  # fmt: skip


@lru_cache(maxsize=1_024)
def _about(text: str) -> frozenset[str]:
    """The words of a text with what was asked or answered that tell what it is about."""
    return frozenset(s for s in bag(text) - retired.VAGUE if tells(s) and not s.isdigit())


def _numbers(new: str, old: str) -> str:
    mine, theirs = numbers(new), numbers(old)
    return "" if not (mine and theirs) else "again" if mine & theirs else "other"


def _likeness(
    new: _New, old: Known, other: Values, carriers: Mapping[str, int], updates: bool, ago: int | None, answer: str
) -> Likeness:
    theirs = bag(old.text)
    near = cosine(new.weights, _weights(theirs, new.counts, new.total))
    retyped = frozenset(kind for kind in new.carried if kind in other and differ(kind, new.carried, other))
    beside = new.given_up & set(old.cues.split())
    if not beside and len((new.said & theirs) - retired.VAGUE - CHOOSING) < TELLING:
        retyped -= {"chosen"}  # choices about different matters
    both = {s for s in _alike(new.said, theirs) - retired.VAGUE if tells(s)} - _folders(new.text, old.text)
    shared, unique = len(both), sum(1 for s in both if new.counts.get(s, 0) <= 1)
    firm = retyped - LOOSE
    plainly = near >= (NAMED_PLAINLY if shared >= TELLING else NAMED_BY_ONE) or bool(firm)
    written = [bag(name) for name in new.written if retired.holds(old.text, name)]
    whole = [each for each in (*new.things, *written) if each & new.given_up and each <= theirs]
    by = new.by.union(*(new.given_up & each for each in written))
    names = {s for s in _held(by, theirs) if plainly or not thesaurus.ordinary(s)}
    if plainly or updates:
        names |= set().union(*(each for each in new.set_apart if each <= theirs))
    names -= CHOOSING | _forbidden(old.text)
    settled = f"{old.text} {old.context} {answer}"
    about, told = _about(settled), values(settled)
    past = shared > 0 and any(not apart.isdisjoint(other[kind]) for kind, apart in new.apart.items() if kind in other)
    gone = any(both - each for each in whole) or (past and any(not marks({s}) for s in both))
    return Likeness(
        old, near, bool(names) or past or len(beside) > ("chosen" not in retyped), gone, retyped, shared, unique,
        telling=math.fsum(rarity(new.counts.get(s, 0), new.total) for s in both),
        contrasted=any(len(other[kind]) == 1 and other[kind] < new.carried[kind] for kind in firm),
        moved=any(new.carried[of] == other[of] for of in (f"which of {kind}" for kind in retyped & PLACES)),
        alone=any(carriers[kind] == 1 for kind in retyped if kind == "time" or kind.startswith("amount of ")),
        parallel=_of_two(new.text, old.text),
        narrower=not updates and _narrower(new.text, old.text, bool(firm)),
        ago=ago, answer=answer, matter=len(new.about & about) / max(1, len(about)),
        retold=any(k in told and differ(k, new.told, told) for k in new.told.keys() - LOOSE - PLACES),
        number=_numbers(new.text, old.text), about=about,
    )  # fmt: skip


def _of_two(new: str, old: str) -> bool:
    """Whether both texts are one sentence, said of two things."""
    return parallel(new, old) or of_another(new, old)


def _narrower(new: str, old: str, firm: bool) -> bool:
    """Whether the new text gives another value for one case that the older one does not name. *firm*: the values are of
    one type."""
    one_case = narrows(new, old) or in_one_case(new, old) or of_a_kind(new, old)
    return one_case and (firm or _numbers(new, old) == "other")


@lru_cache(maxsize=1_024)
def _forbidden(text: str) -> frozenset[str]:
    """Stems of what a text rules out: to give it up is what the text asks for."""
    return frozenset().union(*(bag(thing) for thing in FORBIDS.findall(cues.plain(text))))


def _held(given_up: Set[str], theirs: Set[str]) -> Set[str]:
    """Which of the given-up names a belief holds, also by their beginning: "meili" for Meilisearch."""
    long = [s for s in given_up if len(s) >= ABBREVIATED]
    return (given_up & theirs) | {s for s in theirs for short in long if s.startswith(short)}


def _alike(mine: Set[str], theirs: Set[str]) -> Set[str]:
    """Stems that both texts have, one of them perhaps by its beginning: "meili" and "meilisearch"."""
    rest = [s for s in mine - theirs if len(s) >= ABBREVIATED and s.isalpha()]
    longer = (s for s in theirs - mine if len(s) > ABBREVIATED and s.isalpha())
    return (mine & theirs) | {s for s in longer if any(s.startswith(short) for short in rest)}


def _folders(one: str, other: str) -> Set[str]:
    """Stems that both texts hold only among the folders of their paths: what lies beside a thing is another one."""
    if "/" not in one or "/" not in other:
        return set()
    return bag(one) & bag(other) - bag(FOLDERS.sub(" ", one)) - bag(FOLDERS.sub(" ", other))


def _weights(stems: Iterable[str], counts: dict[str, int], total: int) -> dict[str, float]:
    return {s: rarity(counts.get(s, 0), total) for s in stems}
