"""Times and sizes that two texts give in other units: "14 days" is "two weeks", "1 GB" is "1024 MB". Knows no other
values."""

from __future__ import annotations

import re
from functools import lru_cache

from agentmemory.learn.valued import COUNTED

SECONDS = {
    unit: seconds
    for units, seconds in (
        ("ms msec millisecond milliseconds", 0.001), ("s sec secs second seconds", 1), ("min mins minute minutes", 60),
        ("h hr hrs hour hours", 3_600), ("d day days", 86_400), ("week weeks", 604_800),
        ("fortnight fortnights", 1_209_600),
    )
    for unit in units.split()
}  # fmt: skip
MONTHS = {"month": 1, "months": 1, "quarter": 3, "quarters": 3, "year": 12, "years": 12}  # of no number of days
BYTES = {  # the power of a thousand, or of 1024: people say GB of either
    unit: power
    for power, units in enumerate((
        "b byte bytes", "kb kib kilobyte kilobytes", "mb mib megabyte megabytes", "gb gib gigabyte gigabytes",
        "tb tib terabyte terabytes",
    ))
    for unit in units.split()
}  # fmt: skip
COUNTS = {**COUNTED, "one": "1", "a": "1", "an": "1", "half a": "0.5", "half an": "0.5"}
UNITS = "|".join((*SECONDS, *MONTHS, *BYTES))
AMOUNT = re.compile(
    rf"(?<![\w.,:/-])(\d{{1,3}}(?:,\d{{3}})+|\d+(?:\.\d+)?|(?:{'|'.join(COUNTS)})(?=[ -]))[ -]?({UNITS})(?![\w/])",
    re.IGNORECASE,
)
Measure = tuple[str, frozenset[float]]  # of what, and how many of its smallest unit that may be


def spelled_as(text: str, other: str) -> str:
    """*text* with each time and size that *other* gives too as *other* gives it."""
    given = _measures(other)
    if not given:
        return text

    def said(m: re.Match[str]) -> str:
        kind, mine = _measure(m)
        return next((spelling for spelling, (of, theirs) in given if of == kind and mine & theirs), m[0])

    return AMOUNT.sub(said, text)


@lru_cache(maxsize=4_096)
def _measures(text: str) -> tuple[tuple[str, Measure], ...]:
    return tuple((m[0], _measure(m)) for m in AMOUNT.finditer(text))


def _measure(m: re.Match[str]) -> Measure:
    number, unit = m[1].lower(), m[2].lower()
    count = float(COUNTS.get(number) or number.replace(",", ""))
    if unit in BYTES:
        bases = (1024,) if unit.endswith("ib") else (1000, 1024)
        return "size", frozenset(round(count * base ** BYTES[unit], 3) for base in bases)
    kind, units = ("time", SECONDS) if unit in SECONDS else ("calendar", MONTHS)
    return kind, frozenset((round(count * units[unit], 6),))
