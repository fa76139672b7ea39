"""Whether a statement permits for one case what an older one rules out or asks for: "restarting the primary is fine now
between 2 and 4 at night" after "never restart the primary without asking me". The rule stands for all other cases.
Words are data (data/undoing.toml)."""

from __future__ import annotations

from functools import lru_cache

from agentmemory.learn import thesaurus
from agentmemory.learn.named import flat, shape, telling
from agentmemory.text import stems


def excepted(new: str, old: str) -> bool:
    """Whether *new* permits something in a case of which *old*, a rule, does not speak."""
    cases = _cases(new)
    if not cases or not shape("case", "rules").search(old.lower()):
        return False
    theirs = telling(old)
    foreign = [case for case in cases if case.isdisjoint(theirs)]
    return not all(thesaurus.akin({s}, theirs) for case in foreign for s in case)


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
