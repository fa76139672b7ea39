"""Whether few words say what a thing is on, in or done with from now on, and not what it was: "cart to valkey", "move
sessions over to postgres" after "sessions live in memcached". Orders of the moment sound the same ("move the icon over
to the left"): the older statement has to begin with that thing and to end in such a value, and the answer has to say
the new one. Pure functions over texts.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from agentmemory.learn import answered, cues, thesaurus
from agentmemory.learn.exchanged import DOUBTED, SOON
from agentmemory.learn.parallel import LINKS, LONGEST_VALUE, OTHERWISE, TO_WHAT, WORD, told
from agentmemory.learn.retired import VAGUE
from agentmemory.learn.valued import values
from agentmemory.text import stems

#: "(move|switched) (the) cart (over) to valkey (then)", "plots with altair pls", "secrets into sops instead"
TERSE = re.compile(
    r"^(?:(?:ok|so|and|also|hm+|btw|fyi|well|lets|please|pls|we|ive|weve|i|just|finally|already|now)[, ]+)*"
    r"(?P<verb>(?:move|switch|migrate|change|port|convert|swap|put)(?:d|ed|ped|s)? |"
    r"(?:mov|switch|migrat|chang|port|convert|swapp)ing )?"
    r"(?:(?:the|our) )?(?P<what>[a-z][\w-]*(?: [\w-]+){0,2}?) (?P<over>over )?"
    r"(?P<how>to|into|onto|in|on|with|via|through|from|at|->|=>|→|auf|zu|mit|bei|über|chez|sur|avec|con|vers) "
    r"(?:(?:the|an?|our) )?(?P<to>[\w./+-]+(?: [\w./+-]+){0,2}?)"
    r"(?P<end>(?: (?:instead|now|pls|please|then|from (?:here|now)(?: on)?|again|"
    r"yesterday|today|already|for good|(?:last|this) (?:week|month|weekend|morning)|alors|umstellen|bitte|wechseln))*)$"
)
END = re.compile(r"[.,;:!?](?:\s|$)|\s[-–—]\s|\(")
TOWARDS = ("to", "into", "onto", "->", "=>", "→", "auf", "zu", "vers")
PUT = ("in", "into", "on", "onto", "to")  # what is put there has been in or on something else
GOES = ("to", "into", "onto")
MEANS = ("with", "by", "via", "using", "mit", "con", "avec")  # what stands behind is what something is done with,
SWITCHES = frozenset(stems("switch migrate convert port swap"))  # which is exchanged so
GOING = frozenset(stems("move switch migrate"))  # what goes over to something
USES = TO_WHAT | LINKS | frozenset("uses runs takes needs über mit bei durch auf chez sur avec con en".split())
READ = 200  # characters of an answer


class Terse(NamedTuple):
    """Stems of the thing and of what it is on now; how that is said; whether it is said to go there."""

    what: frozenset[str]
    to: str
    how: str
    verb: str
    goes: bool


def moves(plain: str) -> bool:
    """Whether a plain sentence (see `cues.plain`) says of a thing to go over to something."""
    said = read(plain)
    return said is not None and said.goes


def moved(new: str, old: str, answer: str) -> bool:
    """Whether the new text says what the thing is on, in or done with now of which the older one says that."""
    said = read(cues.plain(new))
    if said is None:
        return False
    link, before = _value(said, told(old))
    to = frozenset(stems(said.to))
    if not before or to <= frozenset(stems(old)) or values(said.to).keys() != values(before).keys():
        return False
    name = _is_a_name(said.to, answer)
    plainly = any(map(thesaurus.ordinary, stems(before))) and link not in MEANS
    if not (said.goes or name or plainly):  # "texts in bold", kept in nextcloud
        return False
    if "from" in (link, said.how) and link != said.how and not said.goes:
        return False
    if link in MEANS and said.verb not in SWITCHES and _stands_behind(said.to, answer, GOES):
        return False  # "plots to s3", made with matplotlib
    heard = frozenset(stems(answer[:READ]))
    if (said.to in answer[:READ].lower() or to - VAGUE <= heard) and (said.what | frozenset(stems(old))) & heard:
        return True
    return said.goes and answered.told(answer) == 0.0 and not any(map(thesaurus.ordinary, to))


def _is_a_name(to: str, answer: str) -> bool:
    """Whether no everyday words are named, or the answer writes them like a name."""
    if not all(map(thesaurus.ordinary, stems(to))):
        return True
    first = re.escape(to.split()[0].capitalize())
    return re.search(rf"(?<=\w ){first}(?!\w)", answer[:READ]) is not None


def _stands_behind(to: str, answer: str, words: tuple[str, ...]) -> bool:
    """Whether the answer names it behind one of some words."""
    return re.search(rf"\b(?:{'|'.join(words)}) (?:the |our )?{re.escape(to.split()[0])}\b", answer.lower()) is not None


@lru_cache(maxsize=512)
def read(plain: str) -> Terse | None:
    """What a plain sentence says a thing to be on, in or done with; None for most."""
    found = TERSE.match(END.split(plain, maxsplit=1)[0])
    if found is None or cues.marks(plain, DOUBTED) or SOON.search(plain):
        return None
    what, to, verb = frozenset(stems(found.group("what"))), found.group("to"), "".join(stems(found.group("verb") or ""))
    if not what - VAGUE or not set(stems(to)) - VAGUE or set(to.split()) & OTHERWISE:
        return None
    if not (found.group("end") or found.group("verb") or found.group("how") in TOWARDS):
        return None  # "texts in bold"
    goes = bool(found.group("over")) or verb in GOING
    return Terse(what, to, found.group("how"), verb, goes and found.group("how") in GOES)


def _value(said: Terse, old: str) -> tuple[str, str]:
    """How the older sentence says what the thing is on, in or done with, and what that is; "" where it speaks of
    something else."""
    words = WORD.findall(old)
    ends = next((i for i in range(1, len(words)) if said.what <= frozenset(stems(" ".join(words[:i])))), 0)
    if not ends or frozenset(stems(" ".join(words[:ends]))) != said.what:
        return "", ""
    links = [i for i, word in enumerate(words[: ends + LONGEST_VALUE]) if i >= ends and word in USES]
    value = words[links[-1] + 1 :] if links else []
    if not 0 < len(value) <= LONGEST_VALUE or set(value) & OTHERWISE:
        return "", ""
    link = words[links[-1]]
    return ("", "") if said.verb == "put" and link not in PUT else (link, " ".join(value))
