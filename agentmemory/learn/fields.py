"""What two or three words say anew of one field of several that were told in one breath: "accent coral" after "colors:
primary teal, accent orange". Few words may as well order something ("accent borders"): the answer has to say the field
and what it is now. Pure functions over texts."""

from __future__ import annotations

import re
from functools import lru_cache

from agentmemory.learn import cues, thesaurus
from agentmemory.text import STOP, stems

LABEL = re.compile(r"^[^:,;]{2,30}: ?(?=\S+ )")
BETWEEN = re.compile(r"[,;] | / | and | und | y | et |(?<=\d) (?=[^\W\d])")
WORD = re.compile(r"[^\W_][\w.^+-]*")
LONGEST_VALUE = 2  # words
FEWEST = 2  # fields of a list
READ = 160  # characters of an answer
ELIDED = re.compile(r"(?<=\b[ld])['’]", re.I)  # "l'accent"
#: what stands between a field and what it is
IS = r"(?:\s+(?:is|are|its|ist|sind|es|son|est|sont|now|in|at|on)\b)+|\s*[:=]"


def anew(new: str, old: str, answer: str) -> bool:
    """Whether the new text says what one field of the older one is now, as the *answer* understood it."""
    mine, theirs = _field(cues.plain(new)), _fields(old)
    if mine is None or not (len(theirs) >= FEWEST or old.lower().split()[:1] == [mine[0]]):
        return False
    name, value = mine
    before = theirs.get(name)
    return (
        before is not None and value != before and _understood(name, value, cues.plain(ELIDED.sub(" ", answer[:READ])))
    )


def without(old: str, new: str) -> str:
    """What a list of fields says beside the one that the new text says anew; "" if it is no such list."""
    mine, theirs = _field(cues.plain(new)), _fields(old)
    if mine is None or mine[0] not in theirs or len(theirs) < FEWEST:
        return ""
    label = LABEL.match(old)
    head = label.group() if label else ""
    kept = [part for part in BETWEEN.split(old[len(head) :]) if not part.lower().startswith(f"{mine[0]} ")]
    return f"{head.rstrip()} {', '.join(kept)}".strip() if kept else ""


@lru_cache(maxsize=512)
def _fields(text: str) -> dict[str, str]:
    """The fields of a text and their values; none where one of its parts is no field."""
    parts = BETWEEN.split(LABEL.sub("", text.rstrip(" .!")))
    found = [_field(part.lower()) for part in parts]
    return dict(filter(None, found)) if all(found) else {}


def _field(said: str) -> tuple[str, str] | None:
    words = said.strip(" .!").split(" ")
    if not 1 < len(words) <= 1 + LONGEST_VALUE or not all(map(WORD.fullmatch, words)):
        return None
    name, value = words[0], words[1:]
    plain = name in STOP or not STOP.isdisjoint(value)
    return None if plain or cues.SHAPES["order"].match(said) else (name, " ".join(value))


def _understood(name: str, value: str, answer: str) -> bool:
    """Whether an answer says what the field is, and not a thing of that name: "added accent borders"."""
    if re.search(rf"\b{re.escape(name)}\w*(?:{IS})\s*(?:the |an? )?{re.escape(value)}(?!\w)", answer):
        return True
    if f"{name} {value}" in answer or any(map(thesaurus.ordinary, stems(value))):
        return False
    return {*stems(name), *stems(value)} <= set(stems(answer))
