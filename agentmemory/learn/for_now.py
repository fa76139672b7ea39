"""What is for now, however lasting its words sound: tasks and findings told in one breath, what is ordered for oneself,
for today or for one thing, where a fault lies, an alarm that the agent has dealt with, a place by its number. The fits
have seen few of these; the words are data (data/marks.toml). Knows nothing of what lasts.
"""

from __future__ import annotations

import re

from agentmemory.learn import cues
from agentmemory.learn.cues import SHAPES
from agentmemory.learn.groups import grouped, length
from agentmemory.learn.passages import prose
from agentmemory.learn.rated import Rated, Reading

MARK = "for_now"
SETTLES = frozenset(("from_now", "each_time", "decided", "update", "now", "note"))  # what is said with these lasts
LASTING = frozenset(("from_now", "each_time", "decided", "note", "never", "step"))  # also what is ordered for today
SO = re.compile(r"^(?:(?:so|and|then|but) )+")
ON_A_DAY = re.compile(r"^(?:today|tonight|tomorrow|tmrw|tmr|this (?:morning|afternoon|evening)) ")
USE = re.compile(r"(?:use|keep|skip|avoid|dont|do not)\b")  # also rules begin so
MOST_NAMED = 4  # words of the one thing that an order is for
CLAUSES = 6  # commas of a sentence that are read
BEHIND = 2  # sentences behind one that says what the fault is not
AT_ONCE = 2  # sentences of a turn that raises an alarm
FEWEST, BRIEF = 3, 12  # words of an alarm
ANSWER = 300  # characters of an answer that tell what was done


def leave(found: Reading, text: str, reply: str) -> None:
    """Leave what is for now out of the statements of a turn. *reply*: what the assistant answered."""
    gone = [r for r in found.rated if heads_task(r) or _for_me(r) or SHAPES["numbered_place"].match(r.plain)]
    gone += [r for r in found.rated if _for_today(r) or _once(r)]
    gone += _where_it_fails(found.rated)
    if len(found.rated) <= AT_ONCE and _alarm(found.rated[0], reply):
        gone.append(found.rated[0])
    for r in gone:
        r.marks.add(MARK)
        r.out, r.idle = True, True
    if gone:
        found.groups = grouped(found.rated, text)


def heads_task(r: Rated) -> bool:
    """Whether several things told in one breath are to be done, or were seen, now."""
    return r.said.series and bool(SHAPES["heads_task"].search(r.plain))


def _lasts(r: Rated) -> bool:
    """Whether a sentence says by a word that it lasts."""
    return bool(r.marks & SETTLES or SHAPES["each_and_every"].search(r.plain))


def _where_it_fails(rated: list[Rated]) -> list[Rated]:
    """What says where a fault lies, in a turn that begins with where it does not: "that's not the bug. The date is"."""
    said = rated[: 1 + BEHIND]
    arises = any(SHAPES["arises"].search(r.plain) or SHAPES["faulty"].search(r.plain) for r in said)
    seeks = SHAPES["not_the_fault"].match(said[0].plain) or (arises and SHAPES["not_it"].match(said[0].plain))
    return [r for r in said if not _lasts(r)] if seeks else []


def _for_me(r: Rated) -> bool:
    """Whether a sentence orders something for the user, once: "mach mir eine Liste ...", "make for me a diagram"."""
    return bool(SHAPES["for_me"].search(cues.start(r.plain))) and not _lasts(r)


def _for_today(r: Rated) -> bool:
    """Whether a sentence orders something for today, or for how it stands just now: "QA is away, ship it today"."""
    clauses = [SO.sub("", each) for each in r.plain.split(", ", CLAUSES)]
    orders = [i for i, each in enumerate(clauses) if _orders(each)]
    if not orders or r.marks & LASTING:
        return False
    now = any(SHAPES["just_now"].search(each) for each in clauses[: orders[0]])
    return now or any(SHAPES["for_today"].search(each) for each in clauses[orders[-1] :])


def _once(r: Rated) -> bool:
    """Whether a sentence orders something for one thing, or tells of an exception: "for this PR skip the diff"."""
    if r.marks & LASTING or "one_off" not in r.marks:
        return False
    if SHAPES["exception"].search(r.plain):
        return True
    lead = SHAPES["for_one"].match(r.plain)
    behind = r.plain[lead.end() :].split(" ", MOST_NAMED) if lead else []
    clauses = (" ".join(behind[n:]) for n in range(min(MOST_NAMED, len(behind))))
    return any(SHAPES["order"].match(each) or USE.match(each) for each in clauses)


def _orders(clause: str) -> bool:
    """Whether a clause orders something, after a word for the day at most."""
    bare = ON_A_DAY.sub("", clause)
    return bool(SHAPES["order"].match(cues.start(bare)) or (bare != clause and USE.match(bare)))


def _alarm(r: Rated, reply: str) -> bool:
    """Whether a sentence tells that something is out of order which the answer says is in order again."""
    if not FEWEST <= length(r) <= BRIEF or _lasts(r) or not SHAPES["out_of_order"].search(r.plain):
        return False
    return bool(SHAPES["in_order_again"].search(prose(reply)[:ANSWER].lower()))
