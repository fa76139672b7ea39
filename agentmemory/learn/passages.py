"""Cuts a user's turn into sentences and finds what in it was pasted or quoted rather than said.

Works on layout and punctuation; knows nothing of what a sentence means.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, takewhile

from agentmemory.learn import series
from agentmemory.learn.cues import SHAPES, plain

Span = tuple[int, int]

#: no person writes a message like this: a plan, a document, a listing
DOCUMENT_CHARS = 3_000
DOCUMENT_HEADINGS = 2
TYPED_CHARS = 85  # of a sentence, on average, that somebody types
PROSE_CHARS = 280  # from here a paragraph without any "I", "we", "you" or casual word reads like a document

#: fenced code, or what a client says was pasted: both its tags have the same number
FENCE = re.compile(
    r"^[ \t]*(```+|~~~+|\"\"\"|''')[^\n]*\n.*?(?:^[ \t]*\1[^\n]*$|\Z)"
    r"|<pasted_content( id=\"\w+\")>.*?(?:</pasted_content\2>|\Z)",
    re.M | re.S,
)
FENCES = ("```", "~~~", '"""', "'''", "<pasted_content ")  # the signs that one begins with
EDITED = "\n```edited\n"  # how what a tool call writes to a file stands behind the answer
#: a paragraph that is a quotation from its first character to its last
LETTER = re.compile(r"[\"“](?:(?<=\n\n.)|(?<=\A.))(?=[^\"”]{40,}[\"”][ \t]*(?:\n|\Z))[^\"”]+[\"”]")
HEADING = re.compile(r"^#{1,6} \S", re.M)
QUOTED_LINE = re.compile(r"^[ \t]*(?:>|[│┃┆▏╷╵])")
LOG_LINE = re.compile(
    r"""^\s*(?:
      \[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d | [A-Z][a-z]{2}\ +\d+\ \d\d:\d\d:\d\d\b
    | \[?\d\d:\d\d:\d\d[\].,\s] | \[(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL)\]
    | (?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|FAIL|PASS|FAILED|PASSED)\b[:\s]\s*\S | (?:not\ )?ok\ \d+\b
    | (?:[A-Za-z_.]*(?:Error|Exception|Warning|Panic)|(?i:error|warning|fatal|panic|hint|tip)|note|remote|E|W)
        (?:\[[\w-]+\])?:\s
    | \*\*\ \(\w+\)\ | npm\ (?:ERR|WARN|warn|error|notice)\b
    | Traceback\b | Caused\ by: | at\ [\w.$<>]+\ ?\( | File\ ".+",\ line\ \d
    | (?:[✓✔✗✘×●✖▲ℹ⠋►→]|[⚠❌✅]\ufe0f?(?!.*\b(?i:always|never|please|don['’]?t|do\ not)\b))\s
      (?!(?:means|marks|stands)\ )
    | \$\ \S | %\ \S | >>>\ \S | \.\.\.\ \S
    | (?:\+\+\+|---|@@|diff\ --git|index\ [0-9a-f]{7})\s? | [-+]{1,2}\s?[\w"'({<]+.*[;{}()=:]\s*$
    | (?i:error|warning|info)\ [A-Z]{1,5}\d{2,6}: | FAILURE:\s | BUILD\ (?:FAILED|SUCCESSFUL)\b
    | \*\ (?:What\ went\ wrong|Try|Where|Exception\ is): | >\ (?:Run|Task)\ \S
    | Plan:\ \d+\ to | ts=\S+\ | level=\w+ | \d+\s+(?:passing|failing|passed|failed)
    | [\w./-]+:\d+(?::\d+)?:\s | \[\w+\ \d+/\d+\]\s | Permission\ denied\ \( | Connection\ (?:closed|reset)\ by\b
    | (?:[Ee]xit(?:ed)?(?:\ with)?(?:\ (?:code|status))?|SQL\ ?state:)\ \w{1,5}$
    | (?i:pipeline|job|build)\ \#\d+$ | (?:NAME|ID|STATUS|READY)\s{2,}
    )""",
    re.X,
)
CODE_LINE = re.compile(
    r"""^\s*(?:
      (?:import|export|from|const|let|var|def|class|return|function|func|fn|public|private|static|async|await|package|
         use|using|namespace|struct|interface|type|enum|select|insert|update|create\ table|if\ \(|for\ \(|
         while\ \(|else)
        \b.*[;{}()=:,]\s*(?://.*|\#.*)?$
    | [{}\[\]();,]+\s*$ | </?[A-Za-z][\w:.-]*[^<>]*>\s*$
    | [\w.\[\]"'-]+\s*[:=]\s*[\[{("'].*[\]})"',]\s*$ | //\s.*$ | \#include\b
    | (?:import\ [\w.]+(?:\ as\ \w+)? | from\ [\w.]+\ import\ [\w.,*\ ]+ | \w+(?:\.\w+)+\([^()]*\))\s*$
    | .*\)\s*=>\s*[{(]?\s*$ | .*;\s*$ | @\w+(?:\(.*\))?\s*$
    )""",
    re.X | re.I,
)
COMMENT = re.compile(r"\s*(?:#|//|--) \S")
INDENTED = re.compile(r"^(?: {4,}|\t)\S")
#: "i get this:", "the log says", "feedback from the review:" - what follows is not the speaker's
INTRODUCES = re.compile(
    r"\b(?:log|logs|output|error|errors|trace|traceback|stack ?trace|feedback|comments?|review|says?|said|wrote|"
    r"message|mail|ticket|issue|warning|plan|docs?|page|readme|diff|snippet|getting|get|got|see below|example|prints?|"
    r"stackoverflow|thread|post|description|prompt|spec)\b[^.!?\n]{0,60}:?\s*$",
    re.I,
)
CASUAL = re.compile(
    r"\b(?:i|im|i'm|ive|id|we|we're|you|your|our|my|me|us|pls|please|lets|let's|dont|don't|ok|btw|"
    r"thats|gonna|(?:it|that|there|he|she|what|they|isn|doesn|won|can|didn|aren|wasn)['’](?:s|re|ll|t|d))\b",
    re.I,
)
ABBREVIATED = re.compile(
    r"(?:\b(?:e\.?g|i\.?e|etc|vs|approx|resp|incl|cf|no|nr|fig|sec|dr|prof|dipl|mr|mrs|(?<!\d )ms|st|z\.b|d\.h|u\.a|"
    r"bzw|vgl|ggf|evtl|ca)|\b[a-z])\.$",
    re.I,
)
YES_AND_NO = re.compile(r"\b(?:yes|ja|sí|oui)\b[^.;?]{1,60}\bno\.$", re.I)  # "in go yes, in json no." is no number
#: where a sentence ends; a question that is quoted in one does not end it: he had put "sure?" everywhere
BREAK = re.compile(
    r"(?<=[.!?])\s+(?!»)|(?<=\.)[\"')\]]+\s+|(?<=[!?])[\"')\]]+\s+(?![a-zà-ÿ])|(?<=[.!?]»)\s+|(?<=[.!?]\s»)\s+(?![a-zà-ÿ])|"
    r"(?<=\S)\s++(?=(?:btw|oh and|one more thing) \w)|;\s+|(?<=\S)\s++[–—]\s+"
)
BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")
FACES = re.compile(r"(?<!\S)(?::-?[)(DPp]|;-?\)|<3|xD|\^\^|[\U0001F300-\U0001FAFF☀-➿\uFE0F\u200D]+)(?=\s|$)")
#: beside an emoji that is a word of its sentence: "prefix it with X", "X means approved"; else it stands between two
LEADS_TO_NAME = re.compile(
    r"\b(?:an?|the|this|our|with|by|of|as|to|for|and|or|not|is|are|means|called|emojis?|prefix|"
    r"(?:us|add|writ|plac|mark)(?:e|es|s|ing)?|put(?:s|ting)?|(?:begin|start|end)s?)\s$",
    re.I,
)
GOES_ON_FROM_NAME = re.compile(
    r"\s(?:is|are|was|means?|marks?|stands|signals?|shows?|says|tells|denotes?|indicates?|flags|goes|belongs|must|should|"
    r"may|can|will|has|emojis?|for|before|instead)\b(?!\s(?:i|you|we|it|he|she|they|that|this|there)\b)"
)


