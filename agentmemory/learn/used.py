"""What an agent's tool calls change, and with what they work: the programs that commands run, the modules that code
imports. "pnpm, not npm" puts that right for good, "line 40, not 41" only the task. Knows single lines of transcripts.
"""

from __future__ import annotations

import re
from typing import Any

from agentmemory.learn.json_lines import object_in, parsed, text_in
from agentmemory.text import stems

EDITING = frozenset(("Edit", "MultiEdit", "Write", "NotebookEdit"))  # Claude Code's tools that change a file
CHANGED = 1_000  # characters of what it writes that are looked at
PATCHED = re.compile(r"\*\*\* (?:Update|Add|Delete) File: (\S+)")
READ = 4_000  # characters of a call that are read
SHELL = 3  # words of "bash -lc ..."
MOST = 6  # words of a turn that only says what to use instead
PROGRAM = re.compile(
    r"(?:^|&&|\|\|?|;|\n|\$\()[ \t]*(?:(?:sudo|npx|env|time|uvx|\w{1,40}=\S{0,80})[ \t]+){0,4}([A-Za-z][\w.+-]*)"
)
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
MODULE = re.compile(r"-m[ \t]+([A-Za-z]\w*)")
IMPORTS = re.compile(
    r"""\bfrom[ ]['"]([^'"\n]{1,100})|^[ \t]*import[ ]['"]([^'"\n]{1,100})|\brequire\(['"]([^'"\n]{1,100})"""
    r"""|^[ \t]*(?:from[ ]([\w.]{1,100}[ ]import[ ].{1,200})|import[ ]([\w.]{1,100})(?:[ ]as[ ]\w{1,40})?;?$)"""
    r"""|^[ \t]*(?:use|using)[ ]([\w:.\\]{1,100});$""",
    re.M,
)
NAME = re.compile(r"[A-Za-z][\w-]*")
#: "pnpm not npm", "ohne mocks", "date-fns instead of moment"
TURNS_AWAY = re.compile(
    r"\b(?:not|no|never|without|instead of|rather than|nicht|kein(?:e[nmr]?)?|nie|ohne|(?:an)?statt|sin|nunca|en vez de"
    r"|en lugar de|pas|jamais|sans|au lieu d[e']|plutôt qu[e'])"
    r" ?(?:(?:with|by|use|using|in|the|any|mit|con|avec|de|le|la|el|usar|utiliser) |[dl]'){0,2}([\w.@/-]+)"
)


def changed(line: dict[str, Any]) -> str:
    """The file that a tool call of the assistant changes, and what the call writes to it; "" for any other line."""
    if "payload" in line:
        given = text_in(line["payload"].get("input")) or text_in(line["payload"].get("arguments"))
        found = PATCHED.search(given.replace("\\n", "\n"))
        return given[found.start() :][:CHANGED] if found else ""
    content = line["message"].get("content") if isinstance(line.get("message"), dict) else None
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("type") == "tool_use" and text_in(part.get("name")) in EDITING:
            call = object_in(part.get("input"))
            told = (text_in(call.get(name)) for name in ("file_path", "notebook_path", "new_string", "content"))
            return "\n".join(filter(None, told))[:CHANGED] or str(part["name"])
    return ""


def by_call(given: dict[str, Any]) -> set[str]:
    """With what a call of one of Claude Code's tools works, whose input is *given*."""
    return by_command(text_in(given.get("command"))) | by_code(
        text_in(given.get("new_string")) or text_in(given.get("content"))
    )


def by_arguments(arguments: str) -> set[str]:
    """With what a call of Codex works: the command of a shell, whole, in words or as one that a shell is given."""
    given = parsed(arguments.encode(errors="replace")) or {}
    command = given.get("cmd") or given.get("command")
    words = [each for each in command if isinstance(each, str)] if isinstance(command, list) else []
    if len(words) == SHELL and words[1] in ("-c", "-lc"):
        return by_command(words[-1])
    return by_command(" ".join(words) or text_in(command))


def by_command(command: str) -> set[str]:
    """The programs and modules that a command line runs, in lower case."""
    line = QUOTED.sub(" 0 ", command[:READ].partition("<<")[0])
    found = PROGRAM.findall(line) + MODULE.findall(line)
    return {each.lower() for each in found}


def by_code(code: str) -> set[str]:
    """What code imports, in lower case."""
    return {name.lower() for found in IMPORTS.findall(code[:READ]) for line in found for name in NAME.findall(line)}


def turned_away(text: str, used: frozenset[str]) -> bool:
    """Whether all that a turn says is not to work with something that was used just before."""
    if not used or len(text.split()) > MOST:
        return False
    away = set(stems(" ".join(TURNS_AWAY.findall(text.lower().replace("’", "'")))))
    return not away.isdisjoint(stems(" ".join(used)))
