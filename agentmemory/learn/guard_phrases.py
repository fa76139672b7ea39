"""A forbidden action in words ("force push", "edit files under generated/", kubectl apply against prod) made into specs.

A tuple of readers, each for one way to name an action; the first that understands answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from agentmemory.learn.guard_clauses import CODE, Clause
from agentmemory.learn.guard_commands import (
    BRANCHES,
    HOSTS,
    Spec,
    branch,
    is_english,
    is_program,
    is_script,
    place,
    remote,
    spec_of,
    tokens_of,
)

Found = list[tuple[str, Spec]]

VERBS = re.compile(
    r"^(?:to\s+)?(?:ever\s+|directly\s+|manually\s+|just\s+)*(?:us(?:e|ing)|run(?:ning)?|call(?:ing)?|execut(?:e|ing)|invok(?:e|ing)|typ(?:e|ing)|"
    r"do(?:ing)?|issu(?:e|ing)|perform(?:ing)?|launch(?:ing)?|start(?:ing)?\s+(?=`)|try(?:ing)?|mak(?:e|ing)\s+(?=`)|raw|bare|plain|direct|manual)\s+"
    r"(?:the\s+|a\s+|an\s+|any\s+|raw\s+|bare\s+|plain\s+|direct\s+)*",
    re.IGNORECASE,
)  # fmt: skip
STOPS = frozenset(
    """directly by hand manually to on onto against in into at for from with via as and then ever again here there please
    yourself anymore any the a an my our this that these those command commands stuff things alone locally straight under
    inside within of over across anywhere everywhere at all whatsoever yet now is are it you we they i or nor""".split()
)
PLACE = re.compile(
    r"\b(?:against|on|in|to|at|for|into|onto|towards?)\s+(?:the\s+|our\s+|any\s+|a\s+)*(?P<place>`?[\w*.-]+`?)(?:\s+(?:cluster|environment|env|namespace|"
    r"context|database|db|server|servers|account|system|systems|branch|machine|host|hosts|data))?",
    re.IGNORECASE,
)  # fmt: skip
NO_PLACE = frozenset(
    "hand ci purpose all once general future repo repository project code codebase shell terminal this that it root command line"
    " commit commits user any every".split()
)
ENVIRONMENTS = frozenset(
    "prod production prd live staging stage stg dev development test testing qa uat preprod sandbox".split()
)


def specs(clause: Clause) -> Found:
    """The specs of a forbidden action; empty when it is nothing that a tool call shows."""
    for reader in READERS:
        found = reader(clause)
        if found:
            return found
    return []


# Commands ------------------------------------------------------------------------------------------------


def by_command(clause: Clause) -> Found:
    """Commands named as such: in backticks, or a program's name at the beginning of the action."""
    action = VERBS.sub("", clause.action)
    out: Found = []
    marked = [code for code in CODE.findall(action) if _is_command(code)]
    if marked and not re.match(r"(?i)(?:edit|modif|chang|touch|writ|import|add|put|leav)\w*\s", action):
        rest = CODE.sub(" ", action)
        for code in marked:
            out.extend(_with_place(spec, rest) for spec in _specs_of(tokens_of(code)))
        return out
    tokens = _tokens(action)
    if tokens:
        out.extend(_with_place(spec, " ".join(action.split()[1:])) for spec in _alternatives(tokens, action))
    return out


def _is_command(code: str) -> bool:
    words = tokens_of(code)
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


def _tokens(action: str) -> list[str]:
    """The words of a command at the beginning of *action*, up to where the sentence goes on."""
    words = [word.strip("`,;:\"'") for word in action.split()]
    if not words or not is_program(
        words[0].split("/")[0] if "/" in words[0] and not is_script(words[0]) else words[0], False
    ):
        return []
    if is_english(words[0]) and not (len(words) > 1 and (words[1].startswith("-") or action.startswith("`"))):
        following = words[1] if len(words) > 1 else ""
        if following in STOPS or not following.isalpha():
            return []
    out = [words[0]]
    for i, word in enumerate(words[1:], 1):
        low = word.lower()
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
        programs += [other for other in others if is_program(other, False) and not is_english(other)]
    return [spec for program in programs for spec in _specs_of([program, *tokens[1:]])]


