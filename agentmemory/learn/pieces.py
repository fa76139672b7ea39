"""Pieces of a routine that are told one by one, in few words, to an agent that only takes note: "when we cut a release,
bump the changelog first", on another day "and then tag it". The same words order something where the agent does it.
Words are data (data/sequence.toml); knows nothing of what is stored.
"""

from __future__ import annotations

import re
from collections.abc import Set

from agentmemory.learn import answered, cues, tables, tongues
from agentmemory.learn.rated import VETOES, asks
from agentmemory.learn.retired import VAGUE
from agentmemory.text import stems

TOLD = tables.Patterns(tables.read("sequence")["told"])
#: "new tenant: create the schema, seed it, run the smoke script", not "decided: it's the only one that, ..."
STEPS = re.compile(
    r":(?! (?:i|we|you|he|she|it|they|this|that|these|those|there)\b)(?: [^,:;]+[,;]){2}| first,? ", re.I
)
LONGEST = 160  # characters of such a sentence
PASSES = VETOES | {"question", "past", "joke"}  # marks of a sentence that is no piece


def opens(text: str) -> bool:
    """Whether a sentence opens a routine."""
    plain = cues.plain(text)
    return len(text) <= LONGEST and TOLD["opens"].search(plain) is not None and _said(text, plain)


def goes_on(text: str) -> bool:
    """Whether a turn goes on with a routine, if one was told before."""
    plain = cues.plain(text)
    found = TOLD["goes_on"].match(plain) if len(text) <= LONGEST else None
    if found is None or not _said(text, plain):
        return False
    return TOLD["tells"].match(found.group("rest")) is None or tongues.orders(text)


def lists(text: str) -> bool:
    """Whether a statement tells the steps of a routine, in one breath or as its opening."""
    return opens(text) or STEPS.search(text) is not None


def case(text: str) -> str | None:
    """What must have come up for a sentence to be done, if it may be a case of a routine that was told before."""
    plain = cues.plain(text)
    found = TOLD["case"].match(plain) if len(text) <= LONGEST else None
    if found is None or not _said(text, plain) or TOLD["moment"].search(plain):
        return None
    return found.group("case")


def of_it(case: str, told: Set[str], last: bool) -> bool:
    """Whether a case comes up in a routine in which these stems are *told*: it names something definite of it; or it
    points to what was said before, which that routine was (*last*)."""
    if TOLD["points"].match(case):
        return last
    return any(not (set(stems(m["thing"])) - VAGUE).isdisjoint(told) for m in TOLD["definite"].finditer(case))


def told(text: str, reply: str) -> str:
    """How a turn may go on with a routine, by its answer *reply*: as what comes next ("told"), or what is done in a
    "case"; "" for most turns."""
    took_note = noted(reply)
    if took_note and goes_on(text):
        return "told"
    return "case" if (took_note or TOLD["put_down"].match(reply.lower())) and case(text) is not None else ""


def noted(reply: str) -> bool:
    """Whether an answer takes note of a piece: "OK.", "OK, I'll do that first.", "Added to the release steps."."""
    if not answered.sort_of(reply)["reply notes"] or "?" in reply:
        return False
    promised = answered.will_do(reply) or cues.SHAPES["promised"].search(cues.plain(reply)) is not None
    return answered.only_notes(reply) or promised or TOLD["listed"].search(reply.lower()) is not None


def _said(text: str, plain: str) -> bool:
    return not asks(text) and not cues.marks(plain, PASSES)
