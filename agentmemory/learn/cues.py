"""Which marks of lasting or passing meaning a sentence bears. The patterns are data (data/marks.toml); what they
sum up to is said in `rating`, what follows from that in `candidates`.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

from agentmemory.learn import tables, tongues

_DATA: dict[str, dict[str, dict[str, Any]]] = tables.read("marks")


def _patterns(*groups: str) -> tables.Patterns:
    return tables.Patterns({name: mark["pattern"] for of in groups for name, mark in _DATA[of].items()})


#: what a mark that a sentence is meant to last adds, and what one that it passes takes away
LASTING: dict[str, float] = {name: mark["worth"] for name, mark in _DATA["lasting"].items()}
PASSING: dict[str, float] = {name: mark["worth"] for name, mark in _DATA["passing"].items()}
#: all marks by name
FLAGS = _patterns("lasting", "passing", "other")
#: how sentences open and what they point to
SHAPES = _patterns("shape")
AT_START = frozenset(("question", "reported"))  # patterns that look at the first word that says something

#: {"error": {"code": 1}}, /orders/{id}
TEMPLATE = re.compile(r"(?<![\w/.-])[\w/.-]*\{(?:[^{}\n]|\{[^{}\n]*\}){2,}\}[\w/.-]*")
CODE = re.compile(r"`[^`\n]+`|" + TEMPLATE.pattern)
QUOTE = re.compile(r"\"[^\"\n]{12,}\"|“[^”\n]{12,}”|„[^“”\n]{12,}[“”]|«[^»\n]{12,}»|(?<!\w)'[^'\n]{15,}'(?!\w)")
EMPHASIS = re.compile(r"(?<![\w*])\*\*(?=\S)|(?<=\S)\*\*(?![\w*])")
APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
WHETHER = re.compile(
    r"\b((?:tell|say|ask(?:s|ed|ing)?|wonders|wondered|know|see|check|judge|decide)\b(?: (?!if\b)\w+){0,3} )if\b"
)


def start(text: str) -> str:
    """The plain sentence from its first word that says something."""
    found = SHAPES["filler"].match(text)
    return text[found.end() :] if found and found.end() < len(text) else text


@lru_cache(maxsize=1_024)
def plain(sentence: str) -> str:
    """The sentence as the patterns read it: lower case, no apostrophes, words of structure in English; code reads
    `ccc`, a quotation `qqq`."""
    said = EMPHASIS.sub("", QUOTE.sub(" qqq ", CODE.sub(" ccc ", sentence)))
    text = tongues.in_english(said.lower())
    return " ".join(APOSTROPHE.sub("", text).split())


def marks(text: str, of: frozenset[str] | None = None) -> set[str]:
    """Names of the marks that a plain sentence bears, all of them or only *of* these."""
    text = WHETHER.sub(r"\1whether", text) if " if" in text else text
    bare = start(text)
    return {name for name, pattern in _flags(of) if pattern.search(bare if name in AT_START else text)}


@cache
def _flags(of: frozenset[str] | None) -> list[tuple[str, re.Pattern[str]]]:
    return [(name, pattern) for name, pattern in FLAGS.items() if of is None or name in of]


def worth(found: set[str]) -> tuple[float, float]:
    """What marks speak for lasting, and what for passing."""
    lasting = sum(value for name, value in LASTING.items() if name in found)
    return lasting, sum(value for name, value in PASSING.items() if name in found)
