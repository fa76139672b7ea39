"""Does a sentence put right what the assistant just did or said, without saying "no" or "wrong"?

"Tickets get closed by QA" after "I closed the ticket" is a correction: it says how a thing the assistant touched is, in
general. A report of what went wrong just now ("it fails with ...") and a delay ("not yet") are none. Rules, no model.
"""

from __future__ import annotations

import re

from agentmemory.text import STOP, stem, words

OPENING = 600  # characters of the assistant's turn, at its end, that are compared
SAME = 4  # letters of a stem that two forms of a word share ("merged", "merges")
BRIEF = 12  # words of a fragment

ACTED = re.compile(
    r"\b(?:i(?:['’]?(?:ve|ll|m|d))?\s+(?:have\s+|will\s+|am\s+)?(?!think|see|suggest|propose|could|would|recommend|don)\w+"
    r"|let\s+me\s+\w+|we['’]?(?:ll|re))\b|^(?:[A-Z]\w+(?:ed|ing)|Done|Here|The|This|Your|My)\b",
    re.IGNORECASE,
)
GENERAL = re.compile(
    r"^(?:(?:the|our|all|any|every|each|new|of|for|in|on)\s+){0,2}(?P<subject>[a-z][\w/-]*(?:\s+[\w/-]+){0,3}?)\s+"
    r"(?:always\s+|only\s+|all\s+|still\s+|now\s+|never\s+)?"
    r"(?:are|is|isnt|arent|go|goes|get|gets|live|lives|stay|stays|belong|belongs|run|runs|come|comes|use|uses|sit|sits"
    r"|need|needs|follow|follows|start|starts|end|ends|happen|happens|take|takes|must|have|has|answer|answers|return"
    r"|returns|doesnt|dont|carry|carries|wait|waits|count|counts|point|points|hold|holds|mean|means|insist|insists|say"
    r"|says)\b(?! \w+ing\b)"
)
POINTING = frozenset(
    "it that this these those they there he she i you we what who which here one both none line".split()
)
#: what a report of the present state says
REPORTS = re.compile(
    r"^(?:(?:hm+|no|ok|and|but|now|still|argh|ugh|sorry|well|yeah|oh)[,. ]+)*"
    r"(?:(?:it|that|this|the \w+(?: \w+)?|everything|nothing|something|\w+ of them|tests?|ci|the build)\s+)?"
    r"(?:(?:is|are|was)\s+)?(?:still|just|now|also|always)?\s*"
    r"(?:doesnt|dont|does not|do not|isnt|is not|didnt|wont|cant)?\s*"
    r"(?:fails?|failed|failing|breaks?|broken|crash\w*|throws?|errors?|hangs?|blank|empty|red|stuck|slow|compiles?|matches"
    r"|match|works?|worked|renders?|loads?|starts?|builds?|shows?|says?|gives?|prints?|returns?|complains?|timed? ?out"
    r"|getting|missing|wrong again)\b(?! (?:every|at every|each|whenever|only)\b)",
)
FAILS = re.compile(
    r"\b(?:fail\w*|broken|crash\w*|throws?|error\w*|exception|traceback|hangs?|blank|red|stuck|typo|timed? ?out|5\d\d"
    r"|40[0-9]|not found|undefined|null|nonetype|match|matches|nan|inf|duplicated|doubled|upside down|arrives? twice"
    r"|in the (?:output|logs?|console)|slow|slower)\b"
)
PUTS_OFF = re.compile(
    r"^(?:(?:hm+|no|ok|oh|well|yes|sorry)[,. ]+)*(?:not (?:yet|now|today)|hold on|hang on|wait\b"
    r"|one (?:sec|second|moment|minute)|in a (?:sec|bit)|(?:later|tomorrow)\b"
    r"|let me (?:have|take|think|check|look|sleep|see|read)|give me)\b"
)
UNDOES = re.compile(
    r"^(?:(?:hm+|no|ok|oh|please|pls|and|then|now)[,. ]+)*(?:undo|revert|roll back|take back|reset|restore|discard)\s+"
    r"(?:that|this|it|the|your|my|all)\b(?! (?:i said|rule|what i))"
)
#: what is said of this one thing and moment only
PASSES = re.compile(
    r"\bi(?:d)? (?:like|prefer|love|take|want) (?:the )?(?:first|second|third|fourth|last|other|this|that|it|[abc]"
    r"|\d\w*)\b(?! (?:when|if|to))|\bis off\b(?![ -](?:limits|the))"
    r"|\blooks? (?:better|nicer|weird|odd|off|funny|good|fine|wrong|great)\b"
    r"|\bput (?:it|that|them) back\b|\bback where it was\b|\bbefore (?:we|i) decide\b"
    r"|\bneed to (?:talk|ask|think|sleep)\b|\bfor (?:the moment|now)\b|\b(?:ages|forever) to\b"
    r"|\b(?:right now|on my (?:machine|phone|laptop|screen))\b"
)
#: rules of the house are no hearsay
OURS = re.compile(
    r"\bour (?:\w+ ){0,2}(?:guides?|guidelines?|conventions?|polic(?:y|ies)|rules?|standards?|handbook|contract"
    r"|licen[cs]e|charter|process)\b|\b\w+s (?:like \w+ (?:\w+ ){0,3})?(?:dont|do|are|get|go)\b.*\bhere\b"
)
#: words that begin an answer, a choice or a wish rather than a statement
NO_FRAGMENT = re.compile(
    r"^(?:the|a|an|that|this|these|those|by|in|on|for|with|from|to|at|as|of|more|less|much|\w+er|not|no|yes|only|just|still"
    r"|same|also|too|very|really|so|option|version|number|line|step|part|page|ok|hm+|oh|lol|ugh|wow|nice|great|cool|good"
    r"|thanks|thx|sure|perfect|and|but|or|now|then|maybe|perhaps|what|which|how|why|when|where|who)\b"
)
FIRM = re.compile(r"\b(?:always|never|only|everywhere|every|all|forbidden|exclusively)\b")
CONTRAST = re.compile(
    r"(?:,\s*|\b)(?:not|instead of|rather than|isnt|arent)\s+(?:(?:by|through|via|with|in|on|to|an?|the) )*(\w[\w./-]*)"
)
VERB = re.compile(
    r"\b(?:is|are|was|were|be|has|have|had|do|does|did|can|could|should|would|will|try|see|make|put|use|run|add|let|look|go"
    r"|goes|get|gives?|fails?|works?|its|thats|im|ive|lets|it|them|me|you|i|cancel|stop|kill|fix|drop|check|rename|delete)\b"
)


