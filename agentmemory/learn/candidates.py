"""What in a user's turn is meant to last: sentences are rated by their marks, joined with what explains them.

Rules and weights, no model. Says what a belief could be; `revise` decides what becomes of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from agentmemory.learn import cues, neighbours, rightings, topics
from agentmemory.learn.cues import SHAPES
from agentmemory.learn.ordinals import place
from agentmemory.learn.passages import Sentence, is_document, pasted, sentences
from agentmemory.learn.rated import ENOUGH, LONGEST, VETOES, Rated, Reading
from agentmemory.learn.sequels import may_go_on
from agentmemory.learn.stated import retraction, stated
from agentmemory.values import Candidate, Utterance

BESIDE = 0.6  # from here a sentence next to a core is part of what it says
WEAK = 0.4  # from here it is one where it speaks of what is known
PLAINLY = 4  # words of such a sentence
LONGEST_PIECE = 600  # characters of a piece of a routine
LONG_TURN = 1_200  # characters from which a message is a brief rather than talk
BRIEF_PENALTY = 1.2  # what a sentence of a brief has to have more
CORRECTS = 1.2  # worth of contradicting what the assistant just did
RIGHTS = 0.55  # likelihood (see rightings) from which a turn puts right what the assistant did
SURELY = 0.75  # and from which it does so although it cites somebody
GOES_ON = 0.6  # below it turn and statement go on with the work, unless their marks say that they are meant to last
GOES_ON_SURELY = 0.15  # below it a turn does, whatever they say,
SAYS_SURELY = 0.4  # and below this a statement that is not the whole turn,
INSISTS = 5.0  # unless they sum up to this
ANSWERS = 1.0  # worth of answering what the assistant just asked
UNASKED = 0.2  # worth of a plain statement that comes first, or after one's own words
NAMED = 0.9  # worth of naming a path, host, command, port ...
COUNTED = 0.5  # worth of a number
STATED = 0.4  # worth of a plain statement in the present
LASTS = 1.6  # worth of asking for something always
ORDERED = 1.5  # taken away when the sentence orders something for now
FIRM = frozenset(("never", "dont", "from_now", "step", "no_x", "each_time"))  # an order with one of these is a rule
SURE = 3.4  # from here a clause stands for itself
SETTLED = frozenset(("decided", "from_now", "never", "step", "update"))  # what passes weighs half beside these
#: marks by which a sentence is meant to last whatever the turn looks like
MEANT = FIRM | SETTLED | {"ruled", "complaint", "must", "retraction"}
COLOURS = frozenset(("sarcasm", "undecided", "hypothetical"))

IDENTIFIER = re.compile(
    r"`[^`]+`|[\w.@-]+/[\w<>.*@/-]*\w|\b\w[\w.-]*/(?=[\s,.;:)]|$)|\b[a-z]\w*\.(?:[a-z]{2,4}|[a-z]+\.[a-z]+)\b|\b\w+[-_]\w+[-_\w]*\b|--\w[\w-]+|\b[a-z]+[A-Z]\w+|"
    r"\b[A-Z]\w+[a-z][A-Z]\w*|\b[a-z]+\d+[a-z]*\b|https?://|#[a-z][\w-]+|@\w+|\b\w+\(\)|\b[A-Z]{3,}\b|\b[A-Z]{1,5}\d+\b|\b[A-Z]+_\w*|\S+@\S+\.\w+"
)
NUMBER = re.compile(r"\b\d+(?:[.:]\d+)*\b|\b(?:two|three|four|five|six|seven|eight|ten|twelve|once|twice|half)\b", re.I)
WE_ARE = re.compile(r"\bwe['’]re\b", re.I)
WORD = re.compile(r"[A-Za-zÀ-ÿ0-9][\w'’./-]*")


def candidates(said: Utterance, before: Sequence[tuple[str, str]] = (), tentative: bool = False) -> list[Candidate]:
    """What the words of one user turn suggest, in the order they were said.

    *before*: the turns (role, text) that went before in the session, the nearest last. *tentative*: also the plain
    statements that count only where they speak of what is known. The candidates name no scope and no turn; who knows
    them fills them in.
    """
    found = read(said, before)
    if found is None:
        return []
    rated, groups, back = found.rated, found.groups, found.back
    if before and before[-1][0] == "assistant" and len(said.text) <= LONG_TURN:
        groups = _put_right(found, said.text, before[-1][1])
    out = []
    weak = _tentative(rated, groups) if tentative else []
    if back is not None:
        here = [group for group in groups if group[-1] < back]
        if here:  # it takes back what the same turn just said
            groups.remove(here[-1])
        else:
            out.append(retraction(rated[back], said))
    kept = [stated(group, rated, said, before, found.corrects) for group in groups]
    if not tentative:
        return out + kept
    steps = {i for group, c in zip(groups, kept) if c.kind == "procedure" for i in group}
    kept += [replace(stated([i], rated, said, before, found.corrects), tentative=True) for i in weak]
    singly = [*groups, *([i] for i in weak)]
    runs = [run for run in _runs(rated, said.text, stepping=True) if _holds(rated, run)]
    out += [
        replace(stated(run, rated, said, before, found.corrects), sequel="only")
        for run in runs if run not in singly and not steps & set(run) and may_go_on(_text(rated, run, said.text))
    ]  # fmt: skip
    return out + [
        replace(c, sequel="too") if group in runs or c.kind == "procedure" else c for group, c in zip(singly, kept)
    ]


def _text(rated: list[Rated], run: list[int], text: str) -> str:
    """A run of sentences as it stands in its turn, on one line."""
    return " ".join(text[rated[run[0]].said.start : rated[run[-1]].said.end].split())


def _holds(rated: list[Rated], run: list[int]) -> bool:
    """Whether a run of talk may be held as a piece of a routine: it says neither too little nor too much."""
    return sum(_length(rated[i]) for i in run) >= PLAINLY and _fits(rated, run[0], run[-1], LONGEST_PIECE)


def _tentative(rated: list[Rated], groups: list[list[int]]) -> list[int]:
    """Plain statements that no mark calls lasting; they count where they speak of what is known already."""
    taken = {i for group in groups for i in group}
    return [
        i for i, r in enumerate(rated)
        if i not in taken and WEAK <= r.score < ENOUGH and not (r.out or r.idle or r.order)
        and not r.marks & set(cues.PASSING) and _length(r) >= PLAINLY and not _points(r)
    ]  # fmt: skip


def read(said: Utterance, before: Sequence[tuple[str, str]] = ()) -> Reading | None:
    """The sentences of a user's turn as their marks rate them; none where nothing of it was said by the user."""
    if said.role != "user" or is_document(said.text):
        return None
    spans = sorted([*pasted(said.text), *said.pasted])
    rated = [_rate(s) for s in sentences(said.text, spans)]
    if not rated:
        return None
    corrects = _weigh_by_place(rated, before, said.text)
    taken_back = (i for i, r in enumerate(rated) if "retraction" in r.marks and not _of_quotation(rated, i, spans))
    return Reading(rated, _groups(rated, said.text), next(taken_back, None), corrects)


