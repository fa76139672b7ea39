"""Whether a statement says in full what takes the place of what: "swapped adguard for technitium yesterday", "we're
moving payment from stripe to mollie", "linear replaces jira". Knows nothing of plans ("we will switch", "in May").
Pure functions over texts.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from agentmemory.learn import cues, thesaurus
from agentmemory.learn.parallel import LINKS, TO_WHAT
from agentmemory.learn.rated import VETOES
from agentmemory.learn.retired import VAGUE
from agentmemory.text import MONTHS, stems

LEAD = r"^(?:(?:btw|fyi|so|ok|and|oh|also|hey)[, ]+)*"
OUR = r"(?:the |our |my )?"
NAME = r"[\w./+-]+"
LATELY = r"(?:(?:just|finally|now|already) )?"
_NO_THING = r"(?!(?:lets|always|perhaps|unless|this|that|it|what|other|another|their|his|her)\b)"
THING = rf"{OUR}(?P<thing>{_NO_THING}[\w-]+(?: [\w-]+)?)"
WAY = r"(?: over| away)? (?:from|off)"
#: what was exchanged, however long ago
DONE = re.compile(
    rf"{LEAD}(?:(?:we|they|i|(?:the|our|my)(?: [\w-]+){{1,2}})(?: have|ve|s)? )?{LATELY}"
    r"(?:(?:swapped|replaced|exchanged|traded) (?:out )?|(?:moved|switched|migrated)"
    rf"(?: [\w-]+){{0,3}}? (?:from|off|away from) ){OUR}(?P<old>{NAME}(?: {NAME})?) (?:for|with|by|to) \w|"
    rf"{OUR}(?P<out>{NAME}) is (?:out|gone|dead|history)[,;.:] ?"
    r"(?:(?:its|it is|we use|use|we take|take) \w|(?:\S+ ){1,6}(?:instead|now)\b)"
)
#: or is gone, as something else is used: "we move to postgres 16, mysql is out"
OUSTED = re.compile(
    rf"{LEAD}(?:(?:we|they|i|(?:the|our|my)(?: [\w-]+){{1,2}}|[\w-]+) )?{LATELY}(?:are |have )?"
    r"(?:mov|switch|migrat|chang|go|take|use)(?:e|ed|d|es|ing)?(?: over)?(?: (?:to|onto|on|auf|with|for))? "
    rf"{OUR}{NAME}(?: {NAME}){{0,2}}[,;.] (?:and |so )?{OUR}(?P<out>{NAME}) is (?:out|gone|dead|history)\W*$"
)
#: what is being exchanged: "we switch (payment) from", "switching from", "search moves from", "tests are moving from";
DOING = re.compile(
    rf"{LEAD}(?:(?P<we>we|they|i) {LATELY}(?:(?:move|switch|migrate|change|go|shift)(?P<a>(?: [\w-]+){{0,3}}?){WAY}|"
    r"(?:swap|replace|exchange|trade|leave|ditch|drop)(?: out)?)|"
    rf"(?:(?:(?P<are>were|theyre|im|(?:we|they) are|i am)|{THING} (?:is|are)) )?{LATELY}"
    rf"(?:(?:mov|switch|migrat|chang|go|shift)ing(?P<b>(?: [\w-]+){{0,3}}?){WAY}|"
    r"(?:swapp|replac|exchang|trad|leav|ditch|dropp)ing(?: out)?)|"
    rf"{THING.replace('<thing>', '<things>')} (?:now )?(?:(?:moves|switches|migrates|changes|goes|shifts)|"
    rf"(?<=s )(?:move|switch|migrate|change|go|shift)){WAY}) "
    rf"{OUR}(?P<old>{NAME}(?: {NAME})??) (?:for|with|by|to|onto|into|in favou?r of) (?:the |an? )?"
    rf"(?P<new>{NAME})(?P<rest>[^,;:!?()]*)"
)
#: and what stands in its place is named first, or what gives way is
TAKES = re.compile(
    rf"{LEAD}(?:{OUR}{NAME}(?: {NAME})? (?:now )?(?:(?:is |are )?(?:replac|supersed)(?:es|ing)|"
    rf"(?:takes|is taking|took) over from) {OUR}(?P<old>{NAME}(?: {NAME})??)|"
    rf"{OUR}(?P<out>{NAME}) (?:(?:is|are|was|were|got|gets|has been|have been) (?:now |being )*replaced (?:by|with)|"
    rf"(?:gives|gave|makes|made) (?:way|room) (?:to|for)) {OUR}{NAME})(?P<rest>[^,;:!?()]*)"
)
AT_ONCE = re.compile(r"(?: (?:now|today|because|bc|since|as of (?:now|today)|due to|finally|for good)\b.*)?[.]*")
#: what may say that it is not yet so, or not for all: "in production", "for the demo";
NOT_YET = re.compile(
    r"\b(?:in|on|at|by|from|within|over|next|tomorrow|soon|later|eventually|starting|beginning|gradually|step|"
    r"until|till?|before|after|once|when\w*|if|unless|as soon|only|except|either|or|"
    r"for(?= (?:the|this|an?|now|testing)\b))\b"
)
#: and what says that it is not, wherever it stands: "next month", "in May"; or in the same clause: "once v2 is out"
SOON = re.compile(
    r"\b(?:next (?:week|month|quarter|year|sprint|release|summer|winter|spring|autumn|fall|\w+day)|tomorrow|some ?day|"
    r"(?:in|by|from|on|before|after|end of|mid|early|late|en|im|ab) (?:the )?(?:q[1-4]|20[2-9]\d|summer|winter|spring|"
    rf"autumn|{'|'.join(names.split()[0] for names in MONTHS)}|new year|"
    r"januar|februar|märz|mai|juni|juli|oktober|dezember|enero|febrero|marzo|abril|mayo|junio|julio|agosto|"
    r"septiembre|octubre|noviembre|diciembre|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre)|"
    r"in (?:\w+ ){1,2}(?:days|weeks?|months?|years?))\b"
)
ONCE = re.compile(r"\b(?:soon|later|eventually|once|when|if|unless|until)\b")
DOUBTED = frozenset((*VETOES, "question", "plan"))
DETERMINED = re.compile(r"(?:the|an?|our|my|your|its|their|each|every|any|this|that|these|those|all) $")


class Exchange(NamedTuple):
    """What a statement says to be given up: as it is written, its stems, whether it stands there like a name ("stripe",
    not "the button"); the stems of what it is said of ("payment"); whether it has happened already."""

    written: str
    given_up: frozenset[str]
    named: bool
    of: frozenset[str]
    done: bool


def exchanges(plain: str) -> bool:
    """Whether a plain sentence (see `cues.plain`) says that one thing takes the place of another, now or before now."""
    return read(plain) is not None


def planned(plain: str) -> bool:
    """Whether a plain sentence says that one thing is going to take the place of another, but has not yet: "we switch
    from jest to vitest in May"."""
    found = DOING.match(plain)
    return found is not None and not_yet(plain, found)


