"""The small form of experiments/torture.py: nothing acknowledged is lost, and the test would notice."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY


def torture(*args: str) -> dict[str, Any]:
    """The report of a run; its exit status is checked against what the report says."""
    command = [sys.executable, str(REPOSITORY / "experiments" / "torture.py"), *args]
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    assert done.stdout, done.stderr
    report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert done.returncode == (0 if sound(report) else 1)
    return report


def sound(report: dict[str, Any]) -> bool:
    return not (report["lost"] or report["miscounted"] or report["complaints"]) and report["integrity"] == "ok"


def test_stalled_writers_lose_nothing_and_none_complains(home: Path) -> None:
    report = torture("stalls", "--seconds", "4", "--processes", "8")

    assert sound(report)
    assert report["acknowledged"] > 0


def test_killed_writers_lose_nothing_that_was_acknowledged(home: Path) -> None:
    report = torture("kills", "--count", "80")

    assert sound(report)
    assert report["acknowledged"] > 0  # how many a busy machine gets to in the time is not the claim


@pytest.mark.parametrize("mutant", ["dropped", "autocommit"])
def test_a_broken_writer_is_caught(home: Path, mutant: str) -> None:
    assert not sound(torture("stalls", "--seconds", "6", "--processes", "6", "--mutant", mutant))