def _rate(said: Sentence) -> Rated:
    whole = cues.plain(said.text)
    text = _told(whole)
    question = said.text.rstrip(" )\"'").endswith("?")
    if question and (tag := SHAPES["tag"].search(text)) and not cues.FLAGS["question"].search(cues.start(text)):
        text, question = text[: tag.start()], False
    marks = cues.marks(text)
    if SHAPES["counts_only"].match(text):
        marks.discard("step")
    if "step" in marks and SHAPES["promised"].search(text) and not IDENTIFIER.search(said.text):
        marks = {"ask"}  # "you get the second step when Ilse is back" is none yet
    question = question or ("question" in marks and _asks(said, text) and not marks & {"standing", "from_now"})
    order = bool(SHAPES["order"].match(cues.start(text)))
    if order and "polite" in marks and SHAPES["step_starts"].search(text):
        marks.discard("step")  # "start with the flags please" is a task
    score = 0.0
    if question and SHAPES["request"].match(cues.start(text)) and SHAPES["lastingly"].search(text):
        question, order, score = False, False, LASTS  # "could you ... here and in whatever else we draw?"
        marks -= {"ask", "plan"}
    head = text.find(": ")
    if 0 < head < 50 and len(text.split(": ", 1)[1].split()) >= 4:  # what leads in does not say how long it holds
        marks -= set(cues.PASSING) - {"tried"}
        marks |= cues.marks(text.split(": ", 1)[1]) & set(cues.PASSING)
    lasting, passing = cues.worth(marks)
    score += lasting - (passing / 2 if marks & SETTLED or text != whole else passing)
    score += NAMED * bool(IDENTIFIER.search(said.text)) + COUNTED * bool(NUMBER.search(text))
    if "fact" in marks and not order and not marks & (set(cues.PASSING) - {"past"}):
        score += STATED
    if text != whole:
        score += neighbours.TOLD
    if order and not marks & FIRM:
        score -= ORDERED * (2 if SHAPES["show_me"].match(cues.start(text)) else 1)
    if "from_now" in marks:
        marks.discard("one_off")
    hearsay = text == whole and _hearsay(marks) and not SHAPES["purpose"].search(text)
    out = question or bool(marks & VETOES) or hearsay
    return Rated(said, text, marks, score, out, order and not marks & FIRM, bool(SHAPES["ack"].match(text)))


