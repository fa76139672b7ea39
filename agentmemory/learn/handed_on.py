"""Whether a statement says that somebody is gone and who does now what that one did: "Kofi stepped down, Yara does crs
now" takes the place of "Kofi reviews crs/". Knows nothing of who is away for a day. Pure functions over texts."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from agentmemory.learn import cues, tongues
from agentmemory.learn.cues import SHAPES
from agentmemory.learn.retired import VAGUE
from agentmemory.text import STOP, stems

GAP = re.compile(r"\W*(?:\b(?:so|and|therefore|thats why|hence)\b)?\W*")
NAME = re.compile(r"[^\W\d_][\w-]+")
#: what an older statement says of what somebody did once, which another one does not do now
ONCE = re.compile(r"\W+(?:has |have |had |was |were |did |wrote|built|made|gave|told|said|left|sent|found|\w+ed\b)")
SUPPOSED = frozenset(("hypothetical",))  # the mark of what is only imagined
#: a role and who holds it, in either order, each as plain text
TITLE = r"(?:(?:mr|mrs|ms|miss|dr|prof|herr|frau)\b\.? )?"
ROLE_IS = r"(?:the |our )?(?!it\b|this\b|that\b)(?:[\w-]+ ){{1,3}}is (?:now )?{title}{who}\W*"
IS_ROLE = r"{title}{who} is (?:now )?(?:the |our )[\w-]+(?: [\w-]+)?\W*"


class HandedOn(NamedTuple):
    """Who is gone, and the words by which somebody else does now what that one did; whether these say so plainly."""

    who: str
    now: str
    plainly: bool


def told(plain: str) -> bool:
    """Whether a plain sentence says plainly that somebody is gone and who does now what that one did."""
    said = read(plain)
    return said is not None and said.plainly


def leaves(plain: str) -> bool:
    """Whether a plain sentence (see `cues.plain`) says that somebody is gone for good."""
    return _gone(plain) is not None


def _gone(plain: str) -> re.Match[str] | None:
    found = SHAPES["leaves"].search(plain)
    return None if found is None or cues.marks(plain, SUPPOSED) else found


@lru_cache(maxsize=256)
def read(plain: str) -> HandedOn | None:
    """Who is gone by a plain text, and who or what is named in the same breath; None where nobody is, or nothing is."""
    found = _gone(plain)
    if found is None:
        return None
    before, behind = plain[: found.start("who")], plain[found.end() :]
    rest = GAP.sub("", behind, count=1) if GAP.fullmatch(behind) is None else before
    if len(rest.split()) <= 2:
        return None
    return HandedOn(found.group("who").split()[-1], rest, SHAPES["does_now"].search(rest) is not None)


def handed_on(new: str, old: str) -> bool:
    """Whether the new text says who does now what the older one says of somebody who is gone; of who only is something
    ("DM is Tobi") that is over whatever the other one does."""
    said = read(cues.plain(new))
    if said is None or not (said.plainly or _names_another(new, old)):
        return False
    held = re.search(rf"(?<![\w@-]){re.escape(said.who)}(?![\w-])", told := cues.plain(old))
    if held is None or ONCE.match(told, held.end()):
        return False
    if any(re.fullmatch(role.format(title=TITLE, who=re.escape(said.who)), told) for role in (ROLE_IS, IS_ROLE)):
        return True
    name = set(stems(said.who))
    return bool((set(stems(said.now)) & set(stems(old))) - VAGUE - STOP - name)


def _names_another(new: str, old: str) -> bool:
    """Whether a text in another language than English names somebody of whom the older one says nothing."""
    return bool(tongues.tongue(new.lower())) and any(
        word[0].isupper() and set(stems(word)).isdisjoint(stems(old)) for word in NAME.findall(new)[1:]
    )
