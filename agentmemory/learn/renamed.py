"""Whether a statement gives another name to what an older one gives a name: "sparrow is now wren" after "the clusters
are called falcon and sparrow". Knows nothing of what is renamed in code ("rename the variable"). Pure functions over
texts.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from agentmemory.learn import cues, thesaurus
from agentmemory.learn.exchanged import AT_ONCE, DOUBTED, LATELY, LEAD, NAME, NOT_YET, OUR, not_yet, of_it
from agentmemory.learn.parallel import WORD, told
from agentmemory.learn.retired import VAGUE
from agentmemory.text import stems

#: "we renamed (the db) (from) orca to walrus", "we're renaming",
RENAMES = re.compile(
    rf"{LEAD}(?:(?:(?:we|they|i)(?: have|ve)? )?{LATELY}renamed|(?:we|they|i) {LATELY}rename|"
    rf"(?:(?:were|theyre|im|(?:we|they) are|i am) )?{LATELY}renaming) {OUR}(?P<what>(?:{NAME} ){{0,2}}?)(?:from )?"
    rf"(?P<old>{NAME}) (?:to|into|as) (?P<new>{NAME})(?P<rest>[^,;:!?()]*)"
)
#: "orca was renamed walrus", "is now known as", and, where a state may be meant, "is now"
IS_NAMED = re.compile(
    rf"{LEAD}{OUR}(?P<old>{NAME}) (?:(?:was|is|has been|got|gets|is being) {LATELY}"
    r"(?:re(?:named|christened|branded)(?: (?:to|into|as))?|known as|nicknamed|dubbed)|(?:now )?goes by(?: the name)?|"
    r"(?P<state>(?:is|are) (?:now(?: called| named)?|called(?= \S+ now\b)|from now on(?: called)?)|"
    r"(?:is|are)(?= \S+ (?:now|from now on)\b)|becomes)) "
    rf"{OUR}(?P<new>{NAME})(?: now)?(?P<rest>[^,;:!?()]*)"
)
WRITTEN = (">", "→", "⇒")
#: "orca -> walrus"
ARROW = re.compile(
    rf"{LEAD}{OUR}(?P<old>{NAME}) ?(?P<state>[-=]+>|[→⇒]) ?(?P<new>{NAME})(?: {NAME})?(?P<rest>[,.:;(](?: .*)?)?$"
)
CODE = re.compile(r"\w[._]\w")  # no everyday word is written so
DONE = re.compile(r"\W*renamed\b", re.I)  # how an answer says that it is a name
GOING_ON = re.compile(r"\b(?:rename|renaming|gets|is being|becomes)\b")
LISTED = rf"(?:{NAME}(?: \([^)]*\))?(?:,| and|, and|/| or) )*"  # names beside one


class Names(NamedTuple):
    """Which name gives way to which, and for what; how it says so where it may speak of a state."""

    old: str
    new: str
    of: frozenset[str]
    state: str


def renames(plain: str) -> bool:
    """Whether a plain sentence (see `cues.plain`) certainly gives another name to something."""
    said = read(plain)
    return said is not None and not said.state


def planned(plain: str) -> bool:
    """Whether a plain sentence says that something is going to have another name, but has not yet."""
    found = RENAMES.match(plain) or IS_NAMED.match(plain)
    return found is not None and GOING_ON.search(found.group()) is not None and not_yet(plain, found)


def renamed(new: str, old: str, answer: str) -> bool:
    """Whether the new statement gives another name to what the older one gives this name; where "now" may be followed
    by how something is ("orca is now live"), only if that is written or answered like a name."""
    said = read(cues.plain(new))
    if said is None or not of_it(said.of, set(stems(old))) or (said.state and not _is_a_name(said, new, answer)):
        return False
    name = CODE.search(said.old) is not None or not any(map(thesaurus.ordinary, stems(said.old)))
    written = said.state.endswith(WRITTEN) and name
    before = r"(?<![\w./-])" if written else rf"\b(?:is called|is|are) {LISTED}"
    return re.search(rf"{before}{re.escape(said.old)}(?![\w-])", told(old)) is not None


@lru_cache(maxsize=512)
def read(plain: str) -> Names | None:
    """Which name a plain sentence gives in the place of which; None for most."""
    found = RENAMES.match(plain) or IS_NAMED.match(plain) or ARROW.match(plain)
    if found is None or cues.marks(found.group(), DOUBTED):
        return None
    of, state, rest = *(found.groupdict().get(name) or "" for name in ("what", "state")), found.group("rest")
    if GOING_ON.search(found.group()) and NOT_YET.search(rest):
        return None
    if not_yet(plain, found) if found.re is ARROW else state and AT_ONCE.fullmatch(rest) is None:
        return None
    return Names(found.group("old"), found.group("new"), frozenset(stems(of)) - VAGUE, state)


def _is_a_name(said: Names, new: str, answer: str) -> bool:
    if CODE.search(said.new):
        return True
    if said.state.endswith(WRITTEN):
        return said.new.strip(".") in WORD.findall(answer.lower()) or DONE.match(answer) is not None
    if said.new.endswith("ly") or any(map(thesaurus.ordinary, stems(said.new))):
        return False
    if said.state.endswith(("called", "named")) or re.search(r"\d|\w[-_]\w", said.new):
        return True
    if re.search(rf"\b{re.escape(said.new.capitalize())}(?!\w)", new):
        return True
    so = rf"(?:\b(?:to|as|named|called)|=|[`\"'/]) ?{re.escape(said.new)}(?!\w)"
    return re.search(so, answer.lower()) is not None
