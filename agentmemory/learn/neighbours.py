"""What the sentences of a turn say of one another: that it holds for all, is written down, is thrown away,
is meant as a joke."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from agentmemory.learn import cues, handed_on, retired
from agentmemory.learn.cues import SHAPES
from agentmemory.learn.passages import Sentence
from agentmemory.learn.rated import COLOURS, ENOUGH, SURE, VETOES, Rated, asks

TOLD = 1.2  # worth of being meant for the notes
ADAPTS = 0.6  # worth of what something is to be adapted to
ANNOUNCED = 1.0  # worth of coming after "two updates to what we settled"
GAP = " \n\t.,;:!()-–—"  # what may stand between two sentences that are one
ASKED_BACK = 12  # words of a question that only asks back
REACHED = 2  # sentences back of which one says that they are thrown away
LASTINGLY = frozenset(("prefer", "want", "from_now", "decided", "general", "each_time"))


def lend(before: Rated, r: Rated, says: bool) -> None:
    """What a sentence says of the one before it, or announces of the one after it, counts there.

    *says*: the one before says something of its own, it does not only point to another.
    """
    start = cues.start(r.plain)
    points = (SHAPES["points_back"].search(start) and r.marks & LASTINGLY) or SHAPES["is_now"].match(start)
    if points and says and not before.marks & VETOES and not before.idle:
        before.out, before.order = False, False
        before.score = max(before.score, ENOUGH)
        before.marks |= r.marks & LASTINGLY
    stands = not (before.out or before.order or before.idle or before.marks & set(cues.PASSING) - {"past"})
    if stands and SHAPES["noted"].search(r.plain):
        before.score += TOLD
    if stands and SHAPES["adapts"].search(r.plain):
        before.score += ADAPTS
        before.marks.add("update")
    if SHAPES["announces"].search(before.plain) and not r.out and not r.order:
        r.score += ANNOUNCED
        r.marks.add("update")


def asks_back(rated: Sequence[Rated]) -> bool:
    """Whether a turn begins with a question to the agent about what it did, and says at once how it is done: "a default
    export? not in this repo"."""
    if len(rated) < 2 or not asks(rated[0].said.text) or asks(rated[1].said.text) or rated[1].order or rated[1].idle:
        return False
    question, answer = rated[0].plain, rated[1].plain
    found = SHAPES["asks_back"].match(question) if len(question.split()) <= ASKED_BACK else None
    if found is None or not found["names"]:
        return found is not None
    return bool(SHAPES["finds_fault"].search(question) or SHAPES["says_no"].search(answer))


def consent(rated: Sequence[Rated]) -> None:
    """What somebody else wants is settled where one agrees to it at once: "Kofi prefers rebase. Fine with me"."""
    for before, r in (*zip(rated, rated, strict=True), *pairwise(rated)):
        agreed = SHAPES["consents"].search(r.plain) and SHAPES["wished"].match(before.plain)
        if agreed and not (asks(before.said.text) or asks(r.said.text) or before.marks & COLOURS):
            before.marks -= {"reported", "ask"}
            before.marks |= {"decided"}
            before.out, before.order, before.score = False, False, max(before.score, SURE)


def reject(rated: Sequence[Rated]) -> None:
    """What is quoted from a page or a file that the same sentence or a later one throws away is not to be kept."""
    for i, r in enumerate(rated):
        if SHAPES["rejects"].search(r.plain):
            for other in rated[max(0, i - REACHED) : i + 1]:
                other.out = other.out or ("qqq" in other.plain and bool(SHAPES["document"].search(other.plain)))


def colour(rated: Sequence[Rated]) -> None:
    """What colours a thought (a joke, a doubt, an if) colours the clauses around it."""
    for i, r in enumerate(rated):
        if r.marks & COLOURS:
            for other in rated[max(0, i - 1) : i + 2]:
                same = other.said.whole == r.said.whole and other.score < SURE
                other.out = other.out or same or (other is not r and bool(SHAPES["reason"].match(other.plain)))


def dismiss(rated: Sequence[Rated], i: int) -> None:
    """Sentence i says to pay no heed to what it names, or to the document or the hearsay right before it."""
    r = rated[i]
    r.out = r.out or "reported" in r.marks
    for other in rated[:i]:
        told = bool(SHAPES["document"].search(other.plain) or "reported" in other.marks)
        near = other is rated[i - 1] and told
        r.out = r.out or near
        other.out = other.out or near or other.said.whole == r.said.whole


def with_what_holds(said: Sequence[Sentence], text: str) -> list[Sentence]:
    """Sentences, where one that takes back what was said before is one with the next, which says what holds: "The port
    I gave you was wrong. It's 9443", "Kofi left. Yara does crs", and first of all "Scratch that. It runs at 04:00"."""
    out: list[Sentence] = []
    for s in said:
        last = out[-1] if out else None
        if last and not text[last.end : s.start].strip(GAP):
            both = text[last.start : s.end]
            if _holds_now(cues.plain(last.text), both, len(out) == 1):
                out[-1] = replace(last, text=both, end=s.end)
                continue
        out.append(s)
    return out


def _holds_now(before: str, both: str, first: bool) -> bool:
    """Whether two sentences, not the plain one *before* alone, take something back and say what holds instead, or say
    who is gone and who does now what that one did."""
    if first and not retired.withdraws(before) and retired.withdraws(cues.plain(both)):
        return True
    if handed_on.leaves(before) and not handed_on.told(before):
        return handed_on.told(cues.plain(both)) and not asks(both)
    return retired.leaves_open(before) and retired.told_wrong(cues.plain(both)) is not None and not asks(both)
