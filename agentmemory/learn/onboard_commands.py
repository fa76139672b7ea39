"""Commands that really exist in a source tree: package scripts, make targets, sessions, tasks, what CI runs.

Each is read from the file that defines it; nothing is guessed from prose, nothing is run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from agentmemory.learn.names import PROGRAMS
from agentmemory.learn.onboard_found import Finding
from agentmemory.learn.onboard_tree import NEAR, Tree
from agentmemory.learn.onboard_values import decorator, of_ini, of_json, of_python, of_toml, table_of

PER_FILE = 40
PER_MATRIX = 4  # environments named of one row of a matrix
MOST_PACKAGES = 12  # package.json files read, shallow ones first
SHOWN = 120  # characters of what a command runs
#: scripts of a package.json that a package manager runs by itself
LIFE_CYCLE = frozenset("prepare prepublishOnly prepublish postinstall preinstall install prepack postpack".split())
SPHINX = ("html", "linkcheck", "doctest")  # of the twenty targets that every Sphinx makefile has
#: what CI does to get ready says nothing about the project
PREPARES = re.compile(
    r"(?:uv )?(?:pip3?|python3? -m pip) (?:install|freeze|list)|uv (?:venv|sync|tool|python)|npm (?:ci|i|install)\b|"
    r"(?:yarn|pnpm)(?: install)?\b(?! \w)|apt-get|brew |git |curl |docker (?:login|pull)|rustup |gh "
)
TARGET = re.compile(r"^([A-Za-z0-9][\w.-]*(?:[ \t]+[A-Za-z0-9][\w.-]*)*)[ \t]*::?(?![=:])([^#=]*?)(?:#+\s*(.*))?$")
RECIPE = re.compile(r"^@?([a-zA-Z_][\w-]*)(?:\s[^:]*)?:(?!=)")  # its parameters may have defaults: `to="all"`
KEY = re.compile(r"^(\s*)(?:- )?([\w.-]+):\s*(.*)$")


@dataclass(frozen=True, slots=True)
class Command:
    """A command: how it is called, the file that defines it, what it does in words, or else what it runs."""

    call: str
    source: str
    does: str = ""
    runs: str = ""


def commands(tree: Tree) -> Iterator[Finding]:
    """Every command that a file of the tree defines, as a procedure."""
    seen: set[str] = set()
    for found in defined(tree):
        if found.call in seen:
            continue
        seen.add(found.call)
        does = f": {found.does}" if found.does else f" runs `{found.runs}`" if found.runs else ""
        words = re.sub(r"[^a-z]+", " ", found.call.lower())
        yield Finding("procedure", f"`{found.call}`{does}", found.source, "commands", "command", words.strip())
    yield from _ci(tree)


def defined(tree: Tree) -> Iterator[Command]:
    """The commands themselves."""
    for read in (_package_json, _makefile, _justfile, _taskfile, _pyproject, _tox, _nox, _composer, _deno):
        yield from read(tree)


def _shown(line: str) -> str:
    line = " ".join(line.split()).replace("`", "'")
    return line if len(line) <= SHOWN else line[: SHOWN - 2].rsplit(" ", 1)[0] + " …"


def _package_json(tree: Tree) -> Iterator[Command]:
    for path in tree.named("package.json")[:MOST_PACKAGES]:
        found = of_json(tree.read(path))
        scripts = found.get("scripts")
        if not isinstance(scripts, dict):
            continue
        folder = path.rpartition("/")[0]
        run = _package_runner(tree, folder)
        for name, line in list(scripts.items())[:PER_FILE]:
            if isinstance(line, str) and re.fullmatch(r"[\w:.@/-]+", name) and not _is_hook(name, scripts):
                call = f"{run} {name}"
                yield Command(f"cd {folder} && {call}" if folder else call, path, runs=_shown(line))


def _is_hook(name: str, scripts: dict[str, Any]) -> bool:
    """`pretest` runs by itself before `test`; so do the life-cycle scripts."""
    return name in LIFE_CYCLE or any(name.startswith(mark) and name[len(mark) :] in scripts for mark in ("pre", "post"))


def _package_runner(tree: Tree, folder: str) -> str:
    at = folder
    while True:
        prefix = f"{at}/" if at else ""
        for lock, run in (("pnpm-lock.yaml", "pnpm run"), ("yarn.lock", "yarn run"), ("bun.lockb", "bun run"),
                          ("bun.lock", "bun run"), ("package-lock.json", "npm run")):  # fmt: skip
            if tree.has(prefix + lock):
                return run
        manager = str(of_json(tree.read(f"{prefix}package.json")).get("packageManager", "")).split("@")[0]
        if manager in ("npm", "pnpm", "yarn", "bun"):
            return f"{manager} run"
        if not at:
            return "npm run"
        at = at.rpartition("/")[0]


def _makefile(tree: Tree) -> Iterator[Command]:
    for path in tree.named("makefile", "gnumakefile", deepest=NEAR)[:6]:
        folder = path.rpartition("/")[0]
        make = f"make -C {folder}" if folder else "make"
        lines = _rules_of_make(tree.read(path))
        sphinx = any("SPHINXBUILD" in line for line in lines)
        targets = {word for line in lines for found in [TARGET.match(line)] if found for word in found[1].split()}
        phony = {word for line in lines if line.startswith(".PHONY") for word in line.split(":", 1)[-1].split()}
        kept = 0
        for i, line in enumerate(lines):
            match = TARGET.match(line)
            recipe = lines[i + 1] if i + 1 < len(lines) else ""
            if not match or kept >= PER_FILE or not (recipe.startswith("\t") or set(match[1].split()) & phony):
                continue
            comment = match[3] or _comment_above(lines, i)
            body = recipe.strip().lstrip("@-+") if recipe[:1] == "\t" else ""
            runs = _with_first(make, [word for word in match[2].split("|")[0].split() if word in targets], body)
            for target in match[1].split():
                wanted = target in SPHINX if sphinx else target != "help"
                if wanted and (target in phony or "." not in target) and kept < PER_FILE:
                    kept += 1
                    yield Command(f"{make} {target}", path, comment.strip(), runs)


def _rules_of_make(text: str) -> list[str]:
    """The lines of a makefile without what `define` holds, continued lines joined, a recipe behind `;` on its own."""
    text = re.sub(r"^[ ]*(?:override |export )?define\b.*?(?:^[ ]*endef\b[^\n]*|\Z)", "", text, flags=re.M | re.S)
    text = re.sub(r"\\\n[ \t]*", " ", text)
    return re.sub(r"^([A-Za-z0-9][^\n:=#;]*:[^\n=#;]*);[ \t]*", r"\1\n\t", text, flags=re.M).split("\n")


def _comment_above(lines: list[str], i: int) -> str:
    above = lines[i - 1] if i else ""
    text = above.lstrip("#").strip()
    plain = above.startswith("#") and 3 < len(text) < 120 and not re.search(r"[-=]{4}|noqa|TODO", text)
    return text if plain and not (i > 1 and lines[i - 2].startswith("#")) else ""


def _justfile(tree: Tree) -> Iterator[Command]:
    for path in tree.named("justfile", ".justfile")[:2]:
        lines = tree.read(path).split("\n")
        recipes = {found[1] for line in lines for found in [RECIPE.match(line)] if found}
        for i, line in enumerate(lines):
            match = RECIPE.match(line)
            if match and not match[1].startswith("_") and match[1] not in ("set", "export", "alias", "import", "mod"):
                body = lines[i + 1].strip().lstrip("@-") if i + 1 < len(lines) and lines[i + 1][:1] in " \t" else ""
                call = f"cd {path.rsplit('/', 1)[0]} && just {match[1]}" if "/" in path else f"just {match[1]}"
                first = [word for word in line[match.end() :].split("&&")[0].split() if word in recipes]
                yield Command(call, path, _comment_above(lines, i), _with_first("just", first, body))


def _with_first(run: str, first: list[str], body: str) -> str:
    """What a target runs: those it depends on, then its own first line."""
    return _shown(" && ".join(part for part in (f"{run} {' '.join(first)}" if first else "", body) if part))


def _taskfile(tree: Tree) -> Iterator[Command]:
    for path in tree.named("taskfile.yml", "taskfile.yaml")[:2]:
        inside, indent = False, 0
        for line in tree.read(path).split("\n"):
            key = KEY.match(line)
            if key and not key[1]:
                inside, indent = key[2] == "tasks", 0
            elif key and inside and key[2] and (indent or len(key[1])) == len(key[1]):
                indent = len(key[1])
                yield Command(f"task {key[2]}", path)


def _pyproject(tree: Tree) -> Iterator[Command]:
    for path in tree.named("pyproject.toml", deepest=NEAR)[:4]:
        found = of_toml(tree.read(path))
        tool = table_of(found, "tool")
        for scripts in (table_of(found, "project", "scripts"), table_of(tool, "poetry", "scripts")):
            for name, line in _lines(scripts):
                yield Command(name, path, f"installed with the package, calls {line}")
        for env, settings in table_of(tool, "hatch", "envs").items():
            for name, line in _lines(table_of(settings, "scripts")):
                call = f"hatch run {name}" if env == "default" else f"hatch run {env}:{name}"
                yield Command(call, path, runs=_shown(line))
        for section, run in (("poe", "poe"), ("taskipy", "task"), ("pdm", "pdm run")):
            for name, line in _lines(table_of(tool, section, "scripts" if section == "pdm" else "tasks")):
                yield Command(f"{run} {name}", path, runs=_shown(line))


def _lines(table: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Named command lines, whichever of the tools' forms they have."""
    for name, value in list(table.items())[:PER_FILE]:
        if isinstance(value, dict):
            value = value.get("cmd") or value.get("shell") or value.get("script") or value.get("reference") or ""
        if isinstance(value, list):
            value = " && ".join(v for v in value if isinstance(v, str))
        if isinstance(value, str) and not name.startswith("_"):
            yield name, value


