"""How likely a short turn ("500ms", "nope. sops", "yep", "the second one, it is less work") settles something.

Its own words say next to nothing; how the agent answers says the rest: "`ALARM_LOW` stays 5.5." where something was
settled, "41 passed in 38 s." where something was asked for. A logistic regression over the words of the turn and of the
answer, and what the two and what the agent had said before have in common; one of its own where the agent had proposed
something: what is assented to lasts by what it is, not by a "yes". Weights are data (data/settled.toml);
`python experiments/settled_fit.py --save` makes them.
"""

from __future__ import annotations

import re
from functools import lru_cache

from agentmemory.learn import answered, cues, fitted, tongues
from agentmemory.learn.likeness import bag
from agentmemory.learn.passages import prose, sentences, without_edits
from agentmemory.learn.rated import asks
from agentmemory.learn.spelled import AGREES, DONE, OFFERED
from agentmemory.learn.valued import numbers
from agentmemory.text import stems

WEIGHTS = fitted.weights("settled")
ANSWERING = fitted.weights("settled", "answering")  # the same of what answers a proposal
SAYS, ANSWER = "says ", "answer "  # how features begin that are words of the turn and of its answer
MOST = 12  # words of a short turn
ANSWERS = 25  # and of one that answers a proposal
BEFORE = 400  # characters at the end of what the agent had said before
LONG = 100.0  # characters of a long answer
TERSE = 40  # and of one that tells nothing of what the assistant does
TOLD = 16  # words of an answer's first sentence beyond which more tell nothing,
CURT = 4  # and below which it says next to nothing
SET = re.compile(r"`[^`\n]*[=:][^`\n]*`")
MADE = re.compile(r"`[^`\n]*(?:/|\.[a-z]{2,4})[^`\n]*`")  # a file: "Chart is in `out/p4.svg`."
#: what says how the agent would have something, in plain English words and the conditionals of three other tongues,
#: and what asks whether it may do something
WOULD = re.compile(
    r"\b(?:would|can|could|propos\w+|suggest(?:ion)?|recommend|better|rather|prefer|usual|my|instead|options?|either|id"
    r"|w[üu]rden?|k[öo]nnten?|vorschlag\w*|schlage|propong\w+|\w{2,}ría(?:n|mos)?|\w*(?:[dei]r|rr|vr)ai(?:s|t|ent))\b"
)
MAY_I = re.compile(r"\b(?:(?:shall|should|want|do you|may|can) (?:i|me|you|it)|go ahead|proceed)\b")
STATES = re.compile(
    r"\b(?:is|are|has|have|goes|go|takes?|stays?|gets?|uses?|keeps?|begins?|starts?|ends?|runs?|shows?|comes?|needs?"
    r"|can|may|must)\b|[:=]"
)  # what tells how something is from now on


def short(text: str, reply: str) -> bool:
    """Whether a turn is judged as a whole: it is short, and its answer does not only take note, nor undo something."""
    reply = without_edits(reply)
    if len(text.split()) > MOST or not reply or answered.undone(reply):
        return False
    if not answered.only_notes(reply):
        return True
    sort = answered.sort_of(reply)  # "Set.", "Degree 1 now."
    return not sort["reply notes"] and bool(sort["reply acts"] or bag(text) & bag(reply))


def answers(text: str, previous: str) -> bool:
    """Whether a turn is an answer to what the agent had proposed (*previous*) rather than a message of its own."""
    return len(text.split()) <= ANSWERS and proposes(previous)


@lru_cache(maxsize=64)
def odds(text: str, previous: str, reply: str) -> float:
    """Log-odds that the short turn *text* settles something. *previous*: what the agent had said before. *reply*: what
    it answered."""
    return fitted.total(ANSWERING if proposes(previous) else WEIGHTS, features(text, previous, reply))


def features(text: str, previous: str, reply: str) -> dict[str, float]:
    """What the weights are for; a feature that is missing is 0."""
    previous, reply = without_edits(previous), without_edits(reply)
    found = {f"{SAYS}{word}": 1.0 for word in answered.features(text)}
    found |= {f"{ANSWER}{word}": 1.0 for word in answered.features(reply)}
    answer, offered = reply[: answered.READ], previous[-BEFORE:]
    mine, theirs, before = bag(text), bag(answer), bag(offered)
    value, given, known = numbers(text), numbers(answer), numbers(offered)
    found |= {
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
    return found | _exchange(text, offered, reply) if proposes(previous) else found


@lru_cache(maxsize=64)
def proposes(previous: str) -> bool:
    """Whether the end of what the agent said before asks for an answer, or says how it would have something."""
    end = _ending(without_edits(previous))
    return "?" in end or bool(WOULD.search(end) or MAY_I.search(end))


def _ending(said: str) -> str:
    """The last words of what the agent said, plain and with those of structure in English."""
    return cues.plain(tongues.answer(prose(said).lower())[-OFFERED:])


def _exchange(text: str, offered: str, reply: str) -> dict[str, float]:
    """What the agent proposed (*offered*) and how it took up what the turn made of that: a task that is assented to
    is done ("Restarted."), what is settled is said to be so ("Invitations expire after a month.")."""
    end = _ending(offered)
    first = next((each.text for each in sentences(prose(reply)[: answered.READ])), "")
    states = bool(STATES.search(cues.plain(tongues.answer(first.lower()))))
    deed = DONE.search(first)
    agrees, either = AGREES.issuperset(stems(text)), " or " in end
    taken, before, values = bag(first), bag(offered), numbers(offered) | numbers(text)
    met = len(taken & (before | bag(text)))
    return {
        "offers would": float(bool(WOULD.search(end))), "offers may": float(bool(MAY_I.search(end))),
        "offers or": float(either), "asks or": float(either and "?" in end),
        "did": float(bool(deed and deed.start() < 2)), "was done": float(bool(deed and deed.start() >= 2)),
        "states": float(states), "made": float(bool(MADE.search(reply))), "curt": float(len(first.split()) < CURT),
        "told": min(len(first.split()), TOLD) / 8.0, "agrees": float(agrees),
        "agrees, states": float(agrees and states),
        "agrees, offered": float(agrees) * len(before & taken) / max(1, len(taken)),
        "taken up": met / max(1, len(taken)), "new": min(len(taken) - met, 5) / 3.0,
        "value taken up": float(bool(numbers(first) & values)), "other value": float(bool(numbers(first) - values)),
    }  # fmt: skip
