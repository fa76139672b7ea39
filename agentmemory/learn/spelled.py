"""What a statement in a word or two ("500ms", "nope. sops", "20 is nothing, 36", "yep, do that") settles, by what the
agent answered: "Search waits 500 ms after the last key." says it in full.
"""

from __future__ import annotations

import re
from functools import lru_cache

from agentmemory.learn import cues
from agentmemory.learn.cues import SHAPES
from agentmemory.learn.likeness import bag
from agentmemory.learn.passages import prose, sentences
from agentmemory.learn.rated import asks
from agentmemory.learn.retired import VAGUE
from agentmemory.learn.valued import numbers
from agentmemory.text import stems, words

FEW = 3  # words that say nothing of what they settle
READ = 400  # characters of an answer that may say it
CLAUSE = re.compile(r"[.,;:!?]+\s+|\s+[-–—]+\s+")
DONE = re.compile(
    r"\b(?!need|speed|feed|seed)[A-Za-z]+ed\b|\b(?:ran|took|was|were|here)\b", re.I
)  # what tells of a deed
LONGEST = 7  # words of what agrees or chooses and says nothing else
PROPOSED = 100  # characters of a sentence that proposed it
OFFERED = 200  # characters at the end of what the agent said that ask for it
CHOOSES = frozenset(stems("keep use take leave pick choose second third first latter former option both 2nd 1st 3rd"))
POINTS = frozenset(("that", "this", "so", "it", "her", "him", "them", "those"))
AGREES = CHOOSES | frozenset(
    stems("yea ya yess ye sure right exactly agreed fine good great perfect nice better sounds works ahead course b d")
)


@lru_cache(maxsize=256)
def spelled(said: str, reply: str) -> str:
    """The sentence of the answer *reply* that takes up the word or value which ends *said*, or is all of it, and says
    what of; "" where there is none, or *said* ends in a clause of its own."""
    clauses = (each for each in reversed(CLAUSE.split(said)) if numbers(each) or bag(each) - VAGUE)
    last = next(clauses, "")
    if not 0 < len(last.split()) <= FEW or asks(said):
        return ""
    values, names = numbers(last), bag(last) - VAGUE
    own = bag(said)
    for each in sentences(prose(reply)[:READ]):
        met = values & numbers(each.text) if values else names & bag(each.text)
        if met and any(s.isalpha() for s in bag(each.text) - own):
            return each.text
    return ""


@lru_cache(maxsize=256)
def meant(text: str, previous: str, reply: str) -> str:
    """What a short turn of which the answer *reply* takes up no word or value settles: what the agent had proposed
    (*previous*), unless the answer says that anew, and what it says then; "" where the turn's own words say it, or
    neither says anything."""
    told = _says(reply)
    if bag(text) & bag(told) or numbers(text) & numbers(told):
        return ""
    put = _proposed(text, previous, told)
    if 2 * len(bag(put) & bag(told)) > len(bag(put)) and POINTS.isdisjoint(words(told)):
        put = ""  # the answer says it, and as it is now
    return " ".join(filter(None, (put, told)))


def taken(text: str, previous: str, reply: str) -> str:
    """The sentence with which the answer *reply* takes up what a turn makes of a proposal (*previous*), whatever the
    turn itself says of it: "50, let them cry", "The deposit is 50 percent."; "" where it adds no word, or meets
    neither."""
    told = _says(reply)
    mine, theirs = bag(text), bag(told)
    met = theirs & (mine | bag(previous[-READ:])) - VAGUE or numbers(told) & numbers(f"{text} {previous[-READ:]}")
    return told if met and any(s.isalpha() for s in bag(told.lower()) - mine) else ""  # "WebP" adds nothing to "webp"


def scaled(text: str, reply: str) -> str:
    """The sentence with which an answer begins that tells the value that something has now, where the short turn only
    says to how much more or less it comes: "users hit the limit. triple it", "The rate limit is 300 per minute."."""
    first = next((each.text for each in sentences(prose(reply)[:READ])), "")
    given = numbers(first) - numbers(text)
    if not given or DONE.search(first) or asks(first) or not bag(first) - VAGUE:
        return ""
    return first if SHAPES["scales"].search(cues.plain(text)) else ""


def _proposed(text: str, previous: str, told: str) -> str:
    """What the agent had proposed: the last sentence before the turn that this or the answer *told* takes up; else the
    last one, where the turn agrees with it or chooses from it, or it asks."""
    said = [each.text for each in reversed(sentences(prose(previous)[-READ:])) if len(each.text) <= PROPOSED]
    names, values = bag(f"{text} {told}") - VAGUE - AGREES, numbers(f"{text} {told}")
    taken = next((each for each in said if names & bag(each) or values & numbers(each)), "")
    chosen = not (AGREES.isdisjoint(stems(text)) and POINTS.isdisjoint(words(text)))
    return taken or next((each for each in said[:1] if chosen or asks(each)), "")


def _says(reply: str) -> str:
    """The first sentence of an answer that says something."""
    for each in sentences(prose(reply)[:READ]):
        much = sum(s.isalpha() for s in bag(each.text) - VAGUE)
        if (much > 1 or (much and numbers(each.text))) and not asks(each.text):
            return each.text
    return ""


@lru_cache(maxsize=256)
def agreed(said: str, previous: str, reply: str) -> str:
    """What the answer *reply* says of a turn that only agrees with, or chooses from, what the agent said before; ""
    where the turn says more, or there was nothing to agree with."""
    mine = set(stems(said))
    if len(said.split()) > LONGEST or mine - AGREES or asks(said):
        return ""
    offered = "?" in previous[-OFFERED:] or SHAPES["offers"].search(cues.plain(previous[-OFFERED:]))
    if not offered and mine.isdisjoint(CHOOSES) and POINTS.isdisjoint(words(said)):
        return ""
    return _says(reply)
