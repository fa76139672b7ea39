"""Which stored belief a new text repeats, which it replaces, and which it takes back.

Words, weighted by how rare they are among the beliefs, and the values they carry. Reads only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rapidfuzz import fuzz

from agentmemory.learn import cues, retired, righted, succession
from agentmemory.learn.compared import NAMED_PLAINLY, PLACES, TELLING, Likeness, later, likenesses
from agentmemory.learn.likeness import bag
from agentmemory.learn.retired import VAGUE
from agentmemory.learn.righted import COMPARED, TAKEN_BACK
from agentmemory.learn.spelled import AGREES, FEW
from agentmemory.learn.succession import ADDS, LEAST
from agentmemory.learn.valued import marks, values
from agentmemory.store import lineage
from agentmemory.values import Candidate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmemory.store.lineage import Known
    from agentmemory.store.rows import Database

SAME = 0.93  # token-sort similarity from which two texts are one statement,
AS_LONG = 0.86  # and how long the shorter of two such texts is at least, measured by the longer: SAME / (2 - SAME)
NAMED = 0.02  # likeness that an older belief needs when what it holds is named as given up
RETYPED = 0.07  # when a change is announced and another value of the same type is given,
RETYPED_FAR = 0.055  # the same with two telling words in common
RETYPED_ALONE = 0.025  # the same where no other belief carries such a value
ANNOUNCED = 0.22  # when a change is announced
ANNOUNCED_FAR = 0.13  # the same with two telling words in common, unless it only adds
AGREED = 0.16  # likelihood (see succession) from which a belief gives way where the rules say so too
IN_TALK = 0.7  # the same where talk announces another value
SURELY = 0.8  # from which it does so whatever they say,
ANSWERED = 0.65  # the same where it is known what was answered both times,
AT_ONCE = 0.5  # or where one of the user's last turns said the older one,
AT_ONCE_IN_TALK = 0.6  # and for talk of which nothing says that it lasts
AMENDS = 0.05  # from which what no word marks is held for what it says of something known
MOST_REPLACED = 4
RULED = 0.5  # likelihood that what only the rules say counts for
AGAIN = LEAST  # from which both are told on one line where both are shown
AGAIN_OF_A_RULE = 0.12  # the same for a rule under what is none
AGAIN_AT_ONCE = 0.1  # the same for what one of the user's last turns said,
AGAIN_AT_WORK = 0.4  # and for what was said at work
BOTH_NAMED = 0.06  # when the older value and another of its type stand in the text
UNANNOUNCED_NEAR = 0.16  # without a word of change: more than two telling words in common and another value
UNANNOUNCED = 0.35  # without a word of change: the same subject with another value
STEPWISE = 0.45  # pieces of a procedure are alike and stand beside one another
NAMED_TOO = 0.3  # a further belief is replaced with the best when it is named too and at least so near to it
SPREAD = 0.7  # the same where it carries another value of the same type
NEVER = (0.0, 0.0)  # of the likelihoods of one who is not asked


def same(db: Database, scope: int, text: str, context: str = "") -> int | None:
    """The live belief of this scope that says the same thing in nearly the same words; what says a word or a value only
    ("24"), of the same matter."""
    mine = bag(text)
    marked = marks(mine)
    for old in lineage.as_long(db, scope, sorted(mine), sorted(marked), AS_LONG * len(text), len(text) / AS_LONG):
        alike = fuzz.token_sort_ratio(text.lower(), old.text.lower(), score_cutoff=100 * SAME) > 0
        if alike and marked == marks(set(old.terms.split())) and not _other_value(text, old.text):
            terse = len(text.split()) <= FEW or not mine - AGREES
            here, there = (bag(about) - mine - VAGUE for about in (context, old.context))
            if not (terse and here and there) or here & there:
                return old.id
    return None


def _other_value(one: str, other: str) -> bool:
    """Whether two texts carry different values of a type: another file, another host."""
    a, b = values(one), values(other)
    return any(kind in b and a[kind] != b[kind] for kind in a)


@dataclass(frozen=True, slots=True)
class Judged:
    """What a new text does to older beliefs. replaced: those it stands for, the likeliest first. again: those that it
    may speak of again, and may change without saying so, each with how likely that is (0 to 1). ends: it gives up what
    a belief held that something else has replaced meanwhile."""

    replaced: tuple[int, ...] = ()
    again: Mapping[int, float] = field(default_factory=dict)
    ends: bool = False

    @property
    def speaks_of_known(self) -> bool:
        """Whether it is likely enough about something known."""
        return bool(self.replaced) or self.ends or any(likely >= AMENDS for likely in self.again.values())


def judged(db: Database, c: Candidate, text: str) -> Judged:
    """Live beliefs that the new text replaces or may change; most texts replace none."""
    if c.retracts:
        return Judged(taken_back(db, c, text))
    plain = cues.plain(text)
    withdrawn = _withdrawn(db, c, text, plain)
    if _passes(c) and not withdrawn:
        return Judged()
    alike = likenesses(db, c, text)
    adds = bool(ADDS.search(plain))
    of_else = adds or (c.updates and retired.tells_what(retired.with_code(text)))
    ruled = {like.old.id for like in alike if _replaces(c, like, adds, of_else)}
    nearest = enumerate(sorted(alike, key=lambda like: -like.near))
    likely = succession.likelihoods(db, c, text, [(rank, like) for rank, like in nearest if _open(c, like)])
    spared = _spared(text, alike)
    firm = [
        like for like in alike
        if like.old.id not in spared and _gives_way(c, like, likely.get(like.old.id, NEVER)[0], like.old.id in ruled)
    ]  # fmt: skip
    replaced = _with_the_best(firm, likely)
    old = tuple(like.old.id for like in replaced)
    old += _reasons(db, c, text, [like.old for like in replaced]) if replaced else ()
    old += tuple(each for each in withdrawn if each not in old)
    left = [like for like in alike if like.old.id not in old]
    again = {
        like.old.id: _again(c, like, likely.get(like.old.id, NEVER)[1], like.old.id in ruled, bool(old))
        for like in left
    }
    ends = c.updates and not old and lineage.were_replaced(db, c.scope, sorted(retired.named(plain)))
    return Judged(old, {id: spoken for id, spoken in again.items() if spoken}, ends)


def _passes(c: Candidate) -> bool:
    """Whether nothing becomes of a text for being like something known: talk at work of which nothing says it lasts."""
    return c.at_work and c.tentative and not (c.heard or c.sequel)


def _withdrawn(db: Database, c: Candidate, text: str, plain: str) -> tuple[int, ...]:
    """What was told before and the text says to hold no longer, or to have been wrong."""
    if about := retired.taken_back(plain) if c.updates else set():
        return _said_about(db, c, about)
    return taken_back(db, c, text) if retired.withdraws(plain) else righted.put_right(db, c, text)


def _spared(text: str, alike: list[Likeness]) -> set[int]:
    """What stays because the text says what it gives up, which is something else: a port that is named takes along
    neither the checks of that service nor another one's port."""
    if not any(like.gone for like in alike):
        return set()
    types = values(retired.told(retired.with_code(text))).keys()
    return {like.old.id for like in alike if not like.named and not like.firm - PLACES - types}


