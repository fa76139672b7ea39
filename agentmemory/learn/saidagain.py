"""A secret that was found by where it stands is one wherever the same text says it again. Knows values, no shapes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from urllib.parse import quote, unquote

LEAST = 6  # characters; what is shorter may be an ordinary word or number elsewhere
PLAIN = 16  # characters from which on letters alone, or digits alone, are no ordinary word
MOST = 200  # secrets of a text that are looked for


def again(text: str, spans: Iterable[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    """The other places of the secrets at *spans*, also percent-encoded; a value that may be a word is left alone."""
    kinds = {text[start:end]: kind for start, end, kind in spans if end - start >= LEAST}
    for value, kind in list(kinds.items())[:MOST]:
        if not _telling(value):
            continue
        for said in {value, quote(value, safe=""), unquote(value)} - {""}:
            for at in _places(text, said) if len(said) >= LEAST else ():
                yield at, at + len(said), kind


def _telling(value: str) -> bool:
    """Whether a value is no word, name or number that a text would say for another reason."""
    digits = any(c.isdigit() for c in value)
    letters = any(c.isalpha() for c in value)
    signs = any(not c.isalnum() and c not in "._-/: " for c in value)
    return len(value) >= PLAIN or (letters and (digits or signs))


def _places(text: str, said: str) -> Iterator[int]:
    """Where *said* stands, not within a longer word."""
    at = text.find(said)
    while at >= 0:
        end = at + len(said)
        if not (_wordy(text[at - 1 : at]) and _wordy(said[0])) and not (
            _wordy(text[end : end + 1]) and _wordy(said[-1])
        ):
            yield at
        at = text.find(said, end)


def _wordy(c: str) -> bool:
    return c.isalnum() or c == "_"
