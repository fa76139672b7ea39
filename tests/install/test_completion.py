"""Completion scripts, tried in the shells themselves where they are installed; bash always is."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from agentmemory.cli import parser
from agentmemory.install.completion import SHELLS, script

TRY = """
{script}
COMP_WORDS=({words}); COMP_CWORD={last}
_agentmemory
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def complete(*words: str) -> list[str]:
    """What bash offers after these words, the last of which is being typed."""
    quoted = " ".join(f"'{word}'" for word in words)
    text = TRY.format(script=script(parser(), "bash"), words=quoted, last=len(words) - 1)
    done = subprocess.run(["bash", "-c", text], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_commands_are_completed() -> None:
    assert complete("agentmemory", "do") == ["doctor"]
    assert {"remember", "reason", "restore"} <= set(complete("agentmemory", "re"))


def test_options_and_choices_of_a_command_are_completed() -> None:
    assert complete("agentmemory", "setup", "--d") == ["--dry-run"]
    assert complete("agentmemory", "completion", "f") == ["fish"]


def test_hidden_commands_stay_hidden() -> None:
    assert complete("agentmemory", "sla") == []


@pytest.mark.parametrize("shell", SHELLS)
def test_every_script_parses_in_its_shell(shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run([program, "-n"], input=script(parser(), shell), capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
