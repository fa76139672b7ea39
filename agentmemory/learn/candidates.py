"""What in a user's turn is meant to last: sentences are rated by their marks, joined with what explains them.

Rules and weights, no model. Says what a belief could be; `revise` decides what becomes of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agentmemory.learn import cues, topics
from agentmemory.learn.passages import Sentence, is_document, pasted, sentences
from agentmemory.values import Candidate, Utterance

ENOUGH = 2.2  # experiments/log.d/learning.md: the sum of marks from which a sentence is kept
LONGEST = 360  # characters of one belief; beyond, it is cut back to the sentence that carries it
LONG_TURN = 1_200  # characters from which a message is a brief rather than talk
BRIEF_PENALTY = 1.2  # what a sentence of a brief has to have more
CORRECTS = 1.2  # worth of contradicting what the assistant just did
ANSWERS = 1.0  # worth of answering what the assistant just asked
NAMED = 0.9  # worth of naming a path, host, command, port ...
COUNTED = 0.5  # worth of a number
ORDERED = 1.5  # taken away when the sentence orders something for now
FIRM = frozenset(("never", "dont", "from_now", "step", "no_x"))  # an order with one of these is a rule
VETOES = frozenset(("hypothetical", "sarcasm", "undecided", "one_off", "quoted", "retraction"))

IDENTIFIER = re.compile(
    r"`[^`]+`|[\w.@-]+/[\w<>.*@/-]*\w|\b[a-z]\w*\.(?:[a-z]{2,4}|[a-z]+\.[a-z]+)\b|\b\w+[-_]\w+[-_\w]*\b|--\w[\w-]+|\b[a-z]+[A-Z]\w+|"
    r"\b[A-Z]\w+[a-z][A-Z]\w*|\b[a-z]+\d+\b|https?://|#[a-z][\w-]+|@\w+|\b\w+\(\)|\b[A-Z]{3,}\b|\S+@\S+\.\w+"
)
NUMBER = re.compile(r"\b\d+(?:[.:]\d+)*\b|\b(?:two|three|four|five|six|seven|eight|ten|twelve|once|twice|half)\b", re.I)
WORD = re.compile(r"[A-Za-zÀ-ÿ0-9][\w'’./-]*")
#: openings that order something to be done now
ORDER = re.compile(
    r"^(?:(?:ok|okay|and|so|but|then|also|now|yes|no|please|pls|just|first|great|good|cool|btw|oh|alright|right|perfect|nice|next|great|"
    r"sure|agree|thx|thanks|hm+|well|still|maybe|quickly|finally|lastly|hey|can you|could you|would you)[,:.]? )*"
    r"(?:add|fix|change|make|do|put|remove|delete|update|create|run|check|look|show|send|try|rename|move|revert|bump|merge|commit|"
    r"push|deploy|give|explain|tell|open|close|start|stop|leave|set|install|implement|refactor|test|build|generate|"
    r"translate|find|print|read|review|clean|extract|split|convert|apply|rebase|release|ship|prepare|draft|document|"
    r"sketch|write|get|have|let|go|continue|proceed|help|see|adjust|tweak|drop|bring|pull|restart|rerun|retry|undo|copy|sort|pilot|cite|"
    r"ask|wait|hold|ping|note|verify|validate|investigate|debug|profile|list|compare|search|grep|upgrade|downgrade|"
    r"redo|rewrite|reword|shorten|format|lint|scan|turn|hide|highlight|align|center|wire|hook|plug|swap|replace|reduce|increase|raise|lower)\b"
    r"(?! (?:is|are|was|always|never|with pnpm|must|has|goes|names?|messages?|subjects?|titles?|lines?|requests?)\b)"
)
ACK = re.compile(
    r"^(?:(?:ok|okay|yes|yep|yeah|no|nope|nice|great|good|perfect|cool|thanks|thx|ty|ta|lgtm|fine|agree|agreed|right|sure|done|super|"
    r"perf|awesome|love it|better|works|looks good|go|go ahead|continue|hm+|lol|haha|aha|ah|oh|well|please|pls|beautiful|morning|"
    r"hi|hello|hey|alright|sorry|exactly|correct|true|indeed|understood|got it|all good|same|again|now|then|k|np|merged|"
    r"that|it|is|was|so much|very|much|again|do|worked|for now|yet|\d{1,3})\b[\s,.!:;]*)+$"
)
TAG = re.compile(r",? (?:so|right|ok|okay|correct|no|yes|isnt it|arent they|then|or|hm)\b[^,?]{0,40}\?$")
DEPENDENT = re.compile(
    r"^(?:(?:and|but|so|because|bc|since|also|or|then|ok|yes|no|not)[, ]+)*(?:its?|thats?|this|these|those|they|theyre|them|their|there|theres|he|she|his|her|"
    r"so|because|bc|since|otherwise|same|both|one|ones|all|none|neither|reason|the reason|last time|every time|each time|"
    r"without|whatever|else|which|where|in (?:january|february|march|april|may|june|july|august|september|october|november|december)|"
    r"and|or|but|not only|not just|only|also|too|old one|new ones|existing|after that|before that|if not|until|unless|except)\b"
)
CONTRADICTS = re.compile(
    r"^(?:(?:oh|argh|hm+|ah|um|well|sorry|hey|stop|wait|hold on|careful|ugh|ouch|nah|eh)[,.! ]+)*(?:no\b(?! (?:problem|worries))|nope|wrong|not (?!sure|bad|yet|today|now)|nah|"
    r"stop\b|dont\b|never\b|actually|careful|that(?:s| is) (?:not|wrong|the (?:old|wrong))|thats? (?:isnt|wont|cant)|its not|yes but|ok but|did you (?:just )?|why (?:did|do|are) you|"
    r"you (?:forgot|missed|didnt|used|put|picked|cant|shouldnt|should)|plan will fail|wont work|that wont|wrong file|seriously|please dont|pls dont|"
    r"rather\b|almost|not quite|close but|half right|nearly|who (?:told|hurt)|again\b|i said|as i said|the \w+ (?:file|one)? ?(?:is|are) only)"
)
EVERYWHERE = re.compile(
    r"\b(?:in all (?:my|our) (?:projects|repos|repositories|code)|in (?:every|any) (?:project|repo|repository)|across all (?:projects|repos)|everywhere i work|wherever i work)\b"
)


@dataclass(slots=True)
class Rated:
    """A sentence with its marks and what they sum up to."""

    said: Sentence
    plain: str
    marks: set[str]
    score: float
    out: bool  # nothing of it may be kept
    order: bool
    idle: bool  # an acknowledgement, a greeting


def candidates(said: Utterance, before: Sequence[tuple[str, str]] = ()) -> list[Candidate]:
    """What the words of one user turn suggest, in the order they were said.

    *before*: the turns (role, text) that went before in the session, the nearest last. The candidates name no
    scope and no turn; who knows them fills them in.
    """
    if said.role != "user" or is_document(said.text):
        return []
    spans = sorted([*pasted(said.text), *said.pasted])
    rated = [_rate(s) for s in sentences(said.text, spans)]
    if not rated:
        return []
    corrects = _weigh_by_place(rated, before, said.text)
    out = [_retraction(r, said) for r in rated if "retraction" in r.marks][:1]
    for group in _groups(rated, said.text):
        out.append(_candidate(group, rated, said, before, corrects))
    return out


def _rate(said: Sentence) -> Rated:
    text = cues.plain(said.text)
    question = said.text.rstrip(" )\"'").endswith("?")
    if question and (tag := TAG.search(text)) and not cues.FLAGS["question"].search(text):
        text, question = text[: tag.start()], False
    marks = cues.marks(text)
    question = question or "question" in marks
    order = bool(ORDER.match(text))
    score = sum(worth for name, (worth, _) in cues.LASTING.items() if name in marks)
    score -= sum(worth for name, (worth, _) in cues.PASSING.items() if name in marks)
    score += NAMED * bool(IDENTIFIER.search(said.text)) + COUNTED * bool(NUMBER.search(text))
    if order and not marks & FIRM:
        score -= ORDERED
    out = question or bool(marks & VETOES) or _hearsay(marks)
    return Rated(said, text, marks, score, out, order and not marks & FIRM, bool(ACK.match(text)))


def _hearsay(marks: set[str]) -> bool:
    """What others say counts only when it tells of a change or of a decision."""
    return "reported" in marks and not marks & {"now", "from_now", "decided", "update"}


def _weigh_by_place(rated: list[Rated], before: Sequence[tuple[str, str]], text: str) -> bool:
    """Adjust scores by what stands around a sentence; returns whether the turn corrects the assistant."""
    answering = bool(before) and before[-1][0] == "assistant"
    corrects = answering and any(CONTRADICTS.match(r.plain) for r in rated[:2])
    asked = answering and topics.asks(before[-1][1])
    for i, r in enumerate(rated):
        if corrects and i < 5:
            r.score += CORRECTS
        elif asked and i < 2 and not r.order:
            r.score += ANSWERS
        if len(text) > LONG_TURN:
            r.score -= BRIEF_PENALTY
        if "dismissed" in r.marks:
            r.out = r.out or "reported" in r.marks or i == 0 or rated[i - 1].out
            for other in rated[max(0, i - 1) : i]:
                other.out = other.out or "reported" in other.marks
    return corrects


def _groups(rated: list[Rated], text: str) -> list[list[int]]:
    """Runs of sentences that make one statement each: a core and what it needs to be understood."""
    groups: list[list[int]] = []
    for i, r in enumerate(rated):
        if r.out or r.idle or r.score < ENOUGH or len(WORD.findall(r.said.text)) < 3:
            continue
        group = [i]
        while _needs_before(rated, group[0]) and _joins(rated, text, group[0] - 1, group[0]):
            if not _fits(rated, [group[0] - 1, *group]):
                break
            group.insert(0, group[0] - 1)
        while (
            group[-1] + 1 < len(rated)
            and _explains(rated, group[-1] + 1)
            and _joins(rated, text, group[-1], group[-1] + 1)
        ):
            if not _fits(rated, [*group, group[-1] + 1]):
                break
            group.append(group[-1] + 1)
        if groups and group[0] <= groups[-1][-1]:
            merged = sorted({*groups[-1], *group})
            if _fits(rated, merged):
                groups[-1] = merged
                continue
            group = [j for j in group if j > groups[-1][-1]]
            if i not in group:
                continue
        groups.append(group)
    return groups


def _needs_before(rated: list[Rated], i: int) -> bool:
    if i == 0:
        return False
    r = rated[i]
    return bool(DEPENDENT.match(r.plain)) or len(WORD.findall(r.said.text)) < 5


def _explains(rated: list[Rated], i: int) -> bool:
    r = rated[i]
    if r.order or r.idle:
        return False
    return bool(DEPENDENT.match(r.plain)) or (len(WORD.findall(r.said.text)) <= 6 and r.score > 0.5)


def _joins(rated: list[Rated], text: str, a: int, b: int) -> bool:
    one, two = rated[a], rated[b]
    between = text[one.said.end : two.said.start]
    return not (one.out or two.out or one.idle or two.idle) and not between.strip(" \n\t.,;:!?()-–—*•0123456789\"'")


def _fits(rated: list[Rated], group: list[int]) -> bool:
    return rated[group[-1]].said.end - rated[group[0]].said.start <= LONGEST


def _candidate(
    group: list[int], rated: list[Rated], said: Utterance, before: Sequence[tuple[str, str]], corrects: bool
) -> Candidate:
    first, last = rated[group[0]].said, rated[group[-1]].said
    text = said.text[first.start : last.end]
    marks = set().union(*(rated[i].marks for i in group))
    kind = _kind(marks, corrects)
    context, keywords = topics.around(text, kind, said.text, before)
    return Candidate(
        kind=kind, text=text, at=said.at, start=first.start, end=last.end, keywords=keywords, context=context,
        updates=bool(marks & {"update", "now"}) or corrects, strength=min(1.0, max(rated[i].score for i in group) / 6),
        scope=1 if EVERYWHERE.search(cues.plain(text)) else 0,
    )  # fmt: skip


def _kind(marks: set[str], corrects: bool) -> str:
    if "step" in marks:
        return "procedure"
    if marks & {"never", "dont", "no_x", "from_now"}:
        return "rule"
    if "decided" in marks:
        return "decision"
    if "update" in marks or corrects:
        return "correction"
    if "prefer" in marks:
        return "preference"
    return "rule" if "must" in marks else "fact"


def _retraction(r: Rated, said: Utterance) -> Candidate:
    return Candidate(
        kind="correction", text=r.said.text, at=said.at, start=r.said.start, end=r.said.end, retracts=True,
        context=said.text[:LONGEST],
    )  # fmt: skip
