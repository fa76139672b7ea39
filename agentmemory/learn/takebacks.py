"""Which older beliefs a text takes back: what it retracts, what it says to hold no longer or to have been wrong, what
it gives up by name of the user's last turn. Reads only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmemory.learn import byname, cues, named, retired, righted
from agentmemory.learn.compared import TELLING, likenesses
from agentmemory.learn.cues import SHAPES
from agentmemory.learn.likeness import bag
from agentmemory.learn.retired import VAGUE
from agentmemory.learn.righted import COMPARED, TAKEN_BACK
from agentmemory.store import lineage

if TYPE_CHECKING:
    from collections.abc import Set

    from agentmemory.store.lineage import Known
    from agentmemory.store.rows import Database
    from agentmemory.values import Candidate

NEAR = 0.22  # likeness from which a retraction of which no turn is known takes a belief back


def withdrawn(db: Database, c: Candidate, text: str, plain: str) -> tuple[int, ...]:
    """What was told before and the text says to hold no longer, or to have been wrong."""
    if about := retired.taken_back(plain) if c.updates else set():
        return _said_about(db, c, about)
    if retired.withdraws(plain):
        return retracted(db, c, text)
    return righted.put_right(db, c, text) or byname.lifted(db, c, text)


def retracted(db: Database, c: Candidate, text: str) -> tuple[int, ...]:
    """What was said before and is taken back: what the retraction names ("what I said about the linter"), and nothing
    where there is no such thing; else of the user's last turn, where that speaks of what is undone ("revert the header
    colour"), what shares most words with all of this one, or when that turn taught nothing, what the retraction itself
    names.
    """
    if about := retired.taken_back(cues.plain(text)):
        return _said_about(db, c, about) or _just_said_about(db, c, about)
    if given_up := dropped(db, c, text):
        return given_up
    if by_name := byname.taken_back(db, c, text):
        return by_name
    if c.named:
        return ()
    if c.turn is None:
        found = likenesses(db, c, text)
        return (found[0].old.id,) if found and found[0].near >= NEAR else ()
    recent = lineage.said_before(db, c.turn, TAKEN_BACK)
    last = [old for old in recent if old.when == c.back]
    if SHAPES["agents_deed"].search(cues.plain(text)):  # no rule is
        last = [old for old in last if old.kind != "rule"]
    if (
        last
        and not c.pointed
        and (undone := retired.undone(cues.plain(text)) - named.laid_down())
        and not (last := _spoken_of(db, last, undone))
    ):
        return ()
    if not last and (c.back or named.undoings(text)):
        return ()
    told = (text, c.context, c.answer) if c.pointed else (text, c.context)
    mine = bag(" ".join(told) if last else text) - VAGUE
    shared = [(len(mine & set(old.terms.split())), old.id) for old in last or recent]
    most, id = max(shared, default=(0, 0))
    return (id,) if last or most >= TELLING else ()


def _spoken_of(db: Database, last: list[Known], stems: Set[str]) -> list[Known]:
    """Those of the last beliefs that hold one of some stems, or what they replaced, or what was answered to them."""
    ids = [old.id for old in last]
    answers, before = lineage.answers(db, ids), lineage.stood_before(db, ids)
    told = {old.id: [old.text, old.context, answers.get(old.id, ""), *before.get(old.id, ())] for old in last}
    return [old for old in last if not stems.isdisjoint(bag(" ".join(told[old.id])))]


def dropped(db: Database, c: Candidate, text: str) -> tuple[int, ...]:
    """What the user's last turn taught and the text gives up by name: "forget the pills, please"."""
    about = retired.dropped(cues.plain(text))
    if not about or c.turn is None:
        return ()
    recent = lineage.said_before(db, c.turn, TAKEN_BACK)
    return tuple(old.id for old in recent if old.when == 0 and about <= set(old.terms.split()))


def _just_said_about(db: Database, c: Candidate, about: Set[str]) -> tuple[int, ...]:
    """What the user's last turn taught, where what was answered speaks of all of these stems."""
    last = [old for old in lineage.said_before(db, c.turn, TAKEN_BACK) if old.when == 0] if c.turn is not None else []
    answers = lineage.answers(db, [old.id for old in last])
    return tuple(old.id for old in last if about <= bag(f"{old.text} {old.context} {answers.get(old.id, '')}"))[:1]


def _said_about(db: Database, c: Candidate, about: set[str]) -> tuple[int, ...]:
    """What was said last with all of these stems in its own words."""
    for each in byname.within(c, c.text):
        known, _, _ = lineage.alike(db, each.scope, sorted(about), COMPARED)
        if said := [old for old in known if about <= set(old.terms.split())]:
            return (max(said, key=lambda old: (old.when, old.id)).id,)
    return ()
