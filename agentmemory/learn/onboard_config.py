"""What a project's configuration settles: versions, package manager, formatting, type checks, test runner, layout."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from agentmemory.learn.onboard_found import Finding
from agentmemory.learn.onboard_tree import NEAR, Tree
from agentmemory.learn.onboard_values import of_ini, of_json, of_python, of_toml, table_of

LANGUAGES = {
    ending: language
    for language, endings in {
        "Python": "py", "TypeScript": "ts tsx mts", "JavaScript": "js jsx mjs", "Go": "go", "Rust": "rs",
        "Java": "java",
        "Kotlin": "kt", "Ruby": "rb", "PHP": "php", "C": "c h", "C++": "cc cpp hpp", "C#": "cs", "Swift": "swift",
        "Scala": "scala", "Elixir": "ex exs", "Vue": "vue", "Svelte": "svelte", "SQL": "sql", "Terraform": "tf",
        "shell": "sh", "Lua": "lua", "Zig": "zig", "Dart": "dart",
    }.items()
    for ending in endings.split()
}  # fmt: skip
STRING = r'("(?:[^"\\\n]|\\.)*"?)'
COMMENT = re.compile(rf"{STRING}|//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)")
TRAILING = re.compile(rf"{STRING}|,(?=\s*[}}\]])")
MOST_MODULES = 30
HEAD = 8_000  # characters in which a package comment is looked for
MOST_FOLDERS = 12


def settings(tree: Tree) -> Iterator[Finding]:
    """Facts that configuration files state."""
    for path in tree.named("pyproject.toml", deepest=NEAR)[:3]:
        for text in _pyproject(of_toml(tree.read(path))):
            yield _fact(text, path)
    for path in tree.named("package.json", deepest=NEAR)[:3]:
        for text in _package(of_json(tree.read(path))):
            yield _fact(text if path == "package.json" else f"{text} (in `{path}`)", path)
    for path in tree.named("tsconfig.json", deepest=NEAR)[:3]:
        options = table_of(of_json(_without_comments(tree.read(path))), "compilerOptions")
        if options.get("strict") is True:
            yield _fact(f"TypeScript is checked with `strict` (`{path}`)", path)
    if tree.has("setup.cfg"):
        for text in _setup_cfg(tree.read("setup.cfg")):
            yield _fact(text, "setup.cfg")
    if tree.has(".editorconfig"):
        yield from _editorconfig(tree.read(".editorconfig"))
    for path, text in _pins(tree):
        yield _fact(text, path)
    if tree.has(".pre-commit-config.yaml"):
        hooks = re.findall(r"^[ \t]*-[ \t]*id:\s*([\w.-]+)", tree.read(".pre-commit-config.yaml"), re.M)
        if hooks:
            named = ", ".join(dict.fromkeys(hooks[:16]))
            yield _fact(f"pre-commit runs the hooks {named}", ".pre-commit-config.yaml")


def structure(tree: Tree) -> Iterator[Finding]:
    """Which folder holds what, and what the main Python modules are for, in their own words."""
    by_folder: dict[str, Counter[str]] = {}
    for path in tree.files:
        language = LANGUAGES.get(path.rsplit(".", 1)[-1].lower()) if "." in path else None
        if language and "/" in path:
            by_folder.setdefault(_folder_of(path), Counter())[language] += 1
    everywhere = sum(by_folder.values(), Counter())
    if len(by_folder) > MOST_FOLDERS:
        tree.cut.add("structure")
    largest = sorted(by_folder.items(), key=lambda item: -sum(item[1].values()))[:MOST_FOLDERS]
    for folder, counts in largest:
        held, purpose = _languages(counts), _purpose(folder)
        if sum(counts.values()) > 1 and (purpose or held != _languages(everywhere)):  # else it is as everywhere
            yield Finding("fact", f"`{folder}/` holds {held} code{purpose}", folder, "structure", "layout")
    yield from _modules(tree)


def _modules(tree: Tree) -> Iterator[Finding]:
    kept = 0
    for path in tree.files:
        if kept >= MOST_MODULES:
            tree.cut.add("modules")
            return
        if not path.endswith((".py", ".go", ".rs")) or _is_aside(path) or path.count("/") > 4:
            continue
        first = _first_sentence(_doc(path, tree.read(path)))
        if first:
            kept += 1
            yield Finding("fact", f"`{path}`: {first}", path, "modules", "module")


def _doc(path: str, text: str) -> str:
    """What a module says of itself: Python's docstring, Go's package comment, Rust's inner comment."""
    if path.endswith(".py"):
        return ast.get_docstring(of_python(text)) or ""
    if path.endswith(".go"):
        match = re.search(r"^((?://.*\n)+)package \w+", text[:HEAD], re.M)
        said = " ".join(line[2:].strip() for line in match[1].split("\n")) if match else ""
        return said if said.startswith(("Package ", "Command ")) else ""
    match = re.match(r"(?:\s*//!.*\n)+", text)
    return "\n".join(line.strip()[3:].strip() for line in match[0].split("\n")) if match else ""