def _tox(tree: Tree) -> Iterator[Command]:
    if not tree.has("tox.ini"):
        return
    parser = of_ini(tree.read("tox.ini"))
    names = parser.get("tox", "envlist", fallback="") or parser.get("tox", "env_list", fallback="")
    listed = [name for name in _expanded(names) if re.fullmatch(r"[\w.-]+", name)]
    sections = [s[8:] for s in parser.sections() if re.fullmatch(r"testenv:[\w.-]+", s)]
    for name in dict.fromkeys([*sections, *listed]):
        section = f"testenv:{name}" if name in sections else "testenv"
        body = parser.get(section, "commands", fallback="") if parser.has_section(section) else ""
        about = parser.get(section, "description", fallback="") if parser.has_section(section) else ""
        about = about.replace("\\\n", " ")
        first = next((line.strip().lstrip("- ") for line in body.replace("\\\n", " ").split("\n") if line.strip()), "")
        first = "" if re.match(r"[\w{},!.-]+:\s", first) or section == "testenv" else first
        yield Command(f"tox -e {name}", "tox.ini", " ".join(about.split()), _shown(first))


def _expanded(names: str) -> list[str]:
    """tox's list of environments: `py3{10,11}-{a,b}` is four."""
    out: list[str] = []
    for item in re.findall(r"(?:[^\s,{}]|\{[^{}]*\})+", names)[:PER_FILE]:
        parts = [[c for choice in part.split(",") for c in _ranged(choice)] for part in re.split(r"[{}]", item)]
        made = [""]
        for choices in parts:
            made = [head + choice.strip() for head in made for choice in choices][:PER_FILE]
        out += made[:PER_MATRIX]
    return out


