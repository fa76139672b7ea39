"""How likely a short turn ("500ms", "nope. sops", "yep", "the second one, it is less work") settles something.

Its own words say next to nothing; how the agent answers says the rest: "`ALARM_LOW` stays 5.5." where something was
settled, "41 passed in 38 s." where something was asked for. A logistic regression over the words of the turn and of the
answer, and what the two and what the agent had said before have in common. Weights are data (data/settled.toml);
`python experiments/settled_fit.py --save` makes them.
"""

from __future__ import annotations

import re
from functools import lru_cache

from agentmemory.learn import answered, fitted
from agentmemory.learn.likeness import bag
from agentmemory.learn.passages import sentences, without_edits
from agentmemory.learn.rated import asks
from agentmemory.learn.spelled import OFFERED
from agentmemory.learn.valued import numbers

WEIGHTS = fitted.weights("settled")
MOST = 12  # words of a short turn
BEFORE = 400  # characters at the end of what the agent had said before
LONG = 100.0  # characters of a long answer
TERSE = 40  # and of one that tells nothing of what the assistant does
SET = re.compile(r"`[^`\n]*[=:][^`\n]*`")


def short(text: str, reply: str) -> bool:
    """Whether a turn is judged as a whole: it is short, and its answer does not only take note, nor undo something."""
    reply = without_edits(reply)
    if len(text.split()) > MOST or not reply or answered.undone(reply):
        return False
    if not answered.only_notes(reply):
        return True
    sort = answered.sort_of(reply)  # "Set.", "Degree 1 now."
    return not sort["reply notes"] and bool(sort["reply acts"] or bag(text) & bag(reply))


@lru_cache(maxsize=64)
def odds(text: str, previous: str, reply: str) -> float:
    """Log-odds that the short turn *text* settles something. *previous*: what the agent had said before. *reply*: what
    it answered."""
    return fitted.total(WEIGHTS, features(text, previous, reply))


def features(text: str, previous: str, reply: str) -> dict[str, float]:
    """What the weights are for; a feature that is missing is 0."""
    previous, reply = without_edits(previous), without_edits(reply)
    found = {f"says {word}": 1.0 for word in answered.features(text)}
    found |= {f"answer {word}": 1.0 for word in answered.features(reply)}
    answer, offered = reply[: answered.READ], previous[-BEFORE:]
    mine, theirs, before = bag(text), bag(answer), bag(offered)
    value, given, known = numbers(text), numbers(answer), numbers(offered)
    return found | {
        "rest": 1.0, "words": len(text.split()) / 6.0, "first": float(not previous),
        "asks": float(asks(text)), "asked": float(asks(previous)),
        "had asked": float("?" in previous[-OFFERED:]),
        "length": len(answer) / LONG, "terse": float(len(reply) < TERSE), "parts": float(len(sentences(answer))),
        "length before": min(len(previous), answered.READ) / LONG,
        "names": answer.count("`") / 2.0, "sets": float(SET.search(answer) is not None),
        "value": float(bool(value)), "gives": float(bool(given)), "value met": float(bool(value & given)),
        "value offered": float(bool(known & given)), "value new": float(bool(given - known - value)),
        "met": len(mine & theirs) / max(1, len(mine)), "of it": len(mine & theirs) / max(1, len(theirs)),
        "offered": len(before & theirs) / max(1, len(theirs)),
    }  # fmt: skip
