"""Files, texts and tools that a rule names: what may not be changed, read, added or called."""

from __future__ import annotations

import re

from agentmemory.learn.guard_clauses import Clause
from agentmemory.learn.guard_commands import (
    BRANCHES,
    ENVIRONMENTS,
    PLACE,
    PLAIN_FILES,
    SQL,
    Spec,
    is_program,
    place,
    places,
)
from agentmemory.learn.guard_means import LANGUAGES, SPELLED
from agentmemory.learn.guard_sentences import CODE

Found = list[tuple[str, Spec]]

# Files and texts -----------------------------------------------------------------------------------------

EDITS = re.compile(
    r"^(?:hand[\s-]?|manually\s+|directly\s+)*(?:edit|modif|chang|touch|writ|alter|updat|delet|remov|creat"
    r"|overwrit|rewrit|mov|renam|format|put|bump|"
    r"plac|add|tweak|patch|mess|fiddl|commit\s+changes)\w*\b\s*(?P<what>.*)", re.IGNORECASE)  # fmt: skip
READS = re.compile(
    r"^(?:read|open|look\w*\s+(?:at|in|into)|view|print|cat|show|access|inspect|dump|log)\w*\b\s*(?P<what>.+)",
    re.IGNORECASE,
)
PRINTS = re.compile(
    r"^(?:print|log)\w*\b(?:\s+[\w-]+)*?\s+(?:in|inside|within|under)\s", re.IGNORECASE
)  # code that does
PATH = re.compile(
    r"`([^`]+)`|(?<![\w/~:])(~/[\w@./*-]+|(?:\.{0,2}/)?[\w@.*-]*(?:/[\w@.*-]+)+/?|[\w@.-]+/|\.\w[\w.-]*"
    rf"|[\w*-]+(?:\.(?!\s)[\w*]{{1,12}})+|(?:{PLAIN_FILES})(?![\w.]))(?!\w)"
)
AT_ROOT = re.compile(  # of the files of a name the one that is meant: "README.md in the root", "the root README.md"
    r"\b(?:in|at)\s+(?:the\s+)?(?:(?:repo|repository|project)(?:['’]s)?\s+)?(?:root|top(?:[\s-]level)?)\b"
    r"|\b(?:root|top[\s-]level)(?:['’]s)?\s+`?[\w-]*\.\w",
    re.IGNORECASE,
)
OF_KIND = re.compile(r"(?<![\w/*])`?(\.[a-z]\w*)`?\s+files?\b")
FOLDER = re.compile(
    r"(?<![\w./-])([\w.-]+)\s+(?:folder|directory|dir|tree)\b|\b(?:folder|directory|dir)\s+`?([\w./-]+)`?",
    re.IGNORECASE,
)
NEXT = (  # the next name of a list
    r"(?:(?:\s*,\s*(?:(?:or|and|nor)\s+)?|\s+(?:or|and|nor)\s+)`?[\w-]+`?"
    r"(?=\s*(?:[,.;:)]|$|\s(?:or|and|nor|without|unless)\s)))"
)
BUILT = r"`?(?:dist|build|node_modules|vendor|third_party|coverage|__pycache__)`?"  # folders known without a slash
EXCEPTED = re.compile(
    r"(?:^|\s+)(?:except|other\s+than|apart\s+from|(?P<outside>outside(?:\s+of)?))\s+(?:for\s+)?(?P<what>.+)", re.I
)
EVERYTHING = re.compile(r"\s*(?:any\s*|all\s+|the\s+)?(?:things?|files?|code|everything|stuff)?\s*", re.IGNORECASE)
ANY_FILE = re.compile(
    r"(?:(?:any|the|my|our|existing)\s+)*(?:files?|anything|folders?|director\w+)\W*(?:$|(?:without|unless|before|until)\b)",
    re.I,
)
LOCKFILES = ["package-lock.json", "yarn.lock", "pnpm-lock.yaml", "poetry.lock", "uv.lock", "Cargo.lock",
"Gemfile.lock", "composer.lock",
             "go.sum", "Pipfile.lock", "bun.lockb", "bun.lock"]  # fmt: skip
MIGRATIONS = re.compile(
    r"\s*(?:(?!(?:in|of|to|for|with)\b)\w+\s+){0,3}migrations?(?:\s+files?)?(?:\s+(?:by\s+hand|manually))?\W*", re.I
)
MIGRATED = ["migrations/", "migrate/", "alembic/versions/"]
CI_FILES = (".github/workflows/", ".gitlab-ci.yml", ".circleci/", "Jenkinsfile", ".buildkite/", "azure-pipelines.yml")


