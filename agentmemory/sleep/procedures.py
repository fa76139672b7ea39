"""What is asked again and again and what is done about it; commands that ended a failure become procedures.

A habit is counted a turn at a time; it is a procedure belief only when it names a command, because only then
it tells an agent something to do.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING

from agentmemory.learn import cues
from agentmemory.learn.entities import extract
from agentmemory.learn.revise import retract, revise
from agentmemory.paths import DAY
from agentmemory.store import beliefs, conflicts, habits, nights
from agentmemory.text import stems
from agentmemory.values import Added, Candidate

if TYPE_CHECKING:
    from agentmemory.store.habits import Habit
    from agentmemory.store.nights import Turn
    from agentmemory.store.rows import Database

SUPPORT = 3  # times that make a habit
USUALLY = 0.2  # of all requests of a kind, before a command is what was run for them
RECENT = 20  # requests of a kind that tell what is run for them now
OVER = USUALLY / 2  # of those: a command of fewer is run no longer; half, so that what is run for a fifth stays
SESSIONS = 2  # in as many sessions, which is enough for what ended the same failure; three times within one is one task
HALF_LIFE_DAYS = 30.0  # a habit that was not seen for this long counts half
NAMES = 4  # named things of a failure that are remembered with what helped
COMMANDS = 2  # of an answer
BACK = 40  # turns in which the request is looked for that new answers answer
ALL = 1 << 31  # of a session's turns
ANSWER = 4_000  # characters of an answer that are read for commands

#: kinds of request, by the stems of their words; the first that fits names it
ASKS = {
    "bug": "crash bug error fail failure failing broken break exception traceback stacktrace regression panic segfault"
    " hang freeze leak wrong issue oom timeout flaky",
    "deploy": "deploy release publish ship rollout promote",
    "test": "test tests coverage pytest jest spec",
    "refactor": "refactor cleanup simplify rename extract restructure",
    "plan": "plan roadmap design propose outline milestone",
    "review": "review audit inspect",
    "explain": "explain why understand meaning difference",
    "build": "add implement create build write support feature",
}
ASK_STEMS = {kind: frozenset(s for s in stems(words)) for kind, words in ASKS.items()}
PHRASES = {
    "bug": re.compile(
        r"\b(?:(?:does ?n[o'’]?t|do ?n[o'’]?t|not|stop(?:s|ped)?) work(?:s|ing)?"
        r"|(?:does(?: not|n['’]?t)|did(?: not|n['’]?t)|won['’]?t|will not|no longer|refuses to|fail(?:s|ed)? to)"
        r" (?:boot|build|compile|connect|link|load|open|render|respond|save|start)"
        r"|stop(?:s|ped)? (?:building|compiling|connecting|loading|rendering|responding|starting)"
        r"|(?:white|blank|blue|black) screen|stack traces?|null pointers?|sig(?:segv|abrt|bus)|core ?dump(?:s|ed)?"
        r"|(?:http|status|error) 5\d\d|5\d\d errors?|(?:gets?|got|getting|is|are|stays?) stuck|blows? up|blew up|broke"
        r"|buggy|die[sd] with|corrupt(?:s|ed)?)\b",
        re.IGNORECASE,
    )
}
#: lines of code that no fence stands around
CODE = re.compile(
    r"^(?:diff --git |@@ -|#include\b|\s*(?:def|class|async def) \w+.*:$|\s*(?:const|let|var|function) \w+.*[;{=]"
    r"|(?: {4,}|\t+)(?![-*•\d])\S.*[;{}():,]$)",
    re.MULTILINE,
)
LIST = re.compile(r"^\s*(?:\d+[.)]|[-*])\s", re.MULTILINE)
SENTENCE = re.compile(r"(?:`[^`\n]*`|[^\n.!?;]|[.!?;](?!\s|$))+[.!?;]*")
#: in a plain sentence (see cues.plain): its command was refused, offered, planned, or did not help
NOT_RUN = re.compile(
    r"\?|\b(?:not|never|cannot|without|avoid(?:ed|ing)?|instead|rather|refused?|(?:do|did|does|is|was|wo|ca|have|has|should|would"
    r"|could|must)nt|shall|(?:i|we) (?:can|could|would|will|might|may)|(?:should|may|can|could) (?:i|we)|ill|going to"
    r"|about to|want me|let me know|if you|(?:it|that|this|which|but|still|also) fail(?:s|ed))\b"
)
#: in what the user says next: it did not help
UNHELPED = re.compile(
    r"\b(?:still|same|worse|broke|nothing (?:changed|happen\w*)|(?:did|does|is|was|has|do)(?:nt| not))\b"
)


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a user asked, all that was answered to it, and what the user said then; a turn each message."""

    asked: Sequence[Turn]
    answers: Sequence[Turn]
    then: Sequence[Turn]


