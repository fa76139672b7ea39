"""Lists in a rule: whether a comma goes on with one ("npm, yarn or bun") or begins a clause ("npm, use yarn or bun").

And what is forbidden by several verbs ("commit or push").
"""

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
NEXT_CODE = re.compile(r",\s*`[^`]*`(?:\s*[.,;:)]|\s+(?:[—–-]|without\b|unless\b)|\s*$)")
BEHIND = STOP | {"without", "unless", "directly"}  # where the last item of a list is over
ENDS = frozenset(("or", "and", "nor"))
DEEDS = frozenset("commit merge rebase amend stash tag revert squash force force-push cherry-pick close open".split())
TURNS = frozenset("use run always only never no not but instead prefer ask".split())  # these begin a clause

#: "commit, push or merge anything": words before the last are verbs, what follows that is of all
VERBS = re.compile(
    r"(?P<verbs>[a-z][a-z-]+(?:\s*,\s*[a-z][a-z-]+)*),?\s+(?:or|and|nor)\s+(?P<last>[a-z][a-z-]+)(?P<rest>(?:\s.*)?)$",
    re.IGNORECASE | re.DOTALL,
)


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
    if last and all(map(_is_deed, items)) and all(len(item) < 3 and "and" not in item for item in items[:-1]):
        return True  # verbs alone, with "or" before the last: "commit and open a PR" tells what to do
    return bool(last) and all(map(_is_item, items))


def verbs(action: str) -> list[str]:
    """Each action of a list of verbs, with what all of them are about; none where it is no such list."""
    found = VERBS.match(action)
    if not found:
        return []
    said = re.split(r"\s*,\s*", found["verbs"])
    if any(is_program(verb) and not is_english(verb) for verb in said):  # "npm or yarn install"
        return []
    return [*(verb + found["rest"] for verb in said), found["last"] + found["rest"]]


def _is_deed(words: list[str]) -> bool:
    """A verb of work on a repository, with the "or" around it; none that begins a clause."""
    named = [word.lower() for word in words if word.lower() not in ENDS]
    return bool(named) and (named[0] in DEEDS or (is_typical(named[0]) and named[0] not in TURNS))


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
