"""What a group of sentences states: its kind, whether it replaces something, what helps to understand it alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentmemory.learn import answered, cues, moved, neighbours, retired, topics
from agentmemory.learn.cues import SHAPES
from agentmemory.learn.exchanged import exchanges
from agentmemory.learn.parallel import moves
from agentmemory.learn.passages import EDITED, Sentence, sentences
from agentmemory.learn.rated import LONGEST, VETOES, Rated, asks
from agentmemory.learn.rating import rate
from agentmemory.learn.renamed import renames
from agentmemory.store.scopes import USER
from agentmemory.values import Candidate, Utterance

ANSWER = 600  # characters of the answer that are compared with older statements
CHANGES = frozenset(("update", "now", "decided", "from_now"))  # with one of these a text may replace an older one

#: what asks for a statement to be held and is no part of it: "Remember that ...", "ok so, note to self: ..."
ASKED = re.compile(
    r"(?:(?:ok|okay|so|and|also|oh|well|hey|please|pls|just)[\s,]+)*(?:note\s+to\s+(?:self|yourself)\s*[:,–—-]"
    r"|remember(?:\s+(?:this|also))?\s*[:,]|remember\s+that(?=\s+(?:(?-i:[A-Z])|`|(?:a|all|always|an|any|each|every|for|he"
    r"|i|if|in|it|my|never|no|on|our|she|the|there|these|they|this|those|we|when|you|your)\b)))\s+(?=\S+\s)",
    re.IGNORECASE,
)


def stated(
    group: list[int],
    rated: list[Rated],
    said: Utterance,
    before: Sequence[tuple[str, str]],
    reply: str = "",
    corrects: bool = False,
) -> Candidate:
    """The candidate that sentences *group* of a turn make. *reply*: what the assistant answered. *corrects*: the turn
    contradicts it."""
    first, last = rated[group[0]].said, rated[group[-1]].said
    if group[0] == 1 and topics.answers(before) and neighbours.asks_back(rated):
        first = rated[0].said  # what it is of
    if said.asked and group[0] and asks(rated[group[0] - 1].said.text):
        first = rated[group[0] - 1].said
    text = said.text[first.start : last.end]
    marks = set().union(*(rated[i].marks for i in group))
    changes, gone = _changes(group, rated, marks)
    plain = cues.plain(text)
    kind = _kind(marks, corrects or retired.withdraws(plain))
    asked = topics.question(before[-1][1]) if topics.answers(before) else ""
    note = ASKED.match(text)
    begin = note.end() if note else 0
    settled = next((rated[i].spelled for i in reversed(group) if rated[i].spelled), "")
    return Candidate(
        kind=kind, text=text[begin:], at=said.at, start=first.start + begin, end=last.end, context=settled or asked,
        keywords=topics.beside(text, said.text, before, reply), updates=changes, gone=gone,
        answer=reply[:ANSWER], strength=min(1.0, max(rated[i].score for i in group) / 6), back=turns_back(said, reply),
        scope=USER if SHAPES["everywhere"].search(plain) else 0,
    )  # fmt: skip


def turns_back(said: Utterance, reply: str) -> int:
    """Which of the user's turns is meant where work is undone, 0 for the last one: "undo that" right after something
    that was only taken note of speaks of what the agent did before."""
    works = SHAPES["undoes_work"].search(cues.plain(said.text)) and (EDITED in reply or answered.undone(reply))
    return said.worked or 0 if works else 0


def announces(text: str) -> bool:
    """Whether a statement that is held as it is, whoever wrote it, says that it changes something settled."""
    rated = [rate(said) for said in sentences(text)]
    return bool(rated) and _changes([*range(len(rated))], rated, set().union(*(r.marks for r in rated)))[0]


def _changes(group: list[int], rated: list[Rated], marks: set[str]) -> tuple[bool, tuple[str, ...]]:
    """Whether a statement changes something settled (it may say so itself, or the sentence beside it may), and the
    stems of what the sentence beside it gives up ("... glicko can retire")."""
    plain = [rated[i].plain for i in group]
    says = (
        retired.settles,
        exchanges,
        renames,
        moves,
        moved.moves,
        SHAPES["amends"].search,
        SHAPES["goes_over"].search,
    )
    changes = bool(marks & CHANGES) or any(each(said) for said in plain for each in says)
    if marks & (set(cues.PASSING) - {"day"}):
        return changes, ()
    beside = [rated[i] for i in (group[0] - 1, group[-1] + 1) if 0 <= i < len(rated) and not rated[i].marks & VETOES]
    gone = set().union(*(retired.named(r.plain) for r in beside))
    before = [rated[i] for i in (group[0] - 1,) if i >= 0 and not rated[i].marks & VETOES]
    changes = changes or any("update" in r.marks or SHAPES["amends"].search(r.plain) for r in before)
    return changes or bool(gone), tuple(sorted(gone))


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


def retraction(
    first: Sentence, last: Sentence, said: Utterance, reply: str = "", named: bool = False, pointed: bool = False
) -> Candidate:
    """The candidate that takes back what was said before; *named*: only what its sentences name; *pointed*: what the
    user's last turn had the agent do."""
    return Candidate(
        kind="correction", text=said.text[first.start : last.end], at=said.at, start=first.start, end=last.end,
        retracts=True, context=said.text[:LONGEST], answer=reply[:ANSWER], named=named,
        back=turns_back(said, reply), pointed=pointed,
    )  # fmt: skip