def _first_sentence(doc: str) -> str:
    """The first sentence of a docstring when it is one, not a title, a licence or a usage line."""
    block = " ".join(doc.strip().split("\n\n")[0].split())
    if re.search(r"^[-=~*]{3,}|[=~*-]{4,}|copyright|licen[cs]e|:copyright:|usage:|\$ |>>>", block, re.I):
        return ""
    first = re.split(r"(?<=[.!?])\s", block)[0]
    return first if 3 <= len(first.split()) <= 32 and first[0].isalpha() and first[-1] not in ":," else ""


def _pyproject(found: dict[str, Any]) -> Iterator[str]:
    project, tool = table_of(found, "project"), table_of(found, "tool")
    if isinstance(project.get("requires-python"), str):
        yield f"Python {project['requires-python']} is required (`requires-python`)"
    backend = table_of(found, "build-system").get("build-backend")
    if isinstance(backend, str):
        yield f"The package is built with `{backend.split('.')[0].split(':')[0]}` (build backend `{backend}`)"
    for name in ("ruff", "black"):
        if isinstance(table_of(tool, name).get("line-length"), int):
            yield f"Lines are at most {tool[name]['line-length']} characters long ({name})"
    selected = table_of(tool, "ruff", "lint").get("select")
    if isinstance(selected, list) and selected:
        yield f"ruff checks the rules {', '.join(str(s) for s in selected[:20])}"
    if isinstance(table_of(tool, "isort").get("profile"), str):
        yield f"Imports are sorted by isort with the profile {tool['isort']['profile']}"
    if table_of(tool, "mypy").get("strict") is True:
        yield "Types are checked by mypy in strict mode"
    pytest = table_of(tool, "pytest", "ini_options") or table_of(tool, "pytest")
    if isinstance(pytest.get("testpaths"), list | str):
        paths = pytest["testpaths"] if isinstance(pytest["testpaths"], list) else pytest["testpaths"].split()
        yield f"pytest collects the tests in {', '.join(f'`{p}`' for p in paths[:6])}"
    warnings = pytest.get("filterwarnings")
    if warnings and "error" in (warnings if isinstance(warnings, list) else str(warnings).split()):
        yield "pytest turns warnings into errors"
    fail_under = table_of(tool, "coverage", "report").get("fail_under")
    if isinstance(fail_under, int | float):
        yield f"Test coverage must be at least {fail_under:g} percent"


def _package(found: dict[str, Any]) -> Iterator[str]:
    for engine, version in table_of(found, "engines").items():
        if isinstance(version, str):
            yield f"{engine} {version} is required (`engines`)"
    manager = found.get("packageManager")
    if isinstance(manager, str):
        yield f"The package manager is {manager.split('+')[0]}"
    if found.get("type") == "module":
        yield 'JavaScript files are ES modules (`"type": "module"`)'
    spaces = found.get("workspaces")
    spaces = spaces.get("packages") if isinstance(spaces, dict) else spaces  # the long form
    if isinstance(spaces, list) and spaces:
        yield f"The repository has the workspaces {', '.join(f'`{w}`' for w in spaces[:10])}"
    needed = {**table_of(found, "devDependencies"), **table_of(found, "dependencies")}
    for runner in ("vitest", "jest", "mocha", "ava", "playwright", "@playwright/test", "cypress", "tap", "xo"):
        if runner in needed:
            yield f"{runner} is among the development dependencies"


