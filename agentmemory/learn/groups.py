"""Which sentences of a turn make one statement: a core, and what before and after it belongs to it."""

from __future__ import annotations

import re

from agentmemory.learn import cues
from agentmemory.learn.cues import SHAPES
from agentmemory.learn.ordinals import place
from agentmemory.learn.passages import items
from agentmemory.learn.rated import ENOUGH, LONGEST, Rated

BESIDE = 0.6  # from here a sentence next to a core is part of what it says
PLAINLY = 4  # words of a plain statement
ORDERED = 1.5  # taken away when the sentence orders something for now
SETTLED = frozenset(("decided", "from_now", "never", "step", "update"))  # what passes weighs half beside these
IDENTIFIER = re.compile(
    r"`[^`]+`|[\w.@-]+/[\w<>.*@/-]*\w|\b\w[\w.-]*/(?=[\s,.;:)]|$)|\b[a-z]\w*\.(?:[a-z]{2,4}|[a-z]+\.[a-z]+)\b|\b\w+[-_]\w+[-_\w]*\b|--\w[\w-]+|\b[a-z]+[A-Z]\w+|"
    r"\b[A-Z]\w+[a-z][A-Z]\w*|\b[a-z]+\d+[a-z]*\b|https?://|#[a-z][\w-]+|@\w+|\b\w+\(\)|\b[A-Z]{3,}\b|\b[A-Z]{1,5}\d+\b|\b[A-Z]+_\w*|\S+@\S+\.\w+|"
    r"\b[a-z]\w*:[a-z][\w:-]*\w"
)
NUMBER = re.compile(r"\b\d+(?:[.:]\d+)*\b|\b(?:two|three|four|five|six|seven|eight|ten|twelve|once|twice|half)\b", re.I)
WORD = re.compile(r"[A-Za-zÀ-ÿ0-9][\w'’./-]*")


def grouped(rated: list[Rated], text: str) -> list[list[int]]:
    """Runs of sentences that make one statement each: a core and what belongs to it."""
    return [group for run in runs(rated, text) for group in _statements(rated, run, text)]


def runs(rated: list[Rated], text: str, stepping: bool = False) -> list[list[int]]:
    """Sentences that follow on one another, without those that have no place in any statement. *stepping*: what says
    that it is a step goes on with what stands before it."""
    out: list[list[int]] = []
    run: list[int] = []
    for i in range(len(rated)):
        if run and not _joins(rated, text, run, i, stepping):
            out.append(run)
            run = []
        if not _never(rated[i]):
            run.append(i)
    return [*out, run] if run else out


def _never(r: Rated) -> bool:
    """Whether a sentence has no place in any statement."""
    return r.out or r.idle


def _joins(rated: list[Rated], text: str, run: list[int], i: int, stepping: bool) -> bool:
    """Whether sentence i goes on with what the run says."""
    last, r = rated[run[-1]], rated[i]
    between = text[last.said.end : r.said.start]
    if run[-1] != i - 1 or _never(r) or between.strip(" \n\t.,;:!?()-–—*•0123456789\"'"):
        return False
    if SHAPES["shift"].match(r.plain) and not (stepping and place(r.plain)):
        return False
    if "step" not in r.marks:
        return True
    before = [place(rated[j].plain) for j in run if "step" in rated[j].marks]
    return not before or None in (before[-1], place(r.plain)) or before[-1] == place(r.plain)


def _statements(rated: list[Rated], run: list[int], text: str) -> list[list[int]]:
    """The run without what only surrounds its cores, cut where it would be too long for one statement."""
    cores = [i for i in run if rated[i].score >= ENOUGH and _says(rated[i]) and not points(rated[i])]
    out: list[list[int]] = []
    for core in cores:
        if out and core in out[-1]:
            continue
        group = [core]
        free = set(run).difference(out[-1] if out else ())
        while (i := group[0] - 1) in free and _belongs_before(rated, i, group) and fits(rated, i, group[-1]):
            group.insert(0, i)
        while (i := group[-1] + 1) in run and (
            _listed(rated, text, group, i) or (fits(rated, group[0], i) and _belongs_after(rated, run, group, i))
        ):
            group.append(i)
        out.append(group)
    return out


def _says(r: Rated) -> bool:
    """Whether a sentence has enough words to say something: "told you" has not."""
    return length(r) > 2 or r.named or r.settles or (length(r) > 1 and "complaint" not in r.marks)


def valued(r: Rated) -> bool:
    """Whether a sentence names something letter for letter, or a number."""
    return r.named or bool(NUMBER.search(r.plain))


def points(r: Rated) -> bool:
    """Whether a sentence only says something of what another one names."""
    bare = not valued(r) and not r.marks & set(cues.LASTING) - {"fact", "where", "order", "now"}
    return bare and bool(SHAPES["pronoun"].match(r.plain))


def _belongs_before(rated: list[Rated], i: int, group: list[int]) -> bool:
    """Whether the sentence before a group names what the group is about."""
    r, first = rated[i], rated[group[0]]
    if r.said.whole == first.said.whole and r.score > -BESIDE:
        return True
    if r.order:
        return bool(first.marks & {"prefer", "from_now", "because"}) and "day" not in r.marks
    if r.score >= BESIDE or SHAPES["dependent"].match(first.plain) or min(length(r), length(first)) < 5:
        return True
    named = bool(first.marks & {"decided", "update"}) and bool(NUMBER.search(r.plain))
    return r.score > -BESIDE and (named or bool(SHAPES["refers"].search(first.plain)))


def _belongs_after(rated: list[Rated], run: list[int], group: list[int], i: int) -> bool:
    """Whether the sentence after a group explains or completes it."""
    r, last = rated[i], rated[group[-1]]
    if r.order:
        if r.marks & SETTLED:
            return True
        ruled = any(rated[j].marks & {"never", "dont", "no_x", "must"} for j in group)
        return ruled and "day" not in r.marks and r.score > -ORDERED
    if r.score >= BESIDE:
        return True
    goes_on = bool(SHAPES["dependent"].match(r.plain)) or r.said.whole == last.said.whole
    bridges = i + 1 in run and rated[i + 1].score >= 2 * BESIDE
    return r.score > -BESIDE and (goes_on or bridges)


def _listed(rated: list[Rated], text: str, group: list[int], i: int) -> bool:
    """Whether a sentence is an item of the list that the group announces: "each page needs:"."""
    said = [r.said for r in rated]
    return any(i in items(said, text, j) for j in group)


def length(r: Rated) -> int:
    """Its words."""
    return len(WORD.findall(r.said.text))


def fits(rated: list[Rated], a: int, b: int, longest: int = LONGEST) -> bool:
    """Whether the sentences from a to b are at most so many characters."""
    return rated[b].said.end - rated[a].said.start <= longest
