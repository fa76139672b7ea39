"""Named things in a text: paths, hosts, symbols, commands, tickets, people, services; and which of them it mentions.

Works on spelling alone, without a model or a list of products. One pattern reads the text once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentmemory.learn import names
from agentmemory.store import entities as store

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

MOST = 16  # things kept of one text: 16 make 120 pairs, and a longer list is a listing, not a statement
LONGEST = 8_000  # characters read of one text; what follows is a paste
#: from the vaguest to the surest reading of one spelling; the surest one seen names the kind
RANK = {kind: i for i, kind in enumerate(
    "name symbol service person package version ticket path command host file url".split()
)}  # fmt: skip

EXTENSIONS = (
    "astro|bash|bat|bazel|c|cc|cfg|clj|cljs|cmake|conf|cpp|cs|css|csv|cts|cu|cxx|dart|db|dockerfile|editorconfig|elm|env|"
    "erl|ex|exs|fish|fs|gql|go|gradle|graphql|h|hbs|hcl|hpp|hs|html|http|ini|ipynb|java|jinja|jl|js|json|json5|jsonc|"
    "jsonl|jsx|kt|kts|less|lock|log|lua|m|md|mdc|mdx|mjs|mk|ml|mm|mts|nim|nix|parquet|pem|php|pl|plist|prisma|properties|"
    "proto|ps1|py|pyi|pyx|r|rb|rego|rs|rst|sass|scala|scss|sh|sol|spec|sql|sqlite|sum|svelte|svg|swift|tex|tf|tfvars|tmpl|"
    "toml|tpl|ts|tsv|tsx|txt|vb|vue|wasm|xml|yaml|yml|zig|zsh"
)
TOP = (
    "app|biz|cloud|co|com|de|dev|edu|eu|fr|gov|info|internal|intra|io|lan|local|localhost|net|no|org|se|svc|test|uk|us"
)
PROGRAMS = (
    "ansible-playbook|ansible|apt-get|argocd|aws|az|black|brew|bun|bundle|cargo|cmake|composer|conda|corepack|curl|"
    "deno|docker-compose|docker|dotnet|dvc|eslint|flutter|flyctl|gcloud|gh|git|glab|go(?= (?:build|fmt|generate|get|"
    "install|mod|run|test|tool|vet)\\b)|gradle|gradlew|gsutil|hatch|helm|jest|just|k9s|kind|kubectl|kustomize|lerna|"
    "make(?= [\\w.]+[-:_])|minikube|mix|mvn|mypy|nox|npm|npx|nx|pip3?|pipenv|playwright|pluto|pnpm|poetry|pre-commit|"
    "prettier|psql|pulumi|pytest|python3?|rails|rake|redis-cli|rsync|ruff|rustup|rye|sbt|scp|serverless|skaffold|"
    "sops|ssh|supabase|swift|systemctl|tox|terraform|terragrunt|tsc|turbo|twine|uv|uvicorn|uvx|vagrant|vault|vercel|"
    "vite|vitest|wrangler|yarn"
)

PATTERN = re.compile(
    rf"""
      (?P<url>\b[a-z][a-z0-9+.-]{{1,15}}://[^\s<>"'`)\]]+)
    | `(?P<code>[^`\n]{{2,120}})`
    | (?P<ticket>\b[A-Z][A-Z0-9]{{1,9}}-\d{{1,6}}\b(?!-)|(?<![\w&/])\#\d{{1,6}}\b)
    | (?P<package>(?<![\w/])@[a-z0-9][\w.-]*/[a-z0-9][\w.-]*(?:@[\w.^~-]+)?|\b[a-z][\w.-]+(?:==|~=|>=)\d[\w.]*)
    | (?P<handle>(?<![\w@.])@[A-Za-z][\w-]{{1,38}}\b(?![/.]\w))
    | (?P<host>\b\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?::\d{{2,5}})?\b
        |\b(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:{TOP})(?::\d{{2,5}})?\b(?![./(]\w)|\blocalhost:\d{{2,5}}\b)
    | (?P<file>(?<![\w])[.~]?/?(?:[\w@.<>\[\]()*+-]+/)*[\w@.<>\[\]*+-]*[\w\]>*]\.(?:{EXTENSIONS})\b(?![.(]\w|\())
    | (?P<path>(?<![\w.<:])(?:~?/|\.{{1,2}}/)?(?:[\w@.<>\[\]*{{}}:-]+/){{1,12}}[\w@.<>\[\]*{{}}:-]*[\w>\]}}*]|(?<![\w.<:/])/[a-z][\w-]+)
    | (?P<command>(?:(?<=^)|(?<=[\s(:]))(?:{PROGRAMS})(?:\ +(?![-–—]\ )[\w@:./=<>-]+){{1,4}})
    | (?P<flag>(?<![\w-])--[a-z][\w-]+(?:=[\w.:/-]+)?)
    | (?P<version>\bv\d+(?:\.\d+)*(?:[-+][\w.]+)?\b|\b\d+\.\d+(?:\.\d+)+(?:[-+][\w.]+)?\b)
    | (?P<symbol>\b[A-Za-z_][\w.]*\(\)|\b[A-Za-z]\w*(?:_[A-Za-z0-9]+)+\b|\b_{{1,2}}\w+\b|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b
        |\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+\b|\b[A-Za-z_]\w+(?:\.[a-z_]\w+)+\b)
    | (?P<kebab>\b[A-Za-z][a-z0-9]*(?:-[a-z0-9]+)+\b)
    | (?P<proper>\b[A-ZÀ-Þ][\w'’À-ÿ]*(?:[ ](?=[A-ZÀ-Þ])[A-ZÀ-Þ][\w'’À-ÿ]*){{0,3}})
    """,
    re.VERBOSE,
)
NAMED = re.compile(
    r"(?:^|[.;:!?,(]\s*|\b(?:and|but|so|because)\s+)(?:the\s+)?`?(?P<new>[\w@./-]{2,40})`?\s+"
    r"(?:is (?:our|my|the name (?:of|for) (?:our|the)|what we call (?:our|the))|are our|stands for(?: our| the)?|"
    r"is short for(?: our| the)?|aka|a\.k\.a\.|also known as)\s+`?(?P<old>[\w@./-]+(?: [\w@./-]+){0,3}?)`?"
    r"(?=\s*(?:$|[.,;:!?()]|\b(?:and|but|which|that|where|in|on|at|for|since|with|running|so)\b))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Named:
    """One thing a text names. norm: what its spellings share; kind: one of `RANK`."""

    kind: str
    name: str
    norm: str


def extract(text: str) -> list[Named]:
    """The named things of *text* in order of appearance, each once, at most `MOST`."""
    text = text[:LONGEST]
    found: dict[str, Named] = {}
    for match in PATTERN.finditer(text):
        for kind, name in _read(match, text):
            norm = norm_of(kind, name)
            if len(norm) < 2:
                continue
            known = found.get(norm)
            if known is None:
                if len(found) < MOST:
                    found[norm] = Named(kind, name, norm)
            elif RANK[kind] > RANK[known.kind]:
                found[norm] = Named(kind, known.name, norm)
    return list(found.values())


def aliases(text: str) -> list[tuple[str, str]]:
    """Pairs `(name, other name)` that the text declares to be one thing: "heron is our EU cluster"."""
    out = []
    for m in NAMED.finditer(text[:LONGEST]) if _may_declare(text) else ():
        new, old = m["new"].strip("`."), m["old"].strip("`. ")
        if not names.common(new) and old and not names.common(old) and new.lower() != old.lower():
            out.append((new, old))
    return out


def norm_of(kind: str, name: str) -> str:
    """What the spellings of one thing share: `Billing_API`, `billing-api` and `BillingApi` are one."""
    if kind in ("url", "file", "path", "host", "command", "version", "ticket"):
        return " ".join(name.split()).lower().rstrip("/.,")
    return "".join(c for c in name.lower() if c.isalnum() or c in "@/:<>=.+#").strip(".")


def mention(
    db: Database, scope: int, text: str, *, belief: int | None = None, turn: int | None = None, at: float
) -> list[int]:
    """Tie what *text* names to a belief or a turn of *scope*; returns the ids of the entities.

    Saying the same again about the same row changes nothing. Co-occurrence weights follow by themselves (triggers).
    Call it for a belief after its evidence is written. The caller owns the transaction.
    """
    found = extract(text)
    ids = store.tie(db, scope, [(n.kind, n.name, n.norm) for n in found], names.plain(text), belief, turn, at, RANK)
    for new, old in aliases(text):
        _declare(db, scope, new, old, at)
    return ids


def mention_all(db: Database, scope: int, texts: Iterable[tuple[int, str, float]]) -> int:
    """`mention` for many turns `(id, text, at)` of one scope; returns how many mentions were written."""
    return sum(len(mention(db, scope, text, turn=id, at=at)) for id, text, at in texts)


def _declare(db: Database, scope: int, new: str, old: str, at: float) -> None:
    """Two names are one thing; the name that says what it is points to the name it goes by."""
    first = store.entity(db, scope, _kind_of(new), new, norm_of("name", new), at, RANK)
    second = store.entity(db, scope, _kind_of(old), old, norm_of("name", old), at, RANK)
    store.alias(db, second, first, at)


def _kind_of(name: str) -> str:
    found = extract(name)
    return found[0].kind if len(found) == 1 and found[0].name == name else "name"


def _may_declare(text: str) -> bool:
    low = text.lower()
    return any(mark in low for mark in (" our ", " stands for", " short for", "aka ", "a.k.a", "known as", " my "))


def _read(match: re.Match[str], text: str) -> Iterable[tuple[str, str]]:
    """What one match of the pattern says: `(kind, name)`, none where the spelling was an accident."""
    kind = match.lastgroup or ""
    raw = match[kind]
    if kind == "code":
        return _code(raw)
    if kind == "proper":
        return names.proper(raw, text, match.start())
    if kind == "kebab":
        return names.kebab(raw)
    if kind == "ticket":
        return () if raw.split("-")[0] in names.NOT_TICKETS else (("ticket", raw),)
    if kind == "url":
        raw = raw.rstrip(".,;:!?")
        host = raw.split("://", 1)[1].split("/")[0].split("@")[-1]
        return (("url", raw), ("host", host)) if "." in host or ":" in host else (("url", raw),)
    if kind == "handle":
        return (("person", raw),)
    if kind == "flag":
        return (("symbol", raw),)
    if kind == "path":
        return names.path(raw)
    if kind == "command":
        return names.command(raw)
    if kind == "symbol" and raw.endswith("()"):
        raw = raw[:-2]
    return ((kind, raw),)


def _code(raw: str) -> Iterable[tuple[str, str]]:
    """What stands between backticks: a command when it has arguments, else what its spelling says."""
    raw = raw.strip()
    if not raw or not any(c.isalpha() for c in raw):
        return ()
    whole = PATTERN.fullmatch(raw) if "`" not in raw else None
    if whole is not None and whole.lastgroup not in ("proper", "kebab", "code", "command"):
        return _read(whole, raw)
    if " " in raw:
        first = raw.split()[0]
        looks = first.replace("-", "").replace("_", "").replace("./", "").replace("/", "").replace(".", "")
        return (("command", raw),) if looks.isalnum() and first[:1].islower() | (first[:1] == ".") else ()
    if raw.replace("-", "").replace("_", "").replace(".", "").replace(":", "").isalnum():
        return (("service" if "-" in raw else "symbol", raw),)
    return ()
