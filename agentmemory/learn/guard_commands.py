"""A command as a rule writes it (`git push github`, kubectl apply/patch) made into a guard's spec, with every spelling.

Knows programs, their options and subcommands (data/commands.toml), nothing of rules or of the store.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from agentmemory.guardspec import ONE_DASH, RUNS_SCRIPTS, VALUED
from agentmemory.learn import tables
from agentmemory.learn.guard_means import LANGUAGES
from agentmemory.shell import commands
from agentmemory.shelltext import base_name

Spec = dict[str, Any]

# Programs whose first argument is no subcommand: what a rule names behind them may stand anywhere.
WITHOUT_SUBCOMMAND = frozenset(
    "rm rmdir cp mv ln dd chmod chown chgrp kill killall pkill cat sed awk curl wget ssh scp rsync psql mysql"
    " mongosh find grep"
    " rg ls tar sudo su tee truncate shred bash sh zsh eval sqlite3 redis-cli pg_restore pg_dump dropdb"
    " createdb".split()
)
CLIENTS = (  # of databases, the best known first
    "psql mysql sqlite3 mariadb sqlcmd clickhouse-client duckdb cqlsh bq mongosh snowsql sqlplus pgcli mycli usql trino"
    " beeline spark-sql"
).split()
LONGEST_CLUSTER = 6  # characters of short options in one, as guardspec.py takes them apart; `-DryRun` is one option
STATEMENTS = frozenset("truncate drop alter delete update insert grant create select".split())
SQL = re.compile(rf"\b(?:{'|'.join(sorted(STATEMENTS - {'select'})).upper()})\b")  # what changes something
FED = ["bash", "sh", "zsh", "dash", "eval", "source", "python", "python3", "node"]
LOADS = ["curl", "wget"]
HOSTS = {"github": "github.com", "gitlab": "gitlab.com", "bitbucket": "bitbucket.org", "heroku": "heroku.com"}
BRANCHES = frozenset("main master trunk develop dev staging production prod release stable next".split())
NAME = r"`?[\w*./~-]+`?"
PLAIN_FILES = (  # names of files that have no ending
    "LICENSE|NOTICE|README|CHANGELOG|CONTRIBUTING|CODEOWNERS|Makefile|Dockerfile|Jenkinsfile|Procfile|Gemfile|Rakefile"
    "|Vagrantfile|justfile"
)
BETWEEN = frozenset("or and nor to in on into against the our".split())  # names of a list
PLACE_NOUN = (
    r"(?:cluster|environment|env|namespace|context|database|db|server|servers|account|system|systems|branch|branches"
    r"|machine|host|hosts|data)"
)
PLACE = re.compile(
    r"\b(?:against|on|in|to|at|for|into|onto|towards?|under|below)\s+(?:the\s+|our\s+|any\s+"
    rf"|a\s+)*(?P<place>{NAME})(?P<more>(?:(?:\s*,\s*(?:(?:or|and|nor)\s+)?+|\s*/\s*|\s+(?:or|and|nor)\s+)"
    rf"(?:(?:to|in|on|into|against)\s+)?(?:the\s+|our\s+)?{NAME}"
    rf"(?=[.;:)]?$|\s*,|[.;:)]?\s+(?:or|and|nor|directly|without|unless|{PLACE_NOUN})\b))*+)(?:\s+{PLACE_NOUN})?",
    re.IGNORECASE,
)
ENVIRONMENTS = frozenset(
    "prod production prd live staging stage stg dev development test testing qa uat preprod sandbox".split()
)

#: "`eval` in Python code": what the code has, no commands
CODED = re.compile(
    r"(?P<what>`?[\w.-]+`?(?:(?:\s*[,/]\s*|\s+(?:or|and|nor)\s+)`?[\w.-]+`?)*)\s+(?:in|inside|within|from)\s+"
    rf"(?:(?:the|our|my|any|all|your)\s+)*(?:{'|'.join(LANGUAGES.keys() - {'test', 'tests'})})"
    r"(?P<code>\s+(?:code|files?|modules?|sources?|tests?))?\W*",
    re.IGNORECASE,
)


def is_program(word: str, more: bool = True) -> bool:
    """Whether *word* names a program; *more*: something follows it, so that an English word may be one too."""
    name = word.removeprefix("/usr/bin/").removeprefix("/bin/")
    if name in _words("english"):
        return more
    return name in _words("programs") or is_script(word)


def is_script(word: str) -> bool:
    """Whether *word* is a script of the project: a path, or a file with a script's ending."""
    ending = word.rsplit(".", 1)[-1] if "." in word else ""
    return ending in {"sh", "bash", "py", "rb", "pl", "mjs", "ps1"} or (word.startswith("./") and len(word) > 2)


