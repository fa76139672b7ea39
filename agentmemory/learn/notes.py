"""What a belief is found by, when nobody said: keywords, context and tags, taken from its own words.

What is given stays as it is, to the byte; only what is missing is filled. Needs no model.
"""

from __future__ import annotations

import re

from agentmemory.learn.entities import RANK, extract
from agentmemory.learn.names import common
from agentmemory.text import STOP, stems

MOST_KEYWORDS = 6
MOST_TAGS = 3
CONTEXT_WORDS = 3
WORD = re.compile(r"[^\W_][\w'’-]*[^\W_]|[^\W_]")


def complete(text: str, keywords: str = "", context: str = "", tags: str = "") -> tuple[str, str, str]:
    """`(keywords, context, tags)`: the given ones untouched, the missing ones from the words of *text*."""
    if keywords.strip() and context.strip() and tags.strip():
        return keywords, context, tags
    found = keywords_of(text)
    return (
        keywords if keywords.strip() else ", ".join(found[:MOST_KEYWORDS]),
        context if context.strip() else " ".join(_in_order(text, found[:CONTEXT_WORDS])),
        tags if tags.strip() else ", ".join(_tags(found)),
    )


def keywords_of(text: str) -> list[str]:
    """Words and names of the text, spelled as there, the most telling first: named things, then long rare words."""
    named = sorted(extract(text), key=lambda n: -RANK[n.kind])
    out = {n.name.lower(): n.name for n in named if n.name in text and n.kind != "version"}
    inside = " ".join(out).lower()
    plain = []
    for match in WORD.finditer(text):
        word, low = match[0], match[0].lower()
        if low in STOP or low in inside or not any(c.isalpha() for c in word) or len(stems(word)) == 0:
            continue
        plain.append((common(word), -min(len(word), 10), match.start(), word))
    for _, _, _, word in sorted(plain):
        out.setdefault(word.lower(), word)
    if not out:  # only stop words: better a weak key than none
        out = {w.lower(): w for w in WORD.findall(text)}
    return list(out.values())


def _in_order(text: str, words: list[str]) -> list[str]:
    return sorted(words, key=text.find)


def _tags(found: list[str]) -> list[str]:
    """Lower-case labels: the first keywords that are no path or command."""
    plain = [w.lower() for w in found if " " not in w and "/" not in w] or [w.lower() for w in found]
    return plain[:MOST_TAGS]
