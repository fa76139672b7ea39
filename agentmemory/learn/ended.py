"""Whether a statement takes away what an older one chose. It says by name that this has ended: "mqtt goes", "we leave
google, mapbox now", "Arelion ends" after "we change transit to Arelion"; whatever else both say, the choice holds no
longer, while what only speaks of such a thing ("mqtt topics are lower case") stays. Or it says something of that and
chooses: "celestrak banned our ip, we take space-track". Or something is so after all that the older one says is not, or
the other way round. Pure functions over texts.
"""

from __future__ import annotations

import re
from functools import lru_cache

from agentmemory.learn import cues, exchanged, retired, thesaurus
from agentmemory.learn.compared import CHOOSING
from agentmemory.learn.parallel import LINKS, TO_WHAT
from agentmemory.text import STOP, stem, stems, words

NAME = r"[\w./+-]{0,40}\w"
#: after a name, and at the end of a clause or before what says when
ENDS = (
    r"(?:ends?|stays? off|out|goes(?: out| away| off)?|(?:can|has to|must|may|will) (?:go|rest|retire)|"
    r"dies|died|retires|(?:gets|got) the (?:boot|axe|sack|chop)|has had its day|"
    r"(?:is|has been|gets) (?:now |finally )?(?:out|gone|dead|history|over|off|retired|dropped|done|finished|"
    r"switched off|turned off|dead (?:for|to) (?:us|me))|"
    r"was (?:retired|dropped|switched off|(?:only |just )?(?:an?|for) [^,.;!?]{1,60}))"
)
WHEN = (
    r"(?= (?:before|by|then|now|this|next|too|as well|for good|end of|(?:in|on) (?:\w+day|\w+ (?:days|weeks)))\b|"
    r"[.,;!]|$)"
)
OVER = re.compile(
    rf"(?:^|[.,;:!?] |\b(?:and|so|then|as|but) )(?:the |our )?(?P<it>{NAME}(?: {NAME})?) (?:also |now )?{ENDS}{WHEN}|"
    r"\b(?:we|i|were|im|weve|ive) (?:are |have |now |finally |just )*(?:leave|left|leaving|drop|dropped|dropping|"
    r"ditch|ditched|quit|(?:done|through|finished) with|(?:divorced|off|away)(?: from| of)?|g[ia]ve up|giving up) "
    rf"(?:the |our |on )*(?P<left>{NAME})(?=[.,;:!?]|$| (?:and|now|then|because|since)\b)|"
    rf"\b(?:bye|goodbye|adieu|farewell)(?: to)?,? (?P<bye>{NAME})(?=[.,;:!]|$| (?:and|now|then)\b)"
)
#: before the name of what is used or was chosen,
CHOICE = "|".join(
    sorted({*TO_WHAT, *LINKS, "uses", "take", "takes", "choose", "chose", "chosen", "picked", "got", "bought", "have"})
)
#: and behind it, where a clause begins with it
CHOSEN = (
    r"(?: it (?:is|shall be)\b| then\b| now\b| from (?:now|today)| (?:\w+ )?(?:we|i) (?:use|take|have|go)\b|"
    r" (?:on|over|in|from|via|with) (?:the|our|its?|an?)\b|[.,;:!?]|$)"
)
#: where a clause does
BEGINS = r"(?:^|[.,;:!?] |\b(?:then|ok|so) )"
#: how a statement chooses something by its name,
CHOICES = re.compile(
    r"\b(?:(?:go|going|went|moved?|moving|changed?|changing|switch(?:ed|ing)?|over|migrated?|ported)"
    r"(?: (?!to\b|with\b|for\b)[\w-]+){0,3} (?:to|with|for|onto|on)|takes?|took|uses?|choose|chose|picked|adopt|bought|"
    r"(?:decided|settled|agreed) (?:on|for)|its|is|on|from|through|via) "
    rf"(?P<name>{NAME})(?![\w-])|{BEGINS}(?P<first>{NAME}){CHOSEN}"
)
#: and that it chooses
CHOOSES = re.compile(
    r"\b(?:we|i|ive|weve|were|im) (?:have |are |will |now |just |finally |all )*(?:takes?|took|taking|use|using|choose|"
    r"chose|picked|adopt|go|going|went|decided|settled|agreed|moved?|moving|changed?|changing|switch(?:ed|ing)?|bought|"
    r"signed|ported|put)\b|[\w./+-] it is\b|\w (?:then|now|instead)(?=[.,;!]|$)|\bfrom (?:now on|today|\w+day)\b|"
    r"\b(?:its|then|so) (?:we|take|use|go)\b|\b(?:take|use) [\w./+-]+(?=[.,;]|$)"
)
#: what it names so stays
KEEPS = re.compile(
    r"\b(?:stays?|keeps?|kept|still|same|also|too|like|as well|beside|next to|plus|remains?|fallback|unchanged)\b"
)
SHORTEST = 3  # letters of such a name
SENTENCE = re.compile(r"[.;!?] ")
MAY = re.compile(rf"{retired.SUPPOSED.pattern}|\b(?:should|shall|would|could|can) (?:we|i)\b")
AFTER_ALL = re.compile(r"\bafter all\b")
CLAUSE = re.compile(r"[.,!?;:]+ |\s[-–—] | (?:and|but|so|because|since|as|that) ")
#: what is said not to be so, or not to be done
NO = re.compile(
    r"\b(?:not|never|no longer|cannot|(?:do|does|did|is|are|was|were|wo|would|ca|could|should|must)nt) "
    r"(?P<what>[^(]{3,60})"
)
SAID = 2  # words of it that are enough: "carry over"