#: where speech that never pauses can be cut: a comma before a word that begins a clause
CLAUSE = SHAPES["clause"]
BREATH = SHAPES["breath"]  # and without any comma
FEWEST = 2  # items of a list without bullets
ENCLOSED = 3  # lines between two of a log that are of it
SHORTEST = 12  # characters of a clause
RUN_ON = 170  # characters from which a sentence is cut into its clauses


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a turn, or a clause of a long one.

    start, end: its place in the turn's text. whole: number of the sentence that it is or belongs to. clause: it
    goes on with what was begun before. series: it tells several things in one breath.
    """

    text: str
    start: int
    end: int
    whole: int
    clause: bool = False
    series: bool = False


def prose(text: str) -> str:
    """The text without its fenced code and what a client says was pasted."""
    return FENCE.sub(" ", text) if _may_fence(text) else text


def without_edits(reply: str) -> str:
    """An answer as it was told, without what tool calls wrote to files."""
    return reply.partition(EDITED)[0]


def fences(text: str) -> list[Span]:
    """Where its fenced code stands, and what a client says was pasted."""
    return [m.span() for m in FENCE.finditer(text)] if _may_fence(text) else []


def _may_fence(text: str) -> bool:
    """Whether a sign of fenced code is there at all; to look for its begin line by line takes longer."""
    return any(map(text.__contains__, FENCES))


def is_document(typed: str) -> bool:
    """Whether a message, without what is pasted in it, is a plan or a document that somebody wrote elsewhere."""
    return len(typed) > DOCUMENT_CHARS or len(HEADING.findall(typed)) >= DOCUMENT_HEADINGS


def pasted(text: str, answers: bool = False) -> list[Span]:
    """Spans that are code, logs, quotes or text of others, in order, none overlapping another. *answers*: the text
    answers somebody; a formal paragraph that is all of it is the speaker's own then."""
    spans = sorted([*fences(text), *(m.span() for m in LETTER.finditer(text))])
    marked, ended = spans.copy(), 0  # of those the last one that begins before a line, and where they end
    lines = list(_lines(text))
    alone = sum(1 for a, b in lines if text[a:b].strip()) == 1
    before = ""  # the line of the speaker's before, where nothing else stands between
    blank = True
    for start, end in lines:
        while marked and marked[0][0] <= start:
            ended = max(ended, marked.pop(0)[1])
        if start < ended:
            before, blank = "", True
            continue
        line = text[start:end]
        if not line.strip():
            blank = True
            continue
        after_paste = bool(spans) and spans[-1][1] >= start - 2 and not blank
        composed = _composed(line) and not (alone and (answers or _brief(line)))
        if (
            composed
            or _foreign_line(line, blank, after_paste)
            or ((after_paste or _introduces(before, blank or end - start > 60)) and not CASUAL.search(line))
        ):
            spans.append((start, end))
            before = ""
        else:
            before = line
        blank = False
    found = frozenset(spans)
    return sorted([*spans, *_enclosed(text, lines, found), *_commenting(text, lines, found)])


