"""From which likelihood on a sentence stands, by how its turn was answered; what the answer makes of the sentences of a
short turn. Knows nothing of how likely they are.
"""

from __future__ import annotations

from typing import NamedTuple

from agentmemory.learn import cues
from agentmemory.learn.cues import SHAPES
from agentmemory.learn.groups import length
from agentmemory.learn.rated import VETOES, Rated, asks
from agentmemory.learn.spelled import LONGEST


class Lines(NamedTuple):
    """Likelihoods (see lasting) from which a sentence stands; stands where it says plainly that it lasts; belongs to
    the one beside it that stands; may last all the same."""

    stands: float
    plainly: float
    beside: float
    heard: float


IN_TALK = Lines(0.22, 0.07, 0.05, 0.07)
NOTED = Lines(0.35, 0.07, 0.07, 0.22)  # where the answer only takes note, or undoes something,
BRIEFLY = Lines(0.25, 0.07, 0.07, 0.15)  # or tells next to nothing of what was done
ASSENTED = 0.3  # from which an answer to a proposal stands: tasks are assented to in the same words
AT_WORK = Lines(0.4, 0.3, 0.2, 0.2)
MOMENT = frozenset(cues.PASSING) | {"now"}
PROMISED = Lines(0.05, 0.05, 0.03, 0.03)  # where the answer says that it will be kept to


def settle(rated: list[Rated], likelihoods: list[float], lines: Lines, full: str) -> None:
    """Of a short turn mark the sentences that may settle something, however few their words; *full* says what."""
    tell(rated, full)
    agrees = all(r.idle and not r.out for r in rated)  # "yep, sure"
    for r, likely in zip(rated, likelihoods, strict=True):
        if likely >= lines.heard and not asks(r.said.text) and (agrees or not r.idle):
            r.settles = True
            if likely >= lines.stands:
                r.spelled = full or r.spelled
            r.idle = r.idle and likely < lines.stands


def tell(rated: list[Rated], full: str) -> None:
    """What a short turn settles (*full*), to its sentences where these are few words: it says more than they do."""
    if sum(length(r) for r in rated) <= LONGEST:
        for r in rated:
            r.spelled = full or r.spelled


def chosen(rated: list[Rated], likelihoods: list[float], lines: Lines) -> list[float]:
    """The likelihoods of the sentences of a turn that answers questions of the agent's client. What was put to the user
    as a choice lasts where it may at all, if neither the question nor the answer speaks of the moment."""
    out, asked = list(likelihoods), None
    for i, r in enumerate(rated):
        if asks(r.said.text):
            asked = r
        elif asked and likelihoods[i] >= lines.heard and not (r.order or (asked.marks | r.marks) & MOMENT):
            out[i] = max(out[i], lines.stands)
    return out


def scale(rated: list[Rated], likelihoods: list[float], lines: Lines, full: str) -> list[float]:
    """The likelihoods of sentences, raised where one says how much more or less something becomes, and the answer how
    much that is (*full*)."""
    out = list(likelihoods)
    for i, r in enumerate(rated):
        if full and SHAPES["scales"].search(r.plain) and not r.marks & VETOES:
            r.settles, r.spelled, out[i] = True, r.spelled or full, max(out[i], lines.stands)
    return out
