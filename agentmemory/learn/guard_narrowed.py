"""Whether a rule forbids a command only in some cases, which no spec can tell from others ("git pull on a dirty tree").

Reads the words that follow the command in the rule. A guard for such a rule reminds; it does not stop.
"""

from __future__ import annotations

import re

from agentmemory.learn.guard_clauses import NARROWED
from agentmemory.learn.guard_commands import Spec, is_program
from agentmemory.learn.guard_phrases import STOPS
from agentmemory.learn.guard_things import EXCEPTED
from agentmemory.text import STOP

#: with one of these a spec says of which cases it is
TELLS = frozenset(("any", "has", "env", "branch", "content", "writes", "reads", "path", "unless", "source"))
NARROWS = frozenset(
    "on onto over in inside from for with of into at against across between outside as than but except where"
    " what whatever whose things".split()
)
ONE = frozenset(("a", "an", "any", "anything", "something"))
THE = frozenset(("the", "my", "our", "your", "their"))  # behind a bare program: "grep the whole disk"
#: what is everywhere: the rule holds for all of it
EVERYWHERE = frozenset(
    "hand machine laptop mac computer box workstation desktop host pc cli terminal shell console line prompt repo"
    " repository project codebase workspace folder house team flag flags option options switch argument general case"
    " cases purpose reason root session sessions work job task tasks thing things stuff ever".split()
)
#: "git checkout to discard changes": a command with its subcommand, and what for
PURPOSE = re.compile(
    r"^(?:us(?:e|ing)|call(?:ing)?|run(?:ning)?)\s+(?:[\w.`-]+\s+){2,3}(?:in\s+order\s+)?to\s+"
    r"(?!edit|modif|chang|alter|install|search|find|run|build|deploy|delet|remov)[a-z]+\s+\w",
    re.IGNORECASE,
)
#: "put business logic in controllers/": something that goes into files or out of them, and which none can tell by
INTO = re.compile(
    r"^(?:put|add|writ|plac|creat|insert|introduc|leav|stor|log|remov|delet|keep)\w*\s+(?P<what>[^/]+?)\s+"
    r"(?:in|into|to|inside|under|within|from|at)\s+\S",
    re.IGNORECASE,
)
#: "bump versions in package.json": something of a file, which any change of it may be
PART = re.compile(
    r"^(?:bump|chang|edit|modif|touch|updat|alter|put|add|insert|introduc|remov|renam)\w*\s+"
    r"(?P<what>[^/`]+?)\s+(?:in|of|to|from)\s+(?:(?:the|our|my)\s+)*`?[\w./-]+\.\w+`?",
    re.IGNORECASE,
)
#: "`git add` binaries": what follows a command in code, and is neither another one nor who runs it
OBJECT = re.compile(r"^\S*`\s+(?!(?:or|and|nor|by|with|never|/)(?:\s|$|\W))(?!.*`)\w")
#: "use `float` for money": a text that is wrong in some places only
USED_AS = re.compile(
    r"^us(?:e|ing)\s+(?:the\s+)?`[^`]+`(?:\s+\w+)?\s+(?:for|as|when|on|to)\s+(?!any\b|all\b|every\w*|debug|logg|the\s)\w",
    re.IGNORECASE,
)
ANYTHING = r"[*`.]\w|\b(?:files?|anything|everything|things?|stuff|contents?)\b"
FILES = re.compile(rf"{ANYTHING}|\b(?:folders?|director\w+|code|changes?|modules?|migrations?)\b", re.IGNORECASE)
WHOLE = re.compile(rf"{ANYTHING}|\b(?:lines?|by\s+hand|manually)\b", re.IGNORECASE)
RELATIVE = re.compile(r"\b(?:that|which|whose|who)\s+(?:has|have|is|are|was|were)\b", re.IGNORECASE)


def narrowed(action: str, spec: Spec) -> bool:
    """Whether *action*, the forbidden command in the rule's words, goes on with something that *spec* does not say."""
    excepted = EXCEPTED.search(action)
    if excepted and not {"unless", "skip"} & set(spec):
        return True
    if "program" in spec and "any" not in spec and RELATIVE.search(action):
        return True
    action = action[: excepted.start()] if excepted else action
    if _some_of_it(action, spec):
        return True
    if TELLS & set(spec):
        return False
    if NARROWED.search(action) or ("program" in spec and PURPOSE.search(action)):
        return True
    return _goes_on(action, spec)


def _some_of_it(action: str, spec: Spec) -> bool:
    """Whether something in files is meant, or a text in some places, and no file and no text as such."""
    if "content" in spec:
        return "program" not in spec and USED_AS.search(action) is not None
    paths = spec.get("path", spec.get("writes", []))
    put = INTO.match(action) if paths and all(path[-1:] == "/" for path in paths) else None
    if put:
        return not FILES.search(put["what"])
    part = PART.match(action) if paths else None
    return part is not None and not WHOLE.search(part["what"])


def _goes_on(action: str, spec: Spec) -> bool:
    """Whether telling words follow the command: "git pull on a dirty tree", "psql as superuser"."""
    named = {word.strip("*-").lower() for key in ("program", "args", "flags") for word in _flat(spec.get(key, []))}
    words = [word.strip("`,;:()\"'").lower() for word in action.split()]
    said = [word.lstrip("-") in named for word in words]
    if True not in said:
        return False
    end = said.index(True)
    while end < len(words) and (said[end] or words[end].startswith("-")):
        end += 1
    rest = words[end:]
    coded = OBJECT.search(" ".join(action.split()[end - 1 :]))
    one = rest[:1] and rest[0] in ONE  # "add a package heavier than 100 kB": its noun and what is said of it
    bare = rest[:1] and rest[0] in THE and not {"args", "flags"} & set(spec)
    while rest and rest[0] not in NARROWS and (rest[0] in STOP or rest[0] in STOPS or is_program(rest[0])):
        del rest[0]
    known = STOP | STOPS | named | (frozenset() if rest[:1] and rest[0] in ("inside", "outside") else EVERYWHERE)
    told = [word for word in (rest if bare or coded else rest[1:]) if re.match(r"[.~/]?\w", word) and word not in known]
    if rest[:1] == ["but"] and is_program(rest[1] if rest[1:] else ""):  # "never pip but uv"
        return False
    return bool(told) and (rest[0] in NARROWS or bool(one or bare or coded))


def _flat(values: list[str] | list[list[str]]) -> list[str]:
    return [word for value in values for word in ([value] if isinstance(value, str) else value)]
