"""A forbidden action in words ("force push", "edit files under generated/", kubectl apply against prod) as specs.

A tuple of readers, each for one way to name an action; the first that understands answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from agentmemory.guardspec import segments
from agentmemory.learn.guard_clauses import CODE, Clause
from agentmemory.learn.guard_commands import (
    BRANCHES,
    ENVIRONMENTS,
    HOSTS,
    PLACE,
    Spec,
    branch,
    flag_owners,
    is_english,
    is_program,
    is_script,
    is_typical,
    place,
    remote,
    spec_of,
    tokens_of,
)
from agentmemory.learn.guard_things import Found, by_path, by_text, by_tool, paths_in
from agentmemory.text import STOP

VERBS = re.compile(
    r"^(?:to\s+)?(?:ever\s+|directly\s+|manually\s+|just\s+)*(?:us(?:e|ing)|run(?:ning)?|call(?:ing)?"
    r"|execut(?:e|ing)|invok(?:e|ing)|typ(?:e|ing)|"
    r"do(?:ing)?|issu(?:e|ing)|perform(?:ing)?|launch(?:ing)?|start(?:ing)?\s+(?=`)|try(?:ing)?|mak(?:e"
    r"|ing)\s+(?=`)|raw|bare|plain|direct|manual)\s+"
    r"(?:the\s+|a\s+|an\s+|any\s+|raw\s+|bare\s+|plain\s+|direct\s+)*",
    re.IGNORECASE,
)  # fmt: skip
SUBCOMMANDS = frozenset("get make go use do down up all off let once same own here now re".split())
STOPS = (STOP - SUBCOMMANDS) | frozenset(
    "directly hand manually onto against via yourself anymore command commands stuff alone locally straight across all"
    " here anything something everything packages new anywhere everywhere whatsoever yet now within inside of".split()
)
NO_PLACE = frozenset(
    "hand ci purpose all once general future repo repository project code codebase shell terminal this that it"
    " root command line"
    " commit commits user any every".split()
)


COMMAND_IN_CODE = re.compile(r"`[\w./-]+ [^`]+`")


def specs(clause: Clause) -> Found:
    """The specs of a forbidden action; empty when it is nothing that a tool call shows."""
    for reader in (by_command, *READERS) if COMMAND_IN_CODE.search(clause.action) else READERS:
        found = reader(clause)
        if found:
            return found
    return []


# Commands ------------------------------------------------------------------------------------------------


INVERTED = frozenset("apply destroy install uninstall upgrade deploy publish migrate delete prune rollback".split())
PASSED = re.compile(
    r"^(?:pass|us|add|giv|set|put)\w*\s+(?:the\s+)?`?(?P<flag>--?[\w-]+)`?(?:\s+(?:flag|option"
    r"|switch))?(?:\s+(?:to|with|on|for|in|when\s+\w+ing)\s+(?P<command>.+))?$",
    re.I,
)
WITHOUT = re.compile(r"\bwithout\s+(?:the\s+)?`?(?P<flag>--?[\w-]+)(?:[ =][\w.-]+)?`?")


def by_option(clause: Clause) -> Found:
    """An option alone, or an option of a command: `--legacy-peer-deps`, --force to npm install."""
    found = PASSED.match(clause.action)
    if not found:
        return []
    flag, command = found["flag"], (found["command"] or "").strip("`")
    tokens = _tokens(command) if command else []
    if tokens:
        return [("Bash", spec) for spec in _specs_of([*tokens, flag])]
    if not flag.startswith("--"):
        return []
    programs = sorted({key.split()[0] for key in flag_owners(flag)})
    return [("Bash", spec) for program in programs for spec in _specs_of([program, flag])] or [
        ("Bash", {"program": ["*"], "flags": [[flag]]})
    ]


def by_command(clause: Clause) -> Found:
    """Commands named as such: in backticks, or a program's name at the beginning of the action."""
    action = VERBS.sub("", clause.action)
    out: Found = []
    unless = WITHOUT.search(clause.action)
    if unless:  # the option that must be there: its absence is what is forbidden
        bare = _tokens(action[: unless.start()].replace("`", "") if unless.start() else action)
        return [
            ("Bash", {**spec, "unless": [{"program": spec["program"], "flags": other["flags"]}]})
            for spec in _specs_of(bare)
            for other in _specs_of([bare[0], unless["flag"]])
        ]
    run = re.match(r"(?:run|execut|invok|launch)\w*\s", clause.action, re.IGNORECASE) is not None
    marked = [code for code in CODE.findall(action) if _is_command(code, run)]
    if marked and not re.match(r"(?i)(?:edit|modif|chang|touch|writ|import|add|put|leav)\w*\s", action):
        rest = CODE.sub(" ", action[action.rindex(f"`{marked[-1]}`") :])
        for code in marked:
            out.extend(_with_place(spec, rest) for spec in _specs_of(tokens_of(code)))
        return out
    named = action != clause.action or clause.verb == "use"
    for part in re.split(r"\s+(?:or|and|nor|/)\s+(?=[\w.-]+\s+(?:[a-z-]+|\.)(?:\s|$))", action):
        tokens = _tokens(part, named)
        if not tokens:
            return out or _plain_tokens(action, named)
        out.extend(_with_place(spec, " ".join(part.split()[1:])) for spec in _alternatives(tokens, part))
    return out


