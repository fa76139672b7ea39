"""Modules of the package found by their bytecode: the same code as Python's own importer gives, or none."""

from __future__ import annotations

import os
import py_compile
import subprocess
import sys
from collections.abc import Iterator
from importlib.machinery import PathFinder
from pathlib import Path

import pytest

from agentmemory import compiled
from tests.conftest import REPOSITORY

PATH = [str(REPOSITORY / "agentmemory")]
NOTED = "agentmemory.noted"


@pytest.fixture
def noted(tmp_path: Path) -> Path:
    """The source of a module with bytecode beside it."""
    source = tmp_path / "noted.py"
    source.write_text("SAID = 1\n")
    py_compile.compile(str(source), doraise=True)
    return source


def bytecode(source: Path) -> Path:
    return next((source.parent / "__pycache__").iterdir())


def loaders() -> Iterator[str]:
    """The loader of each module of the package that a hook loads, and its name."""
    show = "print(*(f'{type(m.__loader__).__name__} {n}' for n, m in sys.modules.items() if 'agentmemory.' in n))"
    code = f"""
import os, sys
sys.path.append({str(REPOSITORY)!r})
sys.argv = ['agentmemory', 'hook', 'prompt-submit']
from agentmemory import inject
from agentmemory.__main__ import main
def leave(out):
    {show}
inject._leave = leave
main()
"""
    event = '{"session_id": "s", "cwd": "/", "prompt": "deploy the release"}'
    run = [sys.executable, "-E", "-P", "-S", "-c", code]
    out = subprocess.run(run, input=event, text=True, capture_output=True, check=True, env={**os.environ})
    words = out.stdout.split()
    return iter(f"{loader} {name}" for loader, name in zip(words[::2], words[1::2]))


def test_a_hook_loads_its_modules_by_their_bytecode(db: object) -> None:
    list(loaders())  # whatever was not compiled yet is now
    loaded = list(loaders())

    assert "Compiled agentmemory.seen" in loaded and "Compiled agentmemory.recall" in loaded


def test_what_is_found_is_what_the_importer_finds() -> None:
    for name in ("text", "recall", "records"):
        own = compiled.Finder.find_spec(f"agentmemory.{name}", PATH)
        usual = PathFinder.find_spec(f"agentmemory.{name}", PATH)

        assert own and usual
        assert (own.name, own.origin, own.cached) == (usual.name, usual.origin, usual.cached)
        assert own.submodule_search_locations == usual.submodule_search_locations
        assert own.has_location and own.loader.get_code(own.name)  # type: ignore[union-attr]


def test_bytecode_that_is_older_than_its_source_is_left_to_the_importer(noted: Path) -> None:
    assert compiled.Finder.find_spec(NOTED, [str(noted.parent)])

    noted.write_text("SAID = 12\n")

    assert compiled.Finder.find_spec(NOTED, [str(noted.parent)]) is None


def test_a_source_with_another_date_is_left_to_the_importer(noted: Path) -> None:
    os.utime(noted, (1, 1))

    assert compiled.Finder.find_spec(NOTED, [str(noted.parent)]) is None


@pytest.mark.parametrize("kept", [0, 8, 16, 20])
def test_broken_bytecode_is_left_to_the_importer(noted: Path, kept: int) -> None:
    file = bytecode(noted)
    file.write_bytes(file.read_bytes()[:kept])

    assert compiled.Finder.find_spec(NOTED, [str(noted.parent)]) is None


def test_bytecode_that_goes_by_a_hash_is_left_to_the_importer(noted: Path) -> None:
    py_compile.compile(str(noted), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)

    assert compiled.Finder.find_spec(NOTED, [str(noted.parent)]) is None


def test_nothing_is_found_where_there_is_no_bytecode_and_of_other_packages(noted: Path) -> None:
    bytecode(noted).unlink()

    assert compiled.Finder.find_spec(NOTED, [str(noted.parent)]) is None
    assert compiled.Finder.find_spec("agentmemory", None) is None
    assert compiled.Finder.find_spec("json.decoder", PATH) is None
