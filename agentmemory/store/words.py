"""Whole words in a text, whatever their case, for `forget` and `correct`. SQLite's own lower() knows ASCII alone."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import apsw


def register(db: apsw.Connection) -> None:
    """Let statements of this connection say `holds(text, words)`."""
    db.create_scalar_function("holds", holds, 2, deterministic=True)  # type: ignore[arg-type]  # the schema gives texts


def holds(text: str, words: str) -> bool:
    """Whether *text* holds *words* one after the other, not as parts of longer words; no words are held by nothing."""
    return bool(words.strip()) and _pattern(words).search(_fold(text)) is not None


def without(text: str, words: str) -> str:
    """The text with these words left out; "" where that cannot be done word by word."""
    left = _pattern(words).sub(" ", unicodedata.normalize("NFC", text))
    parts = (" ".join(part.split()) for part in left.split(","))
    left = ", ".join(part for part in parts if part)
    return "" if holds(left, words) else left


@lru_cache(maxsize=8)
def _pattern(words: str) -> re.Pattern[str]:
    parts = _fold(words).split()
    first, last = (r"\b" if _bounded(at) else "" for at in (parts[0][0], parts[-1][-1]))
    return re.compile(first + r"\s+".join(map(re.escape, parts)) + last, re.IGNORECASE)


def _bounded(letter: str) -> bool:
    """Whether a word ends where this letter does: no sign, and of no script that is written without spaces."""
    return re.match(r"\w", letter) is not None and unicodedata.category(letter) != "Lo"


def _fold(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()
