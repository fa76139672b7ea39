"""Which step of a routine a sentence says it is."""

from __future__ import annotations

import re

NUMBERS = {
    "first": 1, "one": 1, "1": 1, "1st": 1, "second": 2, "two": 2, "2": 2, "2nd": 2, "third": 3, "three": 3, "3": 3, "3rd": 3,
    "fourth": 4, "four": 4, "4": 4, "4th": 4, "fifth": 5, "five": 5, "5": 5, "sixth": 6, "six": 6, "6": 6,
}  # fmt: skip
STARTS = re.compile(
    r"(?<!so )(?<!please )(?<!subject )(?<!message )(?<!title )(?<!name )(?<!line )(?<!names )(?<!branch )(?<!must )(?<!should )(?<!which )\b(?:starts?|begins?) (?:always )?(?:with|by)\b(?! (?:that|this|it)\b)|\balways (?:starts?|begins?)\b|\bfirst thing\b|\bfirst (?:is|you|comes|we)\b|\bbefore anything\b|\bthe very first\b"
)
NUMBERED = re.compile(
    r"\b(first|second|third|fourth|fifth|sixth|1st|2nd|3rd|4th|next|last|final|another)\b (?:\w+ )?(?:steps?|thing|part|bit|piece)\b|"
    r"\bsteps? (one|two|three|four|five|six|\d)\b|(?:^|[,.;:] |\bso |\bthen |\band )(second|third|fourth|fifth|finally|lastly)\b"
)
LAST = re.compile(
    r"\b(?:last|final)\b (?:\w+ )?(?:steps?|thing|part|bit|piece)\b|\bthats the (?:complete|whole) \w+|\bone thing left\b|\bpart that remains\b"
)
GOES_ON = re.compile(
    r"\bnext you\b|\bwhat comes (?:after|next|then)\b|\bpart that remains\b|\bone thing left\b|\bafter \w+ comes\b|\bthen comes\b|\bonly (?:if|then|when) that\b|\bafter (?:that|the)\b|\bwith it you\b"
)


def place(plain: str) -> int | None:
    """Which step a plain sentence (see `cues.plain`) says it is; None when it only goes on or does not say."""
    found = NUMBERED.search(plain)
    if found:
        return NUMBERS.get(next(filter(None, found.groups())))
    return 1 if STARTS.search(plain) else None


def closes(plain: str) -> bool:
    """Whether a sentence says that nothing follows: the last step, the final part."""
    return bool(LAST.search(plain))


def goes_on(plain: str) -> bool:
    """Whether a sentence says that something came before: a later number, "next", "last"."""
    number = place(plain)
    return number > 1 if number is not None else bool(NUMBERED.search(plain) or GOES_ON.search(plain))
