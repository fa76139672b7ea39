"""A sentence with what its marks say of it, and a turn as the sum of its sentences. Values; decides nothing."""

from __future__ import annotations

from dataclasses import dataclass

from agentmemory.learn import cues
from agentmemory.learn.cues import SHAPES
from agentmemory.learn.passages import Sentence

ENOUGH = 2.2  # experiments/LOG.md: the sum of marks from which a sentence is kept
SURE = 3.4  # from which a clause stands for itself
INSISTS = 5.0  # from which it is whatever stands around it
LONGEST = 360  # characters of one belief; beyond, it is cut back to the sentence that carries it
#: marks of a thought, and of the clauses around it, that is not meant as it is said
COLOURS = frozenset(("sarcasm", "undecided", "hypothetical"))
#: marks of a sentence that is not to be kept
VETOES = COLOURS | {"one_off", "quoted", "retraction", "elsewhere"}


@dataclass(slots=True)
class Rated:
    """A sentence with its marks and what they sum up to."""

    said: Sentence
    plain: str
    marks: set[str]
    score: float
    out: bool  # nothing of it may be kept
    order: bool
    idle: bool  # an acknowledgement, a greeting
    named: bool  # it names something letter for letter: a path, a host, a command
    wished: bool = False  # it lays something down, put as a question (see courtesy)
    spelled: str = ""  # what the answer says of the word or value that it ends with (see spelled)
    settles: bool = False  # it may settle something, however few its words


@dataclass(slots=True)
class Reading:
    """A turn as its marks read it. groups: the sentences (by place) of each statement that marks alone would keep.
    back: the sentence that takes something back. corrects: the assistant is corrected. typed: it without what is pasted
    in it. listed: it is a list that lasts. asked: it answers questions of the agent's client, which stand in it.
    away: all that it says is not to work with something that the agent had used.
    """

    rated: list[Rated]
    groups: list[list[int]]
    back: int | None
    corrects: bool
    typed: str
    listed: bool = False
    asked: bool = False
    away: bool = False

    @property
    def kept(self) -> bool:
        """Whether the marks alone would keep or take back something."""
        return bool(self.groups) or self.back is not None


def asks(text: str) -> bool:
    """Whether a text ends as a question does."""
    return text.rstrip().endswith("?")


def lays_down(r: Rated) -> bool:
    """Whether a sentence begins as a rule does ("never ...", "from now on ..."): that stands whatever else is done."""
    plainly = r.wished or (not asks(r.said.text) and SHAPES["lays_down"].match(cues.start(r.plain)))
    return not r.out and bool(plainly)
