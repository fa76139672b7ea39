"""How a message and its sentences are written: typed or composed, in how many lines, with how many names of code.

Review comments and reports that are pasted raw have a manner of their own: whole sentences about code in which nobody
speaks.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from agentmemory.learn.passages import BULLET, CASUAL, Sentence

SYMBOL = re.compile(r"\b[a-z]+[A-Z]\w*|\b[A-Z][a-z0-9]+[A-Z]\w*|\b\w+_\w+|\b\w+\(\)|\b\w+\.\w+\(|`[^`]+`")
ITEM = re.compile(BULLET.pattern, re.M)
BLANK = re.compile(r"\n\s*\n")
#: code that is named in prose: a symbol of several words, a call, a file or a place in one, an option
CODE = re.compile(
    r"\b[a-z]+[A-Z]\w*|\b[A-Z][a-z0-9]+[A-Z]\w*|\b\w+_\w+|\b\w+\(\)|\w\.\w+\(|"
    r"(?<![\w./-])[./-]*\w[\w./-]*\.[a-z]{1,4}\b(?!\.)|\blines? \d+|(?<!\w)--[a-z][\w-]+"
)
ADVISES = re.compile(r"\bconsider (?:\w+ly )?\w+ing\b", re.I)
PLACE = re.compile(r"\W*[\w./-]+\.[a-z]{1,4}:\d+")
QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']{3,}'(?!\w)")
#: a line begins as in writing: with a capital or with code
WRITTEN = re.compile(r"[\W\d]*(?:[A-Z]|[\w.]+\(|[a-z]+[A-Z]\w|\w+_\w+|`)")
#: somebody speaks: of themselves, to somebody, with "hm", in "it's", in a sentence that begins with a small letter
SPOKEN = re.compile(
    r"\b(?:i|im|ive|id|we|you|your|our|my|me|us|pls|please|lets|dont|ok|btw|thats|gonna|hm+|ah|oh|hey|nah|yeah|"
    r"(?:it|that|he|she|what|they|let|we|i)['’](?:s|re|ll|d|ve|m)|no,)(?!\w)|"
    r"(?-i:(?<!e\.g)(?<!i\.e)[.!?] [a-z]+\b(?![.(_]|[A-Z]))",
    re.I,
)
#: a program's own words: an error by its name first of all, a place by line and column
PROGRAM = re.compile(r"\W*(?:\w+\.)*[A-Z]\w*(?: ?Error| ?Exception| Violation)(?: in `[^`]*`)?: ")
COMPILER = re.compile(r"\.[a-z]{1,4}:\d+:\d+: ")
REPORT = 100  # characters from which such a line is a report
BEGINS = 1_000  # characters that tell how a line begins
LONGEST, LINES, PARAGRAPHS, ITEMS = 3_000, 12, 5, 6  # characters, lines ... from which a message is as long as any
FEWEST, WORDS = 4, 60  # words as which a shorter sentence counts, from which one is as long as any


def of_message(text: str, said: Sequence[Sentence]) -> dict[str, float]:
    """Features of a whole message, each between 0 and 2; *said*: what of it the user said."""
    lines = sum(1 for line in text.splitlines() if line.strip())
    return {
        "wrote long": math.log1p(min(len(text), LONGEST)) / 4.0, "wrote lines": min(lines, LINES) / 6.0,
        "wrote paragraphs": min(len(BLANK.findall(text)), PARAGRAPHS) / 3.0,
        "wrote items": min(len(ITEM.findall(text)), ITEMS) / 3.0,
        "wrote lower": float(text.lstrip()[:1].islower()), "wrote casual": float(bool(CASUAL.search(text))),
        "wrote question": float("?" in text),
        "wrote formal": sum(_formal(each.text) for each in said) / max(1, len(said)),
    }  # fmt: skip


def of_sentence(said: Sentence, text: str) -> dict[str, float]:
    """Features of a sentence of the message *text*, each between 0 and 3."""
    words = max(FEWEST, len(said.text.split()))
    names = len(SYMBOL.findall(said.text))
    return {
        "formal": float(_formal(said.text)), "capital": float(said.text[:1].isupper()),
        "stops": float(text[said.end : said.end + 1] == "." or said.text.endswith(".")),
        "casual": float(bool(CASUAL.search(said.text))), "announces": float(said.text.rstrip().endswith(":")),
        "symbols": min(1.0, 3.0 * names / words), "symbol": float(names > 0), "words": min(words, WORDS) / 20.0,
    }  # fmt: skip


def _formal(text: str) -> bool:
    """Whether nobody speaks in it: a capital, and no "I", "you", "let's"."""
    return text[:1].isupper() and not CASUAL.search(text)


def by_program(text: str) -> bool:
    """Whether a sentence is what a program said, which somebody typed along without a line of its own."""
    return bool(PROGRAM.match(text) or COMPILER.search(text)) and not SPOKEN.search(QUOTED.sub("x", text))


def within_report(said: Sentence, text: str) -> bool:
    """Whether the line of *text* in which a sentence stands reads like a review comment."""
    end = text.find("\n", said.start)
    return reports(text[text.rfind("\n", 0, said.start) + 1 : end if end >= 0 else len(text)])


def reports(line: str) -> bool:
    """Whether a line reads as a report on code: it begins with a place in a file ("app.py:12: ..."), or it is a long
    line about code in which nobody says "I", "we" or "you" outside quotes."""
    if ":" in line and PLACE.match(line, 0, BEGINS):
        return True
    if len(line) < REPORT or not WRITTEN.match(line, 0, BEGINS) or not (CODE.search(line) or ADVISES.search(line)):
        return False
    return not SPOKEN.search(QUOTED.sub("x", line))
