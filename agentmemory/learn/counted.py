"""Which step of what a sentence says it is: "act two of a release is ...", "third stop for a new weight: ...",
"delivery, part 2: ...". Words only; knows nothing of what is stored.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from agentmemory.learn.ordinals import NUMBERS
from agentmemory.learn.valued import COUNTED_ELSEWHERE
from agentmemory.text import content, stem

LAST = ("last", "final", "closing")
SAYS = 3  # words behind its number from which such a sentence says something, other than "last bit for adding levels"
NEAR = 60  # characters before its number in which the name may stand, and behind it that are looked at
STEP = (
    r"(?:steps?|things?|parts?|bits?|pieces?|stops?|acts?|items?|points?|stages?|phases?|legs?|moves?|measures?|"
    r"stations?|tasks?|rounds?|chapters?|articles?|ports? of call|orders? of business|numbers?|no\.?|pt\.?|"
    r"etappen?|etapas?|étapes?|punkte?|puntos?|phasen?|fases?|stufen?)"
)
SAID = re.compile(
    r"(?<!\ba )(?<!\ban )(?<!\bone )(?<!\bany )(?<!\banother )"  # "a last point for the record" is no step
    r"\b(?P<ordinal>first|second|third|fourth|fifth|sixth|1st|2nd|3rd|[4-6]th|last|final|closing)(?:ly)?"
    rf"(?: and (?P<last>{'|'.join(LAST)}))?"
    rf"(?: (?:\w+ )?(?P<of>{STEP})\b| up\b|(?= (?:for|of|when|whenever|with|in|to|is|on)\b)|(?=:))|"
    r"(?<!\w )next(?= (?:for|in|of|with) (?:[\w-]+ ){0,3}[\w-]+(?::| is\b))|"
    rf"\b(?P<noun>{STEP}) (?P<number>one|two|three|four|five|six|zwei|drei|vier|dos|tres|deux|trois|[1-6])\b"
)
AFTER = re.compile(
    r",? (?:of|for|when(?:ever)?|in|with|on|to|if|about|that|an?|d[aeu]|de[ls])"
    r"((?: (?!(?:is|are|comes|means)\b)[\w'/-]+){1,6})"
)
BEFORE = re.compile(
    r"(?:^|[.;:?!,] )(?:(?:ok|okay|so|um|and|right|then|now|on|for|with|in|about) )*"
    r"((?:[\w'/-]+(?:\.\w+)* ){0,3}[\w'/-]+(?:\.\w+)*)[,:]? (?:the |our )?$"
)
HEAD = re.compile(
    r"(?:(?:ok|okay|so|and|right|now|then|next|for) )*((?:[\w'/-]+(?:\.\w+)* ){0,2}[\w'/-]+(?:\.\w+)*)[.:!?] "
)
TELLS = re.compile(  # how it goes on that tells what is done: "stage three: invite them", not "stage three is broken"
    r":|,? then\b| is (?:an?|the|to)\b| =|"
    r"[.,]? (?:you|one|we)(?:ll)? (?!are\b|were\b|have\b|had\b|did\b|said\b|can\b|could\b)"
)
NO_NAME = frozenset(
    stem(w)
    for w in (*NUMBERS, *"step part bit new next such case way time routine procedure process sequence that".split())
)
STEPS = frozenset(stem(w) for w in "step part stage phase act stop".split())
REMARKS = frozenset(("thing", "bit", "point"))  # "second thing, we never merge on red" counts what is remarked


class Counted(NamedTuple):
    """number: of the step, None for one that is only the last or the next; noun: stem of what it calls a step, "" for
    nothing; name: stems of what it is a step of, where it says so; later: whether something of that name, or one number
    less of what it calls so, must have come before it; head: stems of the few words that a text begins with ("release.
    All are through. third step: ...")."""

    number: int | None
    last: bool
    noun: str
    name: frozenset[str]
    later: bool
    head: frozenset[str]


@lru_cache(maxsize=4_096)
def counted(plain: str) -> Counted | None:
    """The step that a plain sentence (see `cues.plain`) says it is, of what it names if it does anywhere; None for most
    sentences."""
    found = [_read(plain, m) for m in SAID.finditer(plain)]
    return next((each for each in found if each.name), found[0] if found else None)


def goes_with(step: Counted) -> bool:
    """Whether a step names nothing that it is a step of, so that what its turn speaks of may."""
    return not step.name and step.noun in STEPS and (step.last or (step.number or 0) > 1)


def counts_on(plain: str) -> bool:
    """Whether a plain sentence says that it is a later step of something."""
    step = counted(plain)
    return step is not None and step.later


def _read(plain: str, m: re.Match[str]) -> Counted:
    said = m["ordinal"] or m["number"]
    number = None if said in (*LAST, None) else NUMBERS.get(said) or int(COUNTED_ELSEWHERE[said])
    last = said in LAST or m["last"] is not None
    called = AFTER.match(plain, m.end()) or BEFORE.search(plain[max(0, m.start() - NEAR) : m.start()])
    name = frozenset(content(called[1])) - NO_NAME if called else frozenset()
    noun = stem(m["noun"] or m["of"] or "")
    says = set(content(plain[m.end() : m.end() + NEAR]))
    bare = (noun != "thing" if m["noun"] else noun not in REMARKS | {""}) and TELLS.match(plain, m.end()) is not None
    later = (last or number != 1) if name else bare and (number or 0) > 1
    head = HEAD.match(plain, 0, m.start())
    return Counted(
        number, last, noun, name, later and (len(says) >= SAYS or not says <= name),
        frozenset(content(head[1])) - NO_NAME if head else frozenset(),
    )  # fmt: skip
