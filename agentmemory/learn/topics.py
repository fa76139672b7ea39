"""What a statement is about, when its own words do not say it: the question it answers, the topic around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from agentmemory.learn.cues import CODE
from agentmemory.learn.passages import prose, spoken
from agentmemory.text import STOP, words

ENDED = re.compile(r"[.!?](?=\s)|\n")
READ = 600  # characters of a turn, its last ones, in which its question is looked for
LAST_WORDS = 160  # characters of a turn within which its question stands
LONGEST_QUESTION = 160  # characters of a question that are kept as context
TELLING_QUESTION = 4  # words; a shorter one ("OK?") says nothing of what it is about
TOPIC_WORDS = 12  # of the talk around a statement
REPLY = 200  # characters of what the assistant answered, its first ones without code
REPLY_WORDS = 12  # of them
CODE_WORDS = 12  # names in its code
FENCED = re.compile(r"```[^\n]*\n(.*?)(?:```|\Z)", re.DOTALL)
NAME = re.compile(r"[A-Za-z_][\w./-]{2,}")
#: words of programming languages, which name nothing
SYNTAX = frozenset(
    "const function return import from class def self this true false null none let var public private static void"
    " string int new async await export default else for while with not and the end".split()
)
TURNS_BACK = 2  # of the user, whose words may name what a statement is about


def answers(before: Sequence[tuple[str, str]]) -> bool:
    """Whether what is said after these turns (role, text) answers the assistant."""
    return bool(before) and before[-1][0] == "assistant"


def previous(before: Sequence[tuple[str, str]]) -> str:
    """What was said last in these turns (role, text)."""
    return before[-1][1] if before else ""


def asked(text: str) -> bool:
    """Whether a question stands in the last words of a turn; more may follow it there (`rated.asks` is stricter)."""
    return "?" in _bare(text).rstrip()[-LAST_WORDS:]


def question(text: str) -> str:
    """The last question of an assistant's turn in its own words, "" when it asks nothing that says what of."""
    plain = prose(text)[-READ:]
    if not asked(plain):
        return ""
    bare = _bare(plain)
    end = bare.rindex("?")
    start = max((found.end() for found in ENDED.finditer(bare, 0, end)), default=0)
    last = " ".join(plain[start : end + 1].split())
    return last[-LONGEST_QUESTION:] if len(last.split()) >= TELLING_QUESTION else ""


def _bare(text: str) -> str:
    """The text with nothing to read in its code, each character in its place: a sign there ends no sentence."""
    return CODE.sub(lambda code: "`" * len(code.group()), text)


def beside(text: str, turn: str, before: Sequence[tuple[str, str]], reply: str = "") -> str:
    """Topic words of the talk around a statement *text*: first those of its own turn and of the user's turns before it,
    then those of the assistant's answer (it often says the same in technical terms) and of the code in that answer."""
    users = [said for role, said in before if role == "user"]
    mine = set(words(text))
    found = _topic([turn, *reversed(users[-TURNS_BACK:])], mine)[:TOPIC_WORDS]
    answered = _topic([prose(reply)[:REPLY]], mine)[:REPLY_WORDS]
    return " ".join(dict.fromkeys([*found, *answered, *_code(reply)]))


def _code(reply: str) -> list[str]:
    """The first names in the code of an answer: what was changed for a statement is changed again with it."""
    names = (name for block in FENCED.findall(reply) for name in NAME.findall(block))
    return list(dict.fromkeys(name for name in names if name.lower() not in SYNTAX))[:CODE_WORDS]


def _topic(pieces: Sequence[str], mine: set[str]) -> list[str]:
    return list(dict.fromkeys(word for piece in pieces for word in _naming(piece) if word not in mine))


@lru_cache(maxsize=64)
def _naming(piece: str) -> tuple[str, ...]:
    """The words of what was said, not pasted, that may name a topic."""
    said = (word for sentence in spoken(piece) for word in words(sentence.text))
    return tuple(word for word in said if word not in STOP and len(word) > 2 and not word.isdigit())
