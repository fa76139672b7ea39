"""The words of others in a turn: what it quotes that neither its speaker nor the agent takes up is not held, nor what
others say while nobody knows whether it is so.

A page, an auditor or a colleague is quoted to be obeyed or to be smiled at, and the quotation reads the same. Who obeys
says so ("so we do that from now on", "fine with me"), or the agent's answer speaks of what was quoted. Works on
quotation marks, marks of sentences and shared words; knows nothing of what lasts.
"""

from __future__ import annotations

import re

from agentmemory.learn import cues
from agentmemory.learn.cues import QUOTE, SHAPES
from agentmemory.learn.groups import SETTLED, valued
from agentmemory.learn.kept import FIRM
from agentmemory.learn.likeness import bag
from agentmemory.learn.rated import Rated, Reading

RULES = frozenset(("never", "dont", "no_x", "must", "from_now", "general", "each_time"))  # how what is quoted rules
OWN = (FIRM | SETTLED | {"prefer", "want"}) - {"step"}  # marks of who says something of his own
ANEW = frozenset(("from_now", "decided", "update", "prefer", "want"))  # and of who settles something
HOLDS = (ANEW | {"now", "habit"}) - {"update"}  # and of who says beside it what holds
TAKES_UP = re.compile(r"^(?:and )?(?:so|therefore|thats why|hence)\b")  # "so no grey text anywhere"
#: what says of a quotation that its speaker stands by it
STANDS_BY = re.compile(
    r"\b(?:rule|policy|convention|motto|principle|decided|agreed|as i said|i (?:always )?(?:say|mean|tell)|we say|"
    r"please|remember|note(?: it)? down|right|true|stick to|applies|holds|(?:as in|like|such as|for example) qqq)\b"
)
POINTS = re.compile(r"\b(?:it|that|this|so|them|these)\b")
WORDS = 4  # of a quotation that says something
NEAR = 2  # sentences behind it that may take it up
REACH = 3  # sentences, that which tells what others say the first, of which one may say that it is of theirs
MET = 2  # stems of it that an answer which takes it up speaks of; of one with few of them one
FEW = 4


def leave(found: Reading, reply: str) -> None:
    """Leave what is quoted of others and taken up by nobody out of the statements of a turn, and what only says
    something of it. *reply*: what the assistant answered; without one nobody can tell."""
    rated = found.rated
    doubted = _doubted(rated) | _of_theirs(rated) | _not_heeded(rated)
    for i in doubted:
        rated[i].out, rated[i].idle = True, True
    found.groups = [group for group in found.groups if doubted.isdisjoint(group)]
    for i, r in enumerate(rated):
        said = _quoted(r) if reply else ""
        if said and not _adopted(rated, i) and not _answered(said, reply):
            behind = rated[i + 1 : i + 2]
            for each in [r, *filter(_of_it, behind)]:
                each.out, each.idle = True, True


def _doubted(rated: list[Rated]) -> set[int]:
    """The sentences that tell what others say, and those that say that nobody knows whether it is so: "Ana says that
    calls will be limited, no idea whether that is true"."""
    out: set[int] = set()
    for i, r in enumerate(rated):
        if not SHAPES["told_by"].search(r.plain) or any(map(_takes_up, rated[i + 1 : i + 1 + NEAR])):
            continue
        behind = [j for j in range(i, min(i + 2, len(rated))) if SHAPES["not_known"].search(rated[j].plain)]
        out.update(range(i, behind[-1] + 1) if behind else ())
    return out


def _of_theirs(rated: list[Rated]) -> set[int]:
    """The sentences that tell what others say of a thing of theirs, and those that say so: "Ben said no job may run for
    five minutes. He meant his pipeline"."""
    out: set[int] = set()
    for i, r in enumerate(rated):
        if not _reports(r):
            continue
        behind = next((j for j in range(i, len(rated))[:REACH] if SHAPES["of_theirs"].search(rated[j].plain)), None)
        if behind is not None and not any(map(_takes_up, rated[i + 1 : behind + 1 + NEAR])):
            out.update(range(i, behind + 1))
    return out


def _not_heeded(rated: list[Rated]) -> set[int]:
    """The sentences that tell what a document says, and those that say that it is not to be heeded."""
    out: set[int] = set()
    for i, r in enumerate(rated):
        if SHAPES["not_heeded"].search(r.plain) and r.marks.isdisjoint(HOLDS):
            first = i if i == 0 or (SHAPES["document"].search(r.plain) and not _tells(rated[i - 1])) else i - 1
            if any(map(_tells, rated[first : i + 1])) or SHAPES["document"].search(rated[first].plain):
                out.update(range(first, i + 1))
    return out


def _tells(r: Rated) -> bool:
    """Whether a sentence tells what a document, or somebody, says."""
    return _reports(r) or SHAPES["document"].search(r.plain) is not None


def _reports(r: Rated) -> bool:
    """Whether a sentence tells what somebody says."""
    return "reported" in r.marks or SHAPES["reports_too"].search(r.plain) is not None


def _quoted(r: Rated) -> str:
    """What a sentence quotes of others: said to be theirs, or a rule that is not to be written down somewhere, as in
    "the page should say ..."."""
    quotes = (str(quote)[1:-1] for quote in QUOTE.findall(r.said.text))
    written = r.order or "must" in r.marks
    theirs = "reported" in r.marks or ("quoted" in r.marks and not written)
    for words in quotes:
        if len(words.split()) >= WORDS and (theirs or (not written and cues.marks(cues.plain(words)) & RULES)):
            return words
    return ""


def _adopted(rated: list[Rated], i: int) -> bool:
    """Whether who tells sentence i takes up what it tells of others, in its own words or right behind them."""
    said = rated[i].plain
    own = cues.marks(said.replace("qqq", " ")) & OWN or STANDS_BY.search(said)
    return bool(own) or any(map(_takes_up, rated[i + 1 : i + 1 + NEAR]))


def _takes_up(r: Rated) -> bool:
    """Whether a sentence takes up what stands before it: "so we do that from now on", "please stick to it"."""
    if "from_now" in r.marks or SHAPES["consents"].search(r.plain) or TAKES_UP.match(r.plain):
        return True
    return bool(r.marks & {"decided", "ruled"} and POINTS.search(r.plain))


def _answered(said: str, reply: str) -> bool:
    """Whether an answer speaks of it."""
    stems = bag(said)
    return len(stems & bag(reply)) >= (MET if len(stems) > FEW else 1)


def _of_it(r: Rated) -> bool:
    """Whether a sentence only says something of what stands before it: "that is his standard paragraph"."""
    return bool(SHAPES["pronoun"].match(r.plain)) and not (valued(r) or r.marks & ANEW)
