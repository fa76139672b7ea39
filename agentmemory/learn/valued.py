"""The values that a text carries, by type: paths, hosts, ports, times, versions, amounts, days, regions."""

from __future__ import annotations

import re
from functools import lru_cache

from agentmemory.text import stem

_NUMBERS = "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|fifty|sixty|ninety|hundred"
TYPES: dict[str, re.Pattern[str]] = {
    "url": re.compile(r"\b[a-z][a-z0-9+]{1,9}://[^\s\"'<>)]+|\bgit@[^\s\"']+"),
    "route": re.compile(r"(?<![\w.<>])/[a-z][\w-]*(?:/[\w{}:<>-]+)+"),
    "file": re.compile(r"(?<![\w/])(?:[\w.@<>*-]+/)+[\w.@<>*-]+|"
                       r"\b[\w-]+\.(?:py|ts|tsx|js|go|rs|rb|java|kt|ya?ml|json|toml|md|sql|sh|tf|cs|cpp|c|h|swift)\b"),
    "host": re.compile(r"\b[a-z0-9][\w-]*(?:\.[a-z][\w-]*){2,}(?::\d+)?\b|\b\d{1,3}(?:\.\d{1,3}){3}\b"),
    "port": re.compile(r"(?:(?<=port )|(?<=:)|\b(?=\d{4,5}\b))\d{2,5}\b(?!:)"),
    "time": re.compile(r"\b\d{1,2}:\d\d\b|\b\d{1,2} ?(?:am|pm|utc|oclock)\b"),
    "day": re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"),
    "region": re.compile(r"\b(?:us|eu|ap|sa|ca|me|af)-[a-z]+-?\d\b|\b[a-z]{3}\d\b|\b(?:europe|us|asia)-[a-z]+\d\b"),
    "version": re.compile(r"\bv?\d+\.\d+(?:\.\d+)*\b(?!:)"),
    "amount": re.compile(
        rf"\b(?:\d[\d.,]*|{_NUMBERS}) ?(%|percent|ms|s|sec|seconds?|min|minutes?|h|hours?|d|days?|"
        r"weeks?|months?|years?|mb|gb|tb|kb|mib|gib|"
        r"px|rem|em|lines?|chars?|characters|tokens?|retries|attempts|euros?|eur|usd|dollars?|pounds?|kroner|nights?|replicas|people|items|rows|requests|"
        r"rps|hz|khz|fps|points?|spaces?|columns?)\b"
    ),
    "code": re.compile(r"\b[A-Z]{1,5}\d{1,4}\b"),
    "state": re.compile(r"\b(\w+) (?:is |are |stays? |goes |now )*(?:back )?(?:on|off|enabled|disabled)\b"
                        r"(?! (?:the|a|it|that|this|our|main|\w+day)\b)"),
    "symbol": re.compile(r"\b[a-z]+(?:_[a-z0-9]+)+(?:\.[a-z_0-9]+)?\b|\b[a-z]+[A-Z]\w+\b|`[^`]+`"),
}  # fmt: skip


@lru_cache(maxsize=4_096)
def values(text: str) -> dict[str, frozenset[str]]:
    """Type -> the values of that type; a type that the text does not carry is missing. Amounts go by unit."""
    low = text.lower()
    found: dict[str, set[str]] = {}
    for kind, shape in TYPES.items():
        for m in shape.finditer(text if kind in ("symbol", "code") else low):
            name = f"{kind} of {stem(m.group(1))}" if kind in ("amount", "state") else kind
            found.setdefault(name, set()).add(m.group(0).split()[-1] if kind == "state" else m.group(0))
    return {kind: frozenset(held) for kind, held in found.items()}
