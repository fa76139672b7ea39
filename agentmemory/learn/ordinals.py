"""Which step of a routine a sentence says it is."""

from __future__ import annotations

import re

from agentmemory.learn.cues import SHAPES

NUMBERS = {
    "first": 1, "one": 1, "1": 1, "1st": 1, "second": 2, "two": 2, "2": 2, "2nd": 2,
    "third": 3, "three": 3, "3": 3, "3rd": 3,
    "fourth": 4, "four": 4, "4": 4, "4th": 4, "fifth": 5, "five": 5, "5": 5, "5th": 5,
    "sixth": 6, "six": 6, "6": 6, "6th": 6,
}  # fmt: skip
STEP = re.compile(r"\b(?:steps?|parts?)\b")
#: a last step that is yet to be told: "the last step comes later", "one last step after that"
TO_COME = re.compile(
    r"\b(?:last|final) (?:\w+ )?(?:steps?|thing|part|bit|piece)\b,?(?: [^\s.;:!?]+){0,6}? "
    r"(?:later|another (?:day|time)|next (?:week|time)|tomorrow|when (?:we|it|you|theyre|hes|shes|that)|once we|ill|"
    r"i (?:will|shall)|to come|needs|waits|after (?:that|this|it))\b(?![^:]{0,80}:)"
)


def place(plain: str) -> int | None:
    """Which step a plain sentence (see `cues.plain`) says it is; None when it only goes on or does not say."""
    said, starts = list(SHAPES["step_numbered"].finditer(plain)), SHAPES["step_starts"].search(plain)
    if starts and (not said or starts.start() < said[0].start()):
        return 1
    said.sort(key=lambda m: not STEP.search(m.group(0)))  # "second thing: step three"
    numbers = (NUMBERS.get(next(filter(None, m.groups()))) for m in said)
    return next((number for number in numbers if number), None)


def closes(plain: str) -> bool:
    """Whether a sentence says that nothing follows: the last step, the final part."""
    return bool(SHAPES["step_last"].search(plain)) and not TO_COME.search(plain)


def goes_on(plain: str) -> bool:
    """Whether a sentence says that something came before: a later number, "next", "last"."""
    number = place(plain)
    if number is not None:
        return number > 1
    return any(SHAPES[says].search(plain) for says in ("step_numbered", "step_goes_on"))
