"""How well a turn and its surroundings answer a question. Pure arithmetic over turns that are already read.

A stem counts in a turn itself (BM25) and, less, in the turns around it: an answer seldom repeats the words
of what it answers. All numbers were chosen on three kinds of conversation together, see docs/retrieval.md.
"""

from math import log

from agentmemory.paths import DAY
from agentmemory.recall import dates
from agentmemory.text import stems

TYPE_CHECKING = False  # the hot path does not import typing
if TYPE_CHECKING:
    from typing import Any

REACH = 3  # neighbours on each side that are heard
K1 = 0.9  # saturation of repeated words
B = 0.75  # how far length dilutes a word
USUAL = 30.0  # stems of a turn that is neither long nor short; fixed, so that one store's turns do not set it
TURN_BEFORE = 0.4  # a word of the turn before, against a word of the turn itself
TURN_AFTER = 0.2
FARTHER = 0.6  # each further turn away
ASKED_BEFORE = 2.0  # the turn before asks, so this one answers: its words count so much more
ASKING = 0.9  # a turn that asks is seldom what answers
NAMED = 0.5  # the question names who speaks, as if a word were said half
BY_NAMED = 1.3  # and what a named speaker says is rather what is meant
COST, FREE = 0.3, 300  # a long turn must earn the room it takes: per 1,000 characters beyond the first 300
TWICE = 2  # more often than this a word does not count for a turn's neighbours
ON_THAT_DAY = 2.0  # the question names a day and it was said then
TELLING = 0.5  # what sleep found a turn worth, against what turns of its length usually are
LONGER = 0.065  # importance that a turn gains by length alone, per e-fold of its stems; measured on three kinds of talk
FRESH, FRESH_DAYS = 0.3, 3.0  # what was said lately is asked for more often; halved after three days


def weigh(
    voices: "list[Voice]", worth: "dict[str, float]", asked: "list[str]", windows: "list[dates.Window]", now: float
) -> None:
    """Give every voice its score. *worth*: idf of the question's stems, none where it only names days, *windows*: then
    what says most counts most."""
    names = _named(voices, asked)
    worth = _worth_of_names(worth, names, voices)
    places = {(v.session, v.idx): v for v in voices}
    for v in voices:
        if v.tf:
            _spread(v, places)
    for v in voices:
        said = _words(v, worth, names.get(v.speaker)) if worth else v.size / (1.0 + v.size)
        v.score = said * _when(v.at, windows, now)
        v.score /= 1.0 + COST * max(0, len(v.text) - FREE) / 1000.0
    _tell(voices)


def _tell(voices: "list[Voice]") -> None:
    """Raise the turns that sleep found worth more than turns of their length, lower the others; before it, nothing."""
    slept = [(v, v.importance - LONGER * log(1.0 + v.size)) for v in voices if v.importance is not None]
    usual = sum([worth for _, worth in slept]) / len(slept) if slept else 0.0
    for v, worth in slept:
        v.score *= 1.0 + TELLING * (worth - usual)


def _words(v: "Voice", worth: "dict[str, float]", called: "frozenset[str] | None") -> float:
    """BM25 over what the turn says and, where it is short, its neighbours; *called*: stems that name its speaker."""
    if not (v.tf or v.heard or called):
        return 0.0
    thin = 1.0 - B + B * v.size / USUAL
    gate = USUAL / max(USUAL, v.size)  # a long turn speaks for itself
    held = {stem: gate * weight for stem, weight in v.heard.items()}
    for stem, n in v.tf.items():
        held[stem] = held.get(stem, 0.0) + n / thin
    for stem in called or ():
        held[stem] = held.get(stem, 0.0) + NAMED
    score = sum([worth[stem] * x / (x + K1) for stem, x in held.items()])
    return score * (BY_NAMED if called else 1.0) * (ASKING if v.asks else 1.0)


def _when(at: float, windows: "list[dates.Window]", now: float) -> float:
    """What the time of a turn adds: on a day that is asked for, lately."""
    lately = 1.0 + FRESH / (1.0 + max(0.0, now - at) / DAY / FRESH_DAYS)
    return lately * (1.0 + ON_THAT_DAY * dates.closeness(at, windows)) if windows else lately


def _spread(v: "Voice", places: "dict[tuple[int, int], Voice]") -> None:
    """Let the turns around *v* hear its words, the nearer the better."""
    thin = 1.0 - B + B * v.size / USUAL
    said = [(stem, min(n, TWICE) / thin) for stem, n in v.tf.items()]
    after, before = TURN_BEFORE * (ASKED_BEFORE if v.asks else 1.0), TURN_AFTER
    for away in range(1, REACH + 1):
        for there, weight in ((v.idx + away, after), (v.idx - away, before)):
            other = places.get((v.session, there))
            if other is not None:
                heard = other.heard
                for stem, n in said:
                    heard[stem] = heard.get(stem, 0.0) + weight * n
        after = TURN_BEFORE * FARTHER**away
        before *= FARTHER


def _named(voices: "list[Voice]", asked: "list[str]") -> "dict[str, frozenset[str]]":
    """Speakers whom the question names -> the stems that name them."""
    stems_asked = frozenset(asked)
    speakers = {v.speaker for v in voices if v.speaker}
    return {name: called for name in speakers if (called := stems_asked.intersection(stems(name)))}


def _worth_of_names(
    worth: "dict[str, float]", names: "dict[str, frozenset[str]]", voices: "list[Voice]"
) -> "dict[str, float]":
    """A speaker's name tells no more than how seldom they speak, however seldom it is said."""
    out = dict(worth)
    for name, called in names.items():
        spoken = sum(1 for v in voices if v.speaker == name)
        most = log(1.0 + (len(voices) - spoken + 0.5) / (spoken + 0.5))
        for stem in called:
            out[stem] = min(out.get(stem, most), most)
    return out


class Voice:
    """One turn: who said what, where and when, and, once weighed, how well it answers.

    size: number of its stems. tf: how often it holds the question's stems. heard: what its neighbours hold of
    them, weighed by distance. asks: it ends with a question. importance: what sleep found it worth, None before.
    rest: columns that nothing here looks at.
    """

    __slots__ = (
        "asks", "at", "heard", "id", "idx", "importance", "rest", "score", "session", "size", "speaker", "text", "tf",
    )  # fmt: skip

    def __init__(
        self, asked: "frozenset[str]", id: int, session: int, idx: int, at: float, speaker: str, text: str,
        terms: str, importance: "float | None", *rest: "Any",
    ) -> None:  # fmt: skip
        said = terms.split()
        self.id = id
        self.session = session
        self.idx = idx
        self.at = at
        self.speaker = speaker
        self.text = text
        self.size = len(said)
        self.tf = {stem: said.count(stem) for stem in asked.intersection(said)}
        self.asks = text.endswith("?")
        self.heard: dict[str, float] = {}
        self.score = 0.0
        self.importance = importance
        self.rest = rest