def _with_the_best(firm: list[Likeness], likely: Mapping[int, tuple[float, float]]) -> list[Likeness]:
    """Of what gives way to a text the likeliest, and what goes with it; of what was said just before and is not named
    one alone."""
    fresh = [like for like in firm if like.ago is not None and not like.named]
    one = max(fresh, key=lambda like: likely.get(like.old.id, NEVER), default=None)
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


def _gives_way(c: Candidate, like: Likeness, likely: float, ruled: bool) -> bool:
    """Whether the older belief is replaced: both the rules and the likelihood say so, or the likelihood is sure; the
    likelihood has learned from talk that tells, so that it is not enough at work. Talk of which nothing says that it
    lasts replaces a value only, by another one that it announces."""
    if "procedure" in (c.kind, like.old.kind):
        return ruled
    if (like.old.locked or like.parallel) and not like.named:
        return False
    if like.ago is not None and likely >= (AT_ONCE_IN_TALK if c.tentative else AT_ONCE) and not c.at_work:
        return True
    if c.tentative:
        return c.updates and ruled and not c.at_work and bool(like.firm) and likely >= IN_TALK
    post = any(kind.startswith("role of ") for kind in like.retyped)  # whoever holds it now, nobody else does
    instead = like.named and c.updates and "chosen" in like.retyped
    met = like.shared or like.named or (like.answer and like.retold)
    if not (met or post):  # of another matter, for all that was said
        return False
    sure = likely >= (ANSWERED if like.answer else SURELY) and not c.at_work
    return sure or (ruled and (post or instead or like.gone or likely >= AGREED))


def _again(c: Candidate, like: Likeness, likely: float, ruled: bool, replaces: bool) -> float:
    """How likely the text speaks, on a later day or a moment later, of what the older belief says; 0 where they may not
    share a line. *replaces*: the text replaces another one, so what is forbidden is not what it speaks of."""
    bound = _bound(c, like)
    if like.parallel or (bound and replaces and succession.denies(like.old.text)):
        return 0.0
    if like.ago is not None:
        return likely if likely >= AGAIN_AT_ONCE and not (c.tentative or c.at_work) else 0.0
    if not later(c, like.old):
        return 0.0
    spoken = likely if bound else max(likely, RULED * ruled)
    least = AGAIN_AT_WORK if c.at_work else AGAIN_OF_A_RULE if bound else AGAIN
    return spoken if spoken >= least else 0.0


