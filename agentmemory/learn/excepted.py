"""Whether a statement permits for one case what an older one rules out or asks for: "restarting the primary is fine now
between 2 and 4 at night" after "never restart the primary without asking me", or for one kind of it: "installing dev
dependencies is fine" after "ask me before you install packages". The rule stands for all others. Words are data
(data/undoing.toml)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from agentmemory.learn import thesaurus
from agentmemory.learn.named import flat, shape, telling
from agentmemory.learn.valued import COUNTED
from agentmemory.text import stems

GERUND = re.compile(r"^\W*\w+ing\b")  # "installing": another word for it tells no kind


class Permitted(NamedTuple):
    """Stems of what is permitted, and of all that the clause says."""

    what: frozenset[str]
    said: frozenset[str]


def excepted(new: str, old: str) -> bool:
    """Whether *new* permits something in a case or of a kind of which *old*, a rule, does not speak."""
    cases, things = _cases(new), _things(new)
    if not (cases or things) or not shape("case", "rules").search(old.lower()):
        return False
    theirs = telling(old)
    foreign = [case for case in cases if case.isdisjoint(theirs)]
    return any(_unknown(s, theirs) for case in foreign for s in case) or any(
        _of_a_kind(each, theirs) for each in things
    )


def _unknown(stem: str, theirs: frozenset[str]) -> bool:
    return not thesaurus.akin({stem}, theirs)


def _of_a_kind(thing: Permitted, theirs: frozenset[str]) -> bool:
    """Whether what is permitted is some of what a rule speaks of: it has words of the rule, and another for it."""
    what = thing.what - COUNTED.keys()
    return not all(_unknown(s, theirs) for s in thing.said) and any(_unknown(s, theirs) for s in what)


@lru_cache(maxsize=64)
def _things(text: str) -> tuple[Permitted, ...]:
    """What a text permits, as its clauses begin with it."""
    said = flat(text)
    known = telling(said)
    found = []
    for clause in shape("case", "ends").split(said):
        if m := shape("case", "permits").search(clause):
            begun = shape("case", "where").split(shape("case", "how").sub(" ", clause[: m.start()]))[0]
            what = GERUND.sub("", begun)
            found.append(Permitted(known.intersection(stems(what)), known.intersection(stems(clause))))
    return tuple(each for each in found if each.what)


@lru_cache(maxsize=64)
def _cases(text: str) -> tuple[frozenset[str], ...]:
    """The stems of each case for which a text permits something, none where it does in all cases."""
    said = flat(text)
    known = telling(said)
    permits, where = shape("case", "permits"), shape("case", "where")
    permitting = [clause for clause in shape("case", "ends").split(said) if permits.search(clause)]
    if any(map(shape("case", "all").search, permitting)):
        return ()
    phrases = (phrase for each in permitting for phrase in where.split(permits.sub(" ", each))[1:])
    return tuple(filter(None, (known.intersection(stems(phrase)) for phrase in phrases)))
