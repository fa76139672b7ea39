"""The names that a sentence gives up: "postmark is out", "forget the 8480 one", "we drop vault", "no longer yarn"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from agentmemory.learn import cues, tongues
from agentmemory.learn.cues import SHAPES
from agentmemory.recall import talk
from agentmemory.text import MONTHS, STOP, stem, words

#: words that many statements share and none is named by, but that may tell two things of a kind apart: "big", "small"
KINDS = frozenset(
    stem(w)
    for w in (
        "stuff old new test tests page file files branch exist first second last change changes price share "
        "shared book step next main real good bad code app data table line lines row rows version name names "
        "value path thing run runs day week month year time user users team call right left back docs way "
        "part place number people work works problem reason end start small big own side case moment service "
        "server system module public private monday tuesday wednesday thursday friday saturday sunday customer "
        "customers today one two three question answer wrong correct list group add set "
        "somebody someone anybody anyone everybody everyone nobody something anything everything nothing "
        "half past quarter hour minute second zero four five six seven eight nine ten eleven twelve twenty thirty "
        "bought sold died closed tool tools script scripts module modules instead rather "
    ).split()
)  # fmt: skip
VAGUE = KINDS.union(stem(names.split()[0]) for names in MONTHS) | tongues.vague()  # none of which tells anything apart
#: what is said to be gone begins after these: "a thing whose poet died" speaks of the poet
WITHIN = re.compile(
    r"^.*\b(whose|which|that|who|how|when|whenever|once|where|if|unless|until|because|since|but|i|we|you|they|he|she)\s+"
)
CONDITIONS = frozenset(("if", "unless", "until", "when", "whenever", "once"))  # "if the cache is deleted": it is not
HAPPENED = re.compile(r" (?:was|were|got|blew|\w+ed)\b")  # "when the box died": it has
SUPPOSED = re.compile(r"\b(?:if|whether|unless|maybe|perhaps|might|may|not|never|case|when)\b(?! i\b| we\b)")
HANDED = re.compile(r"\b(?:gave|given|wrote)\b")
MINE = re.compile(r"\b(?:i|my)\b")  # "I misread the mail", "forget what I said": what was said last
LAST = re.compile(r"\b(?:that|this)\b")  # "scratch that", but for "undo that commit"
OBJECT = re.compile(
    r"(?:\s+(?:the|an?|my|your|our|last|that|this))*\s+(?!please|pls|now|again|too|all|everything)([\w./-]+)"
)
NEXT = re.compile(r"(?:[.,;:!]| -) ")
POINTS = re.compile(r"\b(?:it|this|that|these|those|they|them)\b")  # to what is said elsewhere
BACK_TO = re.compile(r"\w (?:it|this|that|them|those|so)[.!]*$")  # how a reason ends that speaks of what is taken back
#: what stands behind it takes the place: "moved from sphinx to mkdocs", "replaced mkdocs with docusaurus"
TURNS = re.compile(r"(?:.*\b(?:from|off)|(?:renam|replac|swap|trad|exchang)\w*)\s")
TURNED = re.compile(r"\s(?:to|into|with|by|for|in favou?r)\b.*")
IDENTIFIER = re.compile(r"(?<!\S)[^\s]*(?:\d{3}|\w[-_/.:@#]\w|[a-z]\d|[@#/]\w)\S*")
DOES_NOT = re.compile(r"\b(?:no longer|any ?more|any longer|now|since|these days|for ages)$")
NOT_KNOWN = re.compile(r"(?:an?|another|some|no)\s")  # "a cable died": which one, nobody said before


def with_code(text: str) -> str:
    """A text as it is read here: plain (see `cues.plain`), and names of code are names too."""
    return cues.plain(text.replace("`", ""))


def contrasted(plain: str) -> list[set[str]]:
    """Stems of each thing that a plain sentence only sets itself apart from: "rather than HTML", not "were full"."""
    found = SHAPES["gone_beside"].finditer(plain)
    return [_stems([m.group(1)]) for m in found if not m.group().startswith(("was", "were"))]


def told(plain: str) -> str:
    """What a plain sentence says of the past or sets itself apart from, in its own words: "instead of 72 hours"."""
    return ". ".join([*_left(plain), *(m.group(1) for m in SHAPES["gone_beside"].finditer(plain)), *_ended(plain)])


def settles(plain: str) -> bool:
    """Whether a plain sentence says of something that it is out, dead, thrown out, switched off or cannot do it."""
    return bool(_stems([*_ended(plain), *_thrown_out(plain)]))


def named(plain: str) -> set[str]:
    """Stems of what a plain sentence (see `cues.plain`) says no longer holds; vague words are left out."""
    denied = (phrase.split(maxsplit=1)[-1] for phrase in _denied(plain))
    return _stems([*_left(plain), *denied, *_ended(plain)]) | taken_back(plain)


def things(plain: str) -> tuple[list[str], list[set[str]]]:
    """What a plain sentence gives up: names like kestrel-raw or 7421, which mean one thing only as they are written,
    and the stems of each phrase without such a name."""
    said = [*_left(plain), *_denied(plain)]
    ended = list(_ended(plain))
    if any(IDENTIFIER.search(phrase) for phrase in said):  # what no longer listens on 7421 still is there
        still = [phrase for phrase, ends in _endings(plain) if DOES_NOT.search(ends)]
        ended = [phrase for phrase in ended if not any(each.endswith(phrase) for each in still)]
    said += ended
    names = [IDENTIFIER.findall(phrase) for phrase in said]
    whole = [name.strip("\"'.,;:()") for found in names for name in found]
    return whole, [_stems([phrase]) for phrase, found in zip(said, names, strict=True) if not found]


def tells_what(plain: str) -> bool:
    """Whether a plain sentence says in full what it gives up or sets itself apart from: a name as it is written, or a
    phrase."""
    whole, phrases = things(plain)
    return bool(whole) or any(len(each) > 1 for each in phrases) or any(contrasted(plain))


def holds(text: str, name: str) -> bool:
    """Whether a text holds a name as it is written: kestrel is not kestrel-sync."""
    return re.search(rf"(?<![\w#@-]){re.escape(name)}(?![\w-])", text.lower()) is not None


@lru_cache(maxsize=512)
def _left(plain: str) -> tuple[str, ...]:
    """What a plain sentence turns away from: "no longer listens on 7421", of "from sphinx to mkdocs" the first."""
    found = SHAPES["gone_after"].finditer(plain)
    left = [TURNED.sub("", m.group(1)) if TURNS.match(m.group()) else m.group(1) for m in found]
    return (*left, *_thrown_out(plain))


@lru_cache(maxsize=512)
def _thrown_out(plain: str) -> tuple[str, ...]:
    """What a plain sentence throws out, takes down, lets go, with what it does so around it: "ripping howler out"."""
    return tuple(phrase for m in SHAPES["gone_split"].finditer(plain) for phrase in m.groups() if phrase)


@lru_cache(maxsize=512)
def _denied(plain: str) -> tuple[str, ...]:
    """What a plain sentence says not to be done or not to be so any more."""
    return tuple(m.group(1) or m.group(2) for m in SHAPES["gone_within"].finditer(plain))


def taken_back(plain: str) -> set[str]:
    """Stems of what a plain sentence takes its word back on: "forget what I said about the linter"."""
    found = SHAPES["taken_back"].search(plain)
    return (_stems([found.group(1)]) or _stems([found.group(1)], frozenset())) if found else set()


def dropped(plain: str) -> set[str]:
    """Stems of what a plain sentence gives up by name and with nothing in its place: "forget the pills, please"."""
    found = SHAPES["dropped"].search(plain)
    if found is None:
        return set()
    rest = _next(plain, found.end())
    return set() if _states(rest) and not POINTS.search(rest) else _stems([found.group(1)], frozenset())


def undone(plain: str) -> set[str]:
    """Stems of what a plain sentence that takes something back says to be undone: "revert the header colour", "the logo
    was better, put it back"; none where it speaks of what was said last ("scratch that, the printer jams")."""
    found = cues.FLAGS["retraction"].search(plain) or SHAPES["undoes"].search(plain)
    if found is None or MINE.search(said := found.group()):
        return set()
    of = OBJECT.match(plain, found.end())
    named = of is not None and of.group(1) not in STOP
    if LAST.search(said) and not named:
        return set()
    before, behind = plain[: found.start()], NEXT.split(plain[found.start() :], maxsplit=1)[0]
    told = SHAPES["undoing"].sub(" ", before if POINTS.search(said) and not named else f"{before} {behind}")
    return _stems([" ".join(filter(talk.names, told.split())), of.group(1) if of and named else ""])


