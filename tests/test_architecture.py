"""The rules of the house, held by reading the code: who imports whom, where SQL lives, what the hot path loads."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

PACKAGE = REPOSITORY / "agentmemory"
FILES = sorted(PACKAGE.rglob("*.py"))
BESIDE = sorted(path for folder in ("tests", "experiments") for path in (REPOSITORY / folder).rglob("*.py"))

VALUES = {
    "records", "values", "text", "paths", "confidence", "terminal", "loopback", "hookjson",
    "guardspec", "guardfiles", "guardedits", "guardwrites", "guardcode", "guardmatch", "shell", "shellstate",
    "shellword", "shelltext", "unwrap", "userword", "wrappers", "typed",
}  # fmt: skip
#: a layer may import itself and what stands to the right of it
ORDER = ("programs", "middle", "recall", "store", "values")
HOT = (
    "inject.py", "guard.py", "guardspec.py", "guardfiles.py", "guardedits.py", "guardwrites.py", "guardcode.py",
    "guardmatch.py", "shell.py", "shellstate.py", "shellword.py", "shelltext.py", "unwrap.py", "userword.py",
    "wrappers.py", "hookjson.py", "store/db.py", "store/inbox.py", "store/scopes.py", "records.py", "text.py",
    "paths.py", "confidence.py", "typed.py", "compiled.py",
)  # fmt: skip
#: parts of recall that no hook loads
COLD_RECALL = {"explain.py"}
HOMES = {
    "mcp": ("server", "wire"),
    "pydantic": ("server", "wire", "serve", "model"),
    "numpy": ("sleep", "model"),
    "networkx": ("explore", "sleep"),
    "mlx": ("model",),
    "mlx_lm": ("model",),
    "apsw": ("store",),
    "watchdog": ("worker",),
    "starlette": ("serve", "page"),
    "uvicorn": ("serve", "page"),
    "rich": ("terminal", "demo", "cli", "install"),
}
SQL_STARTS = ("SELECT ", "INSERT ", "UPDATE ", "DELETE ", "CREATE TABLE", "WITH RECURSIVE", "PRAGMA ", "VACUUM")
HEAVY_MODULES = {"re", "json", "pathlib", "logging", "dataclasses", "typing", "collections", "enum", "inspect"}
LONGEST = 400


def area(module: str) -> str:
    """The layer of a dotted module below `agentmemory`."""
    first = module.split(".")[1] if "." in module else ""
    if first in ("store", "recall"):
        return first
    if first == "guard":
        return "recall"
    if first in VALUES or first == "__version__":
        return "values"
    return "middle" if first in ("learn", "sleep", "explore", "model") else "programs"


def module_of(path: Path) -> str:
    parts = path.relative_to(REPOSITORY).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path, *, run_time_only: bool = False) -> Iterator[str]:
    """Every module a file imports, wherever in the file it does."""
    tree = ast.parse(path.read_text())
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if run_time_only and isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def docstrings(tree: ast.AST) -> set[int]:
    return {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }


@pytest.mark.parametrize("path", [*FILES, *BESIDE], ids=lambda p: str(p.relative_to(REPOSITORY)))
def test_a_file_fits_in_a_head(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= LONGEST


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_file_begins_with_a_sentence(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text()))


def test_the_map_names_every_file() -> None:
    """By its name, or by its family: `guard_*.py`."""
    page = (REPOSITORY / "docs" / "ARCHITECTURE.md").read_text()
    named = set(re.findall(r"[\w*]+\.py", page))
    unnamed = [
        str(path.relative_to(PACKAGE))
        for path in FILES
        if path.stem != "__init__" and not any(fnmatch(path.name, name) for name in named)
    ]
    assert unnamed == []


def test_imports_point_one_way() -> None:
    wrong = []
    for path in FILES:
        mine = area(module_of(path))
        for name in imports(path, run_time_only=True):
            if name.startswith("agentmemory.") and ORDER.index(area(name)) < ORDER.index(mine):
                wrong.append(f"{path.relative_to(REPOSITORY)} imports {name}")
    assert wrong == []


def test_heavy_packages_have_one_home() -> None:
    wrong = []
    for path in FILES:
        inside = module_of(path).removeprefix("agentmemory").removeprefix(".")
        for name in imports(path, run_time_only=True):
            homes = HOMES.get(name.split(".")[0])
            if homes and not inside.startswith(homes):
                wrong.append(f"{path.relative_to(REPOSITORY)} imports {name}")
    assert wrong == []


def test_sql_lives_in_store_and_recall() -> None:
    wrong = []
    for path in FILES:
        if module_of(path).split(".")[1:2] in (["store"], ["recall"]):
            continue
        tree = ast.parse(path.read_text())
        spoken = docstrings(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in spoken:
                if node.value.lstrip().startswith(SQL_STARTS):
                    wrong.append(f"{path.relative_to(REPOSITORY)}:{node.lineno} {node.value.strip()[:40]!r}")
    assert wrong == []


def test_one_writer_of_beliefs() -> None:
    """Only `revise` adds, supersedes and retracts; others may lock, witness and evolve."""
    wrong = []
    for path in FILES:
        inside = module_of(path)
        if inside in ("agentmemory.learn.revise", "agentmemory.store.beliefs"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("beliefs.add", "beliefs.supersede"):
                wrong.append(f"{path.relative_to(REPOSITORY)}:{node.lineno}")
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                if "INSERT INTO belief " in node.value or "INSERT INTO belief(" in node.value:
                    wrong.append(f"{path.relative_to(REPOSITORY)}:{node.lineno}")
    assert wrong == []


def test_one_stop_list() -> None:
    """Nobody else keeps a list of the words that say nothing."""
    wrong = []
    for path in FILES:
        if path.name == "text.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                words = set(node.value.split())
                if len({"the", "and", "with", "you", "that", "this"} & words) >= 5 and len(words) > 40:
                    if all(len(w) < 12 and w.islower() for w in words):
                        wrong.append(f"{path.relative_to(REPOSITORY)}:{node.lineno}")
    assert wrong == []


def loaded_by_hook(event: str, tmp_path: Path) -> set[str]:
    """Modules in memory after a whole hook run, beyond those of a bare interpreter."""
    show = "import sys; print('\\n' + ' '.join(sys.modules), file=sys.stderr)"
    run = f"import sys; sys.argv = ['agentmemory', 'hook', {event!r}]\nfrom agentmemory.__main__ import main\nmain()\n"
    event_json = f'{{"session_id": "s", "cwd": {str(tmp_path)!r}, "prompt": "deploy the release"}}'.replace("'", '"')
    bare, hook = (
        subprocess.run(
            [sys.executable, "-c", code + show], input=event_json, text=True, capture_output=True, check=True
        )
        for code in ("", run)
    )
    return set(hook.stderr.split()) - set(bare.stderr.split())


def test_the_prompt_hook_loads_little(tmp_path: Path, project: Path) -> None:
    from agentmemory.memory import Memory

    with Memory() as memory:
        memory.lock("never deploy the release by hand", when="deploy release")
    loaded = loaded_by_hook("prompt-submit", project)

    assert loaded & HEAVY_MODULES == set()
    assert {m for m in loaded if m.split(".")[0] in HOMES} == set()


def test_hot_files_name_no_heavy_module() -> None:
    hot = [PACKAGE / name for name in HOT if name.endswith(".py")]
    hot += [p for p in (PACKAGE / "recall").glob("*.py") if p.name not in COLD_RECALL]
    wrong = []
    for path in filter(Path.exists, hot):
        top = ast.parse(path.read_text()).body
        for node in top:
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            wrong += [f"{path.name} imports {n}" for n in names if n.split(".")[0] in HEAVY_MODULES]
    assert wrong == []


def test_the_program_says_nothing_of_who_made_it() -> None:
    """The repository speaks of the project alone."""
    listed = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, text=True, capture_output=True, check=True)
    unwelcome = ("/work/" + "main", "/work/" + "shared", "/tmp/" + "team", "files.python" + "hosted")
    wrong = []
    for name in listed.stdout.split("\n"):
        path = REPOSITORY / name
        if name and path.is_file() and path.stat().st_size < 2_000_000:
            text = path.read_bytes()
            wrong += [f"{name}: {word}" for word in unwelcome if word.encode() in text]
    assert wrong == []
