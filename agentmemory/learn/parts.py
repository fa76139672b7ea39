"""The parts of a statement that stand for themselves: items of a list, sentences, two halves around an "and".

What speaks of one of them leaves the others as they are.
"""

from __future__ import annotations

import re
from collections.abc import Set

from agentmemory.learn import cues, handed_on, retired
from agentmemory.learn.cues import SHAPES
from agentmemory.learn.likeness import bag
from agentmemory.learn.passages import ABBREVIATED, sentences
from agentmemory.learn.rated import ENOUGH
from agentmemory.learn.rating import rate
from agentmemory.learn.retired import POINTS, VAGUE
from agentmemory.learn.valued import LOOSE, differ, tells, values

SHORT = 200  # characters of a statement that may be told with what changes it; a longer one takes others' room
CLAUSE = re.compile(r"[,;:]\s+|\s[-–—]\s|\s(?:and|but|und|aber|et|mais|y|pero)\s")
#: what says of a part that it is as it was
STAYS = re.compile(
    r"\b(?:still|same|unchanged|not (?:changed|affected|touched)|stays?|remains?|bleib\w*|weiterhin|toujours|mêmes?|"
    r"sigue\w*|mism[oa]s?)\b"
)
#: what only sets a clause apart from something, or says what the rest is good for
NOT = re.compile(r"(?:not|nicht|in case|so that|e\.g\.|falls|damit|au cas où|por si)\b", re.I)
#: one value in the place of another: "10 days instead of 7", "in #ship now instead of #releases"
INSTEAD = re.compile(
    r"(?P<new>[#@\w][\w./:@-]*)(?: [a-z%]+)??(?: now| jetzt| ahora| maintenant)? "
    r"(?:instead of|rather than|statt|anstatt|en vez de|en lugar de|au lieu de) (?P<old>[#@\w][\w./:@-]*)", re.I
)  # fmt: skip
VALUE = re.compile(r"^[#@]|[\d_/:]|\w\.\w")  # what is no word
THEN = re.compile(r"^(?:\d{1,2}[.)] )?(?:(?:and|then|finally|last|dann|luego|puis)[, ]+)*")
BULLETS = re.compile(r"(?<=:) (?=(?:[-*•]|1[.)]) \S)")  # a belief stands on one line
BULLET = re.compile(r" (?=(?:[-*•]|\d{1,2}[.)]) \S)")
NUMBER = re.compile(r"^\d{1,2}([.)] )")
COMMAS = re.compile(r"(?<=:) (?=\S[^,:]*, [^,:]*,)")
LONGEST_ABBREVIATION = 8  # characters
ENDED = re.compile(r"[.!?] \w")  # a list with commas is one sentence
COMMA = re.compile(r",? and |, ")
HALVES = re.compile(r",? and (?=(?:the|its|our|their|my|\w+s)\b [^,;]+$)")
POSSESSIVE = re.compile(r"^(?:its|their)\b")
ELSEWHERE = re.compile(rf"{POINTS.pattern}|\bthere\b")  # to what another part says
SPOKEN = re.compile(r"(?:and |but |so )?(?:i|we|you|he|she|it|they)(?:['’]\w+)?\s", re.I)  # no item of a list
SUBJECT = re.compile(r"(?:the|our|my)(?: [\w-]+){1,3}", re.I)


def without(text: str, about: Set[str]) -> str:
    """The statement without its parts that hold every stem of *about*; "" if all of it is about them, or if the rest
    cannot be understood alone."""
    head, parts, joiner = _split(text)
    return "" if about <= bag(head) else _left(text, head, [p for p in parts if not about <= bag(p)], parts, joiner)


def beside(text: str, other: str) -> str:
    """What a statement says beside what *other*, which stands in its place, speaks of; "" where that is nothing."""
    head, parts, joiner = _split(text)
    if joiner == " " and not head:  # sentences that were told together mostly speak of one matter
        return ""
    plain = cues.plain(other)
    given_up = retired.named(plain)
    if not bag(head).isdisjoint(given_up):  # what leads in is given up
        return ""
    given_up = given_up.union(*retired.contrasted(plain))
    if (left_us := handed_on.read(plain)) is not None and not (who := bag(left_us.who)).isdisjoint(bag(text)):
        return _left(text, head, [part for part in parts if who.isdisjoint(bag(part))], parts, joiner)
    gone = [part for part in parts if not bag(part).isdisjoint(given_up)] or _one_of(parts, other)
    if gone:
        anew = {part: _revalued(part, other) if len(gone) == 1 else "" for part in gone}
        return _left(text, head, list(filter(None, (anew.get(part, part) for part in parts))), parts, joiner)
    common = bag(head) | frozenset.intersection(*(bag(part) for part in parts)) if len(parts) > 1 else bag(text)
    said = _telling(other) - common
    return _left(text, head, [p for p in parts if said.isdisjoint(bag(p))], parts, joiner)


