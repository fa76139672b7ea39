"""`agentmemory setup` where a client knows another data folder (in use, or moved), or keeps a copy of this one."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from agentmemory.install import claude
from agentmemory.install.files import CannotEdit
from tests.install.test_setup import connect, contents, disconnect


def test_another_data_folder_that_is_in_use_is_left_and_named(home: Path, user: Path, client: ModuleType) -> None:
    first = home.with_name("it's the first")
    connect(first, client)
    before = contents(user)

    with pytest.raises(CannotEdit, match=r"connected to another data folder.*the first.* agentmemory setup"):
        connect(home, client)

    assert contents(user) == before
    disconnect(first, client)
    connect(home, client)
    assert client.is_set_up(str(home))


def test_a_data_folder_that_has_moved_takes_its_clients_along(home: Path, user: Path, client: ModuleType) -> None:
    first = home.with_name("it's the first")
    connect(first, client)
    first.rename(home)

    connect(home, client)

    assert client.is_set_up(str(home))
    assert not [name for name, (held, _) in contents(user).items() if b"the first" in held]


def test_the_copy_that_claude_code_has_made_of_the_plugin_goes_too(home: Path, user: Path) -> None:
    cached, other = (user / ".claude" / "plugins" / "cache" / name for name in ("agentmemory", "other"))
    connect(home, claude)
    for folder in (cached, other):
        (folder / "mem").mkdir(parents=True)

    disconnect(home, claude)

    assert not cached.exists() and other.exists()
