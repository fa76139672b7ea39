"""Whether an answer to the agent's question gives for all cases another value than the one that the question names of
what is known: "webp, all textures" to "PNG like the other ones?" after "textures are exported as png". Pure functions
over texts.
"""

from __future__ import annotations

from agentmemory.learn import cues, thesaurus
from agentmemory.learn.likeness import bag
from agentmemory.learn.parallel import LINKS, TO_WHAT, WORD, told
from agentmemory.learn.rated import VETOES, asks
from agentmemory.learn.retired import VAGUE
from agentmemory.learn.retold import SENTENCE
from agentmemory.text import stems

LASTS = frozenset(("update", "now", "from_now", "general"))  # marks of an answer that is not for this time only
LONGEST = 12  # words of an answer that speaks of the question alone
LONGEST_VALUE = 4  # words of what is known of a thing
ALIKE = frozenset("yes yeah yep ja sí oui ok okay right correct exactly sure".split())  # answers that agree
MARKS = LASTS | VETOES


def question(text: str) -> str:
    """The last sentence of the agent's, where it is a question."""
    last = SENTENCE.split(text.strip())[-1]
    return last if asks(last) else ""


def otherwise(said: str, of: str, old: str) -> bool:
    """Whether *said*, which answers the question *of* what is known, puts another value in the place of the one that
    the question names and the *old* statement ends with."""
    plain = cues.plain(said)
    words = plain.split()
    if not of or asks(said) or not 0 < len(words) <= LONGEST or words[0].strip(",.;!") in ALIKE:
        return False
    marks = cues.marks(plain, MARKS)
    if not marks & LASTS or marks & VETOES:
        return False
    what, value = _value(old)
    mine, theirs = frozenset(stems(said)), bag(of)
    if not value or not value <= theirs | frozenset(stems(of)) or value <= mine:
        return False
    new = mine - VAGUE - theirs - bag(old)
    return bool(new) and thesaurus.akin(what - VAGUE, theirs | mine)


def _value(old: str) -> tuple[frozenset[str], frozenset[str]]:
    """The stems of what a statement speaks of and of the value that it ends with."""
    words = WORD.findall(told(old))
    links = [i for i, word in enumerate(words) if i and word in TO_WHAT | LINKS]
    if not links or not 0 < len(words) - links[-1] - 1 <= LONGEST_VALUE:
        return frozenset(), frozenset()
    cut = links[-1] + 1
    return frozenset(stems(" ".join(words[:cut]))), frozenset(stems(" ".join(words[cut:]))) - VAGUE