def is_english(word: str) -> bool:
    """Whether a program's name is an ordinary word as well (make, go, find)."""
    return word in _words("english")


def is_of_code(words: str) -> bool:
    """Whether names in a language are of its code: `kill` in Python is, `pip` in Python only where code is said."""
    found = CODED.fullmatch(words)
    named = re.findall(r"[\w.-]+", found["what"]) if found else []
    return bool(found and (found["code"] or WITHOUT_SUBCOMMAND & set(named)))


def is_typical(word: str) -> bool:
    """Whether *word* is a subcommand by which an English word is known for a program (make deploy, go test)."""
    return word in _words("typical")


def spec_of(tokens: list[str]) -> Spec | None:
    """The spec of a command's words, None when they name no command."""
    tokens = [token for token in tokens if token not in ("...", "…", "*")] or tokens
    if not tokens:
        return None
    if tokens[0] == "docker" and tokens[1:2] == ["compose"]:
        tokens = ["docker-compose", *tokens[2:]]
    program, rest = tokens[0], tokens[1:]
    if program in RUNS_SCRIPTS and rest and is_script(rest[0]):  # `python manage.py flush` is `./manage.py flush`
        return spec_of(rest)
    spec: Spec = {"program": [program, *same(program)]}
    if is_script(program) and not program.endswith("gradlew"):
        name = program.rsplit("/", 1)[-1]
        spec = {"program": [name], "script": name}
    rest, named = _without_values(program, rest)
    if named:
        spec["any"] = named
    if program == "git" and rest[:1] == ["push"]:
        return _push(spec, rest[1:])
    words = [token for token in rest if not token.startswith("-") or token == "-"]
    sub = words[0].split("|")[0] if words and program not in WITHOUT_SUBCOMMAND else ""
    flags = [alternatives for token in rest if token.startswith("-") for alternatives in _flags(program, sub, token)]
    said = next((word for word in words if word.isupper() and word.lower() in STATEMENTS), "")
    if said and program in CLIENTS:
        words.remove(said)
        spec["content"] = [said, said.lower()]
    if program in WITHOUT_SUBCOMMAND:
        has = [_argument(program, word) for word in words]
        spec |= {"has": has} if has else {}
    elif words:
        spec["args"] = [_argument(program, word, first=i == 0) for i, word in enumerate(words)]
    return spec | ({"flags": flags} if flags else {})


def _without_values(program: str, rest: list[str]) -> tuple[list[str], list[list[str]]]:
    """The words without options that take a value (`--context prod`), and what those values name."""
    valued, kept, named, at = VALUED.get(program, "").split(), [], [], 0
    while at < len(rest):
        option, equals, value = rest[at].partition("=")
        if option in valued and program != "git" and (equals or at + 1 < len(rest)):
            named.append(place(value if equals else rest[at + 1]))
            at += 1 if equals else 2
            continue
        kept.append(rest[at])
        at += 1
    return kept, named


def piped(code: str) -> Spec | None:
    """The spec of a pipeline (`curl ... | bash`): its last program, fed by one before it; None where it is none."""
    found = [command for command in commands(code.replace("...", "").replace("…", "")) if command.source]
    if not found or not found[-1].source:
        return None
    fed, last = found[-1].source, found[-1].words
    while last[0] in ("sudo", "env", "xargs") and len(last) > 1:
        last = last[1:]
    spec = spec_of(last)
    if spec is None or not (is_program(fed.words[0]) or is_program(last[0])):
        return None
    first = base_name(fed.words[0])
    shells = {"program": FED} if last[0] in FED and first in LOADS else {}
    return {**spec, **shells, "source": LOADS if first in LOADS else [first]}


def tokens_of(text: str) -> list[str]:
    """The words of a command written in a rule, without its redirections."""
    found = [command.words for command in commands(text) if command.words[0] not in ("cd", "set", "export")]
    return found[0] if found else text.split()


def same(program: str) -> list[str]:
    """Other programs that a rule about *program* means too."""
    other = _facts()["same"].get(program)
    return [other] if other else []


