"""Which word a text has where a question has another one: "our EU cluster" asked about "our US cluster"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agentmemory.explore.clauses import DENIES
from agentmemory.learn import thesaurus
from agentmemory.learn.parallel import TO_WHAT, WORD
from agentmemory.text import STOP, stem

TOKEN = re.compile(rf"{WORD.pattern}|,")
#: words that tell a place apart; other words without a meaning of their own are read over
LINKS = frozenset(
    "to into onto with via by on in at as from through of for before after between under over until use uses using "
    "used".split()
)
USES = frozenset(("use", "uses", "using", "used"))  # one word
OWNS = frozenset(("own", "owns", "owned", "owning"))  # "own" is read over as that of "our own"
AND = frozenset((",", "and", "or"))  # between things that stand in one place
EDGE, LIST = "", ","
LONGEST = 12  # things of a list


@dataclass(frozen=True, slots=True)
class Other:
    """A word of the question and the text's own in the same place. named: both are names. valued: names of where
    something goes or of what is used, so the text gives another value; else it speaks of another thing."""

    asked: str
    given: str
    named: bool
    valued: bool


@dataclass(frozen=True, slots=True)
class _Token:
    word: str
    stem: str
    links: bool


def other_word(question: str, text: str, before: Sequence[str] = ()) -> Other | None:
    """The first word of a question in whose place a text has one that the question lacks, names first; *before*: what
    the text has replaced, whose words are no others."""
    asked, given = _tokens(question), _tokens(text)
    wanted = {token.stem for token in asked}
    known = {token.stem for t in (given, *map(_tokens, before)) for token in t}
    places: dict[tuple[str, ...], _Token] = {}
    for j, own in _meaning(given, wanted):
        for place in _places(given, j):
            places.setdefault(place, own)
    found: list[Other] = []
    for i, one in _meaning(asked, known):
        own = next((places[place] for place in _places(asked, i) if place in places), one)
        if own is not one and not any(_may_mean(one, token) for _, token in _meaning(given, set())):
            named = _is_name(one.word) and _is_name(own.word)
            found.append(Other(one.word, own.word, named, named and i > 2 and asked[i - 1].word.lower() in TO_WHAT))
    return max(found, key=lambda other: other.named, default=None)


def unsaid(question: str, texts: Sequence[str]) -> str:
    """The first name of a question that no text holds, also not short or in another word; "" where all are held."""
    held = [token for text in texts for _, token in _meaning(_tokens(text), set())]
    said = {token.stem for token in held}
    names = (t for _, t in _meaning(_tokens(question), said) if _is_name(t.word) and not question.startswith(t.word))
    return next((name.word for name in names if not any(_may_mean(name, token) for token in held)), "")


def _tokens(text: str) -> list[_Token]:
    """The words of a text that have a meaning or tell a place, between two edges."""
    edge = _Token(EDGE, EDGE, False)
    out = [edge]
    for word in TOKEN.findall(text):
        low = word.lower()
        if low in AND:
            out.append(_Token(LIST, LIST, False))
        elif low in LINKS or (len(word) > 1 and word.isupper()) or not _read_over(low):
            out.append(_Token(word, "use" if low in USES else stem(low), low in LINKS))
    return [*out, edge]


def _read_over(low: str) -> bool:
    return low in OWNS or low.replace("'", "").replace("’", "") in STOP or DENIES.fullmatch(low) is not None


def _meaning(tokens: Sequence[_Token], apart: set[str]) -> list[tuple[int, _Token]]:
    """Where the words stand that no one of *apart* is."""
    return [(i, t) for i, t in enumerate(tokens) if t.stem not in (EDGE, LIST) and not t.links and t.stem not in apart]


def _places(tokens: Sequence[_Token], i: int) -> Iterator[tuple[str, ...]]:
    """By what a word's place is known: for a name what follows, else both neighbours, or the verb and preposition."""
    left, right = _next(tokens, i, -1), _next(tokens, i, 1)
    if _is_name(tokens[i].word) and tokens[right].stem:
        yield "name ahead of", tokens[right].stem
    if tokens[left].stem or tokens[right].stem:
        yield "between", tokens[left].stem, tokens[right].stem
    if tokens[left].links and (verb := tokens[_next(tokens, left, -1)].stem):
        yield "behind", verb, tokens[left].stem


def _next(tokens: Sequence[_Token], at: int, step: int) -> int:
    """Where the neighbour on one side is, over the things that stand beside a word in a list."""
    at += step
    for _ in range(LONGEST):
        if tokens[at].stem != LIST:
            break
        at = min(max(at + 2 * step, 0), len(tokens) - 1)
    return at


def _is_name(word: str) -> bool:
    return len(word) > 1 and word.isidentifier() and word != word.lower()


def _may_mean(one: _Token, other: _Token) -> bool:
    """Whether two words may be one: plain synonyms, or one short for the other, its letters in order (K8s, TS)."""
    if thesaurus.synonyms(one.stem, other.stem):
        return True
    short, whole = sorted((one.word.lower(), other.word.lower()), key=len)
    if short.isdigit():
        return whole.startswith(f"{short}.")
    own, letters = [c for c in short if c.isalpha()], iter(whole)
    return short[0] == whole[0] and len(own) > 1 and all(c in letters for c in own)  # S3 is short for nothing
