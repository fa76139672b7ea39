"""Actions that have a name: force push, skipping hooks, publishing, committing a file.

A table of patterns, each with the function that makes its specs; `guard_running.py` has those for what runs.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from agentmemory.learn.guard_clauses import Clause
from agentmemory.learn.guard_commands import (
    BRANCHES,
    FED,
    LOADS,
    PLACE,
    Spec,
    branch,
    is_english,
    is_program,
    places,
    same,
)
from agentmemory.learn.guard_means import ADD_PACKAGE, ADDS, DEPLOY, IN_PLACE, MIGRATE, PUBLISH, SILENCES, command, run
from agentmemory.learn.guard_phrases import VERBS, leading_tokens, pushed, specs_of, with_place
from agentmemory.learn.guard_running import RUNNING
from agentmemory.learn.guard_things import CODE_FILES, Found, paths_in, written

FORCE = ["-f", "--force", "--force-with-lease*", "--mirror", "+*"]
LISTS = ["-l", "--list", "-d", "--delete", "-v", "--verify", "--contains", "--no-contains", "--merged", "--no-merged",
         "--points-at"]  # fmt: skip
EDITING = ("edit", "chang", "modify", "replac", "writ", "rewrit", "patch", "updat")  # verbs without their endings
REMOTELY = re.compile(r"\b(?:remote|origin|upstream|github|gitlab)\b", re.IGNORECASE)
#: merged on the server
PULL_REQUEST: Found = [run("gh > pr > merge"), ("merge_pull_request", {})]
TAG = run("git > tag > *", unless=[command("git", flags=[LISTS])])
OF_FILES = [command("git", flags=[["--"]])]  # `git checkout -- FILE`


def _force_push(m: re.Match[str]) -> Found:
    spec = command("git > push", flags=[FORCE])
    rest = m.string[m.end() :]
    target = PLACE.search(rest)
    names = places(target) if target else []
    if names and names[0].lower() in BRANCHES:
        spec = pushed(spec, names)
    return [("Bash", spec)]


def _no_verify() -> Found:
    return [run("git > commit", flags=[["-n", "--no-verify"]]), run("git > push", flags=[["--no-verify"]]),
            run("git > merge", flags=[["--no-verify"]])]  # fmt: skip


def _around_hooks() -> Found:
    """Other ways past git's hooks: what their managers heed, a folder without any, taking them away."""
    acts = "git > commit push merge rebase am cherry-pick revert"
    off = ["HUSKY=0", "HUSKY_SKIP_HOOKS=*", "LEFTHOOK=0", "LEFTHOOK=false", "LEFTHOOK_EXCLUDE=*", "SKIP=*"]
    nowhere = ["core.hooksPath=/dev/null", "core.hookspath=/dev/null"]
    hooks, inside = [".git/hooks/", ".husky/"], ["*.git/hooks/*", "*.husky/*"]
    return [
        run(acts, env=off),
        run(acts, any=[nowhere]),
        run("git > config", has=[["core.hooksPath", "core.hookspath"], ["", "/dev/null"]]),
        run("husky lefthook pre-commit > uninstall"),
        run("chmod", has=[inside], flags=[["-x"]]),
        run("chmod", has=[inside, ["*-x"]]),
        ("Bash", {"writes": hooks, "only": "gone"}),
        ("Edit", {"path": hooks, "only": "gone"}),
    ]


def _push_to(m: re.Match[str]) -> Found:
    names = _names(m)
    if not names:
        return []
    push = command("git > push")
    if names[0].lower() in ("remote", "remotes"):
        return [("Bash", push)]
    spec = pushed(push, names)
    return [("Bash", spec), *([("Bash", {**push, "branch": names, "bare": True})] if "has" in spec else [])]


def _push_except(m: re.Match[str]) -> Found:
    """ "push to anything but feature/*": a push, unless it names such a branch or goes from one; tags are no branch."""
    name = m["what"].strip("`").rstrip("/")
    push = command("git > push")
    meant = name if "*" in name else f"{name}/*"
    allowed = ({"has": [branch(meant)]}, {"branch": [meant], "bare": True}, {"flags": [["--tags"]]})
    return [("Bash", {**push, "unless": [{**push, **what} for what in allowed]})]