def _revalued(part: str, other: str) -> str:
    """A step, or a part that says something which *other* does not, with the value that *other* puts in the place of
    its own; "" where that is not plain."""
    instead = INSTEAD.search(other)
    step = SHAPES["order"].match(THEN.sub("", cues.plain(part)))
    if instead is None or not (step or any(ch.isalpha() for s in _telling(part) - _telling(other) for ch in s)):
        return ""
    new, old = (each.rstrip(".:/-") for each in instead.group("new", "old"))
    held = re.compile(rf"(?<![\w#@./-]){re.escape(old)}(?![\w-]|[.:/]\w)", re.I)
    plain = old.lower() != new.lower() and bool(VALUE.search(old)) and bool(VALUE.search(new))
    return held.sub(lambda _: new, part) if plain and len(held.findall(part)) == 1 else ""


def _one_of(parts: list[str], other: str) -> list[str]:
    """The one part that carries another value of a type that *other* carries, if it is one alone."""
    mine = values(other)
    types = mine.keys() - LOOSE - {"chosen", "place"}
    found = [part for part in parts if any(differ(kind, mine, values(part)) for kind in types & values(part).keys())]
    return found if len(found) == 1 else []


def says_more(text: str, other: str) -> bool:
    """Whether a statement of several clauses says something that *other*, which stands in its place, does not touch:
    "the nas is 10.0.0.5, the host 10.0.0.2", where the nas has moved."""
    if len(text) > SHORT:
        return False
    clauses = [each for s in sentences(text) for each in CLAUSE.split(s.text)]
    touched = _telling(other)
    return len(clauses) > 1 and (bool(STAYS.search(other)) or any(_apart(each, touched) for each in clauses))


def _apart(clause: str, touched: Set[str]) -> bool:
    """Whether a clause says something by itself, and nothing of what is *touched*."""
    own = _telling(clause)
    if not own or len(clause.split()) == 1 or NOT.match(clause):
        return False
    return own.isdisjoint(touched) and not SHAPES["dependent"].match(cues.plain(clause))


def _telling(text: str) -> Set[str]:
    """The stems of a text that tell what it is about."""
    return {stem for stem in bag(text) - VAGUE if tells(stem)}


def _left(text: str, head: str, kept: list[str], parts: list[str], joiner: str) -> str:
    if kept == parts:
        return ""
    if not head:
        kept = [named for part in kept if _stands(named := _named(part, text), joiner == " ")]
    kept = [NUMBER.sub(f"{n}\\1", part) for n, part in enumerate(kept, 1)]
    return f"{head} {joiner.join(kept)}".strip() if kept else ""


def _split(text: str) -> tuple[str, list[str], str]:
    """What leads in, the parts, and what stands between them."""
    for opens, between, joiner in ((BULLETS, BULLET, " "), (COMMAS, COMMA, ", ")):
        found = opens.search(text)
        parts = between.split(text[found.end() :]) if found else []
        if found and not (opens is COMMAS and (_ended(text, found.end()) or any(map(SPOKEN.match, parts)))):
            return text[: found.start()], parts, joiner
    said = [s.text for s in sentences(text) if not s.clause]
    return ("", said, " ") if len(said) > 1 else ("", HALVES.split(text), " and ")


def _ended(text: str, start: int) -> bool:
    """Whether a sentence ends there: not at "Mr. Doyle"."""
    ends = (m.start() + 1 for m in ENDED.finditer(text, start))
    return any(ABBREVIATED.search(text[max(start, end - LONGEST_ABBREVIATION) : end]) is None for end in ends)


def _named(part: str, text: str) -> str:
    """A part that begins with "its", with the name of what the statement says first something of."""
    verb = cues.FLAGS["fact"].search(text.lower())
    subject = text[: verb.start()].strip() if verb else ""
    return POSSESSIVE.sub(f"{subject}'s", part) if SUBJECT.fullmatch(subject) else part


def _stands(part: str, sentence: bool) -> bool:
    """Whether a part says by itself something that lasts; half of a sentence does where the whole one did."""
    said = sentences(part)
    rated = rate(said[0]) if said else None
    if rated is None or rated.out or SHAPES["dependent"].match(rated.plain) or ELSEWHERE.search(rated.plain):
        return False
    return rated.score >= ENOUGH if sentence else rated.score > 0 and rated.marks.isdisjoint(cues.PASSING)