def says_more(behind: str) -> bool:
    """Whether what stands behind an order says what holds instead: "..., everything goes through edge-2 now"."""
    rest = cues.plain(behind).lstrip(" ,;:.!-")
    return _states(rest) and not cues.marks(rest).isdisjoint(("now", "update", "from_now", "decided"))


def holds_now(text: str) -> bool:
    """Whether what stands behind the first clause of an order says what holds instead."""
    return says_more(_next(cues.plain(text), 0))


def put_anew(plain: str) -> bool:
    """Whether a plain sentence that takes its word back on something says at once what holds: "..., use flake8", not
    "..., the printers cannot do it"."""
    found = SHAPES["taken_back"].search(plain)
    if found is None:
        return False
    rest = plain[found.end() :]
    return len(words(rest)) > 1 and BACK_TO.search(rest) is None


def withdraws(plain: str) -> bool:
    """Whether a plain sentence takes back what was said last and says at once what holds: "scratch that, use 9443"; not
    one that names what was wrong (see `told_wrong`)."""
    found = cues.FLAGS["retraction"].match(plain)
    if found is None or told_wrong(plain) is not None:
        return False
    rest = _next(plain, found.end())
    return _states(rest) and cues.marks(rest).isdisjoint(cues.PASSING)


def leaves_open(plain: str) -> bool:
    """Whether a plain sentence says of something told before that it was wrong, and not what holds instead."""
    return SHAPES["told_wrong"].search(plain) is not None and told_wrong(plain) is None