def _setup_cfg(text: str) -> Iterator[str]:
    parser = of_ini(text)
    required = parser.get("options", "python_requires", fallback="")
    if required:
        yield f"Python {required} is required (`python_requires`)"
    length = parser.get("flake8", "max-line-length", fallback="") or parser.get(
        "flake8", "max_line_length", fallback=""
    )
    if length.isdigit():
        yield f"Lines are at most {length} characters long (flake8)"
    paths = parser.get("tool:pytest", "testpaths", fallback="").split()
    if paths:
        yield f"pytest collects the tests in {', '.join(f'`{p}`' for p in paths[:6])}"


def _editorconfig(text: str) -> Iterator[Finding]:
    section = ""
    styles: dict[str, dict[str, str]] = {}
    for line in text.split("\n")[:300]:
        if line.strip().startswith("["):
            section = line.strip()[1:].rsplit("]", 1)[0]
        elif "=" in line and not line.lstrip().startswith(("#", ";")):
            key, _, value = line.partition("=")
            styles.setdefault(section, {})[key.strip().lower()] = value.strip().lower()
    for glob, style in list(styles.items())[:8]:
        if style.get("indent_style") == "tab":
            yield _fact(f"Files `{glob}` are indented with tabs (editorconfig)", ".editorconfig")
        elif style.get("indent_size", "").isdigit():
            yield _fact(
                f"Files `{glob}` are indented with {style['indent_size']} spaces (editorconfig)", ".editorconfig"
            )


def _pins(tree: Tree) -> Iterator[tuple[str, str]]:
    for path, what in (
        (".python-version", "Python"),
        (".nvmrc", "Node"),
        (".node-version", "Node"),
        (".ruby-version", "Ruby"),
    ):
        value = tree.read(path, 200).strip() if tree.has(path) else ""
        if re.fullmatch(r"[\w./*-]{1,30}", value):
            yield path, f"The {what} version is pinned to {value} (`{path}`)"
    go = re.search(r"^go (\d[\w.]*)$", tree.read("go.mod"), re.M) if tree.has("go.mod") else None
    if go:
        yield "go.mod", f"The Go version is {go[1]} (`go.mod`)"
    package = table_of(of_toml(tree.read("Cargo.toml")), "package") if tree.has("Cargo.toml") else {}
    for key, what in (("edition", "Rust edition"), ("rust-version", "oldest supported Rust")):
        if isinstance(package.get(key), str):
            yield "Cargo.toml", f"The {what} is {package[key]} (`Cargo.toml`)"


def _fact(text: str, path: str) -> Finding:
    return Finding("fact", text, path, "settings", "configuration")


def _folder_of(path: str) -> str:
    """The folder that is described: one level, two below `src`, `packages` and the like."""
    parts = path.split("/")
    deep = len(parts) > 2 and parts[0] in ("src", "packages", "apps", "libs", "crates", "cmd", "internal", "modules")
    return "/".join(parts[:2]) if deep else parts[0]


def _languages(counts: Counter[str]) -> str:
    return ", ".join(language for language, _ in counts.most_common(3))


def _purpose(folder: str) -> str:
    last = folder.rsplit("/", 1)[-1].lower()
    if last in ("tests", "test", "__tests__", "testing", "spec", "e2e"):
        return " of the tests"
    return " of examples" if last.startswith("example") else ""


def _is_aside(path: str) -> bool:
    parts = path.lower().split("/")
    return any(
        p in ("tests", "test", "testing", "docs", "doc", "examples", "example", "benchmarks", "scripts")
        for p in parts[:-1]
    ) or (parts[-1].startswith(("test_", "conftest", "setup.")))


def _without_comments(text: str) -> str:
    """JSON with comments and trailing commas, as `tsconfig.json` allows."""
    return TRAILING.sub(lambda m: m[1] or "", COMMENT.sub(lambda m: m[1] or "", text))
