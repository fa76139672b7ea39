"""Pieces of a routine that are told one by one, in few words, to an agent that only takes note: "when we cut a release,
bump the changelog first", on another day "and then tag it". The same words order something where the agent does it.
Words are data (data/sequence.toml); knows nothing of what is stored.
"""

from __future__ import annotations

from agentmemory.learn import answered, cues, tables, tongues
from agentmemory.learn.rated import VETOES, asks

TOLD = tables.Patterns(tables.read("sequence")["told"])
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


def noted(reply: str) -> bool:
    """Whether an answer takes note of a piece: "OK.", "OK, I'll do that first.", "Added to the release steps."."""
    if not answered.sort_of(reply)["reply notes"] or "?" in reply:
        return False
    promised = answered.will_do(reply) or cues.SHAPES["promised"].search(cues.plain(reply)) is not None
    return answered.only_notes(reply) or promised or TOLD["listed"].search(reply.lower()) is not None


def _said(text: str, plain: str) -> bool:
    return not asks(text) and not cues.marks(plain, PASSES)