#: what alone a rule forbids to do to files: to take them away, to make new ones, to change those that are there
GOES = re.compile(
    r"^(?:delet|remov|eras)\w*(?:\s*(?:,|/|\bor\b|\band\b)\s*(?:delet|remov|eras|mov)\w*)*\s+(?!(?:or|and)\b|[,/])",
    re.I,
)
COMES = re.compile(
    r"^creat\w*\s+(?!(?:or|and)\b|[,/])|^\w+\s+(?:an?\s+|any\s+)?new\s+(?:[\w.*`-]+\s+){0,2}files?\b", re.I
)
STAYS = re.compile(
    r"\b(?:existing|already\s+exists?|exists?\s+already|applied"
    r"|already\s+(?:there|merged|deployed|released|committed|published))\b",
    re.I,
)
HERE = frozenset("the this that same root project repo repository working current workspace".split())
NO_FOLDER = HERE | {"there", "or", "and", "nor"}

#: folders of the machine; any other that begins with a slash may be meant from the project's root: /vendor
SYSTEM = frozenset("etc usr var tmp opt home root bin sbin lib srv mnt media dev proc sys boot run Users".split())
DOCS = frozenset("README CHANGELOG LICENSE CONTRIBUTING NOTICE".split())  # mostly have an ending that none says
ONLY = (("gone", GOES), ("old", STAYS), ("new", COMES))


def by_path(clause: Clause) -> Found:
    """Files that may not be changed, or not be read."""
    named = clause.verb == "edit" and PATH.match(clause.action)  # CHANGELOG.md, patches/: no verbs
    edits, reads = None if named else EDITS.match(clause.action), READS.match(clause.action)
    if clause.verb == "edit" and not edits:
        what = clause.action
    elif edits:
        what = edits["what"]
    elif reads:
        paths = [] if PRINTS.match(clause.action) else paths_in(reads["what"])
        return [("Read", {"reads": paths}), ("Bash", {"reads": paths})] if paths else []
    else:
        return []
    split = EXCEPTED.search(what)
    skip = paths_in(split["what"]) if split else []
    paths = paths_in(what[: split.start()] if split else what)
    if not paths and skip and split and EVERYTHING.fullmatch(what[: split.start()]):
        paths = ["*"]
    if not paths and GOES.match(clause.action) and ANY_FILE.match(what):  # "never delete files without asking"
        paths = ["*"]
    if not paths:
        return []
    only = next((which for which, words in ONLY if words.search(clause.action)), "")
    more: Spec = ({"skip": skip} if skip else {}) | ({"only": only} if only else {})
    return [("Edit", {"path": paths, **more}), ("Bash", {"writes": paths, **more})]


def paths_in(text: str) -> list[str]:
    """The files and folders that a text names, as globs."""
    if re.search(r"\block[\s-]?files?\b", text, re.IGNORECASE) and not re.search(r"[\w-]\.lock|lock\.\w", text):
        return LOCKFILES
    if MIGRATIONS.fullmatch(text):
        return MIGRATED
    out = (
        list(CI_FILES)
        if re.search(r"\b(?:ci|pipeline|github actions)\s+(?:config\w*|files?|workflows?|setup)\b", text, re.I)
        else []
    )
    out += [
        a or b
        for a, b in PATH.findall(text)
        if b or set(a) & set("/.*") or re.search(r"\b(?:file|folder|director)", text)
    ]
    out += [(a or b).rstrip("/") + "/" for a, b in FOLDER.findall(text) if (a or b).lower() not in HERE]
    inside = re.search(
        r"\b(?:files?|anything|code|things|everything|stuff)\s+(?:in|under|inside|within"
        rf"|below)\s+(?:the\s+)?(`?[\w.-]+`?{NEXT}*)(?=[\s,;:)]|$)",
        text,
    )
    built = re.fullmatch(rf"\s*(?:(?:at|in|into|inside)\s+)?({BUILT}{NEXT}*)\W*", text)
    named = re.findall(r"[\w.-]+", " ".join(found[1] for found in (inside, built) if found))
    out += [name.rstrip("/") + "/" for name in named if name.lower() not in NO_FOLDER]
    kinds = [kind for kind in OF_KIND.findall(text) if kind != ".env"]  # "any `.swift` file"
    out = [f"*{path}" if path in kinds else path for path in out]
    if re.search(r"\.env\b`?\s+files", text):
        out += [".env.*"]
    out = [path.removeprefix("~/") for path in out]
    clean = [path.strip(".,;:") if not path.startswith(".") else path.rstrip(".,;:") for path in out]
    clean += [f"{path}.*" for path in clean if path in DOCS]
    clean += ["." + path for path in clean if path[:1] == "/" and path.split("/")[1] not in SYSTEM]
    clean = ["./" + path if AT_ROOT.search(text) and "/" not in path.rstrip("/") else path for path in clean]
    return list(
        dict.fromkeys(path for path in clean if len(path) > 1 and not path.isdigit() and not set(path) & set(" #(\"'"))
    )


