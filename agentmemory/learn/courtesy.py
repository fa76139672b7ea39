"""A wish that is put as a question: what it lays down, without its courtesy.

"Could we agree that nobody writes to the legacy schema?" is a rule, "could we agree on a name?" a question, "could you
run the tests?" a task: the frame is the same. What stands in it says which: that it holds always, never, for all, or is
to be a habit.
"""

from __future__ import annotations

import re
from functools import lru_cache

from agentmemory.learn.cues import FLAGS, SHAPES

PURPOSE = re.compile(r",? so (?:that )?(?:we|i|you|it|they|he|she|this|that|the|nobody|no one|none)\b.*")
OFTEN = re.compile(r"\b(?:always|never|only)\b")


@lru_cache(maxsize=512)
def laid_down(said: str) -> str:
    """What a plain sentence asks for, from its first word that says something, where that is meant to last; else ""."""
    frame = SHAPES["courtesy"].match(said)
    if frame is None:
        return ""
    wish = said[frame.end() :].strip(" ?,.!")
    if SHAPES["dependent"].match(wish) or SHAPES["asks_about"].match(wish) or FLAGS["one_off"].search(wish):
        return ""
    if any(frame.group("agreed", "habit", "everyone")):
        return wish
    if any(frame.group("opinion", "we")) and OFTEN.search(wish):
        return ""  # "would you never use recursion here?", "can we always assume that it is sorted?"
    asked = PURPOSE.sub("", wish)  # "can you pin it, so that it never surprises us again"
    return wish if SHAPES["lastingly"].search(asked) or SHAPES["wish_rules"].match(asked) else ""