def rights(plain: str, previous: str) -> bool:
    """Whether a plain sentence (see `cues.plain`) says in general how something is that the assistant's turn did or
    stated otherwise."""
    if not ACTED.search(previous) or previous.rstrip().endswith("?") or FAILS.search(plain):
        return False
    theirs = _stems(previous[-OPENING:])
    pieces = re.split(r"[,;]\s+|\s[–—-]\s", plain)
    return any(_general(piece, theirs) for piece in pieces) or _contrasts(plain, theirs)


def revalues(plain: str, previous: str) -> bool:
    """Whether a sentence gives a number for what the assistant gave one for."""
    numbered = re.search(r"\d", plain) and re.search(r"\d", previous)
    return bool(numbered) and rights(plain, previous) and _shared(_stems(plain), _stems(previous[-OPENING:]))


def fragment(plain: str, previous: str) -> float:
    """How surely a few words without a verb stand for such a sentence: "squash merges only", "120 columns". 0 to 1."""
    head = re.split(r"[,.;!]", plain, maxsplit=1)[0].strip()
    if not ACTED.search(previous) or previous.rstrip().endswith("?") or FAILS.search(plain) or VERB.search(head):
        return 0.0
    if not 1 < len(words(head)) <= BRIEF:
        return 0.0
    numbers = bool(re.search(r"\d", head)) and bool(re.search(r"\d", previous))
    if numbers or _shared(_stems(head), _stems(previous[-OPENING:])):
        return 1.0
    return 0.0 if NO_FRAGMENT.match(head) else 0.75


def reports(plain: str) -> bool:
    """Whether a sentence tells how the present attempt went."""
    return bool(REPORTS.match(plain)) and not FIRM.search(plain)


def fails(plain: str) -> bool:
    """Whether a sentence speaks of a failure, or of how something came out."""
    return bool(FAILS.search(plain)) and not FIRM.search(plain)


def stated(plain: str) -> bool:
    """Whether what looks like an order is a subject with its verb: "copy comes from the CMS"."""
    return bool(re.match(r"\w+\s+(?:comes|goes|lives|belongs|is|gets|stays|sits|runs|has|needs|means)\b", plain))


def passes(plain: str) -> bool:
    """Whether a sentence speaks of this one thing and moment only."""
    return bool(PASSES.search(plain)) and not FIRM.search(plain)


def of_the_house(plain: str) -> bool:
    """Whether what is cited is the speaker's own house's."""
    return bool(OURS.search(plain))


def puts_off(plain: str) -> bool:
    """Whether a sentence only asks to wait."""
    return bool(PUTS_OFF.match(plain))


def undoes_work(plain: str) -> bool:
    """Whether it is the work that is to be undone, not something that was said."""
    return bool(UNDOES.match(plain))


def _general(piece: str, theirs: set[str]) -> bool:
    """ "tickets get closed by qa": a subject of its own, in the present, that the assistant's turn speaks of."""
    found = GENERAL.match(piece.strip())
    if not found:
        return False
    subject = found["subject"].split()
    if not subject or subject[0] in POINTING or len(piece.split()) < 3:
        return False
    return _bare_plural(piece) or _shared(_stems(" ".join(subject)), theirs)


def _bare_plural(piece: str) -> bool:
    """ "images are pinned": no article, so all of them."""
    first = piece.split()[0]
    return len(first) > 3 and first.endswith("s") and not first.endswith(("ss", "us", "is")) and first not in STOP


def _contrasts(plain: str, theirs: set[str]) -> bool:
    """ "by QA, not by us", "X instead of Y", where Y is what the assistant did."""
    found = CONTRAST.search(plain)
    return bool(found) and _shared(_stems(found[1]), theirs)  # type: ignore[index]


def _stems(text: str) -> set[str]:
    return {stem(word) for word in words(text) if word not in STOP and len(word) > 2}


def _shared(mine: set[str], theirs: set[str]) -> bool:
    return any(
        a == b or (len(min(a, b, key=len)) >= SAME and (a.startswith(b) or b.startswith(a)))
        for a in mine
        for b in theirs
    )
