"""The clauses of a statement that tell of something each: "invoices go out on the 5th now, and failed webhooks are
retried 4 times" tells of invoices and of webhooks, and replaces what was told of each. Pure functions over texts.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from agentmemory.learn import cues
from agentmemory.learn.cues import SHAPES
from agentmemory.learn.given import CASES
from agentmemory.learn.likeness import bag
from agentmemory.learn.parts import STAYS
from agentmemory.learn.passages import sentences
from agentmemory.learn.retired import VAGUE
from agentmemory.learn.stated import announces

if TYPE_CHECKING:
    from agentmemory.values import Candidate

#: where a clause ends
BETWEEN = re.compile(r"[;:]\s+|,\s+(?:(?:and|und|y|et)\s+)?|\s(?:and|und|y|et)\s")
SHORTEST = 3  # words of one
MOST = 8  # of a statement; one of more tells a story


def apart(c: Candidate) -> list[Candidate]:
    """The clauses of a candidate that announces a change, as candidates; none of a single clause or of a step."""
    if c.kind == "procedure" or not c.updates:
        return []
    return [replace(c, text=text, updates=changes) for text, changes in _clauses(c.text)]


def told(text: str) -> list[str]:
    """What an older statement tells: the whole, and each of its clauses."""
    return [text, *(each for each, _ in _clauses(text))]


@lru_cache(maxsize=2_048)
def _clauses(text: str) -> tuple[tuple[str, bool], ...]:
    """The clauses that can be understood alone, as they are written, and whether their sentence announces a change, or
    the text does before all; none where there is only one."""
    said, all_change = list[tuple[str, bool]](), SHAPES["amends"].search(cues.plain(text)) is not None
    for s in sentences(text):
        case, changes = "", all_change or announces(s.text)
        for each in BETWEEN.split(s.text):
            if (each.split() or [""])[0].lower() in CASES:
                case += f"{each}, "  # "during the move, statements are produced at 06:00"
            else:
                said.append(((case + each).strip(" .!"), changes))
                case = ""
        if case and said:  # "..., during the move"
            said[-1] = (f"{said[-1][0]}, {case}".strip(" ,.!"), said[-1][1])
    alone = tuple((each, changes) for each, changes in said if _alone(each))
    return alone if 1 < len(alone) <= MOST else ()


def _alone(clause: str) -> bool:
    """Whether a clause names by itself what it tells of, and that is neither as it was nor to be done."""
    plain = cues.plain(clause)
    if len(clause.split()) < SHORTEST or SHAPES["dependent"].match(plain) or SHAPES["order"].match(cues.start(plain)):
        return False
    return bool(bag(clause) - VAGUE) and STAYS.search(plain) is None
