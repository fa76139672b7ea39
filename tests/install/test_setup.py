"""`agentmemory setup` on the files of clients: shown first, backed up, idempotent, undone byte for byte."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from types import ModuleType

import pytest

from agentmemory.install import claude, codex, launch, setup
from agentmemory.install.files import CannotEdit


@pytest.fixture
def settings(user: Path) -> Path:
    """Settings of Claude Code, in somebody's own layout."""
    path = user / ".claude" / "settings.json"
    path.write_bytes(b'{"model":   "opus",\r\n "enabledPlugins": { "other@place": false }\r\n}')
    return path


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file and folder with its bytes and mode."""
    return {
        str(p.relative_to(folder)): (p.read_bytes() if p.is_file() else b"", stat.S_IMODE(p.stat().st_mode))
        for p in sorted(folder.rglob("*"))
    }


def connect(home: Path, client: ModuleType, dry_run: bool = False) -> tuple[str, str]:
    return setup.setup(str(home), [client], dry_run)[0]


def disconnect(home: Path, client: ModuleType, dry_run: bool = False) -> tuple[str, str]:
    return setup.uninstall(str(home), [client], dry_run)[0]


def test_a_dry_run_shows_the_change_and_makes_none(home: Path, user: Path, client: ModuleType) -> None:
    before = contents(user)

    diff, sentence = connect(home, client, dry_run=True)

    assert str(home) in diff and diff.startswith("--- ")
    assert "would be changed" in sentence
    assert contents(user) == before
    assert not home.exists()


def test_setup_and_uninstall_leave_every_byte(home: Path, user: Path, client: ModuleType) -> None:
    before = contents(user)

    connect(home, client)
    assert contents(user) != before
    assert client.is_set_up(str(home))
    disconnect(home, client)

    assert contents(user) == before
    assert not client.is_set_up(str(home))


def test_a_folder_that_was_not_there_goes_again(home: Path, user: Path, client: ModuleType) -> None:
    for folder in (".claude", ".codex"):
        (user / folder).rmdir()

    connect(home, client)
    disconnect(home, client)

    assert list(user.iterdir()) == []


def test_setup_twice_is_setup_once(home: Path, user: Path, client: ModuleType) -> None:
    before = contents(user)
    connect(home, client)
    once = contents(user)

    diff, sentence = connect(home, client)

    assert (diff, contents(user)) == ("", once)
    assert "already" in sentence
    disconnect(home, client)
    assert contents(user) == before


def test_the_layout_of_the_settings_is_kept(home: Path, settings: Path) -> None:
    before = settings.read_bytes()

    connect(home, claude)

    assert settings.read_bytes().startswith(b'{"model":   "opus",\r\n "enabledPlugins": { "other@place": false')
    assert json.loads(settings.read_bytes())["enabledPlugins"] == {"other@place": False, "mem@agentmemory": True}
    disconnect(home, claude)
    assert settings.read_bytes() == before


def test_what_the_user_wrote_since_stays(home: Path, settings: Path) -> None:
    before = settings.read_bytes()
    connect(home, claude)
    settings.write_bytes(settings.read_bytes().replace(b'"opus"', b'"sonnet"'))

    disconnect(home, claude)

    assert settings.read_bytes() == before.replace(b'"opus"', b'"sonnet"')


def test_a_second_setup_after_an_edit_still_knows_the_original(home: Path, settings: Path) -> None:
    before = settings.read_bytes()
    connect(home, claude)
    edited = json.loads(settings.read_bytes())
    del edited["enabledPlugins"]["mem@agentmemory"]
    edited["model"] = "sonnet"
    settings.write_text(json.dumps(edited))

    connect(home, claude)
    disconnect(home, claude)

    assert json.loads(settings.read_bytes()) == {**json.loads(before), "model": "sonnet"}


def test_an_uninstall_without_a_receipt_takes_out_what_is_ours(home: Path, user: Path, client: ModuleType) -> None:
    connect(home, client)
    for receipt in (home / "setup").iterdir():
        receipt.unlink()

    disconnect(home, client)

    assert not client.is_set_up(str(home))
    assert all(b"agentmemory" not in content for content, _ in contents(user).values())


def test_the_backup_holds_the_original(home: Path, settings: Path) -> None:
    before = settings.read_bytes()

    connect(home, claude)

    backups = [p.read_bytes() for p in (home / "setup").iterdir() if p.name.startswith("claude-code-settings.json")]
    assert backups == [before]


def test_a_symbolic_link_stays_one(home: Path, settings: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    settings.rename(real)
    settings.symlink_to(real)
    before = real.read_bytes()

    connect(home, claude)
    assert settings.is_symlink() and real.read_bytes() != before
    disconnect(home, claude)

    assert settings.is_symlink() and real.read_bytes() == before


def test_the_mode_of_a_file_is_kept(home: Path, settings: Path) -> None:
    settings.chmod(0o640)

    connect(home, claude)

    assert stat.S_IMODE(settings.stat().st_mode) == 0o640


@pytest.mark.parametrize("text", ["{ // mine\n}", "{", "\x80"])
def test_settings_that_are_no_json_are_left_alone(home: Path, settings: Path, text: str) -> None:
    settings.write_bytes(text.encode("latin-1"))

    with pytest.raises(CannotEdit, match="nothing was changed"):
        connect(home, claude)

    assert settings.read_bytes() == text.encode("latin-1")


def test_a_read_only_file_is_respected(home: Path, settings: Path) -> None:
    before = settings.read_bytes()
    settings.chmod(0o400)

    for dry_run in (True, False):
        with pytest.raises(CannotEdit, match="read-only"):
            connect(home, claude, dry_run)

    assert settings.read_bytes() == before
    assert not home.exists()


def test_a_read_only_folder_is_respected(home: Path, user: Path, client: ModuleType) -> None:
    before, place = contents(user), client.folder()
    os.chmod(place, 0o500)

    with pytest.raises(CannotEdit, match="read-only"):
        connect(home, client)

    os.chmod(place, before[os.path.basename(place)][1])
    assert contents(user) == before
    assert not home.exists()


def test_all_files_of_a_client_change_or_none(home: Path, user: Path) -> None:
    (user / ".codex" / "config.toml").write_text("model = \n")

    with pytest.raises(CannotEdit, match="not valid TOML"):
        connect(home, codex)

    assert not (user / ".codex" / "hooks.json").exists()


def test_all_clients_change_or_none(home: Path, user: Path, settings: Path) -> None:
    (user / ".codex" / "config.toml").write_text("model = \n")
    before = contents(user)

    for dry_run in (True, False):
        with pytest.raises(CannotEdit, match=r"config\.toml is not valid TOML"):
            setup.setup(str(home), [claude, codex], dry_run)

    assert contents(user) == before
    assert not home.exists()


def test_all_clients_are_disconnected_or_none(home: Path, user: Path) -> None:
    setup.setup(str(home), [claude, codex], dry_run=False)
    (user / ".codex" / "hooks.json").write_text("{")
    before = contents(user)

    with pytest.raises(CannotEdit, match=r"hooks\.json is not valid JSON"):
        setup.uninstall(str(home), [claude, codex], dry_run=False)

    assert contents(user) == before


def test_an_inline_table_of_servers_is_refused_not_broken(home: Path, user: Path) -> None:
    (user / ".codex" / "config.toml").write_text('mcp_servers = { a = { command = "b" } }\n')

    with pytest.raises(CannotEdit, match="would not be"):
        connect(home, codex)


ASKED = '\n[mcp_servers.agentmemory.tools.remember]\napproval_mode = "approve"\n'


@pytest.mark.parametrize(
    ("before", "more", "left"),
    [
        ('model = "x"\n', ASKED, 'model = "x"\n'),
        ('model = "x"\r\n', "startup_timeout_sec = 20\n", 'model = "x"\r\n'),
        ("", f"{ASKED}\n# mine\n[tui]\na = 1\n", "# mine\n[tui]\na = 1\n"),
        ("[a]\nb = 1\n", f"\n[tui]\na = [\n  [1],\n]\n{ASKED}", "[a]\nb = 1\n\n[tui]\na = [\n  [1],\n]\n"),
    ],
)
def test_what_was_added_to_our_table_goes_with_it(home: Path, user: Path, before: str, more: str, left: str) -> None:
    config = user / ".codex" / "config.toml"
    config.write_text(before, newline="")
    connect(home, codex)
    with open(config, "a", newline="") as file:
        file.write(more)

    disconnect(home, codex)

    assert config.read_bytes().decode().lstrip("\n") == left


def test_a_server_of_the_same_name_that_is_not_ours_stays(home: Path, user: Path) -> None:
    config = user / ".codex" / "config.toml"
    config.write_text('[mcp_servers.agentmemory]\ncommand = "/usr/bin/theirs"\n')
    connect(home, codex)
    config.write_text(config.read_text() + "\n[tui]\n")

    disconnect(home, codex)

    assert config.read_text() == '[mcp_servers.agentmemory]\ncommand = "/usr/bin/theirs"\n\n[tui]\n'


def test_a_table_that_cannot_be_taken_out_as_text_is_left_alone(home: Path, user: Path) -> None:
    config = user / ".codex" / "config.toml"
    connect(home, codex)
    config.write_text(config.read_text() + 'note = """\n[tui]\n"""\n')
    before = contents(user)

    with pytest.raises(CannotEdit, match="remove that by hand"):
        disconnect(home, codex)

    assert contents(user) == before


def test_a_byte_order_mark_in_front_of_the_configuration_is_no_obstacle(home: Path, user: Path) -> None:
    config = user / ".codex" / "config.toml"
    config.write_bytes(b'\xef\xbb\xbfmodel = "o3"\r\n')

    connect(home, codex)
    connected = config.read_bytes()
    config.write_bytes(connected + b"\n[tui]\n")
    disconnect(home, codex)

    assert connected.startswith(b'\xef\xbb\xbfmodel = "o3"\r\n\n[mcp_servers.agentmemory]')
    assert config.read_bytes() == b'\xef\xbb\xbfmodel = "o3"\r\n\n[tui]\n'


@pytest.mark.parametrize(
    "text", ['{ "hooks": {} }', '{"hooks": {"Stop": [], "Other": []}}', '{"hooks": {"Stop":[ ]}, "a": 1}\n']
)
def test_empty_places_for_hooks_stay_as_they_were(home: Path, user: Path, text: str) -> None:
    path = user / ".codex" / "hooks.json"
    path.write_text(text)

    connect(home, codex)
    disconnect(home, codex)

    assert path.read_text() == text


def test_hooks_of_others_stay(home: Path, user: Path) -> None:
    theirs = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "bell"}]}]}}
    path = user / ".codex" / "hooks.json"
    path.write_text(json.dumps(theirs))

    connect(home, codex)
    both = json.loads(path.read_text())["hooks"]["Stop"]
    disconnect(home, codex)

    assert both[0] == theirs["hooks"]["Stop"][0] and len(both) == 2
    assert path.read_text() == json.dumps(theirs)


def test_a_plugin_from_another_marketplace_is_not_doubled(home: Path, settings: Path) -> None:
    settings.write_text(json.dumps({
        "extraKnownMarketplaces": {"agentmemory": {"source": {"source": "github", "repo": "some/one"}}},
        "enabledPlugins": {"mem@agentmemory": True},
    }))  # fmt: skip
    before = settings.read_bytes()

    _, sentence = connect(home, claude)
    assert "another marketplace" in sentence
    disconnect(home, claude)

    assert settings.read_bytes() == before


def test_a_copy_that_is_gone_is_replaced_by_ours(home: Path, settings: Path, tmp_path: Path) -> None:
    source = {"source": {"source": "directory", "path": str(tmp_path / "gone")}}
    settings.write_text(json.dumps({"extraKnownMarketplaces": {"agentmemory": source}, "model": "opus"}))

    connect(home, claude)

    assert claude.is_set_up(str(home))
    assert json.loads(settings.read_text())["model"] == "opus"


def test_commands_of_the_same_name_in_the_users_folder_are_refused(home: Path, user: Path) -> None:
    (user / ".claude" / "commands" / "mem").mkdir(parents=True)

    with pytest.raises(CannotEdit, match="same names as the plugin"):
        connect(home, claude)


def test_what_the_client_noted_about_us_goes_too(home: Path, user: Path) -> None:
    connect(home, claude)
    plugins = user / ".claude" / "plugins"
    plugins.mkdir()
    source = {"source": {"source": "directory", "path": str(home / "plugin")}}
    (plugins / "known_marketplaces.json").write_text(json.dumps({"agentmemory": source, "other": {"source": {}}}))
    (plugins / "installed_plugins.json").write_text(json.dumps({"version": 2, "plugins": {"mem@agentmemory": []}}))

    disconnect(home, claude)

    assert json.loads((plugins / "known_marketplaces.json").read_text()) == {"other": {"source": {}}}
    assert not (plugins / "installed_plugins.json").exists()


def test_the_plugins_copy_is_for_its_owner_only(home: Path, user: Path) -> None:
    connect(home, claude)

    for path in (home / "plugin").rglob("*"):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path
    assert os.access(home / "plugin" / "hooks" / "agentmemory", os.X_OK)
    assert launch.plugin_is_current(str(home))


def test_the_last_client_takes_the_launcher_along(home: Path, user: Path) -> None:
    connect(home, claude)
    connect(home, codex)

    disconnect(home, codex)
    assert (home / "plugin").exists()
    disconnect(home, claude)

    assert not (home / "plugin").exists() and not (home / "launch").exists()


def test_clients_are_those_the_person_uses(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert setup.chosen(None) == [claude, codex]
    (user / ".codex").rmdir()
    assert setup.chosen(None) == [claude]
    (user / ".claude").rmdir()
    assert setup.chosen(None) == [claude]
    assert setup.chosen("codex") == [codex]