def told_wrong(plain: str) -> set[str] | None:
    """Stems of what a plain sentence says to have been told wrongly before ("the port I gave you was wrong, it is
    9443"), perhaps none; None where it says nothing of the kind, or not what holds instead."""
    found = SHAPES["told_wrong"].search(plain)
    if found is None or SUPPOSED.search(plain[: found.end()]) or not _states(plain[found.end() :].lstrip(" ,;:.-")):
        return None
    return _stems(filter(None, found.groups()))


def _next(plain: str, at: int) -> str:
    """What stands behind the clause that a place of a plain sentence is in."""
    return "".join(NEXT.split(plain[at:], maxsplit=1)[1:])


def _states(plain: str) -> bool:
    """Whether a plain clause says what holds: it takes nothing back, and an order names a number ("use 9443")."""
    found = cues.marks(plain)
    ordered = SHAPES["order"].match(cues.start(plain)) and not any(c.isdigit() for c in plain)
    said = " " in plain and not found.isdisjoint(cues.LASTING)
    return said and "retraction" not in found and not ordered


def handed(plain: str) -> bool:
    """Whether what was wrong may be a thing that was handed over, a file or a list, rather than what was said of it."""
    found = SHAPES["told_wrong"].search(plain)
    return found is not None and HANDED.search(found.group()) is not None


@lru_cache(maxsize=512)
def _endings(plain: str) -> tuple[tuple[str, str], ...]:
    """What a plain sentence may say to have ended, and how it says so."""
    found = SHAPES["gone_before"].finditer(plain)
    return tuple((phrase := next(filter(None, m.groups())), m.group()[len(phrase) :]) for m in found)


@lru_cache(maxsize=512)
def _ended(plain: str) -> tuple[str, ...]:
    """What a plain sentence says has ended, without what only leads to it."""
    found = [phrase for phrase, ends in _endings(plain) if not _conditional(phrase, ends)]
    nearer = [bare if _stems([bare := WITHIN.sub("", phrase)]) else phrase for phrase in found]
    return tuple(phrase for phrase in nearer if not NOT_KNOWN.match(phrase))


def _conditional(phrase: str, ends: str) -> bool:
    """Whether *phrase*, of which the words behind it say that it *ends*, does so only under a condition."""
    leads = WITHIN.match(phrase)
    if leads is None or leads.group(1) not in CONDITIONS:
        return False
    return leads.group(1) in ("if", "unless", "until") or HAPPENED.match(ends) is None


def _stems(pieces: Iterable[str], vague: frozenset[str] = VAGUE) -> set[str]:
    return {stem(w) for piece in pieces for w in words(piece) if w not in STOP and len(w) > 1} - vague
