"""What a statement gives a value to, clause by clause: "billing at 04:00 then, patients got longer" gives billing one
and names patients as the reason. So it tells "billing runs at 03:00" anew, and of "patients run at 01:00" nothing.
Pure functions over texts.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from agentmemory.learn import cues, thesaurus
from agentmemory.learn.exchanged import DOUBTED
from agentmemory.learn.parallel import BE, EACH, WORD, restated, worded
from agentmemory.learn.retired import KINDS, VAGUE
from agentmemory.learn.valued import COUNTED, COUNTED_ELSEWHERE, LOOSE, TYPES, Values, differ, numbers, values
from agentmemory.text import stems

#: where a clause ends, or a reason or what somebody says begins
CLAUSE = re.compile(
    r"[.!?;:,]+(?:\s|$)|\s[-–—]+\s|[()]|(?:^|\s)(?:because|bc|cause|since|as|so|and|but|while|that|says?|said|dass|weil|denn|"
    r"que|porque|parce|car)(?=\s)"
)
LABEL = re.compile(r"^([^.,;:!?]{1,40}):(?=\s(?:\S+ ){0,2}\d)")  # "coach voice clips: max 300 KB"
FEWEST = 2  # words before the value of a further clause, which else gives it to what the first one speaks of
#: words that say that something becomes otherwise, not of what
CHANGING = frozenset(
    stems(
        "moves moved moving goes went rises sinks drops set raised cut put sube baja pasa steigt sinkt "
        "steigen sinken passe passent descend monte baisse durar durer"
    )
)
POINTS = frozenset("it that this them those these him her".split())
#: more than one in other languages, but for what is another word in English
SEVERAL = frozenset(word for word, number in COUNTED_ELSEWHERE.items() if number != "1") - {
    "once",
    "sept",
    "elf",
    "dix",
}
UNTYPED = frozenset(("port", "version", *LOOSE)) - {"day"}  # types of a number that says of nothing what it is
#: before the only case in which something is so: "on hard mode geese do 14",
CASES = frozenset("on in at for with during when while under over without if".split())
LONGEST_CASE = 6  # words with that one,
NO_CASE = EACH | frozenset(  # and what stands there and is none: "in the end", "for the record"
    "everybody everyone anybody end record mind thought thoughts fact short future meantime meanwhile doubt balance "
    "request once now today first last possible ask anything".split()
)
#: what says that something is as it was before
AGAIN = re.compile(r"\b(?:again|wieder|(?:de|à) nouveau|otra vez|de nuevo)\b ?", re.I)
#: a value, and behind it of what it is: "60 fps on the deck"
OF_WHAT = re.compile(
    r"(?<![\w.])(?P<number>\d[\d.,]*) ?(?P<unit>%|[a-z]{1,14}) (?P<of>(?:on|in|for|per|at) (?:the |our |an? )?"
    r"[\w-]+(?: [\w-]+)?)(?=[.,;:!?)]|$| (?:and|but|now)\b)"
)
SHORTEST = 4  # words of a sentence that says of what it is
FEW_WORDS = 6  # of a text that is a thing and its value alone,
UNIT = 2  # words of the value
TOLD = re.compile(r"\b(?:is|are|was|costs?|lasts?)\b[^.;:!?]{0,20}?\d")
LONGEST_KIND = 2  # words that say of which kind something is
LONGEST = 160  # characters of a statement that speaks of one thing
SPARE = 1  # words that what is spoken of may have more where it was spoken of first: "billing job", "billing"


class Given(NamedTuple):
    """A clause that gives a value: the stems before it, the first telling one of them, whether it gives it to what
    stands elsewhere ("give it 4"), whether it may not be so, and what is given."""

    of: frozenset[str]
    first: str
    points: bool
    doubted: bool
    values: Values
    numbers: frozenset[str]


def anew(new: str, old: str) -> bool:
    """Whether the new text says of the very same thing something else, in the same words or by another value."""
    new = AGAIN.sub("", new)
    if restated(new, old):
        return True
    theirs = frozenset(stems(old))
    if any(_same(mine, their, theirs) for their in _read(old)[0] for mine in _read(new)[0]):
        return True
    mine, their = _of_what(new), _of_what(old)
    return any(their.get(what, number) != number for what, number in mine.items())


def in_few_words(new: str, old: str) -> bool:
    """Whether the new text is a thing and its value and nothing else, where the older one says in a sentence what that
    is: "rate: 75" after "the rate is 68"."""
    if len(new.split()) > FEW_WORDS or not TOLD.search(cues.plain(old)):
        return False
    said = WORD.findall(LABEL.sub(r"\g<1> ", cues.plain(new)))
    at = next((i for i, word in enumerate(said) if _is_value(word)), 0)
    return at > 0 and len(said) - at <= UNIT and anew(new if ":" in new else " ".join(said), old)


def only_a_reason(new: str, old: str) -> bool:
    """Whether the new text begins with such a value of something else, and then names what alone the older one speaks
    of."""
    given, behind, valued = _read(new)
    before = _read(old)[0]
    if not given or len(before) != 1 or given[0].points or before[0].first in valued:
        return False
    mine, their = given[0], before[0]
    if _set_apart(mine, their):  # "big parcels are 10 euros as the small ones got popular"
        return not (their.of - mine.of).isdisjoint(behind)
    of_another = mine.of - VAGUE - CHANGING - frozenset(stems(old))
    return bool(of_another) and their.first in behind and not any(their.first in each.of for each in given)


def in_one_case(new: str, old: str) -> bool:
    """Whether the new text begins with the case in which alone the thing is so that the older one speaks of."""
    before = _read(old)[0]
    words = WORD.findall(cues.plain(new))
    if not before or not words or words[0] not in CASES:
        return False
    at = next((i for i, word in enumerate(words) if i and before[0].first in stems(word)), 0)
    case = set(stems(" ".join(words[1:at])))
    return 1 < at <= LONGEST_CASE and bool(case) and case.isdisjoint(stems(old)) and NO_CASE.isdisjoint(words[:at])


def of_a_kind(new: str, old: str) -> bool:
    """Whether the new text says in the words of the older one what holds for a kind of the thing: "magic swords cost 90
    gold" after "swords cost 40 gold"."""
    a, b = worded(new), worded(old)
    more = len(a) - len(b)
    named = set(stems(" ".join(a[:more])))
    if not 0 < more <= LONGEST_KIND or len(named) < more or not named - VAGUE - set(stems(old)):
        return False
    return all(x == y or (_is_value(x) and _is_value(y)) for x, y in zip(a[more:], b, strict=True))