def _plain_tokens(action: str, named: bool) -> Found:
    tokens = _tokens(action, named)
    rest = " ".join(action.split()[1:])
    return [_with_place(spec, rest) for spec in _alternatives(tokens, action)] if tokens else []


def _is_command(code: str, run: bool = False) -> bool:
    words = tokens_of(code)
    if run and len(words) > 1 and re.fullmatch(r"[a-z][\w.-]*", words[0]):  # "run `cap production deploy`"
        return True
    return bool(words) and is_program(words[0], True) and not code.rstrip().endswith("(")


def _specs_of(tokens: list[str]) -> list[Spec]:
    """`kubectl apply/patch` stands for two words in one place."""
    plain = [_slashed(token) if i else token for i, token in enumerate(tokens) if token not in ("<file>", "<path>")]
    spec = spec_of(plain)
    return [spec] if spec else []


def _slashed(token: str) -> str:
    parts = token.split("/")
    bare = len(parts) > 1 and all(part.isalpha() or part.startswith("-") for part in parts)
    return "|".join(parts) if bare else token


def _tokens(action: str, named: bool = False) -> list[str]:
    """The words of a command at the beginning of *action*, up to where the sentence goes on.

    *named*: it is said to be used or run, so that an English word alone is a program too.
    """
    raw = action.split()
    words = [word.strip("`,;:\"'") for word in raw]
    if not words:
        return []
    words[:1] = [word if is_program(word) else word.lower() for word in words[:1]]
    if len(words) > 1 and words[0] in INVERTED and is_program(words[1], False) and not is_english(words[1]):
        words[:2] = [words[1], words[0]]  # "apply terraform"
    first = words[0] if is_script(words[0]) else words[0].split("/")[0]
    if not is_program(first):
        return []
    if is_english(first) and len(words) == 1 and not named:
        return []
    if is_english(first) and len(words) > 1 and not action.startswith("`"):
        following = words[1]
        if following.isalpha() and not is_typical(following) and not (named and following in STOPS):
            return []
    out = [words[0]]
    for i, word in enumerate(words[1:], 1):
        low = word.lower()
        if low in ("with", "using") and i + 1 < len(words) and words[i + 1].startswith("-"):
            continue
        joins = (
            low in ("or", "and", "nor")
            and i + 1 < len(words)
            and words[i + 1].isalpha()
            and not is_program(words[i + 1])
        )
        if joins and words[i + 1] not in STOPS and len(out) > 1 and not out[-1].startswith("-"):
            out[-1] += "|" + words[i + 1]
            words[i + 1] = ""
            continue
        if low in STOPS:
            break
        if (word and word != ".") or word == ".":
            out.append(word)
    return [token for token in out if token]


def _alternatives(tokens: list[str], action: str) -> list[Spec]:
    """`npm or yarn`, `npm/yarn`: each program with the same words behind it."""
    programs = tokens[0].split("/") if not is_script(tokens[0]) and "/" in tokens[0] else [tokens[0]]
    others = re.findall(r"\b(?:or|and|nor|,)\s+`?([\w.-]+)`?", action)
    if len(tokens) == 1:
        programs += [other for other in others if is_program(other, True)]
    return [spec for program in programs for spec in _specs_of([program, *tokens[1:]])]


