"""What a piece of a routine calls its routine: "second step for a new score", "a release always starts with"."""

from __future__ import annotations

import re

from agentmemory.learn import cues
from agentmemory.learn.cues import SHAPES
from agentmemory.learn.ordinals import NUMBERS
from agentmemory.learn.retired import VAGUE
from agentmemory.text import content, stem, words

NAMES = (
    re.compile(
        r"(?:^|[.,;!?] |\b(?:the|a|an|our|next|to|of) )((?:[\w'-]+ ){0,2}[\w'-]+)[,:]? "
        r"(?:(?:first|second|third|fourth|fifth|last|1st|2nd|3rd|4th) (?:step|part|bit|piece)|"
        r"(?:step|part|pt\.?) (?:one|two|three|four|five|\d))\b"
    ),
    SHAPES["routine_of"],
    re.compile(r"\b((?:[\w'-]+ ){0,4}[\w'-]+) (?:always )?(?:starts?|begins?) (?:always )?(?:with|by)\b"),
    re.compile(r"^(?:so |then |ok |and )*(?:for|on|about|with) ((?:[\w'-]+ ){0,4}[\w'-]+)[,:]"),
    re.compile(
        r"\b(?:in|for|of|with) (?:the|our|a|an) ((?:[\w'-]+ ){1,3})"
        r"(?:procedure|routine|runbook|checklist|drill|process)\b"
    ),
    re.compile(r"\bthe ((?:[\w'-]+ ){1,2})steps?\b"),
    re.compile(r"\b(?:with|for) (?:any|every|each) ((?:[\w'-]+ ){0,2}[\w'-]+)"),
    re.compile(r"^(?:so |then |ok |and )*((?:[\w'-]+ ){0,2}[\w'-]+): "),
    re.compile(r"\b(?:before|when|whenever|after) (?:you |we |i )?((?:[\w'-]+ ){0,3}[\w'-]+)"),
)  # fmt: skip


UNNAMED = frozenset("always usually normally ccc qqq thing things very exactly great merged today".split())


def named(text: str) -> list[str]:
    """Words that name the routine a piece belongs to, as the piece itself says; may be none."""
    plain, telling = cues.plain(text), frozenset(content(text))
    for shape in NAMES:
        for found in shape.finditer(plain):
            name = [
                w
                for w in words(found.group(1))
                if stem(w) in telling and stem(w) not in VAGUE and w not in NUMBERS and w not in UNNAMED
            ]
            if name:
                return name[:4]
    return []
