"""Pieces of a routine that was taught in pieces: each is tied to the one before it and shares the routine's name.

A piece is a belief of kind procedure. Works on ordinals and on words; draws `next` edges, changes no text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmemory.learn import pieces, sequels, sittings
from agentmemory.learn.likeness import bag
from agentmemory.learn.routines import named
from agentmemory.store import beliefs, habits, lineage
from agentmemory.text import stem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentmemory.store.lineage import Known
    from agentmemory.store.rows import Database
    from agentmemory.values import Candidate

GOES_ON = 0.6  # likelihood from which a statement goes on with something,
PLAINLY = 2.0  # and how many times as likely as the next best the thing must be that it goes on with
CERTAINLY = 0.85  # likelihood from which it does although it might replace something
LATELY = 8  # statements that were told last, among which is the routine that few words go on with
ONLY_A_PIECE = ("only", "told", "case")  # how what is held only where it goes on with a routine may do so
SAYS_SO = 1.0  # how likely a text is a next piece that says it is a later step than any of what it goes on with
NAME_WORDS = 7  # of a routine's name


def before(db: Database, c: Candidate, text: str) -> tuple[float, Known | None]:
    """What a text is the next step of (a piece of a routine, or a plain statement), None for most texts, and how likely
    it is a next step at all. Procedures that sleep mined never are; in talk at work only something that itself spoke as
    a step can be gone on with."""
    if c.tags.startswith(habits.TAG):
        return 0.0, None
    if told := sittings.before(db, c):
        return SAYS_SO, told
    if not (c.sequel or c.kind == "procedure"):
        return 0.0, None
    if c.sequel == "told":
        last = next((each for each in lineage.latest(db, c.scope, LATELY) if _of_a_routine(each)), None)
        return float(last is not None), last
    if c.sequel == "case":
        last = _in_which(db, c, text)
        return float(last is not None), last
    options = [each for each in sequels.compared(db, c, text, sequels.LEAST) if each[1].begun or not c.at_work]
    _, best = decided([found for found, _ in options], [each.told[1] for _, each in options])
    end = _begun(db, options[best][1]) if best is not None else None
    if best is not None and _later(options[best][0]):
        return SAYS_SO, end
    # which step it says it is makes it none where it replaces something: "the last step of a release is push now"
    likely = sum(sequels.likelihoods([found | {"counted on": 0.0} for found, _ in options]))
    return likely, end


def _begun(db: Database, o: sequels.Routine) -> Known:
    """The last piece of what is gone on with: of a statement that only announces a routine ("calib has several parts")
    that of the routine which its turn begins."""
    if len(o.pieces) == 1:
        for each in reversed(lineage.said_with(db, o.end.id)):
            if sittings.first(each.text) and not (each.locked or each.kind in beliefs.DERIVED):
                return sequels.ending(db, each)
    return o.end


def _later(found: dict[str, float]) -> bool:
    """Whether a text, by its features, says that it is a later step than all that it goes on with."""
    return bool(found.get("number")) and not found.get("again")


def _in_which(db: Database, c: Candidate, text: str) -> Known | None:
    """The last piece of the routine, among what was told last, in which a case comes up."""
    came_up = pieces.case(text) or ""
    for i, each in enumerate(lineage.latest(db, c.scope, LATELY)):
        if _of_a_routine(each) and pieces.of_it(came_up, bag(each.text), i == 0):
            return sequels.ending(db, each)
    return None


def _of_a_routine(each: Known) -> bool:
    return each.kind == "procedure" or pieces.lists(each.text)


def decided(options: list[dict[str, float]], told: Sequence[int] = ()) -> tuple[float, int | None]:
    """Which of some things, as features, a statement goes on with, None for none; how likely it goes on with any.
    *told*: the turns that told them, 0 for none: what one turn told stands in no doubt of itself."""
    likely = sequels.likelihoods(options)
    if not likely:
        return 0.0, None
    best = max(range(len(likely)), key=lambda i: likely[i])
    one = told[best] if told else 0
    others = [each for i, each in enumerate(likely) if i != best and not (one and told[i] == one)]
    plainly = likely[best] >= PLAINLY * max(others, default=0.0)
    return sum(likely), best if plainly and sum(likely) >= GOES_ON else None


def tie(db: Database, new: int, text: str, before: Known | None, at: float) -> None:
    """Tie a new piece to the one *before* it; without one it begins a routine."""
    name = named(text)
    if before is not None:
        beliefs.link(db, "next", before.id, new, at)
        if not before.context:  # what opened it names it
            _, _, turn = lineage.said_at(db, [before.id]).get(before.id, (0, 0, ""))
            name = [*(sittings.opened(turn) or ()), *name]
        _share_name(db, before, new, name, at)
    elif name:
        beliefs.evolve(db, new, at, context=" ".join(name), why="the name of its routine")


def _share_name(db: Database, before: Known, new: int, name: list[str], at: float) -> None:
    """All pieces of a routine carry one context, so that whoever asks for it finds them all."""
    known = before.context.split()
    fresh = [w for w in name if stem(w) not in {stem(k) for k in known}]
    shared = " ".join([*known, *fresh][: max(NAME_WORDS, len(known))])
    chain, seen = [before.id], {before.id, new}
    while chain:
        piece = chain.pop()
        if shared != before.context:
            beliefs.evolve(db, piece, at, context=shared, why="the name of its routine grew")
        earlier = [a for a, b in lineage.follows(db, [piece]) if b == piece and a not in seen]
        seen.update(earlier)
        chain += earlier
    if shared:
        beliefs.evolve(db, new, at, context=shared, why="the name of its routine")
