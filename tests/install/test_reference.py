"""docs/reference.md is what the program says of itself."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from agentmemory import paths
from agentmemory.cli import parser
from agentmemory.install.reference import table
from tests.conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "reference.md").read_text()


def test_the_table_of_commands_is_that_of_the_program() -> None:
    printed = f"<!-- commands -->\n{table(parser())}<!-- /commands -->"

    assert printed in PAGE, "python -m agentmemory.install.reference prints it"


def test_every_variable_that_says_something_is_named() -> None:
    sources = [*(REPOSITORY / "agentmemory").rglob("*.py"), REPOSITORY / "hooks" / "agentmemory"]
    read = {name for path in sources for name in re.findall(r"\bAGENTMEMORY_[A-Z]+", path.read_text())}

    assert read == set(re.findall(r"\bAGENTMEMORY_[A-Z]+", PAGE))


def test_the_example_in_python_runs(project: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)

    done = subprocess.run([sys.executable, "-c", example], capture_output=True, text=True, check=True)

    assert "never push to main" in done.stdout


def test_what_lies_in_a_data_folder_that_is_used_is_named(user: Path, project: Path) -> None:
    for words in (
        ["remember", "we deploy with terraform"],
        ["backup"],
        ["setup", "--client", "codex"],
        ["worker", "--once"],
    ):
        subprocess.run([sys.executable, "-m", "agentmemory", *words], check=True, capture_output=True)

    named = set(re.findall(r"`([\w.-]+?)/?`", PAGE.partition("## Environment")[0].partition("## The data folder")[2]))
    assert {name for name in os.listdir(paths.home()) if name not in named} == set()
