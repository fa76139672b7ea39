"""How likely a user's turn puts right what the assistant just did or said, in a way that is meant to last.

"Tickets get closed by QA" after "I closed the ticket" does, without any "no" or "wrong". A logistic regression over
words of structure (pronouns, tenses, orders, questions) and what both turns share, not over topics. Patterns and
weights are data (data/rightings.toml); `experiments/corrections.py --fit` makes the weights from labelled turns.
"""

from __future__ import annotations

import math
import re
import tomllib
from importlib.resources import files
from typing import Any

from agentmemory.learn import cues
from agentmemory.text import STOP, stem, words

OPENING = 600  # characters of the assistant's turn, its last ones, that are compared
LONG = 40  # words from which a turn is as long as any
MOST_SHARED = 3
WORD = re.compile(r"[a-z']+|[^\w\s]")
ENDINGS = ("ed", "ing", "s", "er", "ly", "tion")

_DATA: dict[str, dict[str, Any]] = tomllib.loads(
    (files("agentmemory") / "data" / "rightings.toml").read_text(encoding="utf-8")
)
_USER = {name: re.compile(pattern) for name, pattern in _DATA["user"].items()}
_PREVIOUS = {name: re.compile(pattern) for name, pattern in _DATA["previous"].items()}
WEIGHTS: dict[str, float] = _DATA["weights"]


def likelihood(user: str, previous: str, kept: bool, sentences: int) -> float:
    """Between 0 and 1, for a turn that follows the assistant's turn *previous*.

    *kept*: marks of lasting meaning alone would keep something of it. *sentences*: how many it has.
    """
    found = features(user, previous, kept, sentences)
    return 1.0 / (1.0 + math.exp(-sum(WEIGHTS.get(name, 0.0) * value for name, value in found.items())))


def features(user: str, previous: str, kept: bool, sentences: int) -> dict[str, float]:
    """What the weights are for: 0 or 1 for each pattern, the length, how much both turns share, the shapes of its words
    (only those that it has), and 1 for the rest."""
    plain = cues.plain(user)
    found = {name: float(bool(pattern.search(plain))) for name, pattern in _USER.items()}
    found |= {f"previous_{name}": float(bool(pattern.search(previous))) for name, pattern in _PREVIOUS.items()}
    said = words(user)
    found["kept"], found["sentences"] = float(kept), float(sentences > 1)
    found["length"] = min(len(said), LONG) / LONG * 2.0
    found["brief"] = float(len(said) <= 4)
    found["shared"] = min(len(_stems(user) & _stems(previous[-OPENING:])), MOST_SHARED) / MOST_SHARED
    found["rest"] = 1.0
    return found | dict.fromkeys(shapes(plain), 1.0)


def shapes(plain: str) -> set[str]:
    """How a turn begins (the first two words where they are words of structure) and how its other words end."""
    said = WORD.findall(plain)
    out = {f"{place} {word if word in STOP else '*'}" for place, word in zip(("first", "second"), said)}
    content = [word for word in said if word.isalpha() and word not in STOP]
    if said[:1] == content[:1] and content:
        out.add("begins with a plural" if content[0].endswith("s") else "begins with a word")
    return out | {f"ends in {end}" for end in ENDINGS if any(len(w) > 4 and w.endswith(end) for w in content)}


def _stems(text: str) -> set[str]:
    return {stem(word) for word in words(text) if word not in STOP and len(word) > 2}