def typed(text: str, spans: Sequence[Span]) -> str:
    """What of a message was typed: without the *spans* that are pasted, and the blank lines around them."""
    ends = [0, *(end for _, end in spans)]
    pieces = [text[a:b].strip("\r\n") for a, b in zip(ends, [*(start for start, _ in spans), len(text)], strict=True)]
    return "\n".join(piece for piece in pieces if piece.strip()) if len(pieces) > 1 else text


def _introduces(line: str, apart: bool) -> bool:
    """Whether what comes after a line of the speaker's is not theirs; *apart*: it looks so."""
    colon = line.rstrip().endswith(":")
    return (apart or colon) and bool(INTRODUCES.search(line)) and not (colon and _ours(line))


def _commenting(text: str, lines: list[Span], spans: Set[Span]) -> list[Span]:
    """A comment right above a line of code is of the code."""
    return [a for a, b in pairwise(lines) if COMMENT.match(text[slice(*a)]) and b in spans and a not in spans]


def _enclosed(text: str, lines: list[Span], spans: Set[Span]) -> list[Span]:
    """A few lines between two lines of a log, none of them blank: they are of the log as well."""
    logged = [n for n, (start, end) in enumerate(lines) if (start, end) in spans and LOG_LINE.match(text[start:end])]
    between = (lines[a + 1 : b] for a, b in pairwise(logged) if 1 < b - a <= ENCLOSED + 1)
    return [
        line for run in between if all(text[slice(*each)].strip() for each in run)
        for line in run if line not in spans
    ]  # fmt: skip


@lru_cache(maxsize=64)
def spoken(text: str) -> tuple[Sentence, ...]:
    """The sentences of *text* outside what is pasted."""
    return sentences(text, tuple(pasted(text)))


@lru_cache(maxsize=64)
def sentences(text: str, skipped: tuple[Span, ...] = ()) -> tuple[Sentence, ...]:
    """The sentences of *text* outside the spans *skipped*; of a message they are asked for more than once."""
    out: list[Sentence] = []
    for start, end in _paragraphs(text, skipped):
        for a, b, several in _cut(text, start, end):
            whole = out[-1].whole + 1 if out else 0
            cut = [(a, b)] if several else _clauses(text, a, b)
            out.extend(Sentence(text[c:d], c, d, whole, c > a, several) for c, d in cut)
    return tuple(out)


def item(said: Sentence, text: str) -> bool:
    """Whether a sentence of *text* begins an item of a list."""
    return bool(BULLET.fullmatch(text[text.rfind("\n", 0, said.start) + 1 : said.start]))


def items(said: Sequence[Sentence], text: str, head: int) -> list[int]:
    """The sentences of the list right below sentence *head*, which ends with a colon: what stands in lines with
    bullets, or without any, line by line, until a blank one."""
    if not said[head].text.endswith(":"):
        return []
    below = range(head + 1, len(said))
    bullets = list(takewhile(lambda i: BULLET.match(text[text.rfind("\n", 0, said[i].start) + 1 :]), below))
    lines = list(takewhile(lambda i: _right_below(text[said[i - 1].end : said[i].start]), below))
    return bullets or (lines if len(lines) >= FEWEST else [])


