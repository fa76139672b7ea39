"""Which name a text has where a question has another one: "our EU cluster" asked about "our US cluster"."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from agentmemory.learn.parallel import TO_WHAT, WORD
from agentmemory.text import stem

BEFORE_NAMES = frozenset("a an the our my your their his her its this that all".split())


@dataclass(frozen=True, slots=True)
class Other:
    """A name of the question and the text's own in the same place. valued: it is where something goes or what is used,
    so the text gives another value; else it speaks of another thing."""

    asked: str
    given: str
    valued: bool


def other_name(question: str, text: str, before: Sequence[str] = ()) -> Other | None:
    """The first name of a question in whose place a text has one that the question lacks, ahead of the same word;
    *before*: what the text has replaced, whose names are no others."""
    asked, given = WORD.findall(question), WORD.findall(text)
    known, wanted = _stems([*given, *(word for old in before for word in WORD.findall(old))]), _stems(asked)
    for i, name in enumerate(asked[:-1]):
        if i == 0 or not _is_name(name) or _stem(name) in known:
            continue
        for j, own in enumerate(given[:-1]):
            same_place = _stem(asked[i + 1]) == _stem(given[j + 1])
            if same_place and _is_name(own) and _stem(own) not in wanted and not _abbreviates(name, own):
                return Other(name, own, _leads_to_value(asked[:i]))
    return None


def _is_name(word: str) -> bool:
    return len(word) > 1 and word.isidentifier() and word != word.lower()


def _leads_to_value(before: list[str]) -> bool:
    left = [word.lower() for word in before if word.lower() not in BEFORE_NAMES]
    return len(left) > 1 and left[-1] in TO_WHAT


def _abbreviates(one: str, other: str) -> bool:
    """Whether one may be short for the other: its letters stand there in order, the first one first (K8s, TS)."""
    short, whole = sorted((one.lower(), other.lower()), key=len)
    letters = iter(whole)
    return short[0] == whole[0] and all(c in letters for c in short if c.isalpha())


def _stems(words: list[str]) -> Set[str]:
    return {_stem(word) for word in words}


def _stem(word: str) -> str:
    return stem(word.lower())