def _with_place(spec: Spec, rest: str) -> tuple[str, Spec]:
    """*spec* with what the sentence says of the place: `against prod`, `to main`, `in /data`."""
    for found in PLACE.finditer(
        re.sub(r"\b(?:host|server|machine|box|cluster|namespace|context)\s+(?=[\w.-]*[\d.-])", "on ", rest)
    ):
        word = found["place"].strip("`.,;:")
        low = word.lower()
        if low in NO_PLACE or low in spec.get("program", []) or not word:
            continue
        if spec["program"][0] == "git" and spec.get("args") == [["push"]]:
            return "Bash", _pushed(spec, word)
        if low in ENVIRONMENTS or low.rstrip("s") in ENVIRONMENTS:
            return "Bash", {**spec, "any": [place(low)]}
        if any(part in ENVIRONMENTS for part in segments(low)) or _is_host(spec, low):
            return "Bash", {**spec, "any": [[low]]}
        if "/" in word:
            return "Bash", {**spec, "has": [*spec.get("has", []), [f"*{word.rstrip('/')}*"]]}
    return "Bash", spec


def _is_host(spec: Spec, word: str) -> bool:
    remote_shell = spec["program"][0] in ("ssh", "scp", "sftp", "rsync", "mosh")
    return remote_shell and bool(re.search(r"[a-z].*[\d.-]|\d", word))


def _pushed(spec: Spec, word: str) -> Spec:
    name = word.lower()
    if name in BRANCHES or name.startswith("release"):
        return {**spec, "has": [branch(word)]}
    return {**spec, "args": [["push"], remote(name if name in HOSTS else word)]}


# Things that have a name of their own --------------------------------------------------------------------

FORCE = ["-f", "--force", "--force-with-lease*", "--mirror", "+*"]
PUBLISH: list[tuple[str, list[str], list[str]]] = [
    ("npm", ["npm", "yarn", "pnpm", "bun", "lerna"], ["publish"]), ("crates", ["cargo"], ["publish"]),
    ("pypi", ["poetry", "uv", "hatch", "flit", "pdm"], ["publish"]), ("pypi", ["twine"], ["upload"]),
    ("rubygems", ["gem"], ["push"]), ("nuget", ["dotnet"], ["nuget", "push"]), ("marketplace", ["vsce"], ["publish"]),
]  # fmt: skip
MIGRATE: list[tuple[list[str], list[list[str]]]] = [
    (["rails", "rake"], [["db:migrate*"]]), (["python", "python3"], [["*manage.py"], ["migrate"]]),
    (["alembic"], [["upgrade"]]),
    (["prisma"], [["migrate"]]), (["knex", "sequelize", "typeorm"], [["migrate*", "db:migrate*", "migration:run"]]),
    (["flyway", "liquibase"], [["migrate", "update"]]), (["goose", "dbmate"], [["up", "migrate"]]),
    (["php"], [["artisan"], ["migrate*"]]),
    (["diesel", "sqlx"], [["migration", "migrate"]]), (["npm", "yarn", "pnpm", "bun"], [["run"], ["*migrat*"]]),
    (["make", "just", "task"], [["*migrat*"]]),
]  # fmt: skip


def _git(args: list[str], **more: Any) -> tuple[str, Spec]:
    return "Bash", {"program": ["git"], "args": [[word] for word in args], **more}


def _force_push(m: re.Match[str]) -> Found:
    spec = _git(["push"], flags=[FORCE])[1]
    rest = m.string[m.end() :]
    target = PLACE.search(rest)
    if target and target["place"].strip("`").lower() in BRANCHES:
        spec["has"] = [branch(target["place"].strip("`"))]
    return [("Bash", spec)]


def _push_to(m: re.Match[str]) -> Found:
    spec = _pushed({"program": ["git"], "args": [["push"]]}, m["to"].strip("`.,"))
    here = [("Bash", {"program": ["git"], "args": [["push"]], "branch": [m["to"].strip("`.,")], "bare": True})]
    return [("Bash", spec), *(here if "has" in spec else [])]


def _publish(m: re.Match[str]) -> Found:
    named = [row for row in PUBLISH if row[0] in m.string.lower()]
    return [("Bash", {"program": programs, "args": [[arg] for arg in args]}) for _, programs, args in named or PUBLISH]


def _migrate(m: re.Match[str]) -> Found:
    return [_with_place({"program": programs, "args": args}, m.string) for programs, args in MIGRATE]


def _verb_with(m: re.Match[str]) -> Found:
    program, verb = m["program"], m["verb"].lower()
    if not is_program(program, True):
        return []
    return [("Bash", spec) for spec in _specs_of([program, verb])]