def _right_below(between: str) -> bool:
    """Whether what stands *between* two sentences is the end of a line and nothing else."""
    return between.count("\n") == 1 and not between.strip(" \t\n.,;!")


def _lines(text: str) -> Iterator[Span]:
    at = 0
    for line in text.splitlines(keepends=True):
        yield at, at + len(line.rstrip("\r\n"))
        at += len(line)


def _foreign_line(line: str, after_blank: bool, after_paste: bool) -> bool:
    if QUOTED_LINE.match(line) or LOG_LINE.match(line) or CODE_LINE.match(line):
        return True
    return (bool(INDENTED.match(line)) and (after_blank or after_paste)) or (after_paste and line.startswith("  "))


def _ours(line: str) -> bool:
    """Whether a line heads the user's own rules or routine, and not a text of somebody else's."""
    text = plain(line)
    return any(SHAPES[head].search(text) for head in ("heads_routine", "heads_rules", "heads_ours"))


def _composed(line: str) -> bool:
    """Whether a paragraph is long and nobody speaks in it, as in a document."""
    return len(line) >= PROSE_CHARS and not line.lstrip()[:1].islower() and not CASUAL.search(line)


def _brief(line: str) -> bool:
    """Whether its sentences are as short as those that people type."""
    return len(line) <= TYPED_CHARS * (1 + len(BREAK.findall(line)))


def _paragraphs(text: str, skip: Sequence[Span]) -> Iterator[Span]:
    """Runs of lines that belong together: a line that was only wrapped goes on in the next one."""
    start = end = -1
    for a, b in _lines(text):
        line = text[a:b]
        foreign = not line.strip() or any(s <= a < e for s, e in skip)
        if start >= 0 and (foreign or not _wrapped(text[start:end], line)):
            yield start, end
            start = -1
        if not foreign:
            start, end = (a if start < 0 else start), b
    if start >= 0:
        yield start, end


def _wrapped(before: str, line: str) -> bool:
    last = before.rsplit("\n", 1)[-1]
    return len(last) >= 60 and last.rstrip()[-1:] not in ".!?:;" and line[:1].islower() and not BULLET.match(line)


def _clauses(text: str, start: int, end: int) -> Iterator[Span]:
    """The clauses of a sentence that is long: it is cut at commas, and where these leave too much, where it takes
    breath."""
    for a, b in _pieces(CLAUSE, text, start, end):
        yield from _pieces(BREATH, text, a, b)


def _pieces(cut: re.Pattern[str], text: str, start: int, end: int) -> Iterator[Span]:
    if end - start >= RUN_ON:
        for m in cut.finditer(text, start, end):
            if m.start() - start >= SHORTEST:
                yield start, m.start()
                start = m.end()
    yield start, end


def _named(text: str, start: int, end: int) -> bool:
    """Whether an emoji is spoken of rather than shown."""
    spoken = LEADS_TO_NAME.search(text, max(0, start - 12), start) or GOES_ON_FROM_NAME.match(text, end)
    return not text[start].isascii() and spoken is not None


def _abbreviated(said: str) -> bool:
    """Whether a text ends with the dot of an abbreviation rather than with that of a sentence."""
    return ABBREVIATED.search(said[-8:]) is not None and YES_AND_NO.search(said[-90:]) is None


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """The sentences of a paragraph, and of each whether it is a series (see `series`), which is not cut."""
    bullet = BULLET.match(text[start:end])
    at = start + (bullet.end() if bullet else 0)
    faces = [m.span() for m in FACES.finditer(text, at, end) if not _named(text, *m.span())]
    marks = sorted([*(m.span() for m in BREAK.finditer(text, at, end)), *faces])
    marks = [(a, b) for a, b in marks if not _abbreviated(text[at:a])]
    kept = series.spans(text[start:end], [(a - start, b - start) for a, b in marks])
    several = [(start + a, start + b) for a, b in kept]
    for a, b in [*marks, (end, end)]:
        if a < at or any(c < a < d for c, d in several):
            continue
        one = any(c < a <= d for c, d in several)
        if text[a:b].strip(";–— \n") and not FACES.fullmatch(text[a:b].strip()):
            a += len(text[a:b]) - len(text[a:b].lstrip("\"')]"))
        said = text[at:a]
        lead = len(said) - len(said.lstrip(" \n\t,"))
        if said.strip(" \n\t,.!?"):
            yield at + lead, at + lead + len(said.strip(" \n\t,")), one
        at = b