def _ranged(choice: str) -> list[str]:
    """`{10-14}` stands for five numbers; a dash elsewhere is a dash."""
    match = re.fullmatch(r"\s*(\d{1,3})-(\d{1,3})\s*", choice)
    return [str(n) for n in range(int(match[1]), min(int(match[2]), int(match[1]) + 9) + 1)] if match else [choice]


def _nox(tree: Tree) -> Iterator[Command]:
    for node in of_python(tree.read("noxfile.py")).body if tree.has("noxfile.py") else ():
        if not isinstance(node, ast.FunctionDef):
            continue
        for mark in node.decorator_list:
            if decorator(mark) == "session":
                named = [k.value for k in mark.keywords if k.arg == "name"] if isinstance(mark, ast.Call) else []
                name = str(named[0].value) if named and isinstance(named[0], ast.Constant) else node.name
                doc = (ast.get_docstring(node) or "").split("\n")[0].strip()
                yield Command(f"nox -s {name}", "noxfile.py", doc)


def _composer(tree: Tree) -> Iterator[Command]:
    if tree.has("composer.json"):
        for name, line in _lines(table_of(of_json(tree.read("composer.json")), "scripts")):
            if not name.startswith(("pre-", "post-")):
                yield Command(f"composer run {name}", "composer.json", runs=_shown(line))


