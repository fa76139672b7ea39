"""What a statement is about, when its own words do not say it: the question it answers, the topic around it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentmemory.learn.passages import pasted, sentences
from agentmemory.text import STOP, words

DEPENDENT = re.compile(
    r"(?:so |and |but |no,? |yes,? )*(?:its?|it's|thats?|that's|this|these|those|they|them|same|one|both|there)\b"
)
QUESTION = re.compile(r"[^.!?\n]*\?")
LONGEST_QUESTION = 160  # characters of a question that are kept as context
OPENING = 240  # characters of the assistant's turn that say what it is about
STANDS_ALONE = 9  # words from which a statement names its topic itself
TOPIC_WORDS = 12  # of the talk around a statement


def asks(text: str) -> bool:
    """Whether a turn ends by asking something."""
    tail = text.rstrip()[-300:]
    return "?" in tail and tail.rfind("?") >= len(tail) - 160


def question(text: str) -> str:
    """The last question of an assistant's turn, "" when it asks nothing."""
    found = QUESTION.findall(text[-600:])
    return " ".join(found[-1].split())[-LONGEST_QUESTION:] if found and asks(text) else ""


def around(text: str, kind: str, turn: str, before: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """Context (a readable line) and keywords (topic words) for a statement *text* of the turn."""
    mine = set(words(text))
    asked = question(before[-1][1]) if before and before[-1][0] == "assistant" else ""
    users = [t for role, t in before if role == "user"]
    alone = len(mine - STOP) >= STANDS_ALONE and not DEPENDENT.match(text.lower())
    talk = [turn] if alone else [turn, *users[-1:]]
    most = TOPIC_WORDS
    if kind == "procedure":  # a piece of a routine rarely says of which: the talk before it does
        talk += [before[-1][1][:OPENING]] if before else []
        talk += users[-2:]
        most *= 3
    topic: dict[str, None] = {}
    for piece in talk:
        for sentence in sentences(piece):
            for word in words(sentence.text):
                if word not in STOP and word not in mine and len(word) > 2 and not word.isdigit():
                    topic.setdefault(word)
    return asked, " ".join(list(topic)[:most])


def said_plainly(text: str) -> str:
    """The text without what was pasted into it."""
    out, at = [], 0
    for start, end in pasted(text):
        out.append(text[at:start])
        at = end
    return "".join([*out, text[at:]])
