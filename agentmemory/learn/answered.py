"""What the agent's answer gives away about a turn: was something lasting said, was a change told?

Told something lasting, an agent says "understood" or "from now on" and changes files; told of a change, it speaks of
the old and the new; asked a question, or told a joke, it explains, offers and asks back.

Logistic regressions over words that many answers have, without code: whether it is shown depends on the client. Weights
are data (data/answered.toml); `python experiments/answered_fit.py --save` makes them from the worlds of
experiments/worlds.
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import fsum

from agentmemory.learn import cues, groups, tables, tongues
from agentmemory.learn.cues import SHAPES
from agentmemory.learn.likeness import bag
from agentmemory.learn.passages import fences, prose, without_edits

MOST_MET = 6.0  # stems that an answer takes up, beyond which more tell nothing
BRIEF, FULL = 50, 100  # characters of an answer up to which it tells nothing, and from which it tells all that it may
DONE = frozenset(("^done", "^set", "^configured", "^saved", "^stored"))
NOTED = "Noted."  # the plainest answer that takes note
NOTE = 32  # characters of an answer that says no more than that it takes note
IN_A_WORD = 3  # features of an answer of two words: each, and the first again
TELLS = 0.5  # what an answer has to tell (see told) to be heard as one that does
READ = 300  # characters of an answer that are read for how it sounds
TALK, CODE = 600, 2_000  # and of its talk and its code for what they take up
MOST = 1.0  # log-odds that an answer may bring or take where it is heard alone
MOST_OF_CHANGE = 3.0  # and where other signs are weighed with it
NAME, NUMBER = "<name>", "<number>"
QUOTED = re.compile(r"`[^`\n]*`")
TOKEN = re.compile(r"<name>|[^\W\d_]+(?:['’][a-z]+)?|\d+|[?!]")

WEIGHTS: dict[str, dict[str, float]] = tables.read("answered")


def lasting(reply: str) -> float:
    """Log-odds that the answer *reply* adds to a turn's having said something that lasts; 0 where nothing is known."""
    return _odds("lasting", reply, MOST)


def changing(reply: str) -> float:
    """The same for its having changed what was known before."""
    return _odds("changing", reply, MOST_OF_CHANGE)


def _odds(what: str, reply: str, most: float) -> float:
    weights = WEIGHTS[what]
    return max(-most, min(most, fsum(weights.get(name, 0.0) for name in features(reply))))


@lru_cache(maxsize=64)
def features(reply: str) -> frozenset[str]:
    """The words of an answer, in lower case, and the first one again after "^"."""
    said = tongues.answer(QUOTED.sub(NAME, prose(reply))[:READ].lower())
    tokens = [NUMBER if token[0].isdigit() else token.replace("’", "'") for token in TOKEN.findall(said)]
    return frozenset((*tokens, f"^{tokens[0]}")) if tokens else frozenset()


def told(reply: str) -> float:
    """How much an answer may tell of the turn before, 0 to 1: what it tells, it tells at length."""
    return min(1.0, max(0.0, (len(reply) - BRIEF) / (FULL - BRIEF)))


def sort_of(reply: str) -> dict[str, float]:
    """What sort of answer it is, which also one of a word tells: it takes note, tells what was done, or asks."""
    first = _plain(reply)
    notes = bool(SHAPES["takes_note"].match(first))
    return {
        "reply notes": float(notes), "reply only notes": float(notes and len(reply) < NOTE),
        "reply acts": float(bool(SHAPES["acts"].match(first))), "reply asks": float("?" in reply[:READ]),
    }  # fmt: skip


def leaves_it(reply: str) -> bool:
    """Whether an answer says that nothing becomes of what was said: "no change here", "only this once", "it stays
    open"."""
    return SHAPES["left_so"].search(cues.plain(QUOTED.sub(NAME, prose(reply))[:READ])) is not None


def promises(reply: str) -> bool:
    """Whether an answer says that it will be kept to: "I'll keep that in mind", "from now on I'll use pnpm"."""
    return bool(SHAPES["promises"].search(_plain(reply)))


def will_do(reply: str) -> bool:
    """Whether an answer says that it will be done: "Understood, I'll do that."."""
    return bool(SHAPES["will_do"].search(_plain(reply)))


def written_down(reply: str) -> bool:
    """Whether an answer says that it was written where such things are kept: "Wrote `runbooks/failover.md`."."""
    return bool(SHAPES["written_down"].match(reply[:READ].lower()))


def only_notes(reply: str) -> bool:
    """Whether an answer takes note and tells next to nothing ("Understood, noted."), or is no more than two words, and
    no code."""
    said = features(reply)
    in_a_word = len(said) <= IN_A_WORD and NUMBER not in said and not fences(without_edits(reply))
    return in_a_word or (told(reply) <= TELLS and sort_of(reply)["reply notes"] > 0.0)


def as_a_note(reply: str) -> str:
    """An answer that only says in a word that it is done or set, as one that takes note: who is told how something is
    has nothing else to do. Who fixed something was told a fault."""
    return reply if features(reply).isdisjoint(DONE) else NOTED


def undone(reply: str) -> bool:
    """Whether an answer begins with something's being undone: "Reverted.", "All four are back at 63."."""
    return SHAPES["undone"].match(_plain(reply)) is not None


def undone_again(reply: str) -> bool:
    """Whether an answer may say that what was just done is no more: "Removed from the settings."."""
    return undone(reply) or SHAPES["undone_too"].match(_plain(reply)) is not None


def _plain(reply: str) -> str:
    return cues.plain(tongues.answer(reply[:READ].lower()))


def echoes(said: str, answer: str) -> dict[str, float]:
    """What an answer takes up of a sentence, in its talk and in its code: stems, and names or numbers."""
    own, values = bag(said), _values(said)
    parts = _parts(answer)
    found = {"stems": len(own) / 5.0, "answered": float(any(text.strip() for text, _ in parts.values()))}
    for name, (text, theirs) in parts.items():
        met = len(own & theirs)
        found[f"met {name}"] = min(met, MOST_MET) / 3.0
        found[f"share {name}"] = met / max(1, len(own))
        found[f"value {name}"] = float(any(value in text for value in values))
    return found


@lru_cache(maxsize=64)
def _parts(answer: str) -> dict[str, tuple[str, frozenset[str]]]:
    """The beginnings of an answer's talk and of its code, in lower case and as stems."""
    code = "\n".join(answer[start:end] for start, end in fences(answer))
    return {name: (text.lower(), bag(text)) for name, text in (("answer", prose(answer)[:TALK]), ("code", code[:CODE]))}


@lru_cache(maxsize=64)
def _values(said: str) -> frozenset[str]:
    return frozenset(
        found.group().lower() for shape in (groups.IDENTIFIER, groups.NUMBER) for found in shape.finditer(said)
    )
