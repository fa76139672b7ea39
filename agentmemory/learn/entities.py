"""Named things in a text: paths, hosts, symbols, commands, tickets, people, services; and which of them it mentions.

Works on spelling alone, without a model or a list of products. Plain lower-case words, most of any text, cost one
test; only what is spelled unlike them meets a pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from agentmemory.learn import names
from agentmemory.store import entities as store
from agentmemory.text import spelled

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

MOST = 16  # things kept of one text: 16 make 120 pairs, and a longer list is a listing, not a statement
LONGEST = 4_000  # characters read of one text; what follows is a paste
LONGEST_NAME = 300  # characters of one thing's name; a longer run without a space is data
#: from the vaguest to the surest reading of one spelling; the surest one seen names the kind
RANK = {
    kind: i
    for i, kind in enumerate("name symbol service person package version ticket path command host file url".split())
}
EXACT = frozenset(("url", "file", "path", "host", "command", "version", "ticket"))

EXTENSIONS = (
    "astro|bash|bat|bazel|c|cc|cfg|clj|cljs|cmake|conf|cpp|cs|css|csv|cts|cu|cxx|dart|db|dockerfile|editorconfig|elm|"
    "env|erl|ex|exs|fish|fs|gql|go|gradle|graphql|h|hbs|hcl|hpp|hs|html|http|ini|ipynb|java|jinja|jl|js|json|json5|"
    "jsonc|jsonl|jsx|kt|kts|less|lock|log|lua|m|md|mdc|mdx|mjs|mk|ml|mm|mts|nim|nix|parquet|pem|php|pl|plist|prisma|"
    "properties|proto|ps1|py|pyi|pyx|r|rb|rego|rs|rst|sass|scala|scss|sh|sol|spec|sql|sqlite|sum|svelte|svg|swift|tex|"
    "tf|tfvars|tmpl|toml|tpl|ts|tsv|tsx|txt|vb|vue|wasm|xml|yaml|yml|zig|zsh"
)
TOP = (
    "app|biz|cloud|co|com|de|dev|edu|eu|fr|gov|info|internal|intra|io|lan|local|localhost|net|no|org|se|svc|test|uk|us"
)
#: inside one word that is not plain: the first reading that fits, surest first
WORD = re.compile(
    rf"""
      (?P<url>\b[a-z][a-z0-9+.-]{{1,15}}://[^\s<>"'`)\]]+)
    | (?P<ticket>\b[A-Z][A-Z0-9]{{1,9}}-\d{{1,6}}\b(?!-)|(?<![\w&/])\#\d{{1,6}}\b)
    | (?P<package>(?<![\w/])@[a-z0-9][\w.-]*/[a-z0-9][\w.-]*(?:@[\w.^~-]+)?|\b[a-z][\w.-]+(?:==|~=|>=)\d[\w.]*)
    | (?P<handle>(?<![\w@.])@[A-Za-z][\w-]{{1,38}}\b(?![/.]\w))
    | (?P<host>\b\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?::\d{{2,5}})?\b|\blocalhost:\d{{2,5}}\b
        |\b(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:{TOP})(?::\d{{2,5}})?\b(?![./(]\w))
    | (?P<file>(?<!\w)[.~]?/?(?:[\w@.<>\[\]*+-]+/)*[\w@.<>\[\]*+-]*[\w\]>*]\.(?:{EXTENSIONS})\b(?![.(]\w|\())
    | (?P<path>(?<![\w.<:])(?:~?/|\.{{1,2}}/)?(?:[\w@.<>\[\]*{{}}:-]+/){{1,12}}[\w@.<>\[\]*{{}}:-]*[\w>\]}}*]
        |(?<![\w.<:/])/[a-z][\w-]+)
    | (?P<flag>(?<![\w-])--[a-z][\w-]+(?:=[\w.:/-]+)?)
    | (?P<version>\bv\d+(?:\.\d+)*(?:[-+][\w.]+)?\b|\b\d+\.\d+(?:\.\d+)+(?:[-+][\w.]+)?\b)
    | (?P<symbol>\b[A-Za-z_][\w.]*\(\)|\b[A-Za-z]\w*(?:_[A-Za-z0-9]+)+\b|\b_{{1,2}}\w+\b|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b
        |\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+\b|\b[A-Za-z_]\w+(?:\.[a-z_]\w+)+\b)
    | (?P<kebab>\b[A-Za-z][a-z0-9]*(?:-[a-z0-9]+)+\b)
    """,
    re.VERBOSE,
)
#: before a file or a folder: how clients let people point at one; not before a package or somebody's name
POINTED = re.compile(rf"(?<![\w@])@(?=(?:[\w.~-]+/)*[\w.-]*\w\.(?:{EXTENSIONS})\b(?![.(]\w|[/(])|(?:[\w.~-]+/)+(?!\S))")
CODE = re.compile(r"`([^`\n]{2,120})`")
NAMED = re.compile(
    r"(?:^|[.;:!?,(]\s*|\b(?:and|but|so|because)\s+)(?:the\s+)?`?(?P<new>[\w@./-]{2,40})`?\s+"
    r"(?:is (?:our|my|the name (?:of|for) (?:our|the)|what we call (?:our|the))|are our|stands for(?: our| the)?|"
    r"is short for(?: our| the)?|aka|a\.k\.a\.|also known as)\s+`?(?P<old>[\w@./-]+(?: [\w@./-]+){0,3}?)`?"
    r"(?=\s*(?:$|[.,;:!?()]|\b(?:and|but|which|that|where|in|on|at|for|since|with|running|so)\b))",
    re.IGNORECASE,
)
DECLARES = (" our ", " stands for", " short for", "aka ", "a.k.a", "known as", " my ")


@dataclass(frozen=True, slots=True)
class Named:
    """One thing a text names. norm: what its spellings share; kind: one of `RANK`."""

    kind: str
    name: str
    norm: str


def extract(text: str) -> list[Named]:
    """The named things of *text*, quoted code first, each once, at most `MOST`."""
    found: dict[str, Named] = {}
    plain: frozenset[str] | None = None
    for kind, name in _readings(POINTED.sub("", text[:LONGEST])):
        if kind == "name" and name.isalpha():  # a word that stands here in lower case too is no name
            plain = plain if plain is not None else frozenset(text.split())
            if name.lower() in plain and not name.islower():
                continue
        norm = norm_of(kind, name)
        known = found.get(norm)
        if known is None:
            if len(norm) > 1:
                found[norm] = Named(kind, name, norm)
                if len(found) == MOST:
                    break
        elif RANK[kind] > RANK[known.kind]:
            found[norm] = Named(kind, known.name, norm)
    return list(found.values())


def aliases(text: str) -> list[tuple[str, str]]:
    """Pairs `(name, other name)` that the text declares to be one thing: "heron is our EU cluster"."""
    low = text[:LONGEST].lower()
    if not any(mark in low for mark in DECLARES):
        return []
    out = []
    for m in NAMED.finditer(text[:LONGEST]):
        new, old = m["new"].strip("`."), m["old"].strip("`. ")
        if not names.common(new) and old and not names.common(old) and new.lower() != old.lower():
            out.append((new, old))
    return out


def norm_of(kind: str, name: str) -> str:
    """What the spellings of one thing share: `Billing_API`, `billing-api` and `BillingApi` are one."""
    return spelled(name, kind in EXACT)


def mention(db: Database, scope: int, text: str, belief: int, at: float) -> list[int]:
    """Tie what *text* names to a belief of *scope*; returns the ids of the entities.

    Saying the same again changes nothing. Weights of what is named together follow by themselves (triggers). The caller
    owns the transaction.
    """
    found = [(n.kind, n.name, n.norm) for n in extract(text)]
    ids = store.tie(db, scope, found, names.plain(text), belief, at, RANK)
    for new, old in aliases(text):
        _declare(db, scope, new, old, at)
    return ids


def _declare(db: Database, scope: int, new: str, old: str, at: float) -> None:
    """Two names are one thing; the name that says what it is points to the name it goes by."""
    first, second = (
        store.entity(db, scope, _kind_of(name), name, norm_of(_kind_of(name), name), at, RANK) for name in (new, old)
    )
    store.alias(db, second, first)


def _kind_of(name: str) -> str:
    found = extract(name)
    return found[0].kind if len(found) == 1 and found[0].name == name else "name"


def _readings(text: str) -> Iterator[tuple[str, str]]:
    """Every reading `(kind, name)` of the words of a text, in order, with repetitions."""
    if "`" in text:
        for match in CODE.finditer(text):
            yield from _code(match[1].strip())
        text = CODE.sub(" ", text)
    for line in text.split("\n"):
        words = line.split()
        opens, i = True, 0
        while i < len(words):
            raw = words[i]
            if raw.isalpha() and raw.islower() and raw not in names.PROGRAMS:
                opens, i = False, i + 1
                continue
            used, readings = _word(words, i, opens)
            yield from readings
            opens = words[i + used - 1][-1] in ".!?:|*"
            i += used


def _word(words: Sequence[str], i: int, opens: bool) -> tuple[int, Iterable[tuple[str, str]]]:
    """The readings at word *i* and how many words they take up."""
    raw = words[i]
    word = raw.strip(names.AROUND)
    if not word or len(word) > LONGEST_NAME:
        return 1, ()
    if word in names.PROGRAMS and raw.endswith(word):
        return names.command(words, i)
    if word[0].isupper() and word.replace("'", "").replace("’", "").isalnum() and not _humps(word):
        return names.proper(words, i, opens or raw[0] in '*_|#"“(')
    if word.isalpha() and word.islower():
        return 1, ()
    return 1, [reading for match in WORD.finditer(raw.rstrip(".,;:!?")) for reading in _read(match)]


def _humps(word: str) -> bool:
    """`GitHub`, `MyClass`: an upper-case letter after a lower-case one."""
    return any(a.islower() and b.isupper() for a, b in pairwise(word))


def _read(match: re.Match[str]) -> Iterable[tuple[str, str]]:
    """What one match says: `(kind, name)`, none where the spelling was an accident."""
    kind = match.lastgroup or ""
    raw = match[kind]
    if kind == "kebab":
        return names.kebab(raw)
    if kind == "path":
        return names.path(raw)
    if kind == "ticket":
        return () if raw.split("-")[0] in names.NOT_TICKETS else (("ticket", raw),)
    if kind == "url":
        host = raw.split("://", 1)[1].split("/")[0].split("@")[-1]
        return (("url", raw), ("host", host)) if "." in host or ":" in host else (("url", raw),)
    if kind == "symbol" and raw.endswith("()"):
        raw = raw[:-2]
    return (({"handle": "person", "flag": "symbol"}.get(kind, kind), raw),)


def _code(raw: str) -> Iterable[tuple[str, str]]:
    """What stands between backticks: a command when it has arguments, else what its spelling says."""
    if not any(c.isalpha() for c in raw):
        return ()
    if " " in raw:
        return (("command", raw),) if names.commandlike(raw) else ()
    whole = WORD.fullmatch(raw)
    if whole is not None and whole.lastgroup != "kebab":
        return _read(whole)
    if not raw.replace("-", "").replace("_", "").replace(".", "").replace(":", "").isalnum() or names.common(raw):
        return ()
    return (("service" if "-" in raw else "symbol", raw),)