def _told(text: str) -> str:
    """What is to be written down, where a sentence asks for it to be written: "put this into the docs: ..."."""
    head, _, tail = text.partition(": ")
    lead = cues.start(head)
    asked = bool(SHAPES["write_down"].search(lead)) and len(tail.split()) >= 5
    return tail if asked else text


def _asks(said: Sentence, text: str) -> bool:
    """Whether a sentence that begins like a question is one, although no question mark ends it."""
    bare = cues.start(text)
    if bare.startswith("were ") and WE_ARE.search(said.text):
        return False
    relative = said.clause and bare.startswith(("what", "which", "who", "when", "where"))
    return not relative and not (bare.startswith(("whats", "whos")) and len(bare.split()) > 12)


def _hearsay(marks: set[str]) -> bool:
    """What others say counts only when it tells of a change or of a decision."""
    return "reported" in marks and not marks & {"now", "from_now", "decided", "update"}


def _weigh_by_place(rated: list[Rated], before: Sequence[tuple[str, str]], text: str) -> bool:
    """Adjust scores by what stands around a sentence; returns whether the turn corrects the assistant."""
    answering = bool(before) and before[-1][0] == "assistant"
    corrects = answering and any(
        SHAPES["contradicts"].match(r.plain) or SHAPES["mildly"].search(r.plain) for r in rated[:3]
    )
    asked = answering and topics.asks(before[-1][1])
    for i, r in enumerate(rated):  # what colours a thought colours the clauses around it
        if r.marks & COLOURS:
            for other in rated[max(0, i - 1) : i + 2]:
                same = other.said.whole == r.said.whole and other.score < SURE
                other.out = other.out or same or (other is not r and bool(SHAPES["reason"].match(other.plain)))
    tells = not answering and not any(r.out or r.order or r.idle or r.marks & set(cues.PASSING) for r in rated)
    for i in range(1, len(rated)):
        neighbours.lend(rated[i - 1], rated[i], not _points(rated[i - 1]))
    neighbours.reject(rated)
    complains = any("complaint" in r.marks for r in rated)
    for i, r in enumerate(rated):
        if (corrects or complains) and i < 5:
            r.score += CORRECTS
            if SHAPES["rhetorical"].match(r.plain) and not r.marks & VETOES:
                r.out = False
                r.score = min(r.score, ENOUGH - 0.1)
        elif asked and i == 0 and "reported" in r.marks and not r.marks & (VETOES | {"dismissed", "question"}):
            r.out, r.score = False, r.score + ANSWERS  # "the supervisor asks us to": the reason that was asked for
        elif asked and i < 2 and not r.order and not r.marks & set(cues.PASSING) and not (i and _points(r)):
            r.score += ANSWERS
        elif tells and r.score >= WEAK:
            r.score += UNASKED
        if len(text) > LONG_TURN:
            r.score -= BRIEF_PENALTY
        if "dismissed" in r.marks:
            r.out = r.out or "reported" in r.marks or i == 0 or rated[i - 1].out
            for other in rated[:i]:
                near = other is rated[i - 1] and bool(
                    SHAPES["document"].search(other.plain) or "reported" in other.marks
                )
                r.out = r.out or near
                other.out = other.out or near or other.said.whole == r.said.whole
    return corrects


def _put_right(found: Reading, text: str, previous: str) -> list[list[int]]:
    """Keep what puts right what the assistant did, although no other mark says so; leave what only goes on with it.

    Returns the groups that make a statement each.
    """
    rated = found.rated
    likely = rightings.likelihood(text, previous, rated, found.kept)
    if found.kept:
        return [group for group in found.groups if likely >= GOES_ON or _lasts(group, found, text, previous, likely)]
    if likely < RIGHTS:
        return found.groups
    said = [r for r in rated[:3] if _stands(r) and (not r.out or _told_by_us(r, likely))]
    best = max(said, key=lambda r: r.score, default=None)
    if best is None:
        return found.groups
    best.score, best.order, best.out = max(best.score, ENOUGH), False, False
    return _groups(rated, text)


def _lasts(group: list[int], found: Reading, text: str, previous: str, likely: float) -> bool:
    """Whether a statement is meant to last, taken for itself, in a turn that rather goes on with the work."""
    said = [found.rated[i] for i in group]
    if any(r.score >= (SURE if "standing" in r.marks else INSISTS) for r in said):
        return True
    sure = any(r.marks & MEANT or r.score >= SURE for r in found.rated if not r.out)
    if sure and likely >= GOES_ON_SURELY:
        return True
    if len(said) == len(found.rated):
        return False
    part = text[said[0].said.start : said[-1].said.end]
    return rightings.likelihood(part, previous, said, True) >= (SAYS_SURELY if sure else GOES_ON)