def _in_message(m: re.Match[str]) -> Found:
    """Words that no commit message may have: quoted ones, and names of trailers (`Co-Authored-By`)."""
    said = re.findall(r"`([^`]+)`|[\"“']([^\"“”']{3,80})[\"”']|(\[[\w -]+\])|\b([A-Z]\w+(?:-\w+)+)", m["what"])
    forms = [form for row in said for text in row if text for form in (text, text.lower(), text.capitalize())]
    return [run("git > commit", content=list(dict.fromkeys(forms)))] if forms else []


def _names(m: re.Match[str]) -> list[str]:
    """The names of the place at the group `to`."""
    found = PLACE.match(m.string, m.start("to"))
    return places(found) if found else []


def _publish(m: re.Match[str]) -> Found:
    named = [where for where in PUBLISH if where in m.string.lower()]
    return [("Bash", spec) for where in named or PUBLISH for spec in PUBLISH[where]]


def _migrate(m: re.Match[str]) -> Found:
    """Whatever migrates a database; nothing where the rule names the program itself."""
    if is_program(m.string.split()[0], False) and not is_english(m.string.split()[0]):
        return []
    return [with_place(spec, m.string) for spec in MIGRATE]


def _verb_with(m: re.Match[str]) -> Found:
    """ "install things with brew", "disable checks with curl -k": the command behind "with", or its verb."""
    program, verb = m["program"], re.sub(r"(?:ing|e)$", "", m["verb"].lower())
    if not is_program(program) or is_program(m["verb"]):
        return []
    if verb in EDITING and not m["more"].strip("` ").startswith("-"):
        return _in_place(program + m["more"])
    parts = re.split(r"\s+(?:or|and)\s+(?=[\w.-]+\s+-)", program + m["more"].replace("`", ""))
    found = [
        spec
        for part in parts
        for tokens in [leading_tokens(part, True)]
        if len(tokens) > 1
        for spec in specs_of(tokens)
    ]
    programs = [program, *(w for w in re.findall(r"\b(?:or|and)\s+`?([\w.-]+)", m["more"]) if is_program(w))]
    if not found and verb in ("install", "add", "deploy", "publish", "build", "test", "upload", "download"):
        found = [spec for one in programs for spec in specs_of([one, verb])]
    if not found:  # "uploads with scp or rsync to web01"
        placed = [with_place(spec, m.string) for one in programs for spec in specs_of([one])]
        return [each for each in placed if "any" in each[1] or "has" in each[1]]
    return [("Bash", spec) for spec in found]


def _in_place(programs: str) -> Found:
    """ "edit files with sed or awk": where these change files, and not where they only read."""
    named = [name for name in re.findall(r"[\w-]+", programs) if name in IN_PLACE]
    found = [spec for name in named for spec in specs_of([name, *IN_PLACE[name]])]
    saved: list[Spec] = [{"program": named, "saves": True}] if named else []
    return [("Bash", spec) for spec in found + saved]


def _commit_on(m: re.Match[str]) -> Found:
    names = _names(m)
    if {"main", "master", "trunk"} & set(names):
        names = list(dict.fromkeys(["main", "master", *names]))
    return [run(f"git > {verb}", branch=names) for verb in ("commit", "merge", "cherry-pick", "revert") if names]


def _merge_into(m: re.Match[str]) -> Found:
    names = _names(m)
    return [run("git > merge", branch=names), *PULL_REQUEST] if set(names) & BRANCHES else []


def _deploy(m: re.Match[str]) -> Found:
    """What deploys, by whatever means; where a place is named, what names it too."""
    return [with_place(spec, m.string[m.end() :]) for spec in DEPLOY]


def _dependency(m: re.Match[str]) -> Found:
    """A package by its name; installing what is declared already stays free."""
    declared = ({"flags": [["-r", "--requirement", "-e", "--editable", "-c"]]}, {"has": [[".", ".[*", "./*"]]})
    return [
        ("Bash", {**spec, "unless": [{"program": spec["program"], **what} for what in declared]})
        for spec in ADD_PACKAGE
    ]


