"""The values that a text carries, by type: paths, hosts, ports, times, versions, amounts, days, regions, what was
chosen ("we go with Kafka") and what holds a role ("the headline figure is WAPE")."""

from __future__ import annotations

import re
from functools import lru_cache

from agentmemory.learn.retired import VAGUE
from agentmemory.text import STOP, stem

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
    "chosen": re.compile(
        r"\b(?:(?:go|goes|going|went|move[ds]?|moving|switch(?:ed|ing)?|migrat(?:e[ds]?|ing)) (?:over )?"
        r"(?:to|with|for)|agreed on|settled on|signed (?:us )?up (?:with|for)|stick(?:ing)? with|standardi[sz]ed? on|"
        r"found|chose|picked|took|adopt(?:ed|ing)?|choice (?:there |here )?is|replaced (?:it |that )?(?:with|by)) "
        r"(?:the |an? )?(?!I\b|\w+day\b)([A-Z]\w*[\w.-]*\w)"
    ),
    "which of chosen": re.compile(
        r"\b[Ff]or ((?:the |our |all )?(?:\w+ ){0,2}\w+?),? (?:we|I|it)\b|"
        r"(?:go|goes|going|went|chose|picked|agreed|settled|decided|found)\b.{0,24}? [A-Z][\w.-]* (?:\w+ )?"
        r"for ((?:the |our |all )?\w+(?: \w+)?)"
    ),
    "role": re.compile(
        r"\b(?:[Tt]he|[Oo]ur|[Mm]y)\s+((?:\w+\s+){0,2}?)(\w+)(?:\s+(?:at|of|in|on|for|we|that|which|i)\b(?:\s+\w+){1,4}?)?"
        r"\s+(?:is|are)\s+(?:now\s+|called\s+)?((?!I\b|\w+day\b)[A-Z][\w-]*)"
    ),
    "symbol": re.compile(r"\b[a-z]+(?:_[a-z0-9]+)+(?:\.[a-z_0-9]+)?\b|\b[a-z]+[A-Z]\w+\b|`[^`]+`"),
}  # fmt: skip


CASED = frozenset(("symbol", "code", "chosen", "which of chosen", "role"))  # types that are told by capitals
OF = frozenset(("amount", "state", "role"))  # types that are of something: a unit, a switch, a post that is held
LAST_WORD = frozenset(("state", "chosen", "role"))  # types whose value is the last word of what matches


@lru_cache(maxsize=4_096)
def values(text: str) -> dict[str, frozenset[str]]:
    """Type -> the values of that type; a type that the text does not carry is missing. Amounts go by unit."""
    low = text.lower()
    found: dict[str, set[str]] = {}
    for kind, shape in TYPES.items():
        for m in shape.finditer(text if kind in CASED else low):
            if kind == "which of chosen":
                purpose = (stem(w) for w in (m.group(1) or m.group(2)).lower().split() if w not in STOP)
                found.setdefault(kind, set()).update(purpose)
                continue
            name = f"{kind} of {stem(m.group(2 if kind == 'role' else 1))}" if kind in OF else kind
            if kind == "role":
                if m.group(2).lower() in STOP or stem(m.group(2)) in VAGUE:
                    continue
                if which := m.group(1).lower().split():
                    found.setdefault(name.replace("role", "which"), set()).update(which)
            found.setdefault(name, set()).add(m.group(0).split()[-1] if kind in LAST_WORD else m.group(0))
    return {kind: frozenset(held) for kind, held in found.items()}
