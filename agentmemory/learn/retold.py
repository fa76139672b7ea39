"""What two answers of the agent tell of whether the later statement settles anew what the older one had settled.

"9 again, i move the antenna" has no word of "cage 11 drops every 3rd frame. 10"; "Spreading factor 9 again." and
"Spreading factor 10." say it. Looks at how answers begin only.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import NamedTuple

from agentmemory.learn.tongues import WORD
from agentmemory.learn.valued import DIGITS, UNITS, numbers
from agentmemory.text import STOP, stem

SENTENCE = re.compile(r"(?<=[.!?;])\s")
READ = 150  # characters of an answer that may say so
NAMED = re.compile(r"(?<=`)[\w./<>@#-]*[A-Za-z]{2}[\w./<>@-]*|\b[a-z]+[A-Z]\w+|\b[A-Z]{2,}[A-Z_]*\b|\b\w+_\w+")
TOKEN = re.compile(rf"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|{DIGITS}|%")
BEFORE, AFTER = 5, 3  # words around a figure that may say what it is of
BRINGS = re.compile(r"\b(?:add(?:ed|s)|wrote|created|committed|built|pushed|tagged|new)\b", re.I)
#: how many tests passed, how long it took: what an agent reports of each run
COUNTED = re.compile(
    r"\b\d+(?:/\d+)? (?:(?:unit |new )?tests? )?(?:pass\w*|fail\w*|green|skipped)|\bin \d[\d.]* ?m?s\b", re.I
)
LONG, FIRST_LONG = 10.0, 8.0  # words of an answer, and of its first sentence, that count 1


class Figure(NamedTuple):
    """A number that somebody said and the answer took up: its unit ("" for none), and the words around it there."""

    number: str
    unit: str
    of: frozenset[str]


def features(said: str, answer: str, old: str, before: str) -> dict[str, float]:
    """How alike the exchanges are in which *said* was answered with *answer* and *old* with *before*, "" where nobody
    knows; and what sort of answer the later one is."""
    answer, before = answer[:READ], before[:READ]
    if not answer:
        return {}
    if not before:
        return dict(_shape(answer))
    return _shape(answer) | _alike(answer, before) | _figures(figures(said, answer), figures(old, before))


def alike(answer: str, before: str) -> bool:
    """Whether two answers say the same, whatever was said before them ("I've updated the README.", "Done; 41 passed."):
    they tell nothing of what either was about, nor that something is another value now."""
    one, other = (COUNTED.sub("", each[:READ]) for each in (answer, before))
    return _told(one).words == _told(other).words and numbers(one) == numbers(other)


@lru_cache(maxsize=64)
def _shape(answer: str) -> dict[str, float]:
    """How long an answer is, and whether it brings something new, asks or speaks of the agent: what sets a value anew
    is said in a few words."""
    return {
        "answer long": min(3.0, len(answer.split()) / LONG),
        "answer first long": min(2.0, len(SENTENCE.split(answer)[0].split()) / FIRST_LONG),
        "answer brings": float(bool(BRINGS.search(answer))), "answer asks": float("?" in answer),
        "answer of I": float(bool(re.search(r"\bI\b", answer))),
    }  # fmt: skip


class Told(NamedTuple):
    """The beginning of an answer: its words in lower case, as many as it has, the first one; what it names; the numbers
    and the telling words of each sentence that has numbers."""

    words: frozenset[str]
    long: int
    first: str
    names: frozenset[str]
    numbered: tuple[tuple[frozenset[str], frozenset[str]], ...]


@lru_cache(maxsize=1_024)
def _told(answer: str) -> Told:
    words = WORD.findall(answer.lower())
    found = ((numbers(each), frozenset(WORD.findall(each.lower())) - STOP) for each in SENTENCE.split(answer))
    return Told(
        frozenset(words), len(answer.split()), words[0] if words else "", _names(answer),
        tuple((values, said) for values, said in found if values),
    )  # fmt: skip


def _alike(answer: str, before: str) -> dict[str, float]:
    """How alike the beginnings of both answers are: the same words but for numbers, the same names or others; how alike
    two sentences of them that give other numbers; how long they are."""
    here, there = _told(answer), _told(before)
    both, strange = len(here.words & there.words), here.names.isdisjoint(there.names)
    anew = [
        len(one & other) / len(one | other)
        for n, one in here.numbered for m, other in there.numbered if one and other and n.isdisjoint(m)
    ]  # fmt: skip
    return {
        "told anew": 3.0 * max(anew, default=0.0),
        "told alike": 3.0 * both / max(1, len(here.words | there.words)),
        "told within": 2.0 * both / max(1, min(len(here.words), len(there.words))),
        "told names": float(not strange), "told other names": float(bool(here.names and there.names) and strange),
        "told first": float(here.first == there.first != ""),
        "told before long": min(3.0, there.long / LONG),
        "told as long": abs(math.log((here.long + 2) / (there.long + 2))),
    }  # fmt: skip


def _figures(mine: tuple[Figure, ...], theirs: tuple[Figure, ...]) -> dict[str, float]:
    """Whether both exchanges give a figure, not the same one, of one unit, among the same words."""
    pairs = [(one, other) for one in mine for other in theirs if one.number != other.number]
    of = (len(one.of & other.of) / max(1, min(len(one.of), len(other.of))) for one, other in pairs)
    unit = any(one.unit == other.unit != "" for one, other in pairs)
    words = max((len(one.of & other.of) for one, other in pairs), default=0)
    return {
        "told a figure": float(bool(mine)), "told figures": float(bool(pairs)),
        "told figures of": 2.0 * max(of, default=0.0), "told figures words": min(3, words) / 1.5,
        "told figures unit": float(unit), "told figures unit of": float(unit and words > 0),
    }  # fmt: skip


@lru_cache(maxsize=1_024)
def figures(said: str, answer: str) -> tuple[Figure, ...]:
    """The figures of an answer that what was said gives."""
    given = numbers(said)
    tokens = [token if token[0].isdigit() else token.lower() for token in TOKEN.findall(answer)]
    out = []
    for i, token in enumerate(tokens):
        value = min(numbers(token), default="")
        if value not in given:
            continue
        after = tokens[i + 1] if i + 1 < len(tokens) else ""
        near = (*tokens[max(0, i - BEFORE) : i], *tokens[i + 1 : i + 1 + AFTER])
        of = (each for each in near if each.isalpha() and each not in STOP and each not in UNITS and len(each) > 1)
        out.append(Figure(value, UNITS.get(after, ""), frozenset(map(stem, of))))
    return tuple(out)


def _names(text: str) -> frozenset[str]:
    """What a text names as code does, without values: of `page_size: 20` the key."""
    return frozenset(found.lower() for found in NAMED.findall(text))
