"""The clauses of a text, and which of them deny: "it no longer listens on 80, it listens on 81" denies once."""

from __future__ import annotations

import re
from dataclasses import dataclass

from agentmemory.learn import tongues
from agentmemory.text import stem, stems, words

#: words that turn a statement round; two of them in one clause turn it back ("the freeze is no longer on Friday")
DENIES = re.compile(
    r"\b(?:no|not|never|none|nothing|nobody|without|cannot|can['’]?t|don['’]?t|doesn['’]?t|didn['’]?t|won['’]?t|isn['’]?t|"
    r"aren['’]?t|wasn['’]?t|weren['’]?t|mustn['’]?t|shouldn['’]?t|stop(?:ped)?|avoid|dropped|drop|forbid(?:den|s)?|freeze|"
    r"frozen|ban(?:ned)?|blocked|prohibit(?:ed|s)?|refuse[sd]?|deleted|removed|retired?|deprecated|ignore[sd]?|"
    r"skip(?:s|ped)?|exclude[sd]?|omit(?:s|ted)?|reject(?:s|ed)?|lacks?|switched off|gone|instead of|rather than)\b",
    re.IGNORECASE,
)
#: a freeze, a ban that only says when: "never deploy during the freeze" denies once
WHEN = re.compile(
    r"\b(?:during|before|after|until|till|since|outside(?: of)?|within|in|while)\s+"
    r"(?:(?:the|a|an|any|our|this|that|each|every)\s+)?(?:\w+\s+)?(?:freeze|ban)s?\b",
    re.IGNORECASE,
)
#: what stands in the place of something, up to where the clause goes on
INSTEAD = re.compile(
    r"\b(?:instead of|rather than)\s+"
    r"(?:(?!\b(?:for|in|on|at|from|because|when|since|and|but|we|it|they|i|you)\b)[^,;.!?])+|,\s+not\s+[^,;.!?]+(?=,)",
    re.IGNORECASE,
)
#: "tabs over spaces": of a choice it is another word for "instead of"
OVER = re.compile(r"\b((?:prefer|favou?r|cho[os]s?e|pick|go (?:with|for))\w*\b[^.,;:!?\n]*?)\s+over\s+", re.IGNORECASE)
#: what a text turns away from: "moved from Jenkins to Actions", "from port 80", "we left Heroku", "Priya left the team"
TURNED_FROM = re.compile(
    r"\b(?:(?:mov|switch|migrat|port)(?:ed|ing)\s(?:[\w-]+\s){0,4}?(?:from|off)|"
    r"(?:chang|rais|lower)ed\sfrom(?=\s\d)|replac(?:ed|ing)|"
    r"(?:we|i)(?:['’]ve|\s+have|\s+just|\s+finally)*\s+left)\s+(?:(?:the|our)\s+)?(?:[a-z]+\s+(?=\d))?(\w[\w.:-]*)|"
    r"\b((?-i:[A-Z])[\w.-]*\w)\s+(?:has\s+)?(?:left|quit)\b"
    r"(?=\s+(?:the\s+(?:company|team|project|firm)|us)\b|\s*[,.;!]|\s*$)",
    re.IGNORECASE,
)
#: asks how it was, or whether it has changed
OF_THE_PAST = re.compile(r"\W*(?:did|was|were|has|have|had)(?:n['’]?t)?\b", re.IGNORECASE)
#: what a question sets its supposition against
AGAINST = re.compile(r",\s+(?:and\s+)?not\b[^,;.!?]*", re.IGNORECASE)
_NAMES = "two three four five six seven eight nine ten eleven twelve"
FIGURES = {name: str(n) for n, name in enumerate(_NAMES.split(), 2)}
GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,]|\.\d)")  # 1,000
SPELLED = re.compile(rf"\b(?:{'|'.join(FIGURES)})\b", re.IGNORECASE)
STOPS = re.compile(r"[.;!?\n]+\s+")
TURNS = re.compile(r"(\s+(?:but|however|except|instead(?! of))\s+|,\s+(?=(?:no|not|never|don)\b))", re.IGNORECASE)
#: where a clause may end, and what then says that it was the middle of a list
JOINTS = re.compile(r",\s+(?:(?:and|while|whereas|because)\s+)?|\s+(?:and|while|whereas|because)\s+", re.IGNORECASE)
LISTS = re.compile(r"\b(?:and|n?or)\b", re.IGNORECASE)
#: begins what belongs to the clause behind its comma
LEADS = re.compile(
    r"(?!(?:after|before|until|since|without) (?:that|this)\b)(?:in|on|at|for|from|with|without|by|to|as|if|when|while|"
    r"unless|until|before|after|during|since|because|outside)\b",
    re.IGNORECASE,
)
ITS_OWN = re.compile(r"(?:it|they|he|she|we|you|i)\b", re.IGNORECASE)  # a subject
#: begins a clause that goes on with the one before: "it", "that", "which", or at once the verb ("but does not keep it")
GOES_ON = re.compile(
    r"(?:(?:so|then|and|because|since|as|therefore|hence)\s+)?(?:it|they|he|she|that|this|these|those|which|who|"
    r"(?:does|is|are|was|were|has|had|must|should|may|can|could|will|would)(?:n['’]t)?|do not|don['’]t|cannot|not|"
    r"never)\b|(?:we|you|i)\b.*\b(?:it|them)\b|.*\b(?:not|n['’]t)$",
    re.IGNORECASE,
)
NEAR = 200  # characters on both sides of "instead of" that it belongs to
LEFT, RIGHT = 3, 2  # words on both sides of a joint between clauses; where there are fewer it is a list


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a text. words: its stems, with those of the clause that it goes on with; own: without them. denials:
    the words that turn it round. turn: the number of the larger part that it belongs to, up to a stop or a "but"."""

    text: str
    words: frozenset[str]
    own: frozenset[str]
    denials: int
    turn: int

    def denies(self, question: str) -> bool:
        """Whether it denies; what a question names of the clause before ("deleted files") is as good as said here."""
        taken_over = self.words - self.own
        return (self.denials + sum(stem(word.lower()) in taken_over for word in denying(question))) % 2 == 1


def denying(text: str) -> list[str]:
    """The words that turn a text round."""
    return DENIES.findall(WHEN.sub(" ", text))


def denials(text: str) -> int:
    """How many words turn a text round."""
    return len(denying(text))


def plain(text: str) -> str:
    """A text with its small numbers in digits, its large ones without commas, and single spaces; in another language
    with its words of structure in English."""
    text = tongues.in_english(text.lower()) if tongues.tongue(text) else text
    text = GROUPED.sub(lambda m: m[0].replace(",", ""), OVER.sub(r"\1 instead of ", text))
    return SPELLED.sub(lambda m: FIGURES[m[0].lower()], "\n ".join(" ".join(line.split()) for line in text.split("\n")))


def given_up(text: str, question: str) -> str:
    """What the *question* asks about as it is now and a text turns away from; "" where there is nothing of the kind."""
    if OF_THE_PAST.match(question) or denials(question) or TURNED_FROM.search(question):
        return ""
    asked = {stem(word) for word in words(question)}
    names = (m[1] or m[2] for m in TURNED_FROM.finditer(text))
    return next((name for name in names if {stem(word) for word in words(name)} <= asked), "")


def clauses(text: str) -> list[Clause]:
    """The clauses of a text in order; what stands behind "instead of" is one of its own."""
    out: list[Clause] = []
    turn = 0
    for sentence in STOPS.split(text):
        first, *rest = TURNS.split(INSTEAD.sub(" ", sentence))
        for turned, part in zip(("", *rest[::2]), (first, *rest[1::2])):
            for joint, piece in _pieces(part):
                out.append(_clause(turned or joint, piece, turn, out[-1] if out else None))
                turned = ""
            turn += 1
        for m in INSTEAD.finditer(sentence):
            near = stems(sentence[max(0, m.start() - NEAR) : m.start()])[:-1]  # all but what it stands against
            near += stems(sentence[m.start() : m.end() + NEAR])
            out.append(Clause(m[0], frozenset(near), frozenset(stems(m[0])), 1, turn))
            turn += 1
    return out


def _clause(joint: str, text: str, turn: int, before: Clause | None) -> Clause:
    """A clause with what it takes over from the one before: a denial behind a bare "and", the words of its "it"; what
    is excepted takes over both, turned round."""
    denied, own = denials(text), frozenset(stems(text))
    if before and not denied and joint.strip() == "and" and not ITS_OWN.match(text):
        denied = before.denials  # "never keep passwords in logs and tokens in mails"
    if before and joint.strip().lower() == "except":
        return Clause(text, own | before.words, own, denied + before.denials + 1, turn)
    return Clause(text, own | before.words if before and GOES_ON.match(text) else own, own, denied, turn)


def supposed(question: str) -> str:
    """A question without what it sets its supposition against: "ruff, not flake8", "ruff instead of flake8"."""
    return AGAINST.sub(" ", INSTEAD.sub(" ", question))


def _pieces(part: str) -> list[tuple[str, str]]:
    """The clauses of a part, each with what joins it to the one before."""
    out: list[tuple[str, str]] = []
    joint, begin, at, length, denied = "", 0, 0, 0, 0
    joints = list(JOINTS.finditer(part))
    last = max((m.start() for m in LISTS.finditer(part)), default=0)
    for m, end in zip(joints, [*(after.start() for after in joints[1:]), len(part)]):
        held, right = part[at : m.start()], part[m.end() : end]
        length, denied, at = length + len(held.split()), denied + denials(held), m.end()
        left = part[begin : begin + NEAR].strip()
        if not LEADS.match(left) and (
            m[0].strip(" ,") not in ("", "and") or _begins(left, length, denied > 0, right, last > m.end())
        ):
            out.append((joint, part[begin : m.start()]))
            joint, begin, length, denied = m[0], m.end(), 0, 0
    return [*out, (joint, part[begin:])]


def _begins(left: str, length: int, denies: bool, right: str, listed: bool) -> bool:
    """Whether what is *right* of "," or "and" is another clause and no further thing of a list; what is denied is a
    list while an "and" or an "or" that ends one is to come. length: words on the left."""
    if LEADS.match(right) or len(right.split()) < RIGHT:
        return False
    if not denies or ITS_OWN.match(right):
        return length >= LEFT
    return not listed and (length >= LEFT or DENIES.match(left) is not None)