def not_yet(plain: str, found: re.Match[str]) -> bool:
    """Whether a plain sentence says of what was *found* in it that it is yet to come."""
    return SOON.search(plain) is not None or ONCE.search(found.group()) is not None


def exchanged(new: str, old: str) -> bool:
    """Whether the new statement says that something the old one names is exchanged, and for what: "swapped adguard for
    technitium yesterday", where the old one says "dns is adguard". No everyday word does ("replaced the button with a
    link"), but for one that names what is used ("payment is stripe checkout")."""
    said, theirs = read(cues.plain(new)), set(stems(old))
    if said is None or not said.given_up <= theirs:
        return False
    ordinary = any(map(thesaurus.ordinary, said.given_up))
    if said.done and not ordinary:
        return True
    return (said.named or not ordinary) and of_it(said.of, theirs) and _uses(old, said.written)


@lru_cache(maxsize=512)
def read(plain: str) -> Exchange | None:
    """What a plain sentence says to be given up, and for what; None for most."""
    for shape in (DONE, OUSTED, DOING, TAKES):
        found = shape.match(plain)
        if found is None or (shape is OUSTED and SOON.search(plain)):
            continue
        if shape in (DOING, TAKES) and not _now(plain, found):
            continue
        place = "old" if found.groupdict().get("old") else "out"
        given_up, of = frozenset(stems(found.group(place))), frozenset[str]()
        if shape is DOING:
            thing, between = (" ".join(filter(None, found.group(*of))) for of in (("thing", "things"), ("a", "b")))
            of = frozenset(stems(thing)) | (frozenset(stems(between)) - VAGUE)
        named = DETERMINED.search(plain[: found.start(place)]) is None
        return Exchange(found.group(place), given_up, named, of, shape in (DONE, OUSTED)) if given_up else None
    return None


def _now(plain: str, found: re.Match[str]) -> bool:
    """Whether it is said that something happens, not that it may, will or would happen: a name for it ("switching from
    jest to vitest is a lot of work") says nothing of that, nor what is said of files."""
    said, between, only_named = found.groupdict(), "", found.re is TAKES
    if found.re is DOING:
        between = f"{said['a'] or ''} {said['b'] or ''}"
        only_named = not any(found.group("we", "are", "thing", "things"))
        if "/" in f"{said['old']}{said['new']}":
            return False
    if cues.marks(plain[: found.end()], DOUBTED) or NOT_YET.search(said["rest"]) or NOT_YET.search(between):
        return False
    return not only_named or AT_ONCE.fullmatch(said["rest"]) is not None


def of_it(of: frozenset[str], theirs: set[str]) -> bool:
    """Whether an older statement speaks of what it is said of, where that is said."""
    return not of or thesaurus.akin(of, theirs)


def _uses(old: str, name: str) -> bool:
    """Whether an older statement says of a thing that it is used, or of something that it is it: "payment is stripe
    checkout", not "stripe webhooks need the raw body"."""
    before = rf"\b(?:{'|'.join(sorted(TO_WHAT | LINKS))}) (?:the |our )?(?:\./)?{re.escape(name)}(?![\w-])"
    return re.search(before, cues.plain(old)) is not None
