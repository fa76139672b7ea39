"""docs/acceptance.md names, for every check from 1 to 46, tests that exist."""

from __future__ import annotations

import ast
import re

from tests.conftest import REPOSITORY

PAGE = REPOSITORY / "docs" / "acceptance.md"
CHECKS = range(1, 47)


def lines() -> list[tuple[list[int], str, list[str]]]:
    """`(checks, claim, what is quoted in the last cell)` of every line of the table."""
    out = []
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3 and re.match(r"\d", cells[0]):
            numbers = [int(n) for n in re.findall(r"\d+", cells[0])]
            if "-" in cells[0]:
                numbers = list(range(numbers[0], numbers[1] + 1))
            out.append((numbers, cells[1], re.findall(r"`([^`]+)`", cells[2])))
    return out


def named_in(quoted: list[str]) -> list[tuple[str, str]]:
    """`(file, test)` of the names in a line; `::name` stands in the file that was named before it."""
    found, file = [], ""
    for words in quoted:
        if "::" in words:
            path, _, name = words.partition("::")
            file = path or file
            found.append((file, name))
    return found


def defined(file: str) -> set[str]:
    """The tests that a file defines."""
    tree = ast.parse((REPOSITORY / file).read_text())
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def test_every_check_has_a_line_and_a_test() -> None:
    named = {number for numbers, _, quoted in lines() for number in numbers if named_in(quoted)}
    assert sorted(set(CHECKS) - named) == []


def test_every_named_test_exists() -> None:
    missing = []
    for numbers, _, quoted in lines():
        for file, name in named_in(quoted):
            if not file or not (REPOSITORY / file).exists() or name not in defined(file):
                missing.append(f"{numbers}: {file}::{name}")
    assert missing == []


def test_every_test_with_a_number_stands_in_the_line_of_its_check() -> None:
    named = {(file, name) for _, _, quoted in lines() for file, name in named_in(quoted)}
    missing = []
    for file in sorted((REPOSITORY / "tests" / "acceptance").glob("test_*.py")):
        path = str(file.relative_to(REPOSITORY))
        for name in sorted(defined(path)):
            if re.match(r"test_\d+_", name) and (path, name) not in named:
                missing.append(f"{path}::{name}")
    assert missing == []


def test_every_other_file_that_is_named_exists() -> None:
    quoted = [words for _, _, quoted in lines() for words in quoted]
    files = [words for words in quoted if "/" in words and "::" not in words and " " not in words]
    assert [name for name in files if not (REPOSITORY / name).exists()] == []