def ask_of(text: str) -> str | None:
    """The kind of request a user's words make, None for none of them."""
    said = set(stems(text[:2_000]))
    for kind, words in ASK_STEMS.items():
        if said & words or (kind in PHRASES and PHRASES[kind].search(text[:2_000])):
            return kind
    return None


def did_of(text: str) -> str:
    """The kind of answer: code, plan (a list), question or explanation."""
    if "```" in text or CODE.search(text):
        return "code"
    if len(LIST.findall(text)) >= 3:
        return "plan"
    return "question" if text.rstrip().endswith("?") else "explanation"


def mine(db: Database, new: Sequence[Turn], now: float) -> tuple[list[int], list[int]]:
    """Count the answered requests among *new* turns (of one session, in order), and what they add up to.

    Returns the ids of procedures that were added and of those that were taken back. The caller owns the transaction.
    """
    if not new:
        return [], []
    heard = _exchanges([*nights.before(db, new[0].session, new[0].idx, BACK), *new])
    since = {turn.id for turn in new}
    rows: list[tuple[int, int, str, str]] = []
    for exchange in heard:
        if not since.isdisjoint(turn.id for turn in (*exchange.answers, *exchange.then)):
            habits.unsee(db, exchange.asked[-1].id)  # what was counted of it when it was not over
            rows += _shown(exchange)
    habits.saw(db, rows)
    out = []
    for scope, ask, did in dict.fromkeys((scope, ask, did) for _, scope, ask, did in rows):
        if did.startswith("command:"):
            belief = _procedure(db, scope, ask, did, now)
            out += [belief] if belief is not None else []
    return out, _end(db, {(scope, ask) for _, scope, ask, _ in rows}, now)


def recount(db: Database, now: float) -> None:
    """Take back procedures of an earlier release that today's reading of their sessions does not show often enough."""
    shown: dict[int, list[tuple[int, int, str, str]]] = {}
    for id, scope, tag in habits.mined(db):
        ask, _, command = tag.removeprefix(habits.TAG).partition(">command:")
        did, misread = f"command:{command}", False
        for turn, session in habits.turns(db, scope, ask, did):
            if session not in shown:
                told = _exchanges(nights.before(db, session, ALL, ALL))
                shown[session] = [row for exchange in told for row in _shown(exchange)]
            asks = [asked for each, _, asked, done in shown[session] if (each, done) == (turn, did)]
            habits.keep(db, turn, did, asks)
            misread = misread or ask not in asks
        if misread and not _support(db, scope, ask, did):
            retract(db, id, now)


def worth(habit: Habit, now: float) -> float:
    """Support that fades with the time since it was last seen."""
    return habit.support * float(2.0 ** (-max(0.0, now - habit.last) / (HALF_LIFE_DAYS * DAY)))


def confidence(support: int) -> float:
    """Expected chance that the habit holds again: Beta(2, 2) and a success each time."""
    return (2.0 + support) / (4.0 + support)


def recall(db: Database, scopes: Sequence[int], query: str, now: float, limit: int = 5) -> list[Habit]:
    """Habits that the query's kind of request calls for, strongest first; none for a request of no kind."""
    ask = ask_of(query)
    found = habits.of_ask(db, scopes, ask, SUPPORT) if ask else []
    return sorted(found, key=lambda h: (-worth(h, now), h.did))[:limit]


def _exchanges(turns: Sequence[Turn]) -> list[Exchange]:
    """What was asked and answered among turns of one session; a client writes a turn for each message."""
    told = [turn for turn in turns if turn.role in ("user", "assistant")]
    runs = [list(run) for _, run in groupby(told, key=lambda turn: turn.role)]
    first = 0 if runs and runs[0][0].role == "user" else 1
    return [
        Exchange(*part)
        for part in zip_longest(runs[first::2], runs[first + 1 :: 2], runs[first + 2 :: 2], fillvalue=())
    ]


