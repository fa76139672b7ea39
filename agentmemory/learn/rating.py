"""What its marks say of one sentence: how much speaks for its lasting, and whether nothing of it may be kept."""

from __future__ import annotations

import re
from functools import lru_cache

from agentmemory.learn import conditional, courtesy, cues, handed_on, manner, neighbours, retired
from agentmemory.learn.cues import SHAPES
from agentmemory.learn.groups import IDENTIFIER, NUMBER, ORDERED, SETTLED
from agentmemory.learn.kept import FIRM
from agentmemory.learn.passages import Sentence
from agentmemory.learn.rated import VETOES, Rated

NAMED = 0.9  # worth of naming a path, host, command, port ...
COUNTED = 0.5  # worth of a number
STATED = 0.4  # worth of a plain statement in the present
BRIEF, ASIDE = 240, 4  # characters of a sentence that may lay something down beside an order; commas before that
LEAD = 50  # characters before a colon that may lead in what is said

REASON = re.compile(r"\b(?:because|cause|since|as)\b")
WE_ARE = re.compile(r"\bwe['’]re\b", re.I)


def rate(said: Sentence) -> Rated:
    """A sentence by itself; what stands around it is weighed by who reads the turn."""
    plain, marks, score, out, order, idle, named, wished = _rated(said.text, said.whole == 0, said.clause)
    return Rated(said, plain, set(marks), score, out, order, idle, named, wished)


@lru_cache(maxsize=1_024)
def _rated(said: str, first: bool, clause: bool) -> tuple[str, frozenset[str], float, bool, bool, bool, bool, bool]:
    """What `rate` says of a sentence, wherever in a turn it stands: how a project talks is asked before it is read."""
    whole = cues.plain(said)
    said_so = _laid_down(_told(whole))
    wish = courtesy.laid_down(cues.start(said_so))
    text = wish or said_so
    question = not wish and said.rstrip(" )\"'").endswith("?")
    if question and (tag := SHAPES["tag"].search(text)) and not cues.FLAGS["question"].search(cues.start(text)):
        text, question = text[: tag.start()], False
    named = bool(IDENTIFIER.search(said) or cues.TEMPLATE.search(said))
    marks = _marks(text, first, named)
    if wish:
        marks = marks - {"question", "ask", "plan"} | {"from_now"}
    order = not wish and bool(SHAPES["order"].match(cues.start(text)))
    question = question or ("question" in marks and _asks(said, text, clause) and not marks & {"standing", "from_now"})
    question = question or (not wish and _asks_at_last(text))
    if order and "polite" in marks and SHAPES["step_starts"].search(text):
        marks.discard("step")  # "start with the flags please" is a task
    score = 0.0
    lead, _, rest = text.partition(": ")
    if 0 < len(lead) < LEAD and len(rest.split()) >= 4:  # what leads in does not say how long it holds
        marks -= set(cues.PASSING) - {"tried"}
        marks |= cues.marks(rest) & set(cues.PASSING)
    score += _worth(text, marks, order, named, said_so != whole)
    if marks & {"from_now", "step"}:
        marks.discard("one_off")
    hearsay = text == whole and _hearsay(marks) and not SHAPES["purpose"].search(text)
    out = question or bool(marks & VETOES) or hearsay or manner.by_program(said)
    idle = bool(SHAPES["ack"].match(text))
    return text, frozenset(marks), score, out, order and not marks & FIRM, idle, named, bool(wish)


def _marks(text: str, first: bool, named: bool) -> set[str]:
    """The marks of a sentence, without those that other words of it take the force from."""
    marks = cues.marks(text)
    if "elsewhere" in marks and "elsewhere" not in cues.marks(REASON.split(text)[0]):
        marks.discard("elsewhere")  # "it stays, because at my last place ..."
    withdraws = first and retired.withdraws(text)  # a later one takes back what the same turn said
    if "retraction" in marks and retired.put_anew(text):
        marks = marks - {"retraction"} | {"update"}
    if withdraws or retired.told_wrong(text) is not None:
        marks -= {"retraction", "dismissed", "reported"}  # one's own words, and at once what holds instead
    if "update" in marks and SHAPES["changed"].match(text):
        marks.discard("day")  # "moved ci to github actions this morning": that day is over, what it changed holds
    if "chosen" in marks:
        marks.add("decided")
    if handed_on.told(text):
        marks.add("update")
    if SHAPES["counts_only"].match(text):
        marks.discard("step")
    if "step" in marks and SHAPES["promised"].search(text) and not named:
        marks = {"ask"}  # "you get the second step when Ilse is back" is none yet
    return marks


def _worth(text: str, marks: set[str], order: bool, named: bool, told: bool) -> float:
    """How much speaks for a sentence's lasting; *told*: it was asked to be written down."""
    lasting, passing = cues.worth(marks)
    score = lasting - (passing / 2 if marks & SETTLED or told else passing)
    score += NAMED * named + COUNTED * bool(NUMBER.search(text))
    if "fact" in marks and not order and not marks & (set(cues.PASSING) - {"past"}):
        score += STATED
    if told:
        score += neighbours.TOLD
    if order and not marks & FIRM:
        score -= ORDERED * (2 if SHAPES["show_me"].match(cues.start(text)) else 1)
    return score


def _told(text: str) -> str:
    """What is to be written down, where a sentence asks for it to be written: "put this into the docs: ..."."""
    head, _, tail = text.partition(": ")
    lead = cues.start(head)
    asked = bool(SHAPES["write_down"].search(lead)) and len(tail.split()) >= 5
    return tail if asked else text


def _laid_down(text: str) -> str:
    """What is laid down, where a sentence does so beside what it orders: "add the entry, every write needs one"."""
    clauses = text.split(", ", ASIDE)
    if len(text) > BRIEF or not SHAPES["order"].match(cues.start(clauses[0])):
        return text
    rules = (i for i in range(1, len(clauses)) if SHAPES["lays_down_aside"].match(clauses[i]))
    return next((", ".join(clauses[i:]) for i in rules), text)


def _asks(said: str, text: str, clause: bool) -> bool:
    """Whether a sentence that begins like a question is one, although no question mark ends it."""
    bare = cues.start(text)
    if bare.startswith("were ") and WE_ARE.search(said):
        return False
    if bare.startswith("should ") and "," in bare and conditional.ordered(bare):
        return False  # "should the export fail, mail ops"
    relative = clause and bare.startswith(("what", "which", "who", "when", "where"))
    relative = relative or bool(SHAPES["which_is"].match(bare))  # "which is my fault"
    return not relative and not (bare.startswith(("whats", "whos")) and len(bare.split()) > 12)


def _asks_at_last(text: str) -> bool:
    """Whether a plain sentence tells nothing that lasts and ends in a question: "tune the radio, what freq do we use"
    does."""
    first, comma, last = text.rpartition(", ")
    return bool(comma) and not cues.marks(first) and bool(cues.FLAGS["question"].search(cues.start(last)))


def _hearsay(marks: set[str]) -> bool:
    """What others say counts only when it tells of a change or of a decision."""
    return "reported" in marks and not marks & {"now", "from_now", "decided", "update"}
