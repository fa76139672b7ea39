"""How likely a sentence of a user's turn says something that is meant to last.

A logistic regression over the sentence's marks and what they sum up to, its words of structure, its place in the
turn, its neighbours, how likely the turn puts right what the assistant did (rightings.py), how the assistant took it,
what its answer takes up of the sentence and what it had offered before (answered.py). It overrules the rules where
they are too strict ("what is booked is computed in PKG_RESERVE" begins like a question) and where they are too
lenient. Four of them have each learned from talk of their own kind; where talk is at work and nothing else its own
decides, elsewhere a fifth weighs what the four say (decisions 0050, 0086), and of a short turn it is heard as well
whether it settles something as a whole (settled.py). Weights are data (data/lasting.toml);
`python experiments/lasting_fit.py --save` makes them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import cache

from agentmemory.learn import answered, cues, fitted, manner, rightings, settled, topics
from agentmemory.learn.groups import NUMBER, length
from agentmemory.learn.rated import ENOUGH, Rated, Reading, asks
from agentmemory.learn.register import STRANGERS, Talk
from agentmemory.learn.spelled import FEW, LONGEST, agreed, spelled

#: what a sentence weighs in talk that tells, taken by itself, in talk at work and nothing else, in work in which much
#: is put right: each learned from talk of its own kind
EXPERTS = ("telling", "alone", "working", "busy")
TOGETHER, NOTED = "together", "noted"  # of the latter where the answer only takes note: no week has such answers
NEVER = -50.0  # log-odds of what is not meant to last
FIRMLY = 8.0  # log-odds of one of them beyond which more tells nothing
STEADILY, OFTEN = 30.0, 2.0  # and log-odds that talk, and its usual message, tells
LOWEST, HIGHEST = -2.0, 6.0  # sums of marks between which more tells more
PROPOSED = 0.75  # of what the turn as a whole tells is heard where the agent had proposed something, else half of it
MOST_ODDS = 3.0  # log-odds of the turn beyond which more tells nothing
FENCE = "```"
AGREES = 0.6  # worth of an answer (see answered) from which it takes something up
OFFER = 600  # characters at the end of what the assistant said before that may offer what is said now
STATES = re.compile(r"\b(?:is|are|has|have|goes|go|takes?)\b|[:=]")  # what an answer says that holds from now on,
ANEW = re.compile(r"\b(?:now|every|each|all|only|default|always|never)\b", re.I)
DEED = re.compile(r"\W*(?!need|speed|feed)[A-Za-z]+ed\b")  # or was done
MANY, LONG, SHORT = 6, 30, 4  # sentences of a turn, words of a sentence


@cache
def weights(of: str) -> dict[str, float]:
    """Of what an expert hears, or of what all of them say together."""
    return fitted.weights("lasting", of)


def likelihoods(
    found: Reading, text: str, before: Sequence[tuple[str, str]], reply: str, talk: Talk = STRANGERS
) -> list[float]:
    """Of each sentence of the turn *text*, between 0 and 1. *before*, *reply*, *talk*: see `candidates`."""
    told, combining = answered.told(reply), NOTED if answered.only_notes(reply) else TOGETHER
    experts = {of: weights(of) for of in EXPERTS}
    odds = []
    for r, of in zip(found.rated, features(found, text, before, reply, talk.works), strict=True):
        if manner.by_program(r.said.text) or (talk.sure < 0.0 and manner.within_report(r.said, text)):
            odds.append(NEVER)
        elif talk.works:
            odds.append(fitted.total(experts["working"], of))
        else:
            odds.append(fitted.total(weights(combining), together(experts, of, told, talk)))
    said = topics.previous(before)
    share = PROPOSED if settled.proposes(said) else 0.0 if talk.works else 0.5
    if share and settled.short(found.typed, reply):
        heard = _as_a_whole(found.rated, odds, settled.odds(found.typed, said, reply), share)
        says = share == PROPOSED and len(found.typed.split()) >= LONGEST  # more than an answer: what it says counts
        odds = [max(each) for each in zip(odds, heard, strict=True)] if talk.works or says else heard
    return [fitted.logistic(each) for each in odds]


def _as_a_whole(rated: list[Rated], odds: list[float], whole: float, share: float) -> list[float]:
    """The log-odds of sentences, heard with those that their turn settles something as a *whole*, of which *share* is
    heard; that it does speaks for the likeliest of them only, first of all of those that say something."""
    best = max(range(len(odds)), key=lambda i: (not (rated[i].order or rated[i].idle), odds[i]))
    return [
        share * whole + (1.0 - share) * each if i == best or whole < each else each for i, each in enumerate(odds)
    ]  # fmt: skip


def together(
    experts: Mapping[str, Mapping[str, float]], found: Mapping[str, float], told: float, talk: Talk
) -> dict[str, float]:
    """What the *experts* say of a sentence, and what says how much each is to be heard: how much the answer *told* (0
    to 1), what the *talk* is."""
    heard = {
        "told": told, "told tells": told * max(-STEADILY, min(STEADILY, talk.sure)) / 10.0,
        "told usual": told * max(-OFTEN, min(OFTEN, talk.usual)),
    }  # fmt: skip
    out = {"rest": 1.0, **heard}
    for name, weights in experts.items():
        odds = max(-FIRMLY, min(FIRMLY, fitted.total(weights, found)))
        out |= {f"{name} {by}": odds * much for by, much in heard.items()}
        if name != "telling":  # which has learned most from what answers tell
            out[name] = odds
    return out


def features(
    found: Reading, text: str, before: Sequence[tuple[str, str]], reply: str, works: bool = False
) -> list[dict[str, float]]:
    """What the weights are for, of each sentence; a feature that is missing is 0. *works*: in talk at work what is
    pasted is of the message: it makes a task of it."""
    wrote = text if works else found.typed
    previous = topics.previous(before)
    likely = rightings.likelihood(wrote, previous, found.rated, found.kept)
    turn = {
        "rest": 1.0, "turn": likely, "turn odds": _odds(likely), "answer": answered.lasting(reply),
        "acted": _acted(reply), "first turn": float(not before), "asked": float(asks(previous)),
        "corrects": float(found.corrects), "many": min(len(found.rated), MANY) / 3.0,
    }  # fmt: skip
    turn |= _of("turn", rightings.classes(cues.plain(wrote))) | answered.sort_of(reply)
    turn |= manner.of_message(wrote, [r.said for r in found.rated])
    offered = previous[-OFFER:]
    return [
        {
            **turn, **sentence(found.rated, i), **manner.of_sentence(r.said, text), **_spelled(r.said.text, reply),
            **(_agreed(text, previous, reply) if len(found.rated) == 1 else {}),
            **answered.echoes(r.said.text, reply), **_of("offered", answered.echoes(r.said.text, offered)),
        }
        for i, r in enumerate(found.rated)
    ]  # fmt: skip


def sentence(rated: list[Rated], i: int) -> dict[str, float]:
    """What is known of sentence i by itself and beside its neighbours."""
    r, plain = rated[i], cues.plain(rated[i].said.text)
    found = {
        **_standing(r), **_of("says", rightings.classes(plain)), **_of("says", rightings.beside("words", plain)),
        "enough": float(r.score >= ENOUGH), "first": float(i == 0), "last": float(i == len(rated) - 1),
        "named": float(r.named), "counted": float(bool(NUMBER.search(r.said.text))),
        "length": min(length(r), LONG) / 15.0, "short": float(length(r) < SHORT),
    }  # fmt: skip
    for where, j in (("before", i - 1), ("after", i + 1)):
        if 0 <= j < len(rated):
            worded = rightings.classes(cues.plain(rated[j].said.text))
            found |= {f"{where}: {name}": value for name, value in _standing(rated[j]).items()}
            found |= {f"{where}: says {name}": 1.0 for name in worded if name.startswith("class")}
    return found


def _spelled(said: str, reply: str) -> dict[str, float]:
    """Whether the answer says in full what a word or a value settles, and how."""
    full = spelled(said, reply)
    short = {"number": bool(NUMBER.search(said)), "short": len(said.split()) <= FEW}
    return _full("spelled", full, short) if full else {}


def _agreed(text: str, previous: str, reply: str) -> dict[str, float]:
    """The same of a turn that only agrees with what the agent proposed."""
    full = agreed(text, previous, reply)
    offered = {"asked": asks(previous), "number": bool(NUMBER.search(full)), "again": bool(ANEW.search(full))}
    return _full("agreed", full, offered) if full else {}


def _full(what: str, full: str, found: Mapping[str, bool]) -> dict[str, float]:
    found = {"said": True, "state": bool(STATES.search(full)), "deed": bool(DEED.match(full)), **found}
    return {f"{what} {name}": float(value) for name, value in found.items()}


def _standing(r: Rated) -> dict[str, float]:
    """What its marks make of a sentence."""
    found = {f"mark {mark}": 1.0 for mark in r.marks}
    return found | {
        "score": min(max(r.score, LOWEST), HIGHEST) / 2.0, "out": float(r.out), "order": float(r.order),
        "idle": float(r.idle), "asks": float(asks(r.said.text)),
    }  # fmt: skip


def _of(what: str, found: Mapping[str, float]) -> dict[str, float]:
    """Features under the name of what they are of."""
    return {f"{what} {name}": value for name, value in found.items()}


def taken_up(reply: str) -> bool:
    """Whether the assistant's answer says that it will keep to what was said, or it did it at once."""
    return _acted(reply) > 0 or answered.lasting(reply) >= AGREES


def _acted(reply: str) -> float:
    """Whether the assistant wrote code in answer (see digest.py); one that only says "Done." may have."""
    return 1.0 if FENCE in reply else 0.5 * (len(reply) < settled.TERSE)


def _odds(likely: float) -> float:
    return max(-MOST_ODDS, min(MOST_ODDS, math.log((likely + 1e-9) / (1.0 - likely + 1e-9)))) / 2.0
