"""The plugin from a marketplace: it starts the Python that setup noted, though setup leaves its settings alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentmemory.install import claude, codex, doctor, launch
from tests.install.test_setup import connect, disconnect


@pytest.fixture(autouse=True)
def marketplace(home: Path, user: Path) -> None:
    """A person who has the plugin from a marketplace."""
    source = {"source": {"source": "github", "repo": "some/one"}}
    settings = {"extraKnownMarketplaces": {"agentmemory": source}, "enabledPlugins": {"mem@agentmemory": True}}
    (user / ".claude" / "settings.json").write_text(json.dumps(settings))
    connect(home, claude)


def test_repair_notes_this_python_for_it(home: Path) -> None:
    (home / "launch").write_text("/other/python\n/other\n")

    doctor.mend(str(home))

    assert launch.is_this(launch.recorded(str(home)))


def test_another_client_leaves_it_the_python_when_it_goes(home: Path) -> None:
    connect(home, codex)

    disconnect(home, codex)

    assert launch.is_this(launch.recorded(str(home)))


def test_uninstall_says_that_it_stays(home: Path) -> None:
    _, sentence = disconnect(home, claude)

    assert "claude plugin uninstall" in sentence
    assert not launch.recorded(str(home))
