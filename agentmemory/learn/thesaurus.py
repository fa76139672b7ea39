"""The developer's thesaurus: which concepts a text speaks of, as tokens for a belief's cues and for the table
that prompts are looked up in. The words are data (data/thesaurus.txt)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
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
    """Both sides of a thesaurus: key -> concept tokens, for prompts and for beliefs."""
    sides: tuple[dict[str, list[str]], dict[str, list[str]]] = ({}, {})
    for line in lines:
        name, colon, rest = line.partition(":")
        if line.startswith("#") or not line.strip():
            continue
        left, arrow, right = (rest if colon else line).partition("=>")
        token = f"c0{name.strip()}" if colon else f"s0{line.split()[0]}"
        for side, part in zip(sides, (left, right if arrow else left)):
            for word in part.split():
                side.setdefault(_key(word), []).append(token)
    prompts, beliefs = ({key: tuple(dict.fromkeys(tokens)) for key, tokens in side.items()} for side in sides)
    return prompts, beliefs


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
