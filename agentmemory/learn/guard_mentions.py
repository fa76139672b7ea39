"""The last reader of a rule: the commands, tools and files it names, and on which side each stands.

For rules that no grammar of prohibitions fits ("sudo pip is how you break the OS python, I won't have it"): what is
named in a clause that denies, or before one that denies and names nothing itself, is what the rule is against.
"""

from __future__ import annotations

import re

from agentmemory.learn.guard_commands import is_english, is_program, is_script, is_typical
from agentmemory.learn.guard_deeds import NO_DEED
from agentmemory.learn.guard_subjects import PATH, TOOL, pieces

PIECES = re.compile(
    r"\s*(?:[,;:!?()]\s+|[()]|\.\s+|\.$|\s[—–-]{1,2}\s|\s->\s|\bbut\s+|\bbecause\s+|\bsince\s+|\bso\s+)"
)
DENIES = re.compile(
    r"""\bnever\b(?!\s+(?:forget|mind|hesitate|say|fail|seen|again|had|got|knew))
      | \b(?:forbidden|banned|prohibited|taboo|verboten|pointless|refrain|avoid|theirs|turf)\b | \boff[\s-]limits\b
      | \b(?:disallow|forbid|refuse|ban)(?:s|ed)?\b
      | (?:\b(?:do|must|may|should|are|is|will)\s+not|n['’]t|\bdont)\s+(?:ever\s+|to\s+)*(?:be\s+)?
        (?:run|use|used|call|called|touch|edit|type|execute|invoke|modify|change|push|commit|delete|install|deploy|apply
        |have\s+(?:it|that)|tolerate|want\s+(?:it|that))\b
      | \bnot\s+(?:yours|for\s+you|your\s+(?:job|call|business)|allowed|permitted|tolerated|how|something
        |acceptable|welcome|an\s+option)\b
      | \bno(?:body|\s+one)\s+(?:uses|runs|calls|touches|edits|may|should|gets)\b
      | \bno\s+(?:edits?|changes?|uses?|runs?|calls?)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
GRANTS = re.compile(
    r"\b(?:use|uses|using|via|through|instead|prefer|fine|ok|okay|allowed|welcome|may|always|run|runs|please\s+do|go\s+for)\b",
    re.IGNORECASE,
)
CALLED = re.compile(rf"{TOOL.pattern}|\b[A-Z]\w+\s+tool\b|\b[\w-]+\s+mcp\b", re.IGNORECASE)
FILES = re.compile(rf"{PATH.pattern}|(?<![\w/`])[A-Z]{{5,}}\b")
#: "never use absolute paths in scripts/", "tests never go in src/": what is denied is something in there
WITHIN = re.compile(
    r"\b(?:(?:us(?:e|ing)|have|call(?:ing)?)\s+(?!it\b|this\b|that\b).*|(?:never|not)(?:\s+(?:go|goes|belongs?))?\s+)"
    r"\b(?:in|inside|within|under|into|to)\s+`?$",
    re.IGNORECASE,
)
#: "avoid hard-coded secrets": what is denied is something of its own, not to change what is named beside it
OF_ITS_OWN = re.compile(
    r"(?:\bavoid(?:ing)?|(?:\bnever|\bnot|n['’]t|\bdont)\s+(?:use|have|call|print|log))\s+(?!it\b|this\b|that\b|them\b)"
    r"(?P<what>[^`/,;:]+?)(?=\s+(?:in|inside|within|under|from|to|at)\b|\s+\S*[/.]\w|[,;:.]|$)",
    re.IGNORECASE,
)
CHANGES = re.compile(
    r"\b(?:edit|chang|touch|modif|writ|alter|updat|delet|remov|creat|mov|renam|add|commit|patch|tweak|read|open|look)|"
    r"\b(?:re|over)writ|\bfile|\bfolder|\bdirector|\S[/.]\S",
    re.IGNORECASE,
)
#: a denial of what something is and not of what is done to it: "is never dirty", but not "is never run"
IS_NEVER = re.compile(r"\b(?:is|are)\s+never\s+\w", re.IGNORECASE)
DONE = re.compile(r"(?:(?:to\s+)?be\s+)?(?:\w+ed|run|gone|done|put|set|written|touched)\b", re.IGNORECASE)
#: what is named behind one of these is a condition: "never commit before running `make test`"
UNLESS = re.compile(r"\b(?:without|before|until|unless|after|when|if)\b", re.IGNORECASE)
LEADS = frozenset(
    "run runs running use uses using call calls calling the a an bare direct plain raw sudo with via and or"
    " under".split()
)
MOST = 3  # actions read out of one rule this way


def denied(sentences: list[str]) -> list[tuple[str, str]]:
    """`(action, what follows it)` of what the rule is against, in order; actions begin with what they name."""
    said = [piece for sentence in sentences for piece in _pieces(sentence)]
    named = [_named(piece) for piece in said]
    out: list[tuple[str, str]] = []
    for i, (piece, action) in enumerate(zip(said, named)):
        denies = _denies(piece)
        if action and not denies and not GRANTS.search(piece):
            later = next((j for j in range(i + 1, len(said)) if named[j] or _denies(said[j])), 0)
            denies = bool(later) and not named[later] and not _within(said[later])
        if action and denies and (action, "") not in out:
            out.append((action, " ".join(said[i + 1 :])))
    return out[:MOST]


def of_its_own(sentence: str) -> bool:
    """Whether a sentence denies something in files rather than to change them: "in src/api.go avoid global state"."""
    return any(not CHANGES.search(found["what"]) for found in OF_ITS_OWN.finditer(sentence))


def _denies(piece: str) -> bool:
    """Whether a piece denies the doing of something: "do not touch", but not "never forget", "is never dirty"."""
    found = DENIES.search(piece)
    behind = piece[found.end() :].lstrip() if found else ""
    return bool(found) and not NO_DEED.match(behind) and not (IS_NEVER.search(piece) and not DONE.match(behind))


def _pieces(sentence: str) -> list[str]:
    """A sentence cut at its commas, colons, brackets and dashes; quoted code stays whole."""
    return [piece for each in pieces(sentence, PIECES)[::2] if (piece := each.strip())]


def _named(piece: str) -> str:
    """The rest of a piece from the first tool, command or file that it names, "" where that is but a condition."""
    return _first(piece) if _first(UNLESS.split(piece, maxsplit=1)[0]) else ""


def _first(piece: str) -> str:
    """The rest of a piece from the first tool, command or file that it names."""
    tool = CALLED.search(piece)
    if tool:
        return f"use {piece[tool.start() :]}"
    words = piece.split()
    for i, word in enumerate(words):
        bare = word.strip("`,.;:\"'")
        more = words[i + 1].strip("`,.;:\"'") if i + 1 < len(words) else ""
        begins = i == 0 or words[i - 1].strip("`,.").lower() in LEADS
        telling = more.startswith("-") or is_typical(more)
        quoted = word.startswith("`")
        plain = is_program(bare, bool(more)) and (not is_english(bare) or telling or quoted)
        if (plain and (begins or telling or quoted) and (more or not is_english(bare))) or (is_script(bare) and quoted):
            return " ".join(words[i:])
    path = FILES.search(piece)
    return f"edit {piece[path.start() :]}" if path and not _within(piece) else ""


def _within(piece: str) -> bool:
    """Whether the file that a piece names is where something is not to be, and not what is left alone."""
    path = FILES.search(piece)
    return path is not None and WITHIN.search(piece[: path.start()]) is not None