def _commit_on(m: re.Match[str]) -> Found:
    name = m["branch"]
    names = ["main", "master"] if name in ("main", "master", "trunk") else [name]
    return [_git([verb], branch=names) for verb in ("commit", "merge", "cherry-pick", "revert")]


def _service(m: re.Match[str]) -> Found:
    verb, name = m["verb"].lower(), m["name"].strip("`").lower()
    if verb not in ("restart", "stop", "start", "reload", "kill") or len(name) < 3 or name in ("the", "any", "using"):
        return []
    return [
        ("Bash", {"program": ["systemctl"], "args": [[verb, f"try-{verb}"], [f"{name}*"]]}),
        ("Bash", {"program": ["service"], "args": [[f"{name}*"], [verb]]}),
        ("Bash", {"program": ["docker"], "args": [[verb], [f"*{name}*"]]}),
        ("Bash", {"program": ["docker-compose"], "args": [[verb], [f"*{name}*"]]}),
        ("Bash", {"program": ["brew"], "args": [["services"], [verb], [f"{name}*"]]}),
    ]


def _pipe_to_shell(m: re.Match[str]) -> Found:
    return [
        ("Bash", {"program": ["bash", "sh", "zsh", "dash", "python", "python3", "node"], "source": ["curl", "wget"]})
    ]


def _sql(m: re.Match[str]) -> Found:
    words = " ".join(m["sql"].split())
    what = list(dict.fromkeys(form for name in (words, words.rstrip("s")) for form in (name.upper(), name.lower())))
    clients = ["psql", "mysql", "mariadb", "sqlite3", "sqlcmd", "clickhouse-client", "mongosh", "duckdb", "cqlsh", "bq"]
    return [_with_place({"program": clients, "content": what}, m.string[m.end() :])]


def _commit_file(m: re.Match[str]) -> Found:
    bare = re.findall(
        r"`([^`]+)`|\b(node_modules|dist|build|vendor|secrets|credentials|target|[a-z]+_[a-z_]+)\b", m["what"]
    )
    found = paths_in(m["what"]) or [a or b for a, b in bare]
    names = [f"*{name}" if name.startswith(".") else name.rstrip("/") for name in found]
    if not names:
        return []
    globs = [form for name in names for form in ((name,) if name.startswith("*") else (name, f"*/{name}"))]
    return [_git(["add"], has=[globs]), _git(["commit"], has=[globs]), _git(["stage"], has=[globs])]


