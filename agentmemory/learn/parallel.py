"""Whether two statements are one sentence: said of two things ("billing listens on 8080", "ledger listens on 9090"),
so that neither replaces the other however alike they are, or of one with another value ("billing listens on 9090 now"),
so that the later one does; or one says what was exchanged for what. Pure functions over texts.
"""

from __future__ import annotations

import re

from rapidfuzz.distance import Levenshtein

from agentmemory.learn import cues, thesaurus
from agentmemory.learn.valued import UNITS
from agentmemory.text import stems

WORD = re.compile(r"[^\s,;:.!?\"'“”()]+(?:[.:'][^\s,;:.!?\"'“”()]+)*")
FRAME = 3  # words that both sentences have in their places
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
OTHERWISE = frozenset("not no never also too only".split())  # and what says something else than the same as before
#: what says in full that one thing stands in the place of another
EXCHANGED = re.compile(
    r"^(?:(?:btw|fyi|so|ok|and|oh|also|hey)[, ]+)*(?:(?:we|they|i|(?:the|our|my)(?: [\w-]+){1,2})(?: have|ve|s)? )?"
    r"(?:(?:just|finally|now|already) )?(?:(?:swapped|replaced|exchanged|traded) (?:out )?|(?:moved|switched|migrated)"
    r"(?: [\w-]+){0,3}? (?:from|off|away from) )(?:the |our |my )?(?P<old>[\w./+-]+(?: [\w./+-]+)?)"
    r" (?:for|with|by|to) \w|"
    r"(?:the |our |my )?(?P<out>[\w./+-]+) is (?:out|gone|dead|history)[,;.:] ?(?:\S+ ){1,6}(?:instead|now)\b"
)
LONGEST_VALUE = 3  # words of what is said of it
#: what stands before where something goes or what is used for it, not before what is spoken of
TO_WHAT = frozenset("to into onto with via by on in at as from through use using take took pick is are was".split())


def parallel(one: str, other: str) -> bool:
    """Whether two sentences have the same build and differ only in their subject and in what they say of it."""
    a, b = WORD.findall(one.lower()), WORD.findall(other.lower())
    same, slots = 0, 0
    subject = False
    for op in Levenshtein.opcodes(a, b):
        if op.tag == "equal":
            same += op.src_end - op.src_start
        elif op.tag == "replace":
            slots += 1
            free = op.src_start == 0 or a[op.src_start - 1] not in TO_WHAT
            slot = a[op.src_start : op.src_end], b[op.dest_start : op.dest_end]
            subject = subject or (free and (_other_name(*slot) or _other_mark(a, op.src_start, *slot)))
    return subject and slots > 1 and same >= max(FRAME, SHARE * min(len(a), len(b)))


def restated(new: str, old: str) -> bool:
    """Whether the new sentence says of the same thing something else, in the words of the old one but for those that
    say when."""
    a, b = (WORD.findall(NOW.sub("", cues.plain(text))) for text in (new, old))
    ops = [op for op in Levenshtein.opcodes(a, b) if op.tag != "equal"]
    start, end = (ops[0].src_start, ops[-1].src_end) if ops else (0, 0)
    slot, before = a[start:end], b[ops[0].dest_start : ops[-1].dest_end] if ops else []
    lengths = all(0 < len(words) <= LONGEST_VALUE for words in (slot, before))
    if not (start and lengths and stems(" ".join(a[:start] + a[end:]))):
        return False
    figures = all(any(ch.isdigit() for ch in word) for word in slot + before)
    said_of = a[start - 1] in TO_WHAT or (figures and not _other_mark(a, start, slot, before))
    return said_of and not set(slot + before) & OTHERWISE


def exchanged(new: str, old: str) -> bool:
    """Whether the new sentence says that something the old one names was exchanged, and for what: "swapped adguard for
    technitium yesterday", where the old one says "dns is adguard". No everyday word does ("replaced the button with a
    link")."""
    found = EXCHANGED.match(cues.plain(new))
    given_up = set(stems(found.group("old") or found.group("out"))) if found else set()
    return bool(given_up) and given_up <= set(stems(old)) and not any(map(thesaurus.ordinary, given_up))


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
    a, b = stems(" ".join(one)), stems(" ".join(other))
    return bool(a and b) and not any(thesaurus.kindred(x, y) for x in a for y in b if x not in b and y not in a)
