"""Configurations of a client that are not as setup left them: several of them, the plugin off, settings made since."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest

from agentmemory.install import claude, codex, setup
from agentmemory.install.files import CannotEdit
from tests.install.test_setup import connect, disconnect


def test_every_configuration_that_was_connected_is_disconnected(
    home: Path, user: Path, client: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, variable = {claude: ("settings.json", "CLAUDE_CONFIG_DIR"), codex: ("config.toml", "CODEX_HOME")}[client]
    work = user / "work"
    connect(home, client)
    monkeypatch.setenv(variable, str(work))
    connect(home, client)
    first = user / f".{client.NAME.removesuffix('-code')}" / file
    first.write_text(first.read_text() + "\n")  # somebody wrote to it since
    noted = work / "plugins" / "installed_plugins.json"
    noted.parent.mkdir()
    noted.write_text('{"version": 2, "plugins": {"mem@agentmemory": []}}')

    disconnect(home, client)

    assert not first.exists() or not first.read_text().strip()
    assert not (work / file).exists()
    assert noted.exists() == (client is codex)
    assert not (home / "plugin").exists()


def test_what_claude_code_keeps_of_a_plugin_that_was_switched_off_goes_too(home: Path, user: Path) -> None:
    connect(home, claude)
    plugins = user / ".claude" / "plugins"
    (plugins / "cache" / "agentmemory" / "mem").mkdir(parents=True)
    (plugins / "installed_plugins.json").write_text('{"version": 2, "plugins": {"mem@agentmemory": []}}')
    settings = user / ".claude" / "settings.json"
    settings.write_text(settings.read_text().replace("true", "false"))

    disconnect(home, claude)

    assert not settings.exists()
    assert not (plugins / "installed_plugins.json").exists()
    assert not (plugins / "cache" / "agentmemory").exists()


@pytest.mark.parametrize("value", [False, 0, "", None, []])
def test_a_setting_made_since_in_a_new_file_stays_whatever_its_value(home: Path, user: Path, value: object) -> None:
    connect(home, claude)
    settings = user / ".claude" / "settings.json"
    settings.write_text(json.dumps({**json.loads(settings.read_text()), "includeCoAuthoredBy": value}))

    disconnect(home, claude)

    assert json.loads(settings.read_text()) == {"includeCoAuthoredBy": value}


def test_servers_that_are_no_table_are_left_alone(home: Path, user: Path) -> None:
    (user / ".codex" / "config.toml").write_text("mcp_servers = 3\n")

    for do in (connect, disconnect):
        with pytest.raises(CannotEdit, match="holds no table under mcp_servers"):
            do(home, codex)


@pytest.mark.parametrize("held", ["x", 5, {"a": 1}, None, True])
def test_what_somebody_wrote_where_hooks_stand_keeps_nobody_connected(home: Path, user: Path, held: object) -> None:
    for each in (claude, codex):
        connect(home, each)
    hooks = user / ".codex" / "hooks.json"
    left = json.dumps({"hooks": {"SessionStart": held}})
    hooks.write_text(left)

    for each in (claude, codex):
        disconnect(home, each)

    assert hooks.read_text() == left
    assert not (home / "plugin").exists()


@pytest.mark.parametrize("damage", [b"", b"{}", b"\xff"])
def test_without_its_backup_a_file_keeps_what_is_not_ours(home: Path, user: Path, damage: bytes) -> None:
    for file, text in ((".claude/settings.json", '{"model": "opus"}\n'), (".codex/config.toml", 'model = "o3"\n')):
        (user / file).write_text(text)
    for each in (claude, codex):
        connect(home, each)
    for backup in (home / "setup").glob("*-2*"):
        backup.unlink()
        if damage:
            backup.write_bytes(damage)

    for each in (claude, codex):
        disconnect(home, each)

    assert json.loads((user / ".claude" / "settings.json").read_text()) == {"model": "opus"}
    assert (user / ".codex" / "config.toml").read_text() == 'model = "o3"\n'


@pytest.mark.parametrize(
    "damage",
    [
        b"", b"{", b"[]", b'{"files": {}}', b'{"files": {"/x": {}}, "new": []}', b"[" * 100_000, b"\xff\xfe{", b"{\0",
        b'{"files": {"/x": {"before": null, "made": [5], "after": ""}}, "new": []}', b'{"files": {}, "new": [1, "x"]}',
    ],
)  # fmt: skip
def test_without_its_receipt_setup_is_made_and_taken_back(
    home: Path, user: Path, client: ModuleType, damage: bytes
) -> None:
    settings = user / (".claude/settings.json" if client is claude else ".codex/config.toml")
    own = '{"model": "opus"}\n' if client is claude else 'model = "o3"\n'
    settings.write_text(own)
    connect(home, client)
    receipt = home / "setup" / f"{client.NAME}.json"
    for order in (connect, disconnect):
        receipt.write_bytes(damage)
        order(home, client)
        assert client.is_set_up(str(home)) == (order is connect)

    assert not receipt.exists()
    assert receipt.with_name(f"{receipt.name}.damaged").read_bytes() == damage
    assert settings.read_text().strip() == own.strip()


def test_a_damaged_receipt_is_said_and_set_aside(home: Path, user: Path, client: ModuleType) -> None:
    connect(home, client)
    receipt = home / "setup" / f"{client.NAME}.json"
    receipt.unlink()
    receipt.mkdir()

    ((_, said),) = setup.uninstall(str(home), [client], False)

    assert f"damaged, so that only what is ours is cut out of the settings; it is set aside as {receipt}.dam" in said
    assert not client.is_set_up(str(home))
