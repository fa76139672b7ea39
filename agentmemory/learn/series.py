"""Where several things are told in one breath: the steps of a run-book ("failover: 1) fence it, 2) promote? no, that
happens by itself. 2) check the lag"), or what belongs to each of several parts ("unit: jest. load: k6. smoke: curl").

Works on numbers, punctuation and length; an aside, a question that is answered at once or a slip between two items does
not end such a series. Knows nothing of what the items mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

Span = tuple[int, int]

FEWEST = 3  # items of a series, but
NUMBERED = 2  # of one with "1)", "2)"
LONGEST_HEAD, LONGEST_ITEM = 60, 110  # characters of what heads items between semicolons, and of one of them
MOST_WORDS = 5  # of what belongs to one of several parts
LETTERS = "abcdefgh"
#: "1)", "(1)", "a)"; "1."; "1" alone
MARKERS = (
    re.compile(r"(?<![\w.(])\(?(\d{1,2}|[a-h])\)\s+(?=\S)"),
    re.compile(r"(?<![\w.])(\d{1,2})\.\s+(?=[^\W\d]|[¿(/\"'`])"),
    re.compile(r"(?<![\w.,/:=-])(\d)\s+(?=[a-zà-ÿ]{2}(?!\w*\s+\d\s))"),
)
HEAD = re.compile(r"(?:(?<=[.!?]\s)|\A)\s*(?P<head>[^\s.;:!?=][^.;:!?=\n]{1,%d})\s?[:=]\s" % LONGEST_HEAD)  # noqa: UP031
BEGINS = re.compile(r"\b(?:first|zuerst|erst|primero|d['’]abord)\b", re.I)
GOES_ON = re.compile(
    r"(?:(?:and|und|y|et)\s+)?(?:then|next|after that|finally|last|dann|danach|zuletzt|luego|despu[ée]s|puis|ensuite"
    r"|enfin)\b",
    re.I,
)
ANSWERS = re.compile(
    r"(?:yes|yep|yeah|no|nope|nah|right|ah|ja|nein|nee|doch|s[ií]|oui|si|non|it|that|the|we|only)\b", re.I
)
LEFT_OPEN = re.compile(r"(?:\.\.\.|…)$")
PART = re.compile(r"[^\s:][^:.]{0,30}: \S+(?: \S+){0,%d}" % (MOST_WORDS - 1))  # noqa: UP031
#: what tells a part from a sentence: "it", "we", what somebody is or does
SAID = re.compile(
    r"\b(?:i|we|you|it|he|she|they|that|this|there|is|are|was|were|has|have|do|does|can|will|should|must|please|let['’]?s"
    r"|ich|wir|ist|sind|es|está|son|est|sont|je|nous)\b",
    re.I,
)


def spans(text: str, breaks: Sequence[Span]) -> list[Span]:
    """Where in a paragraph a series stands, in order; *breaks*: the gaps where it could be cut into sentences."""
    if "\n" in text.strip():
        return []
    found: list[Span] = []
    for look in (_numbered, _between_semicolons, _one_after_another, _of_each_part):
        for start, end in look(text, breaks):
            if all(end <= a or b <= start for a, b in found):
                found.append((start, end))
    return sorted(found)


def _numbered(text: str, breaks: Sequence[Span]) -> Iterator[Span]:
    """From the head of "1) ..., 2) ..." to the end of the last item."""
    for marker, fewest in zip(MARKERS, (NUMBERED, FEWEST, FEWEST), strict=True):
        run: list[re.Match[str]] = []
        number = 0
        for m in marker.finditer(text):
            given = int(m.group(1)) if m.group(1).isdigit() else LETTERS.index(m.group(1)) + 1
            if given == number + 1 or (run and given == number):
                run.append(m)
                number = given
        if number >= fewest:
            start = max((b for a, b in breaks if b <= run[0].start() and text[a] != ";"), default=0)
            yield start, _end(text, breaks, run[-1].end())
            return


def _between_semicolons(text: str, breaks: Sequence[Span]) -> Iterator[Span]:
    """From "onboarding =" or "unit:" to the end of the last of three items or more."""
    for m in HEAD.finditer(text):
        end, at, items = m.end(), m.end(), 1
        for a, b in [*(each for each in breaks if each[0] >= m.end()), (len(text), len(text))]:
            if a - at > LONGEST_ITEM:
                break
            if text[a:b].startswith(";"):
                items, at = items + 1, b
            elif a == len(text) or not _left_open(text, a, b):
                end = a
                break
        if items >= FEWEST and end > m.end():
            yield m.start("head"), end


def _one_after_another(text: str, breaks: Sequence[Span]) -> Iterator[Span]:
    """From "first ..., then ..." over what is asked and answered, or left open, to what is done then."""
    m = BEGINS.search(text)
    if m is None:
        return
    start = max((b for _, b in breaks if b <= m.start()), default=0)
    open_at = next(((a, b) for a, b in breaks if a > m.start()), None)
    if open_at is not None and GOES_ON.search(text, m.end(), open_at[0]) and _left_open(text, *open_at):
        yield start, _end(text, breaks, m.end())


def _end(text: str, breaks: Sequence[Span], last: int) -> int:
    """Where what begins at *last* ends: not at a question that is answered at once, nor where it is left open."""
    asked = False
    for a, b in breaks:
        if a < last:
            continue
        left = _left_open(text, a, b)
        if not left and not (asked and GOES_ON.match(text, b)):
            return a
        asked = True
    return len(text)


def _left_open(text: str, a: int, b: int) -> bool:
    """Whether a sentence that ends at *a* goes on at *b*: it is left open, or it asks what is answered at once."""
    said = text[:a].rstrip("\"')] ")
    if LEFT_OPEN.search(said):
        return text[b : b + 1].islower()
    return said.endswith("?") and ANSWERS.match(text, b) is not None


def _of_each_part(text: str, breaks: Sequence[Span]) -> Iterator[Span]:
    """Three short pieces or more in a row that each say what belongs to one part: "a: x. b: y. c: z" or "owners: a x.
    b y. c z"."""
    pieces = [(a, b) for (_, a), (b, _) in pairwise([(0, 0), *breaks, (len(text), len(text))]) if text[a:b].strip()]
    run: list[Span] = []
    headed = False
    for piece in [*pieces, (len(text), len(text))]:
        said = text[slice(*piece)].strip().rstrip(".")
        named = PART.fullmatch(said) is not None
        short = 1 < len(said.split()) <= MOST_WORDS
        speaks = SAID.match(said) if len(run) >= FEWEST else SAID.search(said)
        plain = said[-1:] not in "?!" and not speaks and _level(said)
        if plain and (named or (run and headed and short and ":" not in said)):
            headed = headed or (not run and named)
            run.append(piece)
            continue
        if len(run) >= FEWEST:
            yield run[0][0], run[-1][1]
        run, headed = [], False


def _level(said: str) -> bool:
    """Whether what stands behind a colon is as short as what belongs to one part."""
    return 0 < len(said.rpartition(":")[2].split()) <= MOST_WORDS