def _with_place(spec: Spec, rest: str) -> tuple[str, Spec]:
    """*spec* with what the sentence says of the place: `against prod`, `to main`, `in /data`."""
    for found in PLACE.finditer(rest):
        word = found["place"].strip("`.,;:")
        low = word.lower()
        if low in NO_PLACE or low in spec.get("program", []) or not word:
            continue
        if spec["program"][0] == "git" and spec.get("args") == [["push"]]:
            return "Bash", _pushed(spec, word)
        if low in ENVIRONMENTS or low.rstrip("s") in ENVIRONMENTS:
            return "Bash", {**spec, "any": [place(low)]}
        if "/" in word:
            return "Bash", {**spec, "has": [*spec.get("has", []), [f"*{word.rstrip('/')}*"]]}
    return "Bash", spec


def _pushed(spec: Spec, word: str) -> Spec:
    name = word.lower()
    if name in BRANCHES or name.startswith("release"):
        return {**spec, "has": [branch(word)]}
    return {**spec, "args": [["push"], remote(name if name in HOSTS else word)]}


# Things that have a name of their own --------------------------------------------------------------------

FORCE = ["-f", "--force", "--force-with-lease*", "--mirror", "+*"]
PUBLISH: list[tuple[list[str], list[str]]] = [
    (["npm", "yarn", "pnpm", "bun", "lerna", "cargo", "poetry", "uv", "hatch", "flit", "pdm", "vsce"], ["publish"]),
    (["twine"], ["upload"]), (["gem"], ["push"]), (["dotnet"], ["nuget"]),
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
    return [("Bash", _pushed({"program": ["git"], "args": [["push"]]}, m["to"].strip("`.,")))]


def _publish(m: re.Match[str]) -> Found:
    return [("Bash", {"program": programs, "args": [args]}) for programs, args in PUBLISH]


def _pipe_to_shell(m: re.Match[str]) -> Found:
    return [
        ("Bash", {"program": ["bash", "sh", "zsh", "dash", "python", "python3", "node"], "source": ["curl", "wget"]})
    ]


def _sql(m: re.Match[str]) -> Found:
    words = " ".join(m["sql"].split())
    what = [
        form
        for form in dict.fromkeys((words.upper(), words.lower(), words.rstrip("s").upper(), words.rstrip("s").lower()))
    ]
    clients = ["psql", "mysql", "mariadb", "sqlite3", "sqlcmd", "clickhouse-client", "mongosh", "duckdb", "cqlsh", "bq"]
    return [("Bash", {"program": clients, "content": what})]


def _commit_file(m: re.Match[str]) -> Found:
    names = [f"*{name}" if name.startswith(".") else name for name in _paths(m["what"])]
    if not names:
        return []
    globs = [form for name in names for form in (name, f"*/{name.lstrip('*')}" if not name.startswith("*") else name)]
    return [_git(["add"], has=[globs]), _git(["commit"], has=[globs]), _git(["stage"], has=[globs])]


NAMED: list[tuple[str, Callable[[re.Match[str]], Found]]] = [
    (r"\bforce[\s-]?push\w*|\bpush\w*\s+(?:with\s+|using\s+)?(?:`?--?f(?:orce)?`?|force)\b", _force_push),
    (r"^push(?:ing|es)?\s+(?:\w+\s+){0,3}?(?:to|into|onto)\s+(?:the\s+|our\s+)?(?P<to>`?[\w./-]+`?)", _push_to),
    (r"^push(?:ing|es)?(?:\s+(?:directly|anything|code|changes|commits|branches))*$", lambda m: [_git(["push"])]),
    (r"\b(?:`?--no-verify`?|(?:skip|bypass)\w*\s+(?:the\s+)?(?:git\s+|pre-?commit\s+|commit\s+)*hooks?)\b",
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
    (r"^(?:creat\w+\s+|push\w*\s+|mov\w+\s+)?(?:git\s+)?tags?\b$", lambda m: [_git(["tag"])]),
    (r"^commit(?:ting)?\s+(?P<what>(?!to\b|with\b|directly\b|straight\b).+)", _commit_file),
    (r"^install\w*\s+(?:\w+\s+){0,2}?(?:globally|global\w*)\b|\bglobal(?:ly)?\s+(?:npm\s+)?install\w*",
     lambda m: [("Bash", {"program": ["npm", "pnpm"], "flags": [["-g", "--global", "--location=global"]]}),
                ("Bash", {"program": ["yarn"], "args": [["global"], ["add"]]})]),
    (r"^publish(?:ing)?\b", _publish),
    (r"\b(?:pip\w+|curl\w*|wget)\b.*\b(?:in)?to\s+(?:a\s+|the\s+)?(?:bash|sh|shell|zsh)\b|curl[^|`]*\|\s*(?:sudo\s+)?(?:ba|z)?sh\b",
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


# Files and texts -----------------------------------------------------------------------------------------

EDITS = re.compile(
    r"^(?:hand[\s-]?|manually\s+|directly\s+)*(?:edit|modif|chang|touch|writ|alter|updat|delet|remov|creat|overwrit|rewrit|mov|renam|format|put|"
    r"plac|add|tweak|patch|mess|fiddl|commit\s+changes)\w*\b\s*(?P<what>.*)", re.IGNORECASE)  # fmt: skip
READS = re.compile(
    r"^(?:read|open|look\w*\s+(?:at|in|into)|view|print|cat|show|access|inspect|dump|log)\w*\b\s*(?P<what>.+)",
    re.IGNORECASE,
)
PATH = re.compile(
    r"`([^`]+)`|(?<![\w/])((?:\.{0,2}/)?[\w@.*-]*(?:/[\w@.*-]+)+/?|[\w@.-]+/|\.\w[\w.-]*|[\w*-]+\.(?!\s)[\w*]{1,10})(?!\w)"
)
FOLDER = re.compile(
    r"\b([\w.-]+)\s+(?:folder|directory|dir|tree)\b|\b(?:folder|directory|dir)\s+`?([\w./-]+)`?", re.IGNORECASE
)
EXCEPT = re.compile(r"\b(?:except|other\s+than|apart\s+from|outside(?:\s+of)?)\b(?P<what>.+)", re.IGNORECASE)
LOCKFILES = ["package-lock.json", "yarn.lock", "pnpm-lock.yaml", "poetry.lock", "uv.lock", "Cargo.lock", "Gemfile.lock", "composer.lock",
             "go.sum", "Pipfile.lock", "bun.lockb", "bun.lock"]  # fmt: skip
LANGUAGES = {
    "typescript": ["*.ts", "*.tsx"], "ts": ["*.ts", "*.tsx"], "javascript": ["*.js", "*.jsx", "*.mjs"], "js": ["*.js"],
    "python": ["*.py"], "go": ["*.go"], "rust": ["*.rs"], "ruby": ["*.rb"], "java": ["*.java"], "css": ["*.css", "*.scss"],
    "tests": ["tests/", "test/", "*test*", "*spec*"], "test": ["tests/", "test/", "*test*", "*spec*"],
}  # fmt: skip


def by_path(clause: Clause) -> Found:
    """Files that may not be changed, or not be read."""
    edits, reads = EDITS.match(clause.action), READS.match(clause.action)
    if clause.verb == "edit" and not edits:
        what = clause.action
    elif edits:
        what = edits["what"]
    elif reads:
        paths = _paths(reads["what"])
        return [("Read", {"reads": paths}), ("Bash", {"reads": paths})] if paths else []
    else:
        return []
    split = EXCEPT.search(what)
    skip = _paths(split["what"]) if split else []
    paths = _paths(what[: split.start()] if split else what)
    if not paths:
        return []
    more = {"skip": skip} if skip else {}
    return [("Edit", {"path": paths, **more}), ("Bash", {"writes": paths, **more})]


def _paths(text: str) -> list[str]:
    """The files and folders that a text names, as globs."""
    if re.search(r"\block[\s-]?files?\b", text, re.IGNORECASE) and not re.search(r"[\w-]\.lock|lock\.\w", text):
        return LOCKFILES
    out = [a or b for a, b in PATH.findall(text)]
    out += [
        (a or b).rstrip("/") + "/"
        for a, b in FOLDER.findall(text)
        if (a or b).lower() not in ("the", "this", "that", "same", "root")
    ]
    named = re.findall(
        r"\b(?:files?|anything|code|things|everything|stuff)\s+(?:in|under|inside|within|below)\s+(?:the\s+)?`?([\w.-]+)`?(?=\s|$)",
        text,
    )
    out += [name.rstrip("/") + "/" for name in named if name.lower() not in ("the", "this", "that", "there")]
    clean = [path.strip(".,;:") if not path.startswith(".") else path.rstrip(".,;:") for path in out]
    return list(dict.fromkeys(path for path in clean if len(path) > 1 and not path.isdigit()))


ADDS = re.compile(
    r"^(?:us(?:e|ing)|add(?:ing)?|writ(?:e|ing)|introduc(?:e|ing)|import(?:ing)?|leav(?:e|ing)|put(?:ting)?|call(?:ing)?|commit(?:ting)?|insert(?:ing)?|"
    r"depend(?:ing)?\s+on|rely(?:ing)?\s+on|ship(?:ping)?)?\s*(?P<what>.+)", re.IGNORECASE)  # fmt: skip
IDENTIFIER = re.compile(
    r"(?<![\w./])(@?[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)+(?:\(\))?|[A-Za-z_$][\w$]*\(\)|@[\w-]+(?:/[\w-]+)?|[a-z]+[A-Z]\w+|[a-z]+_[a-z_]+|//\s?@?[\w-]+)"
)


def by_text(clause: Clause) -> Found:
    """Text that may not be added: `console.log` in src/, `any` in TypeScript."""
    found = ADDS.match(clause.action)
    if not found or clause.verb == "edit":
        return []
    what = found["what"]
    where = re.search(
        r"\b(?:in|inside|under|within|to|from)\s+(?P<where>.+)$", CODE.sub(lambda m: m[0].replace(" ", "\x00"), what)
    )
    place_text = where["where"].replace("\x00", " ") if where else ""
    head = what[: where.start()] if where else what
    wanted = [code for code in CODE.findall(head)] or IDENTIFIER.findall(head)[:3]
    wanted = [
        text
        for text in wanted
        if not re.fullmatch(r"[\w./-]+\.\w{1,4}", text) or "()" in text or re.match(r"[a-z]+\.[a-z]+$", text)
    ]
    if not wanted:
        return []
    imported = clause.action.lower().startswith(("import", "depend", "add `", "add the"))
    content = [form for text in wanted for form in _forms(text, imported, place_text)]
    paths = _paths(place_text) or [
        g for word in re.findall(r"\w+", place_text.lower()) for g in LANGUAGES.get(word, [])
    ]
    spec: Spec = {"content": content, **({"path": paths} if paths else {})}
    bash: Spec = {"content": content, "writes": paths or ["*"]}
    return [("Edit", spec), ("Bash", bash)]


def _forms(text: str, imported: bool, place_text: str) -> list[str]:
    bare = text.removesuffix("()").removesuffix("(")
    if text == "any":
        return [": any", "<any>", "as any", "any[]", "any>"]
    if text in ("var", "let", "const"):
        return [text + " "]
    if imported and re.fullmatch(r"@?[\w/.-]+", bare):
        return [f'"{bare}"', f"'{bare}'", f"import {bare}", f"from {bare}", f'"{bare}/', f"'{bare}/"]
    return [bare + "("] if text != bare else [text]


# Tools ---------------------------------------------------------------------------------------------------

TOOL = re.compile(
    r"`?\b(mcp__\w+?\*?)`?(?=\s|$|[,.;])|\b(?:the\s+)?`?([A-Za-z]\w+)`?\s+tool\b|`?\b(WebFetch|WebSearch|Task|NotebookEdit|TodoWrite)\b`?"
)
SERVER = re.compile(
    r"\b(?:the\s+)?`?([\w-]+?)`?(?:'s)?\s+(?:mcp(?:\s+server)?)\b(?:'s)?(?:\s+`?(\w+)`?)?|\bmcp\s+(?:server\s+)?`?([\w-]+)`?",
    re.IGNORECASE,
)


def by_tool(clause: Clause) -> Found:
    """A tool of the client, by its name or by its MCP server's."""
    action = clause.action
    found = TOOL.search(action)
    if found:
        name = found[1] or found[2] or found[3]
        return (
            [(name, _about(action))]
            if name.lower() not in ("bash", "edit", "write", "any", "the", "this", "that")
            else []
        )
    server = SERVER.search(action)
    if not server:
        return []
    name, tool = server[1] or server[3], server[2]
    named = f"mcp__{name}__{tool}" if tool and "_" in tool else f"mcp__{name}__*"
    return [(named, _about(action))]


def _about(action: str) -> Spec:
    where = [m["place"].strip("`").lower() for m in PLACE.finditer(action)]
    wanted = [place(word) for word in where if word in ENVIRONMENTS or word in BRANCHES]
    return {"any": wanted[:1]} if wanted else {}


READERS: tuple[Callable[[Clause], Found], ...] = (by_tool, by_name, by_command, by_path, by_text)