def _stands(r: Rated) -> bool:
    """Whether a sentence could be a statement of its own: no acknowledgement, no pointer, no lead to a quotation."""
    return not (r.idle or _length(r) < 2 or _points(r) or r.said.text.rstrip().endswith(":"))


def _told_by_us(r: Rated, likely: float) -> bool:
    """Whether what looks like hearsay is the rule of the speaker's own house ("our style guide says ...")."""
    return likely >= SURELY and "reported" in r.marks and not r.marks & (VETOES | {"question", "dismissed"})


def _groups(rated: list[Rated], text: str) -> list[list[int]]:
    """Runs of sentences that make one statement each: a core and what belongs to it."""
    return [group for run in _runs(rated, text) for group in _statements(rated, run)]


def _runs(rated: list[Rated], text: str, stepping: bool = False) -> list[list[int]]:
    """Sentences that follow on one another, without those that have no place in any statement. *stepping*: what says
    that it is a step goes on with what stands before it."""
    runs: list[list[int]] = []
    run: list[int] = []
    for i in range(len(rated)):
        if run and not _joins(rated, text, run, i, stepping):
            runs.append(run)
            run = []
        if not _never(rated, i):
            run.append(i)
    return [*runs, run] if run else runs


def _of_quotation(rated: list[Rated], i: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether "disregard that" speaks of what was quoted just before it, not of what was said."""
    last = rated[i - 1].said.end if i else 0
    return any(last <= start and end <= rated[i].said.start for start, end in spans)


def _never(rated: list[Rated], i: int) -> bool:
    """Whether a sentence has no place in any statement."""
    r = rated[i]
    return r.out or r.idle


def _joins(rated: list[Rated], text: str, run: list[int], i: int, stepping: bool) -> bool:
    """Whether sentence i goes on with what the run says."""
    last, r = rated[run[-1]], rated[i]
    between = text[last.said.end : r.said.start]
    if run[-1] != i - 1 or _never(rated, i) or between.strip(" \n\t.,;:!?()-–—*•0123456789\"'"):
        return False
    if SHAPES["shift"].match(r.plain) and not (stepping and place(r.plain)):
        return False
    if "step" not in r.marks:
        return True
    before = [place(rated[j].plain) for j in run if "step" in rated[j].marks]
    return not before or None in (before[-1], place(r.plain)) or before[-1] == place(r.plain)


def _statements(rated: list[Rated], run: list[int]) -> list[list[int]]:
    """The run without what only surrounds its cores, cut where it would be too long for one statement."""
    cores = [i for i in run if rated[i].score >= ENOUGH and _says(rated[i]) and not _points(rated[i])]
    out: list[list[int]] = []
    for core in cores:
        if out and core in out[-1]:
            continue
        group = [core]
        while (
            group[0] - 1 in run
            and _belongs_before(rated, group[0] - 1, group)
            and _fits(rated, group[0] - 1, group[-1])
        ):
            if out and group[0] - 1 in out[-1]:
                break
            group.insert(0, group[0] - 1)
        while (
            group[-1] + 1 in run
            and _belongs_after(rated, run, group, group[-1] + 1)
            and _fits(rated, group[0], group[-1] + 1)
        ):
            group.append(group[-1] + 1)
        out.append(group)
    return out


def _says(r: Rated) -> bool:
    """Whether a sentence has enough words to say something: "told you" has not."""
    return _length(r) > 2 or bool(IDENTIFIER.search(r.said.text)) or (_length(r) > 1 and "complaint" not in r.marks)


def _points(r: Rated) -> bool:
    """Whether a sentence only says something of what another one names."""
    valued = IDENTIFIER.search(r.said.text) or NUMBER.search(r.plain)
    bare = not valued and not r.marks & set(cues.LASTING) - {"fact", "where", "order", "now"}
    return bare and bool(SHAPES["pronoun"].match(r.plain))


def _belongs_before(rated: list[Rated], i: int, group: list[int]) -> bool:
    """Whether the sentence before a group names what the group is about."""
    r, first = rated[i], rated[group[0]]
    if r.order:
        return bool(first.marks & {"prefer", "from_now", "because"}) and not r.marks & {"day"}
    if r.score >= BESIDE or SHAPES["dependent"].match(first.plain) or min(_length(r), _length(first)) < 5:
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
        return ruled and not r.marks & {"day"} and r.score > -ORDERED
    if r.score >= BESIDE:
        return True
    goes_on = bool(SHAPES["dependent"].match(r.plain)) or r.said.whole == last.said.whole
    bridges = i + 1 in run and rated[i + 1].score >= 2 * BESIDE
    return r.score > -BESIDE and (goes_on or bridges)


def _length(r: Rated) -> int:
    return len(WORD.findall(r.said.text))


def _fits(rated: list[Rated], a: int, b: int, longest: int = LONGEST) -> bool:
    return rated[b].said.end - rated[a].said.start <= longest
