"""Which language a sentence is in, and its words of structure in English (data/tongues.toml): what says in German,
French or Spanish that something is meant to last is read as it is in English. Knows no grammar."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from agentmemory.learn import tables
from agentmemory.text import folded, stems

WORD = re.compile(r"[^\W\d_]+")
SET_APART = re.compile(r"(?<=\S) (?=[:;!?])")  # "deuxième étape : ..."
ASKED = 2  # words at its beginning of which one asks: "auf welchem Port ..."
LONG = 5  # letters from which a word is known without its accents
UMLAUTS = {ord("ä"): "ae", ord("ö"): "oe", ord("ü"): "ue", ord("ß"): "ss"}
ENGLISH = frozenset(
    "the never do not don t always are is to of and or must should may can it this that with for".split()
)


def rows() -> dict[str, Any]:
    """Language -> what is known of it."""
    return tables.read("tongues")


@cache
def vague() -> frozenset[str]:
    """Stems of words of these languages that say little of what a text is about: days, numbers, steps."""
    return frozenset(stems(" ".join(row["vague"] for row in rows().values())))


def told(text: str) -> tuple[dict[str, int], int]:
    """How much tells each language, by its words, and how many words tell English."""
    words = set(WORD.findall(text.lower()))
    known = {name: sum(marks[word] for word in words & marks.keys()) for name, marks in _marks().items()}
    return known, len(words & ENGLISH)


def tongue(text: str) -> str:
    """The language of a sentence by the words that tell it; "" for English."""
    known, english = told(text)
    best = max(known, key=lambda name: known[name])
    return best if known[best] > max(english, 1) else ""


def polar(text: str) -> bool:
    """Whether a text in one of these languages is a question, and none of its first words asks for something."""
    known, english = told(text)
    name = max(known, key=lambda name: known[name])
    if not text.rstrip().endswith("?") or known[name] <= english:
        return False
    asks = folded(rows()[name]["asks"]).split()
    return set(asks).isdisjoint(WORD.findall(folded(text.lower()))[:ASKED])


def in_english(plain: str) -> str:
    """A sentence in lower case with its words of structure in English; the rest stands as it is."""
    name = tongue(plain)
    if not name:
        return plain
    words, english = _plain(name)
    return words.sub(lambda found: _of(found, english), SET_APART.sub("", plain))


def answer(said: str) -> str:
    """An answer in lower case, its first words in English where they take note or tell what was done: "c'est noté.".
    A word says so alone, which tells no language."""
    for name in rows():
        words, english = _answers(name)
        if found := words.match(said):
            return f"{_of(found, english)}{said[found.end() :]}"
    return said


def orders(said: str) -> bool:
    """Whether a sentence that is not in English orders something by an infinitive, or says what one does."""
    name = tongue(said)
    return bool(name) and re.search(rows()[name]["orders"], said.lower()) is not None


@cache
def _marks() -> dict[str, dict[str, int]]:
    """Language -> the words that tell it, and how much each tells: one that tells it alone as much as two."""
    return {
        name: dict.fromkeys(_spellings(row["marks"]), 1) | dict.fromkeys(_spellings(row["sure"]), 2)
        for name, row in rows().items()
    }


@cache
def _plain(name: str) -> tuple[re.Pattern[str], list[str]]:
    """What finds each word of structure of a language, and what that is in English."""
    row = rows()[name]
    words, english = _either({said.replace("{then}", row["then"]): meant for said, meant in row["plain"].items()})
    return re.compile(rf"(?<![\w/.-])(?:{words})(?:(?<!\w)|(?![\w/]))"), english


@cache
def _answers(name: str) -> tuple[re.Pattern[str], list[str]]:
    """What finds how an answer opens in a language, and what that is in English."""
    words, english = _either(rows()[name]["answers"])
    return re.compile(rf"\W*{rows()[name]['leads']}(?:{words})(?!\w)"), english


def _either(known: dict[str, str]) -> tuple[str, list[str]]:
    """The patterns of a table as one, a group each, and what each is in English."""
    return "|".join(f"({unaccented(word)})" for word in known), list(known.values())


def _spellings(said: str) -> list[str]:
    """The words of a text, the longer ones also as they are typed without accents ("apres", "fuer")."""
    words = said.split()
    return words + [each for word in words if len(word) >= LONG for each in (folded(word), word.translate(UMLAUTS))]


@cache
def unaccented(pattern: str) -> str:
    """A pattern whose longer words are also met without accents; of short ones these make others ("où", "qué")."""
    return WORD.sub(lambda found: _loosely(found.group()) if len(found.group()) >= LONG else found.group(), pattern)


def _loosely(word: str) -> str:
    spelled = ((c, c.translate(UMLAUTS), folded(c)) for c in word)
    return "".join(c if c == bare else f"(?:{c}|{bare if c == typed else typed})" for c, typed, bare in spelled)


def _of(found: re.Match[str], english: list[str]) -> str:
    """What is in English what was found."""
    return english[(found.lastindex or 1) - 1]