ADDS = re.compile(
    r"^(?P<verb>us(?:e|ing)|add(?:ing)?|writ(?:e|ing)|introduc(?:e|ing)|import(?:ing)?|leav(?:e|ing)|put(?:ting)?"
    r"|call(?:ing)?|commit(?:ting)?|insert(?:ing)?|"
    r"depend(?:ing)?\s+on|rely(?:ing)?\s+on|ship(?:ping)?)?\s*(?P<what>.+)", re.IGNORECASE)  # fmt: skip
IDENTIFIER = re.compile(
    r"(?<![\w./])(@?[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)+(?:\(\))?|[A-Za-z_$][\w$]*\(\)"
    r"|@[\w-]+(?:/[\w-]+)?|[a-z]+[A-Z]\w+|[a-z]+_[a-z_]+|//\s?@?[\w-]+)"
)


FILE = re.compile(r"[\w./-]+\.\w{1,4}")
MEMBER = re.compile(r"[a-z]+\.[a-z]+$|\w+(?:\.[A-Z]\w*)+$")  # "console.log", "React.FC"
#: "print statements", "print calls": what stands in code for them
CALLS = re.compile(r"(?<![\w.`-])(?P<name>[a-z][\w.]*)\s+(?:calls?|statements?)\b")
STATES = {
    "print": "print()",
    "debugger": "debugger",
    "goto": "goto",
    "exec": "exec()",
    "eval": "eval()",
    "assert": "assert",
}
#: what a word in code is, where that is said behind it: `default` namespace selects, `moment` library is imported
NOUN = re.compile(
    r"`[^`]+`\s+(?:(?P<selects>tags?|namespaces?|accounts?|profiles?|users?|contexts?|env(?:ironment)?s?|branch(?:es)?"
    r"|clusters?|databases?|db|schemas?|projects?|workspaces?|regions?|remotes?|ports?|flags?|options?|hosts?|servers?"
    r"|targets?|recipes?|tasks?|scripts?|labels?|roles?|groups?|buckets?|queues?|networks?)|librar(?:y|ies)|packages?"
    r"|modules?|crates?|gems?|frameworks?)\b",
    re.IGNORECASE,
)


def written(content: list[str], files: list[str]) -> Found:
    """Whatever writes one of these texts into such files."""
    return [("Edit", {"content": content, "path": files}), ("Bash", {"content": content, "writes": files})]


def by_text(clause: Clause) -> Found:
    """Text that may not be added: `console.log` in src/, `any` in TypeScript."""
    found = ADDS.match(clause.action)
    if not found or clause.verb == "edit" or clause.action.lower().startswith(("commit", "renam", "pip")):
        return []
    for name, content, files in SPELLED:
        said = re.match(rf"(?:{name})(?=\W*$|\s+(?:in|inside|anywhere|at|within)\b)", found["what"], re.IGNORECASE)
        if said:
            return written(content, files)
    what = CALLS.sub(lambda m: f"`{STATES[m['name']]}`" if m["name"] in STATES else m[0], found["what"])
    head, where = _placed(what)
    files, words = paths_in(where) or _folders(where), re.findall(r"\w+", where.lower())
    wanted = _texts(head, alone=bool(found["verb"] or clause.verb))
    module = "" if wanted else _module(clause)
    if module:
        return written(_forms(module, True), files or CODE_FILES)
    word = re.fullmatch(r"`?(!?[a-z]{2,})`?", head.strip())
    if not wanted and word and any(w in LANGUAGES for w in words):
        wanted = [word[1]]  # "var in JavaScript"
    wanted = [text for text in wanted if not _is_run(text)]
    of = NOUN.search(head)
    if not wanted or (of and of["selects"]):
        return []
    verb = clause.action.lower().split()[0]
    imported = verb.startswith(("import", "depend")) or (verb.startswith("add") and "comment" not in clause.action)
    content = [form for text in wanted for form in _forms(text, imported or bool(of))]
    paths = files or [g for word in words for g in LANGUAGES.get(word, [])]
    if not paths and all(re.fullmatch(r"[a-z]+", text) for text in wanted):
        paths = CODE_FILES  # a word of prose as well
    edit: Spec = {"content": content, **({"path": paths} if paths else {})}
    return [("Edit", edit), ("Bash", {"content": content, "writes": paths or ["*"]})]


def _placed(what: str) -> tuple[str, str]:
    """What is said up to where it names its place, and that place; code stays whole."""
    hidden = CODE.sub(lambda m: m[0].replace(" ", "\x00"), what)
    where = re.search(r"\b(?:in|inside|under|within|to|from)\s+(?P<where>.+)$", hidden)
    return (what[: where.start()], where["where"].replace("\x00", " ")) if where else (what, "")