def rivals(program: str) -> list[str]:
    """The other programs that do the same job; empty when it is known for none."""
    rows = (row.split() for row in _facts()["families"].values())
    family: list[str] = next((row for row in rows if program in row), [])
    return [name for name in family if name != program]


def mutations(program: str) -> list[str]:
    """The subcommands by which a program changes what it acts on."""
    return str(_facts()["mutates"].get(program, "")).split()


def flag_owners(flag: str) -> list[str]:
    """The programs, or programs with a subcommand, that are known to have an option."""
    return [key for key, rows in _facts()["flags"].items() if any(flag in row.split() for row in rows)]


def place(word: str) -> list[str]:
    """All names of a place: prod, production ..."""
    low = word.lower()
    return next((row.split() for row in _facts()["places"].values() if low in row.split()), [low])


def places(found: re.Match[str]) -> list[str]:
    """The names in a match of PLACE: main and develop of "to main or develop", prod and dev of "on prod/dev"."""
    words = [word.strip("`.,;:") for word in [found["place"], *re.findall(NAME, found["more"])]]
    split = (word.lower().split("/") if _are_places(word.split("/")) else [word] for word in words)  # "NEVER ... MAIN"
    return [name for parts in split for name in parts if name.strip("/") and name.lower() not in BETWEEN]


def _are_places(words: list[str]) -> bool:
    return all(word.lower() in BRANCHES | ENVIRONMENTS for word in words)


def resource(name: str) -> list[str]:
    """A kind of resource of a cluster in every spelling."""
    rows = (row.split() for row in _facts()["resources"].values())
    return next((row for row in rows if name.lower() in row), [name])


def remote(name: str) -> list[str]:
    """A git remote in every spelling: its name, or a URL on the host that it is called after."""
    host = HOSTS.get(name.lower())
    return [name, f"*{host}*"] if host else [name]


def branch(name: str) -> list[str]:
    """A branch as `git push` may name it."""
    return [form.format(name) for form in ("{}", "+{}", "*:{}", "refs/heads/{}", "+refs/heads/{}", "*:refs/heads/{}")]


def _push(spec: Spec, rest: list[str]) -> Spec:
    """`git push [remote [branch]]` with its options; a lone branch name stands in the branch's place."""
    words = [token for token in rest if not token.startswith("-")]
    flags = [group for token in rest if token.startswith("-") for group in _flags("git", "push", token)]
    spec["args"] = [["push"]]
    if words and words[0].lstrip("+") in BRANCHES and len(words) == 1:
        spec["has"] = [branch(words[0].lstrip("+"))]
    elif words:
        spec["args"].append([form for name in words[0].split("|") for form in remote(name)])
        if len(words) > 1:
            spec["has"] = [[form for name in words[1].split("|") for form in branch(name)]]
    return spec | ({"flags": flags} if flags else {})


def _argument(program: str, word: str, first: bool = False) -> list[str]:
    names = word.split("|")
    if program in ("sudo", "su", "doas"):
        return [form for name in names for form in (name, *same(name))]
    if program == "redis-cli":
        return [form for name in names for form in dict.fromkeys((name, name.upper(), name.lower()))]
    if program == "chmod" and word in ("777", "0777", "a+rwx"):
        return ["777", "0777", "a+rwx", "ugo+rwx", "a=rwx", "ugo=rwx", "1777"]
    if program in ("kubectl", "oc") and not first:
        return [form for name in names for form in resource(name)]
    if first:
        table = _facts()["subcommand"].get(program, {})
        names = [other for name in names for other in (name, *table.get(name, "").split())]
    return names


def _flags(program: str, sub: str, token: str) -> list[list[str]]:
    """The meanings of an option as groups of spellings: one for `--force`, two for `-rf`."""
    rows = _facts()["flags"]
    known = [row.split() for key in (f"{program} {sub}", program) for row in rows.get(key, [])]
    for group in known:
        if token in group:
            return [group]
    if (
        token.startswith("--")
        or len(token) <= 2
        or len(token) > LONGEST_CLUSTER
        or not token[1:].isalpha()
        or program in ONE_DASH
    ):
        return [[token]]
    return [next((group for group in known if "-" + letter in group), ["-" + letter]) for letter in token[1:]]


@cache
def _words(key: str) -> frozenset[str]:
    return frozenset(_facts()[key].split())


def _facts() -> dict[str, Any]:
    return tables.read("commands")
