"""Whether two statements are one sentence: said of two things ("billing listens on 8080", "ledger listens on 9090"),
so that neither replaces the other however alike they are, or of one with another value ("billing listens on 9090 now"),
so that the later one does. Pure functions over texts.
"""

from __future__ import annotations

import re
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from agentmemory.learn import cues, thesaurus, tongues
from agentmemory.learn.matters import SENTENCE
from agentmemory.learn.valued import UNITS, values
from agentmemory.text import STOP, stems

WORD = re.compile(r"[^\s,;:.!?\"'“”()]+(?:[.:'][^\s,;:.!?\"'“”()]+)*")
FRAME = 3  # words that both sentences have in their places
SHORT, SHORT_FRAME = 5, 2  # words of a sentence of which fewer are enough: "search timeout is 3s"
SHARE = 0.5  # of the words of the shorter one
LONGEST = 2  # words of a name
FOREMOST = 6  # words among which a number belongs to what is spoken of
MARK = re.compile(r"\d\S*|[a-z]")
WHO = frozenset("i we you they to".split())
NO_NAME = frozenset("/._@=")
#: what a restated sentence may have more or less,
NOW = re.compile(
    r"\b(?:(?:from|as of) (?:now|today|here)(?: on)?|now|the|an?|our|my|your|then|please|again|instead|today)\b"
)
OPENS = re.compile(
    r"^(?:(?:ok|so|and|well|hm+|btw|fyi|actually|pls|make|let|have|set|change)[, ]+|(?:no|nah|wait),+ )+"
)
OTHERWISE = frozenset("not no never also too only".split())  # and what says something else than the same as before
#: how a name is given, and given anew
NAMES = re.compile(
    r"\b(?:(?:is|are|was|were|has been|have been|got|gets) (?:just |finally )?(?:called|named|known as|nicknamed|"
    r"titled|dubbed|(?:renamed|rechristened|rebranded)(?: (?:to|into|as))?)|goes by(?: name(?: of)?)?)\b"
)
#: how something goes elsewhere
MOVES = re.compile(
    r"(?P<what>\S+(?: \S+){0,3}?) (?:(?:is|are|was|were|has|have|has been|have been|got|gets) )?(?:just |finally )?"
    r"(?:move[ds]?|moving|shift(?:s|ed|ing)?|switch(?:es|ed|ing)?|migrate[ds]?|migrating|changes?) (?:over )?"
    r"(?:to|onto|into) (?P<to>\S+(?: \S+){0,2}?)[.!]*$"
)
#: the one case in which something is so: "on hard mode only", "in staging", "for big files",
_AT = "(?:in|on|at|for|during|when|while|under|over)"
_THOSE = r"for (?:the |our )?(?:[\w-]+ ){0,2}?[\w-]*[^\Ws]s"
NARROWS = (
    re.compile(rf"\bonly {_AT} (?:[\w-]+ ){{0,3}}[\w-]+|\b{_AT} (?:[\w-]+ ){{1,4}}only\b"),
    re.compile(r"\b(?:in|on) (?:the )?(?:staging|prod|production|dev|development|testing|qa|ci|preview|sandbox)\b"),
    re.compile(rf"(?:^|(?<=[,;:.] )){_THOSE}\b|\b{_THOSE}(?= (?:over|under|above|below)\b|[.,;:!)]|$)"),
    re.compile(r"^for (?:the |our )?(?:[\w-]+ ){0,2}[\w-]+(?=:? \d)"),
)
#: and the hours, days or seasons
SEASONS = re.compile(
    r"\b(?:(?:at|during the|over) night|overnight|(?:on|at|during) (?:the )?(?:weekends|weekdays|(?:public )?holidays|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days)|(?:in|during) (?:the )?(?:winter|summer|spring|autumn|holidays|"
    r"(?:high|low|peak) season)|during \w+ (?:hours|season))\b"
)
#: what is so for these, or for so long, is so in every case
EACH = frozenset(
    "all every any both each always general good least most total hours days weeks months minutes seconds years "
    "reasons times others this that these those".split()
)
LONGEST_VALUE = 3  # words of what is said of it
BE = frozenset("is are was were its thats gets got".split())
PARTICIPLE = re.compile(r"\w+(?:ed|en|wn)")  # which a value follows: "is called", "is painted"
#: what stands before what something is, other than "is"
LINKS = frozenset(
    "means equals reads says stays remains became becomes costs lasts under behind over after inside near".split()
)
#: what stands before where something goes or what is used for it, not before what is spoken of
TO_WHAT = frozenset("to into onto with via by on in at as from through use using take took pick is are was".split())