def _pipe_to_shell(m: re.Match[str]) -> Found:
    return [run(" ".join(FED), source=LOADS)]


def _as_root(m: re.Match[str]) -> Found:
    """ "with sudo npm": that program under sudo; "anything as root": sudo itself."""
    named = {"has": [[m["program"], *same(m["program"])]]} if m["program"] else {}
    return [run("sudo doas su", **named)]


def _commit_file(m: re.Match[str]) -> Found:
    bare = re.findall(
        r"`([^`]+)`|\b(node_modules|dist|build|vendor|secrets|credentials|target|[a-z]+_[a-z_]+)\b", m["what"]
    )
    found = paths_in(m["what"]) or [a or b for a, b in bare]
    names = [f"*{name}" if name.startswith(".") else name.rstrip("/") for name in found]
    if not names:
        return []
    names += [f"{name}/*" for name in names if "." not in name]  # what is in a folder
    globs = [form for name in names for form in ((name,) if name.startswith("*") else (name, f"*/{name}"))]
    return [run("git > add", has=[globs]), run("git > commit", has=[globs]), run("git > stage", has=[globs])]


def _silenced(m: re.Match[str]) -> Found:
    """ "disable eslint rules", "ignore type errors": the comments that do so."""
    words = set(re.findall(r"[a-z]+", m["of"].lower()))
    texts = [text for names, said in SILENCES if words & set(names.split()) for text in said]
    content = texts or (
        [text for _, said in SILENCES for text in said] if {"lint", "linter", "linting"} & words else []
    )
    return written(list(dict.fromkeys(content)), CODE_FILES) if content else []


