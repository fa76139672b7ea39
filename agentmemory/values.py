"""Values of the cold path: turns as they are read, candidates as they are proposed, what a revision did."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

KINDS = ("rule", "correction", "preference", "decision", "fact", "procedure", "summary", "trait")


@dataclass(frozen=True, slots=True)
class Utterance:
    """One thing said, as a transcript gives it.

    position: its place in the session (stable when the transcript is read again), below 0 for its end. role: user
    or assistant.
    provenance: who may be believed for it (user, agent, tool, import). at: seconds since 1970.
    changed: the file that the assistant changed with a tool and what it wrote there; the text may be empty then.
    refuses: the user said so where a tool's call was refused. asked: the text is a question of the agent's client and
    the user's answer to it, or several, a line each. follows: the id of what it was typed behind, "" where unknown.
    used: with what the agent had worked since the user spoke last (see learn/used.py). worked: how many of the user's
    turns lie between this one and the agent's last change of a file or command, None where none is known.
    """

    position: int
    role: str
    text: str
    at: float
    provenance: str = "user"
    speaker: str = ""
    changed: str = ""
    refuses: bool = False
    asked: bool = False
    follows: str = ""
    used: frozenset[str] = frozenset()
    worked: int | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A belief that somebody's words suggest; `revise` decides what becomes of it.

    supersedes: ids of beliefs that the words themselves replace (found by who proposed it), else revise
    looks for the predecessor. retracts: it only takes back, nothing new is held. turn, start, end: where it
    was said (row id of the turn and the span in its text), None for what no turn said.
    strength: how surely it was meant to last, 0 to 1. proposal: wait for the user's consent. gone: stems of what
    the talk around it gives up ("glicko can retire"). answer: what the assistant said to it. tentative: nothing in the
    words says that it lasts; it stands only where it speaks of what is known. heard: it may last all the same; where it
    speaks of nothing known it is held as heard once. at_work: the talk was at work (see learn/register.py), where
    everything speaks of what is known, so that a tentative candidate needs to replace something. sequel: whether it may
    be the next step of a routine: "" no; "too" yes, and it can stand alone as well; "only" yes, else it is not held;
    "told" the same, of the routine that was told last; "case" the same, of one in which just that comes up.
    named: it takes back only what it names. back: which of the user's last turns it takes back, 0 for the last one.
    pointed: it points at what that turn had the agent do, which the agent has undone, whatever else it names.
    """

    kind: str
    text: str
    provenance: str = "user"
    scope: int = 0
    at: float = 0.0
    turn: int | None = None
    start: int = 0
    end: int = 0
    keywords: str = ""
    context: str = ""
    tags: str = ""
    triggers: str = ""
    supersedes: tuple[int, ...] = ()
    retracts: bool = False
    updates: bool = False
    level: int = 1
    locked: bool = False
    proposal: bool = False
    strength: float = 1.0
    gone: tuple[str, ...] = ()
    answer: str = ""
    tentative: bool = False
    at_work: bool = False
    heard: bool = False
    sequel: str = ""
    named: bool = False
    back: int = 0
    pointed: bool = False


@dataclass(frozen=True, slots=True)
class Added:
    """A new belief stands."""

    id: int


@dataclass(frozen=True, slots=True)
class Reinforced:
    """It was known; that it was said again is noted."""

    id: int


@dataclass(frozen=True, slots=True)
class Superseded:
    """A new belief stands in place of older ones."""

    id: int
    old: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Retracted:
    """Beliefs were taken back and nothing stands in their place."""

    old: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ignored:
    """Nothing changed, and why."""

    why: str


Outcome = Added | Reinforced | Superseded | Retracted | Ignored


@dataclass(frozen=True, slots=True)
class Found:
    """A search result. score: higher is better. date: the user's own day when it was said, or since when it is true.
    source: session id and turn index, where one said it. provenance: who said it, user, agent, tool or import.
    was: what a belief replaced, newest first, each with `id`, `text`, `from` and `until` (the user's own days) and
    `in_part`: what came leaves some of it as it is."""

    id: int
    what: str
    kind: str
    text: str
    score: float
    state: str
    date: str
    source: dict[str, Any] | None
    context: str = ""
    keywords: str = ""
    tags: str = ""
    reasons: tuple[str, ...] = ()
    is_neighbor: bool = False
    provenance: str = ""
    was: tuple[dict[str, Any], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The fields as `search --json` prints them."""
        return {name: getattr(self, name) for name in self.__slots__}


class Forgotten(dict[str, list[int]]):
    """What was removed for good: `{"beliefs": ids, "turns": ids}`; false when there was nothing to remove.

    cleaned: beliefs that stay, without the words among their cues. again: those that hold again, as nothing replaces
    them any more. scrubbed: the bytes have left the store's files.
    """

    def __init__(
        self, beliefs: Iterable[int] = (), turns: Iterable[int] = (), cleaned: Iterable[int] = (),
        again: Iterable[int] = (), scrubbed: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(beliefs=list(beliefs), turns=list(turns))
        self.cleaned = list(cleaned)
        self.again = list(again)
        self.scrubbed = scrubbed

    def __bool__(self) -> bool:
        return any(self.values()) or bool(self.cleaned)


def counted(n: int, what: str) -> str:
    """`1 turn`, `2 turns`."""
    return f"{n} {what}" if n == 1 else f"{n} {what}s"
