"""Whether a comma in a rule goes on with a list ("npm, yarn or bun") or begins a clause ("npm, use yarn or bun")."""

from __future__ import annotations

import re
from itertools import dropwhile, takewhile

from agentmemory.learn.guard_commands import is_english, is_program, is_typical
from agentmemory.text import STOP

#: what follows a comma where a list goes on: items up to the last "or", "and" with one of at most four words before it
NEXT_ITEMS = re.compile(
    r"\s*(?:,\s*(?!(?:or|and|nor)\s)(?:[^\s,]+\s+){0,3}[^\s,]+\s*)*?(?:,\s*(?:(?:[^\s,]+\s+){1,4})?(?:or|and|nor)\s)"
    r"(?!(?:use|run|always|never|no|not|do|don['’]?t)\b)",
    re.IGNORECASE,
)
#: the next of several that all stand in code: "`.github/`, `scripts/`, `config.yml`"
NEXT_CODE = re.compile(r",\s*`[^`]*`(?:\s*[.,;:)]|\s+[—–-]|\s*$)")
BEHIND = STOP | {"without", "unless", "directly"}  # where the last item of a list is over
ENDS = frozenset(("or", "and", "nor"))
TURNS = frozenset("use run always only never no not but instead prefer ask".split())  # these begin a clause


def goes_on(rest: str) -> bool:
    """Whether what begins with a comma is the next item of a list that ends in "or" or "and", and no new clause."""
    if NEXT_CODE.match(rest):
        return True
    found = NEXT_ITEMS.match(rest)
    behind = re.split(r"[,.;]\s|[.;]$", rest[found.end() :])[0].split() if found else []
    last = list(
        takewhile(lambda word: word not in BEHIND, dropwhile(lambda word: word in ("the", "any", "other"), behind))
    )
    items = [*(item.split() for item in found[0].split(",") if item.strip()), last] if found else []
    return bool(last) and all(map(_is_item, items))


def _is_item(words: list[str]) -> bool:
    """A name ("yarn", src/a.ts, code) or a command ("terraform destroy"), with the "or" around it."""
    named = [word for i, word in enumerate(words) if i not in (0, len(words) - 1) or word.lower() not in ENDS]
    if len(named) < 2:
        return not (named and named[0].lower() in TURNS)
    if re.match(r"(?:commands?|files?|folders?|scripts?|tools?)\W*$", named[-1]):  # "or any compile commands"
        return True
    if set(named[0]) & set("/`") or "." in named[0][:-1]:
        return True
    return is_program(named[0]) and (not is_english(named[0]) or is_typical(named[1])) and named[1] not in STOP
