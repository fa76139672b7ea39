"""How likely a user's turn puts right what the assistant just did or said, in a way that is meant to last.

"Tickets get closed by QA" after "I closed the ticket" does, without any "no" or "wrong". A logistic regression; it sees
words of structure (pronouns, tenses, orders, questions) and their order, the marks of the sentences and what both turns
have in common, and no topics. Patterns, classes of words and weights are data (data/rightings.toml);
`experiments/corrections.py --fit` makes the weights from labelled turns of several hands.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from agentmemory.learn import cues, fitted, tables
from agentmemory.text import STOP, stem, words

if TYPE_CHECKING:
    from agentmemory.learn.rated import Rated

OPENING = 600  # characters of the assistant's turn, its last ones, that are compared
LONG = 40  # words from which a turn is as long as any
MOST_SHARED = 3
MANY = 5  # sentences, from which a turn has as many as any
SURE = 6.0  # sum of marks from which a sentence is as sure as any
FEW = 6  # words as which a shorter turn counts, where shares are taken
WORD = re.compile(r"[^\W\d_]+|\d[\d.,:]*|[^\w\s]")
ENDINGS = ("ing", "ed", "s")

_DATA: dict[str, dict[str, Any]] = tables.read("rightings")
_USER = tables.Patterns(_DATA["user"])
_PREVIOUS = tables.Patterns({f"previous_{name}": pattern for name, pattern in _DATA["previous"].items()})
_CLASSES: dict[str, list[str]] = {}
for _class, _members in _DATA["classes"].items():
    for _member in _members.split():
        _CLASSES.setdefault(_member, []).append(_class)
_KINDS: dict[str, str] = {
    word: name for name in reversed(_DATA["kinds"]["of"].split()) for word in _DATA["classes"][name].split()
}  # fmt: skip
WEIGHTS: dict[str, float] = _DATA["weights"]


def likelihood(user: str, previous: str, said: Sequence[Rated], kept: bool) -> float:
    """Between 0 and 1, for a turn that follows the assistant's turn *previous*.

    *said*: its sentences, one at least. *kept*: marks of lasting meaning alone would keep something of it.
    """
    return fitted.likelihood(WEIGHTS, features(user, previous, said, kept))


def features(user: str, previous: str, said: Sequence[Rated], kept: bool) -> dict[str, float]:
    """What the weights are for, each between 0 and 2; what is missing is 0, `rest` is 1."""
    plain = cues.plain(user)
    found = {name: 1.0 for name, pattern in _USER.items() if pattern.search(plain)}
    found |= {name: 1.0 for name, pattern in _PREVIOUS.items() if pattern.search(previous)}
    heard = words(user)
    found["rest"], found["kept"] = 1.0, float(kept)
    found["length"] = min(len(heard), LONG) / LONG * 2.0
    found["brief"] = float(len(heard) <= 4)
    found["shared"] = min(len(_stems(heard) & _stems(words(previous[-OPENING:]))), MOST_SHARED) / MOST_SHARED
    return {**found, **_sentences(said), **classes(plain), **beside("kinds", plain), **beside("words", plain)}


def _sentences(said: Sequence[Rated]) -> dict[str, float]:
    """The marks of all sentences, and which part of them orders, asks or says nothing of its own."""
    count = len(said)
    found = {f"mark {mark}": 1.0 for each in said for mark in each.marks}
    found["score"] = min(max(each.score for each in said), SURE) / SURE * 2.0
    found["orders"] = sum(each.order for each in said) / count
    found["begins with an order"] = float(said[0].order)
    found["left out"] = sum(each.out for each in said) / count
    found["idle"] = sum(each.idle for each in said) / count
    found["asks"] = sum(each.plain.rstrip(" )\"'").endswith("?") for each in said) / count
    found["sentences"] = min(count, MANY) / MANY
    found["one sentence"] = float(count == 1)
    return found


@lru_cache(maxsize=64)
def classes(plain: str) -> Mapping[str, float]:
    """Classes of the words of a text (see cues.plain), and how much of it each makes up."""
    tokens = WORD.findall(plain)
    counted = Counter(name for token in tokens for name in _CLASSES.get(token, ()))
    length = max(FEW, len(tokens))
    found = {f"class {name}": 1.0 for name in counted}
    return found | {f"share {name}": min(1.0, 3 * times / length) for name, times in counted.items()}


@lru_cache(maxsize=64)
def beside(of: str, plain: str) -> Mapping[str, float]:
    """What stands beside what in a text: "kinds" of words, or the "words" of structure themselves."""
    row = list(map(_kind if of == "kinds" else _bare, WORD.findall(plain)))
    return dict.fromkeys((f"{of} {a} {b}" for a, b in zip(["^", *row], [*row, "$"])), 1.0)


def _kind(token: str) -> str:
    known = _KINDS.get(token)
    if known is not None:
        return known
    if not token.isalpha():
        return "#" if token[0].isdigit() else token
    ending = next((end for end in ENDINGS if token.endswith(end)), "") if len(token) > 3 else ""
    return ending if ending and not token.endswith("ss") else "word"


def _bare(token: str) -> str:
    """The token where it is a word of structure or a sign."""
    if token in STOP or not token[0].isalnum():
        return token
    return "#" if token[0].isdigit() else "*"


def _stems(heard: Sequence[str]) -> Set[str]:
    return {stem(word) for word in heard if word not in STOP and len(word) > 2}
