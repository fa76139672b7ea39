"""What is typed means the same wherever its options stand; what cannot be done is told in a sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentmemory.cli import main, parser
from agentmemory.memory import Memory


@pytest.mark.parametrize(("one", "other"), [
    ("eval locomo --runs 1 FILE", "eval locomo FILE --runs 1"),
    ("eval --runs 1 locomo FILE", "eval locomo FILE --runs 1"),
    ("proposals accept --json 3 4", "proposals accept 3 4 --json"),
    ("remember we deploy --kind rule by terraform", "remember --kind rule we deploy by terraform"),
    ("search --limit 3 -- --json is here", "search --limit=3 -- --json is here"),
])  # fmt: skip
def test_options_stand_anywhere_among_the_words(one: str, other: str) -> None:
    assert parser().parse_args(one.split()) == parser().parse_args(other.split())


@pytest.mark.parametrize(
    "typed", ["remember use --verbose always", "eval locomo FILE OTHER", "search --limit 3 x --bogus"]
)
def test_what_no_command_knows_is_named(typed: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        parser().parse_args(typed.split())
    assert raised.value.code == 2
    assert "unrecognized arguments" in capsys.readouterr().err


def test_a_limit_below_nothing_is_refused_instead_of_leaving_out_the_last_hits(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["remember", "the zanzibar exporter writes parquet"])

    assert main(["search", "zanzibar", "--limit", "-1"]) == 1
    assert "limit of -1" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["search", "remember", "wonder", "reason", "why", "forget --yes", "ask"])
def test_bytes_that_are_no_text_are_told_so(project: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    assert main([*command.split(), os.fsdecode(b"caf\xe9")]) == 1

    assert capsys.readouterr().err == "agentmemory: what was given is no UTF-8\n"


def test_a_terminal_that_cannot_show_a_text_is_told_how_it_can(project: Path) -> None:
    with Memory() as memory:
        memory.remember("the rocket 🚀 is the prefix of releases")
    env = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    ran = subprocess.run([sys.executable, "-m", "agentmemory", "export"], env=env, capture_output=True, text=True)

    assert (ran.returncode, ran.stderr.count("\n")) == (1, 1)
    assert "PYTHONUTF8=1" in ran.stderr


@pytest.mark.parametrize("at", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:00:00-14:00", "04/05/2026"])
def test_a_time_outside_the_calendar_is_refused(project: Path, capsys: pytest.CaptureFixture[str], at: str) -> None:
    assert main(["remember", "the old clock", "--at", at]) == 1

    assert capsys.readouterr().err.startswith(f"agentmemory: '{at}' is no time")
