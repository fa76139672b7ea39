"""What the code itself calls deprecated, with what to use instead: comments, attributes, decorators and docstrings.

TypeScript, JavaScript, Go and Rust are read by patterns, Python by `ast`; docs/decisions/0052 has the figures against
parsers.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice

from agentmemory.learn.onboard_found import Finding
from agentmemory.learn.onboard_rules import TO_A_MODEL
from agentmemory.learn.onboard_tree import Tree
from agentmemory.learn.onboard_values import decorator, of_python

MOST = 30  # findings of one tree: a library's list of old names is no memory
MOST_FILES = 400  # files looked at
NEAR = 8000  # characters behind a comment in which what it speaks of has to begin
INSTEAD = re.compile(r"(?<!not )\b(?:use|using|replaced|prefer|instead|call|switch|migrate|renamed|moved)\b", re.I)
ASIDE = re.compile(
    r"(?:^|/)(?:tests?|testing|__tests__|examples?|fixtures?|benchmarks?|docs?)/|[._]test\.|\.d\.ts$|\.min\.js$"
)
CODE = (".ts", ".tsx", ".mts", ".js", ".jsx", ".mjs", ".go", ".rs")
LONGEST = 4000  # characters of a block comment
MOST_SAID = 200  # things that one file says to be deprecated
#: where a block comment begins, a run of line comments, or an attribute that says what is deprecated and why
SAID = re.compile(
    r"(?P<block>/\*\*)|(?P<lines>(?:^[ \t]*//[^\n]*\n)+)|"
    r"\bdeprecated\((?:[^()\"]|\"[^\"]*\"){0,200}?note\s*=\s*\"(?P<note>[^\"]{0,400})\"[^\]]{0,60}\]",
    re.M,
)
WHY = re.compile(r"@deprecated\b[ :]*(?P<tag>[\s\S]*?)(?=^[ \t]*@\w|\Z)|^Deprecated: (?P<go>[\s\S]*)", re.M)
BETWEEN = re.compile(r"(?:\s+|#!?\[(?:[^\[\]]|\[[^\]]*\])*\]|//[^\n]*\n|/\*[\s\S]*?\*/|@\w+(?:\([^()]*\))?)*")
NAME = re.compile(
    r"(?:(?:export|default|declare|public|private|protected|static|readonly|abstract|async|final|const|let|var|function\*?"
    r"|func|fn|class|interface|type|enum|struct|trait|mod|union|get|set|unsafe|extern(?:\s+\"C\")?|pub(?:\([^)]*\))?"
    r"|namespace|module|new)\s+|\((?:[^()]|\([^()]*\))*\)\s*|[*&]\s*)*(?P<name>[A-Za-z_$#][\w$]*)"
)


NO_NAMES = frozenset("export default function class const let var type interface enum fn func struct".split())
TOLD = re.compile(r"^\.\. deprecated::[ \t]*[\w.]*[ \t]*\n?\s*([\s\S]*?)(?:\n\s*\n|\n\s*\.\. |\Z)", re.M)


def deprecated(tree: Tree) -> Iterator[Finding]:
    """Names that a tree's own code says not to use any more, each with what it says to use."""
    code = [p for p in tree.files if p.endswith((*CODE, ".py")) and not ASIDE.search(p) and p.count("/") <= 6]
    code.sort(key=lambda path: path.endswith((".js", ".mjs", ".jsx")))  # what is compiled from sources says it again
    known: set[tuple[str, str]] = set()
    for path in code[:MOST_FILES]:
        text = tree.read(path)
        if "eprecated" not in text:
            continue
        for name, why in names(path, text):
            said = re.split(r"(?<=[.!])\s(?=[A-Z])", " ".join(why.split()))[0].rstrip(". ")
            if len(known) == MOST:
                tree.cut.add("deprecated")
                return
            if name and INSTEAD.search(said) and not TO_A_MODEL.search(said) and (name, said) not in known:
                known.add((name, said))
                yield Finding("fact", f"`{name}` (`{path}`) is deprecated: {said}", path, "deprecated", name)


def names(path: str, text: str) -> Iterator[tuple[str, str]]:
    """`(name, what is said of it)` of every declaration that a file marks as deprecated."""
    if path.endswith(".py"):
        yield from _of_python(text)
        return
    for why, end in islice(_said(text), MOST_SAID):
        near = end + NEAR
        after = BETWEEN.match(text, end, near)
        name = NAME.match(text, after.end() if after else end, near)
        yield (name["name"] if name and name["name"] not in NO_NAMES else ""), why


def _said(text: str) -> Iterator[tuple[str, int]]:
    """Why something is deprecated, and where the comment or attribute that says so ends; in one pass over the text."""
    at, closing = 0, 0
    while found := SAID.search(text, at):
        at, said = found.end(), found["lines"] or ""
        if found["block"]:
            if 0 <= closing < at:
                closing = text.find("*/", at)
            if not 0 <= closing - at <= LONGEST:
                continue
            said, at = text[at:closing], closing + 2
        why = found["note"] or _why(said)
        if why:
            yield why, at


def _why(comment: str) -> str:
    if "eprecated" not in comment:
        return ""
    plain = re.sub(r"^[ \t]*(?:\*+|//[/!]?)[ \t]?", "", comment, flags=re.M).strip()
    found = WHY.search(plain)
    return ((found["tag"] or found["go"] or "") if found else "").strip().split("\n\n")[0]


def _of_python(text: str) -> Iterator[tuple[str, str]]:
    for node in ast.walk(of_python(text)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        for mark in node.decorator_list:
            if isinstance(mark, ast.Call) and decorator(mark) == "deprecated":
                for said in (a.value for a in mark.args if isinstance(a, ast.Constant) and isinstance(a.value, str)):
                    yield node.name, said
        told = TOLD.search(ast.get_docstring(node) or "")
        if told:
            yield node.name, told[1]
