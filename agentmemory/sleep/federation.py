"""What agents of one project give each other: trust, shared beliefs from level 2 on, forks. Turns never cross.

Nothing is shared unasked: the user says so, once or of every night. The others are told the topic and what it names,
and of its sentences those that nobody said word for word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agentmemory.learn.entities import extract
from agentmemory.paths import DAY
from agentmemory.recall import inherited as recall
from agentmemory.sleep import extracts, procedures
from agentmemory.sleep.importance import ema
from agentmemory.store import federation as store
from agentmemory.store import habits, nights, summaries, turns
from agentmemory.text import stems, words

if TYPE_CHECKING:
    from agentmemory.store.habits import Habit
    from agentmemory.store.rows import Database

LEAST_TRUST, MOST_TRUST = 0.05, 0.98  # nobody is believed blindly, nobody is lost for ever
NO_OPINION = 0.5
HEARSAY = 0.3  # weight of what somebody trusted thinks, beside having no opinion
HEARD_FROM = 0.3  # trust below which an agent's beliefs are not shown
SHARED_LEVEL = 2
TOLD = 5  # shared beliefs that a question brings
NAMES = 8  # things that a shared topic names
SAID = 4  # words from which a turn is recognised within a sentence
RETIRES_AFTER = 30 * DAY
KEPT_BY = 2  # accesses that keep a shared belief
FORKED = 0.85  # of the parent's confidence
FORKED_HABIT = recall.SURE  # confidence of a habit that a fork takes along


@dataclass(frozen=True, slots=True)
class Shared:
    """A belief of another agent: its worth is trust in the author times relevance, the share of the words asked for."""

    belief: int
    author: int
    text: str
    worth: float
    name: str = ""  # the author's


def signal(db: Database, src: int, dst: int, good: float, now: float) -> float:
    """*src* found what came from *dst* right (1) or wrong (0): the moving average of trust moves."""
    known = store.trust(db, src, dst)
    value = _clamp(ema(NO_OPINION if known is None else known, good))
    store.set_trust(db, src, dst, value, now)
    return value


def trust(db: Database, src: int, dst: int) -> float:
    """Trust of one agent in another: its own, else a little of what the best trusted third one thinks."""
    own = store.trust(db, src, dst)
    if own is not None:
        return _clamp(own)
    heard = [of * (store.trust(db, third, dst) or 0.0) for third, of in store.trusted(db, src).items()]
    best = max((h for h in heard if h > 0.0), default=None)
    return NO_OPINION if best is None else _clamp((1.0 - HEARSAY) * NO_OPINION + HEARSAY * best)


def promote(db: Database, scope: int, now: float) -> int:
    """Share what has risen to level 2 or higher; returns how many beliefs are new in the pool."""
    risen = store.risen(db, scope, SHARED_LEVEL)
    for belief, text in risen:
        said = [turn.text for turn in nights.by_id(db, summaries.turns_of(db, belief))]
        store.share(db, belief, scope, store.pool_of(db, scope), told(text, said), now)
    return len(risen)


def promote_all(db: Database, now: float) -> int:
    """The same for every agent of which the user said that it shares after each night."""
    return sum(promote(db, scope, now) for scope in store.always(db))


def told(text: str, said: Sequence[str]) -> str:
    """What others are told of a summary of the turns *said*: its title, the sentences that are its own words, and what
    the others name."""
    title, _, rest = text.partition(": ")
    heard = [" ".join(words(turn)) for turn in said]
    if not rest or (len(words(title)) >= SAID and _word_for_word(title, heard)):
        title, rest = "", text
    sentences = extracts.sentences(rest)
    own = [sentence for sentence in sentences if not _word_for_word(sentence, heard)]
    named = list(dict.fromkeys(thing.name for s in sentences if s not in own for thing in extract(s)))
    if named:
        own.append(f"It names {', '.join(named[:NAMES])}.")
    return ": ".join(part for part in (title, " ".join(own)) if part) or "Several things"


def _word_for_word(sentence: str, heard: Sequence[str]) -> bool:
    """Whether a sentence stands in a turn (given as its words), or a turn in it."""
    mine = f" {' '.join(words(sentence))} "
    return any(mine in f" {turn} " or (turn.count(" ") >= SAID - 1 and f" {turn} " in mine) for turn in heard)


def search(db: Database, scope: int, query: str) -> list[Shared]:
    """What other agents of the project shared about *query*, by trust times relevance.

    Every belief returned counts as one access; the caller owns the transaction.
    """
    asked = list(dict.fromkeys(stems(query)))
    found = store.pool(db, store.pool_of(db, scope), scope, asked, 8 * TOLD)
    out = rank([(id, author, text, trust(db, scope, author), n / len(asked)) for author, id, text, n in found])[:TOLD]
    for each in out:
        store.accessed(db, each.belief)
    return [replace(each, name=store.name(db, each.author)) for each in out]


def rank(found: Sequence[tuple[int, int, str, float, float]]) -> list[Shared]:
    """`(belief, author, text, trust, relevance)` in order of trust times relevance; the distrusted are absent."""
    kept = [Shared(id, author, text, of * near) for id, author, text, of, near in found if of >= HEARD_FROM]
    return sorted(kept, key=lambda s: (-s.worth, s.belief))


def retire(db: Database, now: float) -> list[int]:
    """Archive shared beliefs of more than 30 days that fewer than two asked for."""
    return store.retire(db, now - RETIRES_AFTER, KEPT_BY, now)


def fork(db: Database, parent: int, child: int, now: float) -> None:
    """*child* begins with what *parent* knows now; what either learns later is its own (nothing is copied)."""
    store.link(db, "inherits", child, parent, FORKED, now)


def inherited_habits(db: Database, ancestor: int, at: float) -> list[Habit]:
    """The habits of one ancestor that an heir takes along."""
    return [
        habit
        for habit in habits.every(db, [ancestor], procedures.SUPPORT)
        if procedures.confidence(habit.support) >= FORKED_HABIT
        and habit.last <= at and not habit.did.startswith("command:")
    ]  # fmt: skip


def branch(db: Database, parent: int, key: str, scope: int, now: float) -> None:
    """A session that begins with the turns of *parent* so far. Neither sees the other's later turns."""
    last = turns.recent(db, parent, 1)
    store.branch(db, turns.own_session(db, key, scope, now), parent, last[0][1] if last else -1)


def _clamp(value: float) -> float:
    return max(LEAST_TRUST, min(MOST_TRUST, value))
