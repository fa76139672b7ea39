"""What a turn takes back: what it has said itself, what was said before, or what it names; and what stays of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby, pairwise

from agentmemory.learn import answered, cues, named, retired, topics
from agentmemory.learn.cues import SHAPES
from agentmemory.learn.groups import PLAINLY, length, valued
from agentmemory.learn.kept import FIRM
from agentmemory.learn.likeness import bag
from agentmemory.learn.passages import Sentence
from agentmemory.learn.rated import COLOURS, VETOES, Rated, Reading, asks
from agentmemory.learn.stated import retraction
from agentmemory.learn.valued import values
from agentmemory.text import words
from agentmemory.values import Candidate, Utterance

UNMEANT = VETOES - {"one_off", "retraction"}  # marks of a sentence that takes nothing back by its name
RULES = frozenset(("never", "dont", "no_x", "must", "from_now", "each_time", "decided", "update"))  # of what holds
READ = 300  # characters of an answer that are read for what it is of
THE = re.compile(r"\b(?:the|our|my) ([\w-]+(?: [\w-]+)?)")  # something definite
ECHO = 2  # words of a question that only repeats what was answered: "6%?"


def first(rated: list[Rated], spans: Sequence[tuple[int, int]]) -> int | None:
    """The first sentence that takes something back; what thinks better of what stands before it does. *spans*: where
    something is pasted in the turn."""
    for r in rated[1:]:
        if "reconsidered" in r.marks:
            r.marks.add("retraction")
            r.out = True
    return next((i for i, r in enumerate(rated) if "retraction" in r.marks and not _elsewhere(rated, i, spans)), None)


def without(
    found: Reading, groups: list[list[int]], said: Utterance, before: Sequence[tuple[str, str]], reply: str
) -> tuple[list[list[int]], list[Candidate]]:
    """The statements of a turn without those that it takes back itself, and the retraction of what was said before, if
    it is one. *before*: the turns that went before; *reply*: what the assistant answered."""
    rated, back = found.rated, found.back
    if (pointed := _at_once(rated, before, reply)) is not None:
        r = rated[pointed]
        if r.marks.isdisjoint(RULES):  # else it says as well how it is to be
            groups = [group for group in groups if pointed not in group]
        if not any(pointed in group for group in groups):
            r.out = True
            r.marks.add("retraction")
        return groups, [retraction(r.said, r.said, said, reply, pointed=True)]
    if back is not None:
        groups, older = _taken_back(rated, groups, back, before, reply)
        return groups, [retraction(rated[back].said, rated[back].said, said, reply)] if older else []
    if said.worked is None and any(SHAPES["agents_deed"].search(r.plain) for r in rated):
        return groups, []  # of what the agent did, before there was a word of it
    undone = _undone(rated, before, reply)
    if undone is not None and (not groups or (undone == 0 and length(rated[0]) < PLAINLY)):
        return groups, [retraction(rated[undone].said, rated[undone].said, said, reply)]
    if (by_name := _by_name(rated, said.text)) is not None:
        return groups, [retraction(*by_name, said, reply, named=True)]
    return groups, []


def _taken_back(
    rated: list[Rated], groups: list[list[int]], back: int, before: Sequence[tuple[str, str]], reply: str
) -> tuple[list[list[int]], bool]:
    """The statements that are left where sentence *back* takes something back, and whether that was said before; it was
    where the agent answers that it has undone what it did ("double payment is worse. Ignore what I said")."""
    for r in rated[:back]:  # "forget the landscape. Back to how it was"
        r.idle = r.idle or bool(retired.dropped(r.plain))
    groups = [group for group in groups if not all(rated[i].idle for i in group)]
    if not valued(rated[back]):  # "no, forget it" is no part of what it takes back
        groups = [group[:-1] or group if group[-1] == back else group for group in groups]
    here = [group for group in groups if group[-1] < back] or [[i] for i in range(back) if _plain(rated[i])]
    if here and not (topics.answers(before) and answered.undone(reply)):  # it takes back what the same turn just said
        return _left(rated, groups, here[-1], back), False
    own = any(map(_withdrawable, rated[:back])) and not retired.taken_back(rated[back].plain)
    if own or _declines(rated[back], before):
        return groups, False
    for r in rated[:back]:  # "you can't read it in the sun": the reason
        r.idle = r.idle or bool(retired.POINTS.search(r.plain))
    return groups, True


def _left(rated: list[Rated], groups: list[list[int]], gone: list[int], back: int) -> list[list[int]]:
    """The statements without *gone*, which sentence *back* takes back; where that says at once what holds instead,
    both are one statement."""
    anew = _anew(rated, gone[-1], back)
    left = [group for group in groups if group != gone and anew.isdisjoint(group)]
    if anew:
        return sorted([*left, sorted({*gone, *anew})])
    for i in gone:
        rated[i].out = True
        rated[i].marks.add("retraction")
    return left


def _anew(rated: list[Rated], gone: int, back: int) -> set[int]:
    """The sentences right behind sentence *gone* that take it back and say at once what holds: "scratch that, it's
    9444"; none where they do not."""
    if gone != back - 1:
        return set()
    carried = values(rated[gone].said.text).keys()
    if retired.withdraws(rated[back].plain):  # "scratch that, we use nats", not "scratch that, the log has it"
        one, other = rated[gone].said.text, rated[back].said.text
        return {back} if carried & values(other).keys() or _pairs(one) & _pairs(other) else set()
    for last, r in enumerate(rated[back : back + 2], back):
        if not (asks(r.said.text) or carried.isdisjoint(values(r.said.text))):
            return {back, last}
    return set()


