"""The sentences of a rule, its commands in backticks. Knows what a command is, nothing of what a rule forbids."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count

from agentmemory.learn.guard_commands import (
    CLIENTS,
    PLAIN_FILES,
    SQL,
    STATEMENTS,
    is_english,
    is_program,
    is_script,
    is_typical,
)

LISTED = re.compile(r"^(?:[-*•#>]\s*|\d+[.)]\s+)+")
IN_BRACKETS = re.compile(r"\((?:e\.g\. )?([a-z./][\w./-]*(?: [^()`]{2,60})?)\)")
CODE = re.compile(r"`([^`]+)`")
NUMBERED = re.compile(r"`(\d+)`")
EXCEPT = r"(?:(?:except(?:ing)?|excluding|save)(?:\s+for)?|with\s+the\s+exception\s+of|other\s+than|apart\s+from)\s"
EXCEPTED = re.compile(rf"\s*(?:,|\s[—–-]{{1,2}})\s*{EXCEPT}|\s*\({EXCEPT}(?=[^()]*\))", re.IGNORECASE)
#: "# type: ignore comments": what stands in the code
COMMENT = re.compile(
    r"(?<![`\w])((?:#|//)\s?@?[a-z][\w-]*(?::\s?[a-z-]+)?|TODO|FIXME|XXX|HACK|noqa|nosec"
    r"|(?:eslint|ts|stylelint|prettier|pylint|mypy|pyright|rubocop|biome)[-:]\s?[a-z-]+)(?=s?\s+(?:comments?|pragmas?)\b)"
)
#: "NEVER RUN NPM PUBLISH": commands are written small
SHOUTED = re.compile(r"\b(?:NEVER|DO\s+NOT|DON['’]T|AVOID|NO)(?:\s+-*[A-Z][A-Z'’-]*(?![\w/'’]|\.\w)){2,}")
QUOTED = re.compile(r"(?<![\w`])[\"“”']([^\"“”'\n]{2,80})[\"“”'](?!\w)")


def of(rule: str) -> list[str]:
    """The sentences of a rule, as they are read."""
    return split(marked(rule))


def marked(rule: str) -> str:
    """The rule on one line, with quoted commands in backticks as well."""
    text = LISTED.sub("", " ".join(rule.replace("```", "`").split())).strip()
    text = re.sub(
        r"^(?:\*\*)?(?:rule|important|note|remember|reminder|please|warning|hard rule"
        r"|correction)(?:\*\*)?\s*[:!-]+\s*",
        "",
        text,
        flags=re.I,
    )
    text = re.sub(r",?\s*under\s+any\s+circumstances?,?|^please,|\bplease\b", "", text, flags=re.I)
    text = re.sub(r"(?i)\s+(?:and|or)\s+(?:friends|the\s+likes?|co|similar|such|its\s+\w+|the\s+rest)\b\.?", "", text)
    text = COMMENT.sub(r"`\1`", EXCEPTED.sub(" except ", text))
    text = re.sub(r"\((?:e\.g\.|i\.e\.|for\s+example|such\s+as|like),?\s*(?=`)", "(", text, flags=re.I)
    text = IN_BRACKETS.sub(_bracketed, " ".join(text.replace("**", "").split()))

    def code(found: re.Match[str]) -> str:
        words = found[1].split()
        telling = is_program(words[0], len(words) > 1) or any(c in found[1] for c in "/.*()$_-=")
        return f"`{found[1]}`" if telling else found[0]

    return QUOTED.sub(code, SHOUTED.sub(_calm, text))


def _calm(found: re.Match[str]) -> str:
    """Words in capitals as they are said else; names of files and statements of SQL are written so."""
    words = found[0].lower().split()
    of_sql = STATEMENTS.union(CLIENTS)
    command = any(is_program(word) and not is_english(word) and word not in of_sql for word in words)
    named = re.compile(PLAIN_FILES if command else rf"{PLAIN_FILES}|{SQL.pattern}")
    return " ".join(said if named.fullmatch(said) else word for said, word in zip(found[0].split(), words))


def _bracketed(found: re.Match[str]) -> str:
    """What stands in brackets with the commands of it in backticks, where it is nothing but commands."""
    parts = re.split(r"\s*,\s*(?:or\s+|and\s+)?|\s+(?:/|or|and)\s+", found[1])
    named = all(part and _is_named(part.split()) for part in parts)
    return " or ".join(f"`{part}`" for part in parts) if named else found[0]


def _is_named(words: list[str]) -> bool:
    """Whether words in brackets are a command: "(docker stop pg)" is one, "(uv only)" is not."""
    if len(words) == 1:
        return is_script(words[0])
    if words[1] in ("against", "on", "to", "from") and not is_english(words[0]):
        return is_program(words[0])
    return is_program(words[0]) and (is_typical(words[1]) or words[1].startswith("-") or ":" in words[1])


def without_code(text: str) -> tuple[str, Callable[[str], str]]:
    """A text with numbers in the place of its code, and what puts the code back."""
    code, numbers = CODE.findall(text), count()
    hidden = CODE.sub(lambda m: f"`{next(numbers)}`", text)
    return hidden, lambda said: NUMBERED.sub(lambda m: f"`{code[int(m[1])]}`", said)


def split(text: str) -> list[str]:
    """Split at full stops and semicolons that end something; not inside code, not in `git add .` or `.env`."""
    out, start, inside = [], 0, False
    for at, c in enumerate(text):
        if c == "`":
            inside = not inside
        after = text[at + 1 : at + 2]
        ends = c in ";!?" or (c == "." and text[at - 1 : at] not in ("", " "))
        ends = ends and not (text[at - 3 : at] == "/.." and text[at + 2 : at + 3].islower())  # `go test ./... -short`
        if (ends and not inside and (after in ("", " "))) or c == "\n":
            out.append(text[start : at + 1].strip())
            start = at + 1
    out.append(text[start:].strip())
    return [sentence for sentence in out if sentence]