def ended(new: str, old: str) -> bool:
    """Whether the new statement says of a thing that it is over, or that it is left, which the older one chose."""
    return any(_chose(old, name) for name in _over(new))


def rechosen(new: str, old: str) -> bool:
    """Whether the new statement chooses something, and says something of what the older one chose, but not that it
    stays. Whether it is of the same matter is not asked here."""
    plain = retired.with_code(new)
    if CHOOSES.search(plain) is None:
        return False
    said = SENTENCE.split(plain)
    return any(_speaks_of(said, name) for name in _chosen(old) - _chosen(new))


def _speaks_of(said: list[str], name: str) -> bool:
    """Whether sentences name something, none of them as what stays."""
    named = re.compile(rf"(?<![\w/.-]){re.escape(name)}(?![\w/-])")
    of = [each for each in said if name in each and named.search(each)]
    return bool(of) and not any(map(KEEPS.search, of))


@lru_cache(maxsize=2_048)
def _chosen(text: str) -> frozenset[str]:
    """The names that a statement chooses."""
    found = (m["name"] or m["first"] for m in CHOICES.finditer(retired.with_code(text)))
    names = (name for name in found if len(name) >= SHORTEST and CHOOSING.isdisjoint(stems(name)))
    return frozenset(name for name in names if _is_name(name, ""))


def otherwise(new: str, old: str) -> bool:
    """Whether the new statement says that something is so after all, and the older one that it is not: "embers carry
    over after all" after "they do not carry over"; or the other way round."""
    said = [each for each in _clauses(new) if AFTER_ALL.search(each)]
    return any(_denies(a, b) or _denies(b, a) for a in said for b in _clauses(old))


def _denies(clause: str, other: str) -> bool:
    """Whether a clause says no to what the other one says."""
    found = NO.search(clause)
    if found is None or NO.search(other):
        return False
    what = [stem(word) for word in words(found["what"])[:SAID]]
    telling = set(stems(found["what"])[:SAID]).intersection(what) - retired.VAGUE
    return len(what) == SAID and bool(telling) and {*what} <= {stem(word) for word in words(other)}


@lru_cache(maxsize=1_024)
def _clauses(text: str) -> tuple[str, ...]:
    return tuple(CLAUSE.split(cues.plain(text)))


@lru_cache(maxsize=512)
def _over(text: str) -> tuple[str, ...]:
    """The names of which a text says so."""
    plain = retired.with_code(text)
    found = list[str]()
    for m in OVER.finditer(plain):
        said = next(filter(None, m.groups())).split()
        name = " ".join(said[1:] if said[0] in STOP else said)
        clause = SENTENCE.split(plain[: m.end()])[-1]
        if name and not MAY.search(clause) and _is_name(name, plain[: plain.index(name, m.start())]):
            found.append(name)
    return tuple(found)


def _is_name(name: str, before: str) -> bool:
    """Whether words name something by themselves: no vague ones, and everyday ones ("search", "redis") where they stand
    like a name."""
    of = stems(name)
    if not of or name in STOP or name.isdigit() or not retired.VAGUE.isdisjoint(of):
        return False
    return exchanged.DETERMINED.search(before) is None or not any(map(thesaurus.ordinary, of))


@lru_cache(maxsize=1_024)
def _chose(old: str, name: str) -> bool:
    """Whether a statement says of something that it is that, is on it or done with it, or was chosen."""
    plain = retired.with_code(old)
    if name not in plain or name in _over(old) or not retired.named(plain).isdisjoint(stems(name)):
        return False
    the = "" if any(map(thesaurus.ordinary, stems(name))) else "(?:(?:the|our|an?) )?"
    called = rf"{the}{re.escape(name)}(?![\w-])"
    used = rf"\b(?:{CHOICE}) {called}|{BEGINS}{called}{CHOSEN}"
    return re.search(used, plain) is not None