def parallel(one: str, other: str) -> bool:
    """Whether two sentences have the same build and differ only in their subject and in what they say of it."""
    a, b = _spoken(one), _spoken(other)
    same, slots = 0, 0
    subject = False
    short = max(len(a), len(b)) <= SHORT and a[1:3] == b[1:3] and not BE.isdisjoint(a[2:3])
    least = max(SHORT_FRAME if short else FRAME, SHARE * min(len(a), len(b)))
    if sum(map(set(b).__contains__, a)) < least:
        return False
    for op in Levenshtein.opcodes(a, b):
        if op.tag == "equal":
            same += op.src_end - op.src_start
        elif op.tag == "replace":
            slots += 1
            last = op.src_end == len(a) and op.dest_end == len(b)
            free = op.src_start == 0 or not (a[op.src_start - 1] in TO_WHAT or (last and _where(a[: op.src_start])))
            slot = a[op.src_start : op.src_end], b[op.dest_start : op.dest_end]
            leads = op.src_start and not TO_WHAT.isdisjoint(slot[0][-1:] + slot[1][-1:])  # "sits in", "is read from"
            free = free and not leads
            subject = subject or (free and (_other_name(*slot) or _other_mark(a, op.src_start, *slot)))
    return subject and slots > 1 and same >= least


@lru_cache(maxsize=4_096)
def _spoken(text: str) -> list[str]:
    """The words of a statement, those of structure in English."""
    return WORD.findall(tongues.in_english(text.lower()).replace(": ", " is "))


def _where(words: list[str]) -> bool:
    """Whether words lead to the name of where something goes or is: "... in the bucket", "... on host"."""
    before = [word for word in words[-3:-1] if word not in ("the", "our", "my")]
    return words[-1].isalpha() and words[-1] not in STOP and before[-1:] != [] and before[-1] in TO_WHAT


def narrows(new: str, old: str) -> bool:
    """Whether the new statement says for which one case it holds, and the older one does not: "geese do 14 on hard mode
    only" after "geese do 10 damage"."""
    seasons, cases = _restrictions(new)
    theirs = set(stems(old)) if seasons or cases else set()
    if any(map(theirs.isdisjoint, seasons)):
        return values(old).keys().isdisjoint({"day"})
    return not all(thesaurus.akin({s}, theirs) for case in cases for s in case)


@lru_cache(maxsize=64)
def _restrictions(text: str) -> tuple[list[list[str]], list[list[str]]]:
    """The stems of the hours, days and seasons, and of the cases, for which a text says that something is so."""
    plain = ". ".join(_with_values(cues.plain(tongues.in_english(text))))
    named = [found for shape in NARROWS for found in shape.findall(plain) if EACH.isdisjoint(found.split())]
    cases = [case for case in map(stems, named) if not any(s.isdigit() for s in case)]
    return [stems(found) for found in SEASONS.findall(plain)], cases


def _with_values(plain: str) -> list[str]:
    """The sentences of a text that carry a number, all where none does: what is said of a case beside them is a reason
    ("too much for the laptops. 96 per pipe")."""
    said = SENTENCE.split(plain)
    return [each for each in said if any(ch.isdigit() for ch in each)] or said


