"""Pieces of a routine that are told one right after another, turn by turn: "onboarding a rider: step 1, the photo goes
into the vault", and with the next turns "step 2 ...", "third: ...". By which step the words say it is and by what the
turns before told, whatever else they share. Words are data (data/sequence.toml).
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from agentmemory.learn import cues, sequels, tables
from agentmemory.learn.ordinals import NUMBERS, closes
from agentmemory.learn.rated import asks
from agentmemory.learn.retired import VAGUE
from agentmemory.store import lineage
from agentmemory.store.beliefs import DERIVED
from agentmemory.text import content, stem, words

if TYPE_CHECKING:
    from agentmemory.store.lineage import Known
    from agentmemory.store.rows import Database
    from agentmemory.values import Candidate

SITTING = tables.Patterns(tables.read("sequence")["sitting"])
TURNS = 6  # before this one, in which the piece before was told: three of the user's, as many answers
SAYS = 2  # words of content behind its mark with which a statement tells what is done first
NAME_WORDS = 5  # of what is named before the first step
ITEM = re.compile(r"(?:^|[\s(])(\(?\w{1,2}[.):])\s*$")  # the number of a list's line, which is no part of what it says
TOPIC = ("when", "routine", "teaches", "later")  # flags of a turn that tells of what it is the first step


def before(db: Database, c: Candidate) -> Known | None:
    """The piece that a statement goes on with, since both are told one right after another; None for nearly all."""
    if c.turn is None or c.retracts or asks(c.text) or (c.at_work and c.tentative):
        return None
    if not c.start and goes_on("", c.text) is None:
        return None
    session, whole = lineage.told(db, c.turn)
    found = goes_on(whole[: c.start], c.text)
    if found is None or first(c.text):
        return None
    for _, known in groupby(lineage.said_before(db, c.turn, TURNS), key=lambda each: each.when):
        told = [each for each in known if not (each.locked or each.kind in DERIVED)]
        at = lineage.said_at(db, [each.id for each in told])
        of_here = [each for each in reversed(told) if at[each.id][0] == session]
        if of_here and (last := _last(db, of_here, at[of_here[0].id][2], found)):
            return last
    return None


def goes_on(led: str, text: str) -> int | None:
    """Which later step a statement says by its first words that it is; None for most texts. *led*: what stands before
    it in its turn."""
    item = ITEM.search(led)
    m = SITTING["goes_on"].match(cues.plain(f"{item[1]} {text}" if item else text))
    said = next((each for each in m.group("ordinal", "number", "item") if each), "") if m else ""
    number = NUMBERS.get(said, 0)
    return number if number > 1 else None


def first(text: str) -> bool:
    """Whether a text tells a first step, and not only that there is one."""
    m = SITTING["opens"].search(plain := cues.plain(text))
    return m is not None and len(content(plain[m.end() :])) >= SAYS


def opened(text: str) -> list[str] | None:
    """What a turn that tells a first step names before it; None for one that opens no routine."""
    plain = cues.plain(text)
    m = SITTING["opens"].search(plain)
    if m is None or SITTING["remarks"].search(plain, 0, m.start()):
        return None
    name = [w for w in words(plain[: m.start()]) if stem(w) in {*content(plain[: m.start()])} - VAGUE]
    if not (name or m["step"] or any(sequels.FLAGS[flag].search(plain) for flag in TOPIC)):
        return None
    return [*dict.fromkeys(name[-NAME_WORDS:])]


def _last(db: Database, told: list[Known], turn: str, number: int) -> Known | None:
    """The last piece of the routine that a turn began or went on with, if a step of this number follows it."""
    for each in told:
        chain = sequels.chain(db, each)
        if len(chain) > 1 and each.id != chain[0].id:
            return chain[-1] if number == len(chain) + 1 and not closes(cues.plain(chain[-1].text)) else None
    if opened(turn) is None or number != 2:
        return None
    return next((each for each in reversed(told) if first(each.text)), told[-1])
