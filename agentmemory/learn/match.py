"""Which stored belief a new text repeats, and which it replaces.

Words, weighted by how rare they are among the beliefs, and the values they carry. Reads only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from rapidfuzz import fuzz

from agentmemory.learn import (
    clauses,
    cues,
    ended,
    excepted,
    exchanged,
    given,
    handed_on,
    matters,
    moved,
    renamed,
    retired,
    sittings,
    succession,
    takebacks,
)
from agentmemory.learn.compared import NAMED_PLAINLY, Likeness, briefly, later, likenesses
from agentmemory.learn.cues import SHAPES
from agentmemory.learn.likeness import bag
from agentmemory.learn.parallel import parallel
from agentmemory.learn.rated import asks
from agentmemory.learn.retired import VAGUE
from agentmemory.learn.spelled import AGREES, FEW
from agentmemory.learn.succession import LEAST
from agentmemory.learn.valued import marks, values
from agentmemory.store import lineage
from agentmemory.values import Candidate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmemory.store.rows import Database

SAME = 0.93  # token-sort similarity from which two texts are one statement,
AS_LONG = 0.86  # and how long the shorter of two such texts is at least, measured by the longer: SAME / (2 - SAME)
NAMED = 0.25  # likelihood (see succession) from which a belief gives way to a change that names what it gives up,
ANNOUNCED = 0.4  # to one that is only announced,
AMENDED, CLEARLY = 0.15, 2.0  # to a clause of a message that announces several, and how many times as likely as others;
TOLD_ANEW = 0.2  # to what has its words, but for another value, on another day,
ANSWERED = 0.65  # to what announces none, where it is known what was answered both times,
SURELY = 0.8  # and else, as in talk at work, of which no fit has learned: a wrong replacement hides what holds
IN_TALK = 0.7  # where talk of which nothing says that it lasts announces another value,
NOTED = 0.7  # to what is noted, by nobody's answer judged, and announces a change,
NOTED_SILENTLY = 0.85  # or announces none: most notes tell another aspect of what is known,
AT_ONCE = 0.5  # to what puts right what one of the user's last turns said,
AT_ONCE_IN_TALK = 0.6  # also where nothing says that it lasts
AMENDS = 0.05  # from which what no word marks is held for what it says of something known
MOST_REPLACED = 4
AGAIN = 0.02  # from which both are told on one line where both are shown
AGAIN_BRIEFLY = LEAST  # where the answer only took note, so that less is known,
AGAIN_AT_ONCE = 0.1  # for what one of the user's last turns said,
AGAIN_NOTED = 0.05  # for what is noted,
AGAIN_AT_WORK = 0.4  # and for what was said at work
STEPWISE = 0.45  # pieces of a procedure are alike and stand beside one another
NAMED_TOO = 0.3  # a further belief is replaced with the best when it is named too and at least so near to it
SPREAD = 0.7  # the same where it carries another value of the same type
LETTER = re.compile(r"(?<![\wÀ-ɏ'’])[a-z](?![\wÀ-ɏ'’])", re.ASCII)  # also in "環境Aは"


def same(db: Database, scope: int, text: str, context: str = "") -> int | None:
    """The live belief of this scope that says the same thing in nearly the same words; what says a word or a value only
    ("24"), of the same matter."""
    mine = bag(text)
    marked = marks(mine)
    near = lineage.as_long(db, scope, sorted(mine), sorted(marked), AS_LONG * len(text), len(text) / AS_LONG)
    for old in near if mine else lineage.verbatim(db, scope, text):
        alike = fuzz.token_sort_ratio(text.lower(), old.text.lower(), score_cutoff=100 * SAME) > 0
        if alike and marked == marks(set(old.terms.split())) and not _of_another(text, old.text):
            terse = len(text.split()) <= FEW or not mine - AGREES
            here, there = (bag(about) - mine - VAGUE for about in (context, old.context))
            if not (terse and here and there) or here & there:
                return old.id
    return None


def _of_another(one: str, other: str) -> bool:
    """Whether two texts carry different values of a type (another file, another host), or name things by different
    letters, which are no stems (team A, team B)."""
    a, b = values(one), values(other)
    c, d = (set(LETTER.findall(text.lower())) for text in (one, other))
    return any(kind in b and a[kind] != b[kind] for kind in a) or bool(c - d and d - c)


@dataclass(frozen=True, slots=True)
class Judged:
    """What a new text does to older beliefs. replaced: those it stands for, the likeliest first. again: those that it
    may speak of again, and may change without saying so, each with how likely that is (0 to 1). at_once: those of the
    same hour that a note may change; they share no line with it. ends: it gives up what a belief held that something
    else has replaced meanwhile."""

    replaced: tuple[int, ...] = ()
    again: Mapping[int, float] = field(default_factory=dict)
    at_once: Mapping[int, float] = field(default_factory=dict)
    ends: bool = False

    @property
    def speaks_of_known(self) -> bool:
        """Whether it is likely enough about something known."""
        return bool(self.replaced) or self.ends or any(likely >= AMENDS for likely in self.again.values())


def judged(db: Database, c: Candidate, text: str) -> Judged:
    """Live beliefs that the new text replaces or may change; most texts replace none."""
    if c.retracts:
        return Judged(takebacks.retracted(db, c, text))
    plain = cues.plain(text)
    withdrawn = takebacks.withdrawn(db, c, text, plain)
    if _passes(c) and not withdrawn:
        return Judged()
    alike, likely = _compared(db, c, text)
    old = _replaced(c, text, alike, likely)
    spared = {like.old.id for like in alike if _spares(c, like)}
    amends = c.updates and SHAPES["amends"].search(plain) is not None
    for one in clauses.apart(c) if alike else ():
        near, likelier = _compared(db, one, one.text)
        near = [like for like in near if like.old.id not in spared]
        met = [like for like in near if like.shared or like.named]
        changed = _replaced(one, one.text, met, likelier)
        if amends and not changed:
            changed = _amended(one, near, likelier)
        old += tuple(id for id in changed if id not in old)
        # a clause alone is slightly like much
        likely |= {id: max(likely[id], each) for id, each in likelier.items() if id in likely and each >= AMENDS}
    opens = _opens_routines(db, c, text, old)
    old = tuple(each for each in old if each not in opens)
    old += tuple(each for each in withdrawn if each not in old)
    left = [like for like in alike if like.old.id not in old]
    again = {like.old.id: _again(c, like, likely[like.old.id], bool(old)) for like in left}
    at_once = {like.old.id: _at_once(c, like, likely[like.old.id]) for like in left}
    ends = c.updates and not old and lineage.were_replaced(db, c.scope, sorted(retired.named(plain)))
    spoken, fresh = ({id: share for id, share in of.items() if share} for of in (again, at_once))
    return Judged(old, spoken, fresh, ends)


def _compared(db: Database, c: Candidate, text: str) -> tuple[list[Likeness], dict[int, float]]:
    """Older beliefs that a text may be about, and how likely it replaces each of them (0 to 1)."""
    alike = likenesses(db, c, text)
    nearest = enumerate(sorted(alike, key=lambda like: -like.near))
    likely = succession.likelihoods(db, c, text, [(rank, like) for rank, like in nearest if _open(c, like)])
    return alike, {like.old.id: likely.get(like.old.id, 0.0) for like in alike}


def _replaced(c: Candidate, text: str, alike: list[Likeness], likely: Mapping[int, float]) -> tuple[int, ...]:
    """The older beliefs that give way to a text, the likeliest first."""
    of_one, planned = c.updates and retired.tells_what(retired.with_code(text)), _planned(cues.plain(c.text))
    over = [like for like in alike if _over(c, like, 0.0 if planned else likely[like.old.id])]
    open_to = [like for like in alike if like not in over]
    firm = [like for like in open_to if _gives_way(c, like, likely[like.old.id], of_one, planned)]
    if not (firm or over or c.tentative or planned):
        firm = _for_its_answer(c, open_to, likely)
    firm = [like for like in firm if like.named or like.gone] if over else firm  # what it says to be over is its matter
    return tuple(like.old.id for like in (*over, *_with_the_best(firm, likely)))


def _over(c: Candidate, like: Likeness, likely: float) -> bool:
    """Whether a text takes away what the older belief chose: it has ended, it is otherwise after all, or, where that is
    likely enough, something else is chosen."""
    if like.old.locked or "procedure" in (c.kind, like.old.kind):
        return False
    if ended.ended(c.text, like.old.text) or ended.otherwise(c.text, like.old.text):
        return True
    told = likely >= TOLD_ANEW and not (c.at_work or c.tentative)
    return told and ended.rechosen(c.text, like.old.text)


def _for_its_answer(c: Candidate, alike: list[Likeness], likely: Mapping[int, float]) -> list[Likeness]:
    """Where nothing that shares a word with a text gives way to it, that which does for what was answered both times:
    "with that pump 75 is a swamp, zone max 60" after "45 is too short for the hedge. 75"."""
    known = [like for like in alike if like.answer and later(c, like.old) and _open(c, like) and not like.shared]
    best = max(known, key=lambda like: likely[like.old.id], default=None)
    if best is None or likely[best.old.id] < (SURELY if c.at_work else ANSWERED):
        return []
    bound = best.old.locked or best.old.kind == "procedure" or parallel(c.answer, best.answer)
    return [] if bound or _spares(c, best) else [best]


def _opens_routines(db: Database, c: Candidate, text: str, old: tuple[int, ...]) -> set[int]:
    """Of what would give way what opens a routine that goes on: to what announces a change it does, not to what tells
    of anything else, nor to the opening of another routine."""
    if not old or (c.updates and not sittings.first(text)):
        return set()
    return {earlier for earlier, _ in lineage.follows(db, old)}.intersection(old)


def _amended(c: Candidate, alike: list[Likeness], likely: Mapping[int, float]) -> tuple[int, ...]:
    """Of what a clause of a message that announces amendments speaks of, that which is by far the likeliest: something
    it changes."""
    open_to = [like.old.id for like in alike if _open(c, like) and not (_spares(c, like) or like.old.locked)]
    first, second, *_ = *sorted(open_to, key=lambda id: -likely[id]), 0, 0
    return (first,) if first and likely[first] >= max(AMENDED, CLEARLY * likely.get(second, 0.0)) else ()


def _passes(c: Candidate) -> bool:
    """Whether nothing becomes of a text for being like something known: talk at work of which nothing says it lasts."""
    return c.at_work and c.tentative and not (c.heard or c.sequel)


def _with_the_best(firm: list[Likeness], likely: Mapping[int, float]) -> list[Likeness]:
    """Of what gives way to a text the likeliest, and what goes with it; of what was said just before and is not named
    one alone."""
    fresh = [like for like in firm if like.ago is not None and not like.named]
    one = max(fresh, key=lambda like: likely.get(like.old.id, 0.0), default=None)
    firm = [like for like in firm if like not in fresh]
    best = firm[0] if firm else None
    return ([one] if one else []) + [
        like for like in firm[:MOST_REPLACED]
        if best is None or like is best or like.gone
        or (like.named and best.named and like.near >= NAMED_TOO * best.near)
        or (like.retyped & best.retyped and like.near >= SPREAD * best.near)
    ]  # fmt: skip


def _open(c: Candidate, like: Likeness) -> bool:
    """Whether how likely it is decides what becomes of the older belief; pieces of routines go by the rules."""
    told = not c.tentative or (c.updates and like.firm)
    lately = like.ago is not None
    return c.kind != "procedure" and bool(told or lately or (later(c, like.old) and not like.parallel))


def _gives_way(c: Candidate, like: Likeness, likely: float, of_one: bool, planned: bool) -> bool:
    """Whether the older belief is replaced. Talk of which nothing says that it lasts replaces what it announces another
    value of, or a change of what it surely speaks of; what it surely gives another value of, unannounced; or what was
    said a moment ago. *of_one*: the text says in full what it gives up, so that it announces a change of that alone.
    *planned*: it is yet to come."""
    if "procedure" in (c.kind, like.old.kind):
        return _stepwise(c, like)
    if planned or (like.old.locked and not like.named):
        return False
    announced = c.updates and not c.at_work
    anew = not c.at_work and like.old.kind != "rule" and later(c, like.old)
    if (announced or anew) and _exchanges(c.text) and any(_instead(c, each) for each in clauses.told(like.old.text)):
        return True
    if anew and given.in_few_words(c.text, like.old.text):
        return True
    if _spares(c, like):
        return False
    told = announced or (anew and likely >= TOLD_ANEW)
    if (told and given.anew(c.text, like.old.text)) or (anew and given.anew(_in_full(c), like.old.text)):
        return True
    if c.tentative:
        at_once = like.ago is not None and likely >= AT_ONCE_IN_TALK
        met = c.heard or like.firm or like.shared
        least = ANNOUNCED if c.heard else IN_TALK if like.firm else SURELY
        anew = (bool(like.firm) or c.heard) and likely >= SURELY and later(c, like.old)
        return not c.at_work and (at_once or anew or (c.updates and bool(met) and likely >= least))
    met = like.shared or like.named or (like.answer and like.retold) or like.ago is not None
    return bool(met) and likely >= _least(c, like, of_one)  # else of another matter, for all that was said


def _spares(c: Candidate, like: Likeness) -> bool:
    """Whether the older belief stays for what a text says: of a case, of another property, of another thing."""
    if excepted.excepted(c.text, like.old.text) or matters.other_property(c.text, like.old.text):
        return True
    return not like.named and _beside(c, like)


def _beside(c: Candidate, like: Likeness) -> bool:
    """Whether a text speaks of another thing than the older one, of one case of it, or names it as a reason only."""
    if like.parallel or like.narrower or given.only_a_reason(c.text, like.old.text):
        return True
    return matters.newcomer(c.text) or matters.another(c.text, like.old.text)


def _in_full(c: Candidate) -> str:
    """What the answer says in full of what a candidate says in few words: "payout has 4 replicas"; "" else."""
    return c.context if c.context in c.answer and not asks(c.context) else ""


def _planned(plain: str) -> bool:
    """Whether a text says that something is going to change, but has not yet."""
    return exchanged.planned(plain) or renamed.planned(plain)


@lru_cache(maxsize=64)
def _exchanges(text: str) -> bool:
    """Whether a text may say what `_instead` looks for, whatever the older one says."""
    plain = cues.plain(text)
    return any(of.read(plain) is not None for of in (exchanged, moved, renamed, handed_on))


def _instead(c: Candidate, old: str) -> bool:
    """Whether a text says what takes the place of what the older one names, or another name of it, or who does now what
    somebody else did."""
    exchange = exchanged.exchanged(c.text, old) or moved.moved(c.text, old, c.answer)
    return exchange or renamed.renamed(c.text, old, c.answer) or handed_on.handed_on(c.text, old)


def _least(c: Candidate, like: Likeness, of_one: bool) -> float:
    """The likelihood that a replacement takes, by what tells of a change."""
    if c.at_work:
        return SURELY
    if succession.noted(c, like):
        return NOTED if c.updates else NOTED_SILENTLY
    if c.updates and like.named:
        return NAMED
    if c.updates and not of_one:
        return ANNOUNCED
    if like.ago is not None:
        return AT_ONCE
    return ANSWERED if like.answer else SURELY


def _stepwise(c: Candidate, like: Likeness) -> bool:
    """Whether a step that announces a change stands in the place of another one, or of a statement that it names."""
    if c.kind != "procedure" or not c.updates or ((like.old.locked or like.parallel) and not like.named):
        return False
    return like.near >= STEPWISE if like.old.kind == "procedure" else like.named and like.near >= NAMED_PLAINLY


def _again(c: Candidate, like: Likeness, likely: float, replaces: bool) -> float:
    """How likely the text speaks, on a later day or a moment later, of what the older belief says; 0 where they may not
    share a line. *replaces*: the text replaces another one, so what is forbidden is not what it speaks of."""
    if like.parallel or (replaces and _bound(c, like)):
        return 0.0
    if like.ago is not None:
        return likely if likely >= AGAIN_AT_ONCE and not (c.tentative or c.at_work) else 0.0
    if not later(c, like.old):
        return 0.0
    return likely if likely >= _least_again(c, like) else 0.0


def _least_again(c: Candidate, like: Likeness) -> float:
    """From which likelihood on a text is told on one line with an older one, on a later day."""
    if c.at_work:
        return AGAIN_AT_WORK
    if succession.noted(c, like):
        return AGAIN_NOTED
    return AGAIN_BRIEFLY if briefly(c) else AGAIN


def _at_once(c: Candidate, like: Likeness, likely: float) -> float:
    """How likely a note changes what was noted within the hour; 0 where nobody is asked of it."""
    fresh = c.kind != "procedure" and not later(c, like.old) and succession.noted(c, like)
    return likely if fresh and likely >= lineage.ASKED else 0.0


def _bound(c: Candidate, like: Likeness) -> bool:
    """Whether the older one forbids something and the text is no rule: on the line of a fact it would read as past."""
    return like.old.kind == "rule" and c.kind != "rule" and succession.denies(like.old.text)