def of_another(new: str, old: str) -> bool:
    """Whether both texts are the same but for the word that they begin with and their values: "trolls have 60 hp" after
    "goblins have 20 hp"."""
    a, b = worded(new), worded(old)
    if len(a) != len(b) or len(a) < SHORTEST or any(map(_is_value, (a[0], b[0]))):
        return False
    one, other = set(stems(a[0])) - VAGUE, set(stems(b[0])) - VAGUE
    if not one or not other or thesaurus.akin(one, other):
        return False
    slots = [_is_value(x) and _is_value(y) for x, y in zip(a[1:], b[1:], strict=True) if x != y]
    return bool(slots) and all(slots)


def _same(mine: Given, their: Given, theirs: frozenset[str]) -> bool:
    of = mine.of - VAGUE - CHANGING
    if mine.doubted or not of or not of <= theirs or their.first not in of or len(their.of - mine.of - VAGUE) > SPARE:
        return False
    return not _set_apart(mine, their) and _otherwise(mine, their)


def _set_apart(mine: Given, their: Given) -> bool:
    """Whether common words tell two things of a kind apart: big parcels, small parcels."""
    here, there = ((a.of - b.of - CHANGING) & KINDS for a, b in ((mine, their), (their, mine)))
    return bool(here and there)


def _otherwise(mine: Given, their: Given) -> bool:
    kinds = mine.values.keys() & their.values.keys()
    if kinds:
        return any(differ(kind, mine.values, their.values) for kind in kinds)
    bare = mine.values.keys() <= UNTYPED or their.values.keys() <= UNTYPED
    return bare and bool(mine.numbers and their.numbers) and mine.numbers.isdisjoint(their.numbers)


@lru_cache(maxsize=2_048)
def _of_what(text: str) -> dict[tuple[str, str], str]:
    """Of what a text gives a number behind it, with its unit: "40 fps on the deck"; nothing where it gives two."""
    found = [((m["unit"], m["of"]), m["number"].rstrip(".,")) for m in OF_WHAT.finditer(cues.plain(text))]
    named = [(what, number) for what, number in found if not VAGUE.issuperset(stems(what[1]))]
    return {what: number for what, number in named if len({other for each, other in named if each == what}) == 1}


@lru_cache(maxsize=2_048)
def _read(text: str) -> tuple[tuple[Given, ...], frozenset[str], frozenset[str]]:
    """The clauses of a text that give a value, and the stems of those that do not, where it begins with one that does,
    and of those of them that give one in a word ("default 200"); none of a long text, which speaks of many things."""
    if len(text) > LONGEST:
        return (), frozenset(), frozenset()
    given, behind, valued = list[Given](), set[str](), set[str]()
    foremost = ": " not in text  # what stands before a colon may speak of anything
    for i, clause in enumerate(CLAUSE.split(LABEL.sub(r"\g<1> is ", cues.plain(text)))):
        words = WORD.findall(clause or "")
        at = next((j for j, word in enumerate(words) if _is_value(word)), None)
        if at is None or (i and at < FEWEST):
            behind.update(stems(clause or ""))
            valued.update(stems(" ".join(words[:at])) if at else ())
            foremost = foremost and bool(given or not words)
            continue
        # "since easter is rehearsal on tuesdays"
        is_at = next((j for j in range(1, at - 1) if i and words[j] in BE), -1)
        for start in dict.fromkeys((0, is_at + 1)):
            before = stems(" ".join(words[start:at]))
            first = next((s for s in before if s not in VAGUE), "")
            doubted = bool(cues.marks(clause, DOUBTED))
            points = not POINTS.isdisjoint(words[start:at])
            given.append(Given(frozenset(before), first, points, doubted, values(clause), numbers(clause)))
    return tuple(given), frozenset(behind if foremost else ()), frozenset(valued)


def _is_value(word: str) -> bool:
    return word[0].isdigit() or word in COUNTED or word in SEVERAL or TYPES["day"].fullmatch(word) is not None