def _texts(head: str, alone: bool) -> list[str]:
    """The code and identifiers that words name, but for names of files. *alone*: one word may be such a text; "never
    `cd` into another repository" adds none."""
    named = CODE.findall(head) or IDENTIFIER.findall(head)[:3]
    return [
        text
        for text in named
        if (alone or not re.fullmatch(r"[\w-]+", text))
        and (not FILE.fullmatch(text) or "()" in text or MEMBER.match(text))
    ]


def _is_run(text: str) -> bool:
    """Whether code in a rule is a command and no text of a file."""
    words = text.split()
    return len(words) > 1 and (is_program(words[0]) or "&&" in words)


def _module(clause: Clause) -> str:
    """What may not be imported, or not be used in the place of what is prescribed; "" where that is no module."""
    named = re.match(r"import\w*\s+(?:(?:anything\s+)?from\s+)?`?(@?[\w./-]+)", clause.action, re.IGNORECASE)
    if named:
        return named[1]
    swap = re.fullmatch(r"us(?:e|ing)\s+([a-z][a-z0-9_-]{2,})", clause.action)
    if not swap and clause.verb == "use" and "`" in clause.action + clause.instead:  # "use `date-fns`, not moment"
        swap = re.fullmatch(r"`?([a-z][a-z0-9_-]{2,})`?", clause.action)
    return swap[1] if swap and re.fullmatch(r"[a-z][a-z0-9_-]{2,}", clause.instead.strip("`")) else ""


CODE_FILES = [
    f"*.{ending}"
    for ending in (
        "py js jsx ts tsx mjs cjs mts cts rb go rs java kt php vue svelte c h cc cpp hpp cs swift scala sh sql html css"
        " scss ex exs lua dart"
    ).split()
]
FOLDERS = frozenset(
    "src lib app internal pkg cmd web server client frontend backend packages components api core".split()
)


def _folders(text: str) -> list[str]:
    return [word + "/" for word in re.findall(r"\w+", text)[:3] if word in FOLDERS]


def _forms(text: str, imported: bool) -> list[str]:
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
    r"`?\b(mcp__\w+?\*?)`?(?=\s|$|[,.;)])|\b(?:the\s+)?`?([A-Za-z]\w+)`?\s+tool\b|`?\b(WebFetch|WebSearch|Task"
    r"|NotebookEdit|TodoWrite)\b`?"
)
SERVER = re.compile(
    r"\b(?:the\s+)?`?([\w-]+?)`?(?:'s)?\s+(?:mcp(?:\s+server)?)\b(?:'s)?(?:\s+`?(\w+)`?)?"
    r"|\bmcp\s+(?:server\s+)?`?([\w-]+)`?",
    re.IGNORECASE,
)


PURPOSE = r"(merg|creat|delet|updat|clos|push|send|writ|post|publish|edit|remov|drop|deploy|archiv|assign)\w*"


def by_tool(clause: Clause) -> Found:
    """A tool of the client, by its name or by its MCP server's."""
    action = clause.action
    found = TOOL.search(action)
    if found:
        name = found[1] or found[2] or found[3]
        if name.lower() == "mcp":
            called = re.search(r"([\w-]+)`?\s+mcp\s+tool", action, re.IGNORECASE)
            return [(f"mcp__*{called[1].lower()}*", _about(action))] if called else []
        if name.lower() in ("write", "edit"):
            paths = paths_in(action)
            return [("Edit", {"path": paths})] if paths else []
        names = [m[1] or m[2] or m[3] for m in TOOL.finditer(action)]
        return [
            (name + "__*" if name.startswith("mcp__") and name.count("__") == 1 else name, _about(action))
            for name in names
            if name.lower() not in ("bash", "edit", "write", "any", "the", "this", "that")
        ]
    server = SERVER.search(action)
    if not server:
        return []
    name, tool = server[1] or server[3], server[2]
    named = f"mcp__{name}__{tool}" if tool and "_" in tool else f"mcp__{name}__*"
    does = re.match(
        rf"{PURPOSE}(?:(?:\s*,|\s+or|\s+and)\s+{PURPOSE})?(?:(?:\s*,|\s+or|\s+and)\s+{PURPOSE})?", action, re.I
    )
    if does and named.endswith("*"):
        return [(f"{named}{verb.lower()}*", _about(action)) for verb in does.groups() if verb]
    purpose = re.search(rf"\b(?:to|for|let)\s+{PURPOSE}", action, re.I)
    if purpose and named.endswith("*"):
        named += purpose[1].lower() + "*"
    return [(named, _about(action))]


def _about(action: str) -> Spec:
    named = [[name.lower() for name in places(m)] for m in PLACE.finditer(action)]
    wanted = [[word for name in names if name in ENVIRONMENTS | BRANCHES for word in place(name)] for names in named]
    statements = [word.lower() for word in SQL.findall(action)]
    said = [words for words in wanted if words][:1] + ([statements] if statements else [])
    return {"any": said} if said else {}