def _deno(tree: Tree) -> Iterator[Command]:
    for path in tree.named("deno.json")[:2]:
        for name, line in _lines(table_of(of_json(tree.read(path)), "tasks")):
            yield Command(f"deno task {name}", path, runs=_shown(line))


def _ci(tree: Tree) -> Iterator[Finding]:
    """What the jobs of GitHub workflows and of GitLab run."""
    flows = [p for p in tree.files if p.startswith(".github/workflows/") and p.endswith((".yml", ".yaml"))][:12]
    for path in [*flows, *tree.named(".gitlab-ci.yml")[:1]]:
        seen: set[str] = set()
        for job, line in _run_lines(tree.read(path), gitlab=not path.startswith(".github")):
            program = line.split()[0].rsplit("/", 1)[-1] if line.split() else ""
            odd = "${{" in line or "<<" in line or line.count("'") % 2 or line.count('"') % 2 or PREPARES.match(line)
            if odd or line in seen or program not in PROGRAMS or len(seen) >= 12 or len(line) > SHOWN:
                continue
            seen.add(line)
            yield Finding("fact", f"CI job {job!r} runs `{line}`", path, "ci", "continuous integration")


def _run_lines(text: str, gitlab: bool) -> Iterator[tuple[str, str]]:
    """`(job, command line)` of a workflow, read by indentation."""
    job, block, jobs_at = "", -1, 0 if gitlab else -1
    for line in re.sub(r"\\\n\s*", "", text).split("\n")[:4_000]:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        indent = len(line) - len(line.lstrip())
        if block >= 0:
            if indent > block or (gitlab and indent == block and line.lstrip().startswith("- ")):
                yield job, line.strip().removeprefix("- ")
                continue
            block = -1
        key = KEY.match(line)
        if not key:
            continue
        if not indent and not gitlab:
            jobs_at = 0 if key[2] == "jobs" else -1
        elif jobs_at == 0 and not gitlab:
            jobs_at, job = indent, key[2]  # the first job: the others are as far in
        elif indent == jobs_at and not key[3]:
            job = key[2]
        elif key[2] == "run" or (gitlab and key[2] in ("script", "before_script")):
            if key[3] and key[3][0] == ">":
                block = -1  # folded: one command over several lines, of no use line by line
            elif key[3] and key[3][0] != "|":
                yield job, key[3][1:-1] if key[3][0] in "'\"" and key[3][-1] == key[3][0] else key[3]
            else:
                block = line.index(key[2])