def _pairs(text: str) -> set[tuple[str, str]]:
    """Words of a text that stand side by side."""
    return set(pairwise(words(text)))


def _elsewhere(rated: list[Rated], i: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether "forget it" speaks of something else than of what was said before: of a quotation just above it, of what
    the same turn only proposed; or whether it only asks ("same as before?")."""
    last = rated[i - 1].said.end if i else 0
    quoted = any(last <= start and end <= rated[i].said.start for start, end in spans)
    return quoted or asks(rated[i].said.text) or any(_proposes(r) and not r.marks & FIRM for r in rated[:i])


def _at_once(rated: list[Rated], before: Sequence[tuple[str, str]], reply: str) -> int | None:
    """The sentence by which the user has undone what the last answer says to have been done, where the answer says that
    it is: "Get rid of it.", "Removed from the settings."."""
    if not (topics.answers(before) and answered.undone_again(reply)) or topics.asked(last := before[-1][1]):
        return None
    if answered.undone(last) or any(SHAPES["agents_deed"].search(r.plain) for r in rated):
        return None
    shapes = [SHAPES["undoes_that"]]
    if answered.sort_of(last)["reply acts"] and any(SHAPES["thinks_better"].search(r.plain) for r in rated):
        shapes.append(SHAPES["does_away"])
    asked = before[-2][1] if len(before) > 1 else ""
    spoken = _about(last, asked)
    if answered.undone(reply) or _about(reply, *(r.said.text for r in rated)) & spoken:
        shapes.append(SHAPES["goes_back"])
    said = [i for i, r in enumerate(rated) if any(shape.search(r.plain) for shape in shapes)]
    if answered.undone(reply):
        said += [i for i, r in enumerate(rated) if _named(r.plain) & bag(asked)]
    at = next((i for i in said if not (asks(rated[i].said.text) or _of_another(rated[i].plain, spoken))), None)
    put_right = any(r.marks & RULES and not r.out for i, r in enumerate(rated) if i != at)
    return None if put_right else at


def _of_another(plain: str, spoken: frozenset[str]) -> bool:
    """Whether a plain sentence names what it undoes, and that is nothing of what was *spoken* of."""
    undone = retired.undone(plain) & bag(" ".join(THE.findall(plain)))
    return bool(undone) and undone.isdisjoint(spoken)


def _named(plain: str) -> frozenset[str]:
    """Stems of what a plain sentence says by its name to be undone: "please disregard the crest"."""
    found = SHAPES["undoes_named"].search(plain)
    return bag(found[1]) - retired.VAGUE if found else frozenset()


def _about(answer: str, *turn: str) -> frozenset[str]:
    """Stems that tell what an exchange is of."""
    return bag(" ".join([answer[:READ], *turn])) - retired.VAGUE


def _undone(rated: list[Rated], before: Sequence[tuple[str, str]], reply: str) -> int | None:
    """The sentence by which the user has undone what was just done, where the answer begins with its being undone:
    "hm, both is too much. We stay as we are", "Reverted."."""
    if not (topics.answers(before) and answered.undone(reply)):
        return None
    return next((i for i, r in enumerate(rated) if SHAPES["undoes"].search(r.plain) and not asks(r.said.text)), None)


def _by_name(rated: list[Rated], text: str) -> tuple[Sentence, Sentence] | None:
    """The first and the last clause of a sentence that says by its name what is undone or taken back."""
    for _, run in groupby(rated, key=lambda r: r.said.whole):
        clauses = list(run)
        first, last = clauses[0].said, clauses[-1].said
        other = any(r.marks & UNMEANT or retired.put_anew(r.plain) for r in clauses)
        if not other and named.undoings(text[first.start : last.end]):
            return first, last
    return None


def _declines(r: Rated, before: Sequence[tuple[str, str]]) -> bool:
    """Whether a sentence says no to what the assistant just asked: "Shall I delete the folder?" - "no, forget it"."""
    return SHAPES["declines"].match(r.plain) is not None and topics.answers(before) and topics.asked(before[-1][1])


def _withdrawable(r: Rated) -> bool:
    """Whether a sentence is an order, a thought or a question of one's own, rather than the reason for taking back what
    was said before."""
    wonders = asks(r.said.text) and length(r) > ECHO
    return not r.idle and (r.order or "plan" in r.marks or bool(r.marks & COLOURS) or wonders)


def _plain(r: Rated) -> bool:
    """Whether a sentence states something by itself, and nothing of the moment."""
    said = not (r.out or r.idle) and length(r) >= PLAINLY and r.marks.isdisjoint(cues.PASSING) and bool(r.marks)
    return said and not retired.POINTS.search(r.plain)


def _proposes(r: Rated) -> bool:
    """Whether a sentence asks for something, or whether it should be so."""
    return length(r) >= PLAINLY and bool(r.marks & {"ask", "question"} or SHAPES["proposes"].match(cues.start(r.plain)))