def restated(new: str, old: str) -> bool:
    """Whether the new sentence says of the same thing something else, in the words of the old one but for those that
    say when."""
    one, other = told(new), told(old)
    if (moves := MOVES.match(one)) is not None:
        return _elsewhere(moves.group("what"), moves.group("to"), other)
    a, b = worded(new), worded(old)
    ops = [op for op in Levenshtein.opcodes(a, b) if op.tag != "equal"]
    start, end = (ops[0].src_start, ops[-1].src_end) if ops else (0, 0)
    slot, before = a[start:end], b[ops[0].dest_start : ops[-1].dest_end] if ops else []
    lengths = all(0 < len(words) <= LONGEST_VALUE for words in (slot, before))
    if not (start and lengths and stems(" ".join(a[:start] + a[end:]))):
        return False
    figures = all(any(ch.isdigit() for ch in word) for word in slot + before)
    if not (_links(a[:start]) or (figures and not _other_mark(a, start, slot, before))):
        return False
    one_aspect = _leads(slot) == _leads(before)  # "is on port 80" and "is called core" are two
    return one_aspect and not set(slot + before) & OTHERWISE


def moves(plain: str) -> bool:
    """Whether a plain sentence (see `cues.plain`) says that something goes elsewhere from now on."""
    return MOVES.match(" ".join(NOW.sub("", plain).split())) is not None


def _elsewhere(what: str, to: str, old: str) -> bool:
    """Whether an older sentence says where, when or by what the thing is that now goes elsewhere: "rehearsals are on
    tuesdays", not "rehearsals are loud"."""
    where = to.split()
    said = old.removesuffix(".").split()[len(what.split()) :]
    leads = [i for i, word in enumerate(said[:LONGEST_VALUE]) if word in TO_WHAT]
    if not (old.startswith(f"{what} ") and stems(what) and leads) or any(word in TO_WHAT for word in where):
        return False
    value = said[leads[-1] + 1 :]
    kinds = values(" ".join(where)).keys()
    like = 0 < len(value) <= LONGEST_VALUE and kinds == values(" ".join(value)).keys() and where != value
    return like and bool(kinds or said[leads[-1]] not in BE) and not set(where + value) & OTHERWISE


@lru_cache(maxsize=4_096)
def told(text: str) -> str:
    """A statement as it is compared: without what says when, and with one way to give a name."""
    return NAMES.sub("is called", OPENS.sub("", " ".join(NOW.sub("", cues.plain(text)).split())))


@lru_cache(maxsize=4_096)
def worded(text: str) -> list[str]:
    """Its words."""
    return WORD.findall(told(text))


def _links(words: list[str]) -> bool:
    """Whether these words lead to what is said of something: "... goes to", "... is called"."""
    if words[-1] in TO_WHAT or words[-1] in LINKS:
        return True
    return len(words) > 1 and words[-2] in BE and PARTICIPLE.fullmatch(words[-1]) is not None


def _leads(words: list[str]) -> str:
    """With what the words begin that say something of a thing: a name, how or where it is, or "" for a value."""
    if words[0] == "called":
        return words[0]
    how = words[0] in TO_WHAT or (len(words) > 1 and PARTICIPLE.fullmatch(words[0]))
    return "how" if how else ""


def _other_mark(words: list[str], at: int, one: list[str], other: list[str]) -> bool:
    """Whether these are the numbers or letters of two things of a kind ("shard 2 lives on ...", "team B owns ..."), not
    how often somebody does something or with how many things ("it retries 3 times", "we keep 3 backups")."""
    if not (0 < at <= FOREMOST and len(one) == len(other) == 1 and all(MARK.fullmatch(w) for w in (*one, *other))):
        return False
    thing, before, then = words[at - 1], words[at - 2 : at - 1], words[at + 1 : at + 2]
    does = thing.endswith("s") or any(w.endswith("s") or w in WHO for w in before) or cues.SHAPES["order"].match(thing)
    return thing.isalpha() and not does and then not in ([], ["and"]) and UNITS.keys().isdisjoint(then)


def _other_name(one: list[str], other: list[str]) -> bool:
    """Whether these few words name different things, and are no figures or paths; what says that something changed
    ("moved to") is no name."""
    if max(len(one), len(other)) > LONGEST or any(w[0].isdigit() or not NO_NAME.isdisjoint(w) for w in one + other):
        return False
    if any(cues.FLAGS["update"].search(" ".join(words)) for words in (one, other)):
        return False
    a, b = set(stems(" ".join(one))), set(stems(" ".join(other)))
    return bool(a and b) and not thesaurus.akin(a - b, b - a)