def _bound(c: Candidate, like: Likeness) -> bool:
    """Whether the older one is a plain rule and the text is none: on the line of a fact a rule would read as past."""
    return like.old.kind == "rule" and c.kind != "rule" and succession.commands(like.old.text)


def _reasons(db: Database, c: Candidate, text: str, old: list[Known]) -> tuple[int, ...]:
    """What the same turn said of the old value ("since 2500 it takes too long"): with the value it is past."""
    if c.turn is None:
        return ()
    past = {mark for each in old for mark in marks(set(each.terms.split()))} - marks(bag(text))
    known = {each.id for each in old}
    said = (each for each in lineage.said_in(db, c.turn) if each.id not in known)
    return tuple(each.id for each in said if past & set(each.terms.split()))


def _replaces(c: Candidate, like: Likeness, adds: bool, of_else: bool) -> bool:
    """Whether the text stands in the older belief's place; *adds*: it says that it comes on top of something;
    *of_else*: so, or it says what it gives up, which a belief that is not named does not hold."""
    if (like.old.locked or like.parallel) and not like.named:
        return False
    if (c.kind == "procedure") != (like.old.kind == "procedure"):  # a step may give up what a plain statement says
        return c.kind == "procedure" and c.updates and like.named and like.near >= NAMED_PLAINLY
    if c.kind == "procedure":
        return c.updates and like.near >= STEPWISE
    if like.named and c.updates and (like.near >= NAMED or "chosen" in like.retyped):
        return True
    role = like.near >= NAMED and any(kind.startswith("role of ") for kind in like.retyped)
    if role and (c.updates or cues.FLAGS["from_now"].search(cues.plain(c.text))):
        return True
    telling = len(like.firm)
    if c.updates and telling:
        if like.alone and like.shared:
            return like.near >= (RETYPED_ALONE if like.shared >= TELLING else 2 * RETYPED_ALONE)
        return like.near >= (RETYPED_FAR if like.shared > 1 or telling > 1 else RETYPED)
    if like.moved and like.near >= NAMED_PLAINLY:
        return True
    if c.updates:
        return not of_else and like.near >= (ANNOUNCED_FAR if like.shared > 1 else ANNOUNCED)
    if telling and like.shared > TELLING and not adds and like.near >= UNANNOUNCED_NEAR:
        return True
    return (like.near >= UNANNOUNCED and bool(like.retyped)) or (
        like.near >= BOTH_NAMED and like.contrasted and like.shared > 1
    )


def taken_back(db: Database, c: Candidate, text: str) -> tuple[int, ...]:
    """What was said before and is taken back: what the retraction names ("what I said about the linter"), and nothing
    where there is no such thing; else of the user's last turn what shares most words with all of this one, or when that
    turn taught nothing, what the retraction itself names.
    """
    if about := retired.taken_back(cues.plain(text)):
        return _said_about(db, c, about)
    if given_up := dropped(db, c, text):
        return given_up
    if c.turn is None:
        found = likenesses(db, c, text)
        return (found[0].old.id,) if found and found[0].near >= ANNOUNCED else ()
    recent = lineage.said_before(db, c.turn, TAKEN_BACK)
    last = [old for old in recent if old.when == 0]
    mine = bag(f"{text} {c.context}" if last else text) - retired.VAGUE
    shared = [(len(mine & set(old.terms.split())), old.id) for old in last or recent]
    most, id = max(shared, default=(0, 0))
    return (id,) if last or most >= TELLING else ()


def dropped(db: Database, c: Candidate, text: str) -> tuple[int, ...]:
    """What the user's last turn taught and the text gives up by name: "forget the pills, please"."""
    about = retired.dropped(cues.plain(text))
    if not about or c.turn is None:
        return ()
    recent = lineage.said_before(db, c.turn, TAKEN_BACK)
    return tuple(old.id for old in recent if old.when == 0 and about <= set(old.terms.split()))


def _said_about(db: Database, c: Candidate, about: set[str]) -> tuple[int, ...]:
    """What was said last with all of these stems in its own words."""
    known, _, _ = lineage.alike(db, c.scope, sorted(about), COMPARED)
    said = [old for old in known if about <= set(old.terms.split())]
    return (max(said, key=lambda old: (old.when, old.id)).id,) if said else ()