NAMED: list[tuple[str, Callable[[re.Match[str]], Found]]] = [
    (r"\bforce[\s-]?push\w*|\bpush\w*\s+(?:with\s+|using\s+)?(?:`?--?f(?:orce)?`?|force)\b", _force_push),
    (r"^push(?:ing|es)?\s+(?:to\s+|any(?:thing|where)?\s+|branches\s+)*(?:except|but|other\s+than)\s+(?:to\s+|on\s+)?"
     r"(?P<what>`?[\w-]+/[\w*/.-]*`?)", _push_except),
    (r"^push(?:ing|es)?\s+(?:(?!except\b)\w+\s+){0,3}?(?P<to>to|into|onto)\s", _push_to),
    (r"^(?:(?:add|put|us|includ|writ|mention|leav|append)\w*\s+)?(?P<what>\S.*?)\s+(?:in|to|into|from|at\s+the\s+end\s+of)\s+"
     r"(?:(?:the|your|our|any|my|git)\s+)*commits?(?:\s+messages?)?\b", _in_message),
    (r"^push(?:ing|es)?(?:\s+(?:directly|anything|code|changes|commits|branches))*$", lambda m: [run("git > push")]),
    (r"\b(?:skip|bypass|disabl|circumvent|evad|(?:get|work)\s+around)\w*\s+(?:(?:the|our|any|your|my|git|commit|push|pre-?(?:commit|push))\s+)*"
     r"(?:hooks?|husky|lefthook|pre-commit)\b", lambda m: _no_verify() + _around_hooks()),
    (r"(?<!\w)`?--no-verify`?\b", lambda m: _no_verify()),
    (r"^(?:disabl|silenc|suppress|ignor|mut|(?:turn|switch)\w*\s+off)\w*\s+(?:of\s+)?(?P<of>(?:[\w-]+\s+){1,4}?)"
     r"(?:rules?|checks?|checking|warnings?|errors?|lints?|cops?|complaints?)\b", _silenced),
    (r"\bamend\w*\b", lambda m: [run("git > commit", flags=[["--amend"]])]),
    (r"\bhard[\s-]reset\w*|\breset\w*\s+(?:\w+\s+)?hard\b", lambda m: [run("git > reset", flags=[["--hard"]])]),
    (r"\brewrit\w+\s+(?:\w+\s+){0,2}history\b",
     lambda m: [run("git > rebase"), run("git > filter-branch"), run("git > filter-repo"),
                run("git > commit", flags=[["--amend"]]), run("git > push", flags=[FORCE])]),
    (r"^rebas(?:e|ing)\s+(?:the\s+)?`?(?P<branch>main|master|trunk|develop|staging|production|release)\b(?!/)",
     lambda m: [run("git > rebase", branch=[m["branch"]])]),
    (r"^(?:interactive\s+)?rebas(?:e|ing)\b", lambda m: [run("git > rebase")]),
    (r"^(?:switch|chang)\w*\s+(?:the\s+|between\s+|to\s+(?:an)?other\s+|my\s+)?branch"
        r"|^check(?:ing)?\s*out\s+(?:an)?(?:other\s+)?branch",
     lambda m: [run("git > switch"), run("git > checkout", unless=OF_FILES)]),
    (r"^stash(?:ing)?\b", lambda m: [run("git > stash")]),
    (r"^cherry-?pick(?:ing)?\b", lambda m: [run("git > cherry-pick")]),
    (r"\bsquash[\s-](?:and[\s-])?merg\w+",
     lambda m: [run("git > merge", flags=[["--squash"]]),
                run("gh > pr > merge", flags=[["--squash", "-s"]])]),
    (r"^merg(?:e|ing)\s+(?:\w+\s+){0,2}?(?:prs?|pull\s+requests?)\b",
     lambda m: PULL_REQUEST),
    (r"^(?:open|creat|mak)\w*\s+(?:\w+\s+){0,2}?(?:prs?|pull\s+requests?)\b",
     lambda m: [run("gh > pr > create"), ("create_pull_request", {})]),
    (r"^delet(?:e|ing)\s+(?:\w+\s+){0,2}?branch\w*",
     lambda m: [*([] if REMOTELY.search(m.string) else [run("git > branch", flags=[["-d", "-D", "--delete"]])]),
                run("git > push", flags=[["-d", "--delete", ":*"]])]),
    (r"^delet(?:e|ing)\s+(?:\w+\s+){0,2}?tags?\b",
     lambda m: [run("git > tag", flags=[["-d", "--delete"]]), run("git > push", flags=[["-d", "--delete", ":*"]])]),
    (r"^push(?:ing)?\s+(?:\w+\s+){0,2}?tags?\b",
     lambda m: [run("git > push", flags=[["--tags", "--follow-tags", "--mirror"]])]),
    (r"^(?:creat\w+\s+|mov\w+\s+|mak\w+\s+|add\w*\s+)(?:an?\s+|the\s+|any\s+)?(?:new\s+)?(?:git\s+"
        r"|release\s+)?tags?\b|^tag(?:ging)?(?:\s+(?:(?:an?|any|the|new)\s+)*(?:commits?|anything)\b)?(?=\s+(?:by|manually)|\W*$)",
     lambda m: [TAG]),
    (r"^(?:creat|mak|add|start)\w*\s+(?:(?:an?|any|new|git|extra|your|own)\s+)*branch(?:es)?\W*$",
     lambda m: [run("git > checkout", flags=[["-b", "-B"]]), run("git > switch", flags=[["-c", "-C", "--create"]]),
                run("git > branch > *", unless=[command("git", flags=[[*LISTS, "-D", "-m", "-M", "-u"]])]),
                run("git > worktree > add", flags=[["-b", "-B"]])]),
    (rf"^check(?:ing)?\s*out\s+(?:the\s+)?`?(?P<branch>{'|'.join(sorted(BRANCHES))})`?(?![\w/-])",
     lambda m: [run(f"git > checkout > {m['branch'].lower()}", unless=OF_FILES),
                run(f"git > switch > {m['branch'].lower()}")]),
    (r"^revert\w*\s+(?:(?:any|my|other|old)\s+)*commits?\W*$", lambda m: [run("git > revert")]),
    (r"^(?:commit(?:ting)?|stag(?:e|ing)|check(?:ing)?\s+in)\s+(?P<what>(?!to\b|with\b|directly\b|straight\b).+)",
     _commit_file),
    (r"^commit(?:ting|s)?(?:\s+(?:directly|anything|code|work|(?:(?:any|my|your|the)\s+)?changes))*$",
     lambda m: [run("git > commit")]),
    (r"^install\w*\s+(?:\w+\s+){0,2}?(?:globally|global\w*)\b|\bglobal(?:ly)?\s+(?:npm\s+)?install\w*",
     lambda m: [run(f"npm pnpm > {ADDS}", flags=[["-g", "--global", "--location=global"]]),
                run("yarn > global > add")]),
    (r"^(?P<verb>[a-z]+)\s+(?:[\w-]+\s+){0,4}?(?:with|using|via|through)\s+`?(?P<program>[\w.-]+)`?(?P<more>.*)",
     _verb_with),
    (r"^(?P<programs>[\w`, /-]+?)\s+(?:to|for)\s+(?:in-?place\s+)?(?:" + "|".join(EDITING) + r")\w*\b",
     lambda m: _in_place(m["programs"])),
    (r"^commit(?:ting|s)?\s+(?:\w+\s+){0,2}?(?P<to>to|on|onto)\s", _commit_on),
    (r"^merg(?:e|es|ing)\s+(?:(?!except\b)\w+\s+){0,3}?(?P<to>to|into|onto)\s", _merge_into),
    (r"^merg(?:e|es|ing)(?:\s+(?:anything|branches))?$",
     lambda m: [run("git > merge"), *PULL_REQUEST]),
    (r"^publish(?:ing)?\b", _publish),
    (r"^(?:(?:creat|mak|tag)\w*\s+(?:(?:an?|any|the|new)\s+)*)?releas(?:e|es|ing)(?:\s+(?:anything|by|hand|manually))*$",
     lambda m: [*([TAG] if m[0].lower().startswith("tag") else _publish(m)),
                run("gh glab > release > create")]),
    (r"^(?:appl\w+\s+)?(?:(?!edit|chang|touch|writ|delet|creat|add|mak|generat|modif)\w+\s+)?migrat(?:e|ions?|ing)\b(?!/).*"
        r"\b(?:against|on|in|to|yourself|manually|by\s+hand|locally)\b"
        r"|^(?:run\s+)?(?:(?:the|any|our|all|new|pending|database|db|schema)\s+)*migrations?$"
        r"|^migrat(?:e|ing)\s+(?:(?:the|any|our)\s+)*(?:database|db|schema)s?$", _migrate),
    (r"^deploy(?:ing|s|ments?)?\b(?!\s+(?:keys?|scripts?|docs?))", _deploy),
    (r"^(?:(?:add|install|introduc|bring\s+in|pull\s+in|accept|allow|want)\w*\s+|(?=new|extra|external|additional|third.party))"
        r"(?:(?:any|a|new|extra|further|more|third.party|npm|python|other|external|additional|runtime|dev)\s+)*"
        r"(?:dependenc\w+|packages?|librar\w+)\b(?!.*\bwith\s+\w)", _dependency),
    (r"^clos(?:e|ing)\s+(?:\w+\s+){0,2}?(?P<what>issues?|prs?|pull\s+requests?)\b",
     lambda m: [run(f"gh > {'issue' if m['what'].startswith('i') else 'pr'} > close")]),
    *RUNNING,
    (r"\b(?:pip\w+|curl\w*|wget)\b.*\b(?:in)?to\s+(?:a\s+|the\s+)?(?:bash|sh|shell|zsh)\b|curl[^"
        r"|`]*\|\s*(?:sudo\s+)?(?:ba|z)?sh\b",
     _pipe_to_shell),
    (r"\bwith\s+sudo\s+`?(?P<program>[\w-]+)`?$|^(?:run\w*\s+)?(?:anything|commands?|things)\s+as\s+root\b", _as_root),
    (r"\b(?:eval|source|bash|sh|zsh)\b.*\$\(\s*(?:curl|wget)\b", _pipe_to_shell),
]  # fmt: skip


def by_name(clause: Clause) -> Found:
    """Actions that have a name: force push, skipping hooks, publishing, committing a file."""
    action = VERBS.sub("", clause.action)
    for pattern, make in NAMED:
        found = re.search(pattern, action, re.IGNORECASE)
        if found and (made := make(found)):
            return made
    return []
