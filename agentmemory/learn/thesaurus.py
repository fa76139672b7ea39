"""The developer's thesaurus: which concepts a text speaks of, as tokens for a belief's cues and for the table
that prompts are looked up in. The words are data (data/thesaurus.txt)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from hashlib import blake2b
from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING

from agentmemory.store import lexicon
from agentmemory.text import stem, words

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

Side = dict[str, tuple[str, ...]]


def concepts(text: str) -> list[str]:
    """Concept tokens of what *text* speaks of; a token holds a digit, so nothing stems it."""
    _, of_beliefs = _sides()
    return list(dict.fromkeys(token for key in keys(text) for token in of_beliefs.get(key, ())))


def ordinary(stem: str) -> bool:
    """Whether prompts use this stem as an everyday developer's word rather than as somebody's name."""
    return stem in _sides()[0]


def kindred(one: str, other: str) -> bool:
    """Whether two stems may mean the same thing: they share a concept, or one is a plain synonym of the other."""
    return not meant(one).isdisjoint(meant(other))


def akin(these: Iterable[str], those: Iterable[str]) -> bool:
    """Whether one of these stems may mean the same thing as one of those."""
    return not frozenset().union(*map(meant, these)).isdisjoint(frozenset().union(*map(meant, those)))


def synonyms(one: str, other: str) -> bool:
    """Whether two stems are plain words for one thing; tools of one concept are not."""
    return one == other or other in _sides()[0].get(one, ())


@lru_cache(maxsize=4_096)
def meant(stem: str) -> frozenset[str]:
    """A stem, its plain synonyms and its concepts."""
    return frozenset((stem, *_sides()[0].get(stem, ())))


def keys(text: str) -> Iterable[str]:
    """Under what a text is looked up: the stem of each word, and each two neighbours as one."""
    said = words(text)
    yield from (stem(word) for word in said)
    yield from (f"{a} {b}" for a, b in pairwise(said))


def refresh(db: Database) -> bool:
    """Bring the table of the store up to this thesaurus; the caller owns the transaction. Whether it changed."""
    edition = _edition()
    if lexicon.edition(db) == edition:
        return False
    of_prompts, _ = _sides()
    lexicon.fill(db, edition, ((key, token) for key, tokens in of_prompts.items() for token in tokens))
    return True


def parse(lines: Iterable[str]) -> tuple[Side, Side]:
    """Both sides of a thesaurus. Prompts: key -> concept tokens, and stems that mean the same in plain words.
    Beliefs: key -> concept tokens."""
    prompts: dict[str, list[str]] = {}
    beliefs: dict[str, list[str]] = {}
    for line in lines:
        name, colon, rest = line.partition(":")
        if line.startswith("#") or not line.strip():
            continue
        if not colon:
            _synonyms(line.split(), prompts)
            continue
        left, arrow, right = rest.partition("=>")
        for side, part in ((prompts, left), (beliefs, right if arrow else left)):
            for word in part.split():
                side.setdefault(_key(word), []).append(f"c0{name.strip()}")
    return _settled(prompts), _settled(beliefs)


def _synonyms(group: list[str], prompts: dict[str, list[str]]) -> None:
    keys = [_key(word) for word in group]
    for key in keys:
        prompts.setdefault(key, []).extend(other for other in keys if other != key and " " not in other)


def _settled(side: dict[str, list[str]]) -> Side:
    return {key: tuple(dict.fromkeys(tokens)) for key, tokens in side.items()}


def _key(word: str) -> str:
    parts = word.split("-")
    return stem(word) if len(parts) == 1 else " ".join(parts)


def _text() -> str:
    return (files("agentmemory") / "data" / "thesaurus.txt").read_text(encoding="utf-8")


@cache
def _sides() -> tuple[Side, Side]:
    return parse(_text().splitlines())


@cache
def _edition() -> str:
    return blake2b(_text().encode(), digest_size=8).hexdigest()