NAMED: list[tuple[str, Callable[[re.Match[str]], Found]]] = [
    (r"\bforce[\s-]?push\w*|\bpush\w*\s+(?:with\s+|using\s+)?(?:`?--?f(?:orce)?`?|force)\b", _force_push),
    (r"^push(?:ing|es)?\s+(?:\w+\s+){0,3}?(?:to|into|onto)\s+(?:the\s+|our\s+)?(?P<to>`?[\w./-]+`?)", _push_to),
    (r"^push(?:ing|es)?(?:\s+(?:directly|anything|code|changes|commits|branches))*$", lambda m: [_git(["push"])]),
    (r"(?<!\w)(?:`?--no-verify`?|(?:skip|bypass)\w*\s+(?:the\s+)?(?:git\s+|pre-?commit\s+|commit\s+)*hooks?)\b",
     lambda m: [_git(["commit"], flags=[["-n", "--no-verify"]]), _git(["push"], flags=[["--no-verify"]]),
                _git(["merge"], flags=[["--no-verify"]])]),
    (r"\bamend\w*\b", lambda m: [_git(["commit"], flags=[["--amend"]])]),
    (r"\bhard[\s-]reset\w*|\breset\w*\s+(?:\w+\s+)?hard\b", lambda m: [_git(["reset"], flags=[["--hard"]])]),
    (r"\brewrit\w+\s+(?:\w+\s+){0,2}history\b",
     lambda m: [_git(["rebase"]), _git(["filter-branch"]), _git(["filter-repo"]), _git(["commit"], flags=[["--amend"]]),
                _git(["push"], flags=[FORCE])]),
    (r"^(?:interactive\s+)?rebas(?:e|ing)\b", lambda m: [_git(["rebase"])]),
    (r"^stash(?:ing)?\b", lambda m: [_git(["stash"])]),
    (r"^cherry-?pick(?:ing)?\b", lambda m: [_git(["cherry-pick"])]),
    (r"\bsquash[\s-](?:and[\s-])?merg\w+",
     lambda m: [_git(["merge"], flags=[["--squash"]]),
                ("Bash", {"program": ["gh"], "args": [["pr"], ["merge"]], "flags": [["--squash", "-s"]]})]),
    (r"^merg(?:e|ing)\s+(?:\w+\s+){0,2}?(?:prs?|pull\s+requests?)\b",
     lambda m: [("Bash", {"program": ["gh"], "args": [["pr"], ["merge"]]}), ("merge_pull_request", {})]),
    (r"^(?:open|creat|mak)\w*\s+(?:\w+\s+){0,2}?(?:prs?|pull\s+requests?)\b",
     lambda m: [("Bash", {"program": ["gh"], "args": [["pr"], ["create"]]}), ("create_pull_request", {})]),
    (r"^delet(?:e|ing)\s+(?:\w+\s+){0,2}?branch\w*",
     lambda m: [_git(["branch"], flags=[["-d", "-D", "--delete"]]), _git(["push"], flags=[["-d", "--delete", ":*"]])]),
    (r"^delet(?:e|ing)\s+(?:\w+\s+){0,2}?tags?\b",
     lambda m: [_git(["tag"], flags=[["-d", "--delete"]]), _git(["push"], flags=[["-d", "--delete", ":*"]])]),
    (r"^push(?:ing)?\s+(?:\w+\s+){0,2}?tags?\b",
     lambda m: [_git(["push"], flags=[["--tags", "--follow-tags", "--mirror"]])]),
    (r"^(?:creat\w+\s+|mov\w+\s+|mak\w+\s+|add\w*\s+)(?:an?\s+|the\s+|any\s+)?(?:new\s+)?(?:git\s+"
        r"|release\s+)?tags?\b",
     lambda m: [_git(["tag"])]),
    (r"^commit(?:ting)?\s+(?P<what>(?!to\b|with\b|directly\b|straight\b).+)", _commit_file),
    (r"^install\w*\s+(?:\w+\s+){0,2}?(?:globally|global\w*)\b|\bglobal(?:ly)?\s+(?:npm\s+)?install\w*",
     lambda m: [("Bash", {"program": ["npm", "pnpm"], "flags": [["-g", "--global", "--location=global"]]}),
                ("Bash", {"program": ["yarn"], "args": [["global"], ["add"]]})]),
    (r"^(?P<verb>install|add|deploy|publish|build|test|upload|download)\w*\s+(?:[\w-]+\s+){0,3}?(?:with|using"
        r"|via|through)\s+`?(?P<program>[\w.-]+)",
     _verb_with),
    (r"^commit(?:ting)?\s+(?:\w+\s+){0,2}?(?:to|on|onto)\s+(?:the\s+)?`?(?P<branch>[\w./-]+)`?", _commit_on),
    (r"^publish(?:ing)?\b", _publish),
    (r"^(?:appl\w+\s+)?(?:\w+\s+)?migrat(?:e|ions?|ing)\b.*\b(?:against|on|in|to)\b", _migrate),
    (r"^(?P<verb>re-?start|stop|start|reload|kill)(?:ing|ping)?\s+(?:the\s+"
        r"|our\s+)?(?P<name>`?[\w.-]+`?)(?=\s+(?:service|container|daemon|server|database"
     r"|db|by|with|unit)\b|$)", _service),
    (r"\b(?:pip\w+|curl\w*|wget)\b.*\b(?:in)?to\s+(?:a\s+|the\s+)?(?:bash|sh|shell|zsh)\b|curl[^"
        r"|`]*\|\s*(?:sudo\s+)?(?:ba|z)?sh\b",
     _pipe_to_shell),
    (r"\b(?P<sql>(?:drop|truncate)\s+(?:tables?|databases?|schemas?)|delete\s+from)\b", _sql),
]  # fmt: skip


def by_name(clause: Clause) -> Found:
    """Actions that have a name: force push, skipping hooks, publishing, committing a file."""
    action = VERBS.sub("", clause.action)
    for pattern, make in NAMED:
        found = re.search(pattern, action, re.IGNORECASE)
        if found:
            return make(found)
    return []


READERS: tuple[Callable[[Clause], Found], ...] = (by_tool, by_name, by_option, by_command, by_path, by_text)