def _shown(exchange: Exchange) -> Iterator[tuple[int, int, str, str]]:
    """`(turn, scope, ask, did)` that an exchange shows; commands only where no complaint followed."""
    turn, request = exchange.asked[-1], "\n".join(turn.text for turn in exchange.asked)
    answer = "\n\n".join(turn.text for turn in exchange.answers)
    ask = ask_of(request)
    if ask is None:
        return
    yield turn.id, turn.scope, ask, did_of(answer)
    if not exchange.then or _complains(exchange.then[0].text):
        return
    for command in _commands(answer):
        yield turn.id, turn.scope, ask, f"command:{command}"
        if ask == "bug":
            for name in _names(request):
                yield turn.id, turn.scope, f"fails:{name}", f"command:{command}"


def _complains(text: str) -> bool:
    """Whether the user says that what was done was wrong or did not help."""
    plain = cues.plain(text[:2_000])
    return bool(ask_of(text) == "bug" or cues.SHAPES["contradicts"].match(plain) or UNHELPED.search(plain))


def _commands(text: str) -> list[str]:
    """The commands that an answer tells of as run, or to be run; none that it refuses, offers or plans."""
    said = [s for s in SENTENCE.findall(text[:ANSWER]) if not NOT_RUN.search(cues.plain(s))]
    found = [n.name for n in extract("\n".join(said)) if n.kind == "command" and 3 < len(n.name) < 100]
    return list(dict.fromkeys(found))[:COMMANDS]


def _names(text: str) -> list[str]:
    found = [n.norm for n in extract(text) if n.kind not in ("command", "version", "person")]
    return list(dict.fromkeys(found))[:NAMES]


def _procedure(db: Database, scope: int, ask: str, did: str, now: float) -> int | None:
    """The belief of a habit that names a command; its evidence is the turns that showed it, each once."""
    seen = _support(db, scope, ask, did)
    if not seen:
        return None
    command, tag = did.partition(":")[2], f"{habits.TAG}{ask}>{did}"
    known, added = habits.procedure(db, scope, tag), None
    if known is None or habits.ended(db, known):
        done = revise(db, _candidate(scope, ask, command, tag, nights.by_id(db, seen[-1:])[0]), now)
        if not isinstance(done, Added):
            return None
        known = added = done.id
    if beliefs.get(db, known).superseded_by is not None:
        return None  # put right by the user
    have = habits.witnessed(db, known)
    for turn in nights.by_id(db, [t for t in seen if t not in have]):
        beliefs.witness(db, known, "repeated", 1.0, turn.at, turn.id)
    return added


def _end(db: Database, asked: Collection[tuple[int, str]], now: float) -> list[int]:
    """Take back what was mined for these kinds of request and is run for hardly any of them now; its ids. What the user
    brought back stays."""
    out = []
    for id, scope, tag in habits.mined(db):
        ask, _, did = tag.removeprefix(habits.TAG).partition(">")
        if (scope, ask) not in asked or not _over(db, scope, ask, _turns(db, scope, ask, did)):
            continue
        if not conflicts.stands(db, id):
            retract(db, id, now)
            out.append(id)
    return out


def _support(db: Database, scope: int, ask: str, did: str) -> list[int]:
    """The turns that showed a habit, none when they are too few to make a procedure."""
    shown = _turns(db, scope, ask, did)
    seldom = not ask.startswith("fails:") and len(shown) < max(SUPPORT, USUALLY * habits.asked(db, scope, ask))
    if seldom or len(set(shown.values())) < SESSIONS:
        return []
    return [] if _over(db, scope, ask, shown) else list(shown)


def _turns(db: Database, scope: int, ask: str, did: str) -> dict[int, int]:
    """The turns that showed a habit, in order, each with its session."""
    shown = dict(habits.turns(db, scope, ask, did))
    if ask == "bug":  # what is known of the failure of one thing is not said of every failure
        named = habits.named(db, scope, did)
        shown = {turn: session for turn, session in shown.items() if turn not in named}
    return shown


def _over(db: Database, scope: int, ask: str, shown: Collection[int]) -> bool:
    """Whether a command that these turns *shown* is run for hardly any of the latest such requests."""
    latest = habits.latest(db, scope, ask, RECENT)
    return len(latest) == RECENT and sum(turn in shown for turn in latest) < OVER * RECENT


def _candidate(scope: int, ask: str, command: str, tag: str, last: Turn) -> Candidate:
    if ask.startswith("fails:"):
        name = ask.partition(":")[2]
        text, triggers = f"When {name} fails, `{command}` has helped.", f"{name} fails error"
    else:
        text, triggers = f"When asked to {ask}, `{command}` is what was run.", ASKS[ask]
        if ask == "bug":
            text = f"After a failure, `{command}` is what was run."
    return Candidate("procedure", text, "agent", scope, last.at, triggers=triggers, tags=tag)
