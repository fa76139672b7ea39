"""`agentmemory doctor` says what is wrong and what to do; `--repair` mends it and deletes nothing."""

from __future__ import annotations

import json
import os
import resource
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from agentmemory import inject, paths
from agentmemory.cli import main
from agentmemory.install import claude, codex, doctor, launch, setup
from agentmemory.learn import arrivals
from agentmemory.memory import Memory
from agentmemory.store import inbox, writer
from tests.conftest import REPOSITORY


@pytest.fixture(autouse=True)
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person without any client."""
    folder = tmp_path / "user"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(folder / ".claude"))
    monkeypatch.setenv("CODEX_HOME", str(folder / ".codex"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    return folder


@pytest.fixture
def told(project: Path, token: str) -> str:
    """A store with something in it."""
    with Memory() as memory:
        memory.remember(f"the port of {token} is 8443")
    return token


def troubles(home: Path) -> list[str]:
    """What is not ok, as `level part: finding`."""
    return [f"{f.level} {f.what}: {f.says}" for f in doctor.examine(str(home)) if f.level != doctor.OK]


def test_a_new_machine_has_no_broken_part(home: Path) -> None:
    assert not [said for said in troubles(home) if said.startswith("bad")]
    assert main(["doctor"]) == 0


def test_a_connected_healthy_memory_has_no_trouble(home: Path, told: str) -> None:
    setup.setup(str(home), [claude], dry_run=False)

    assert troubles(home) == []


def test_a_client_of_another_data_folder_is_named(home: Path, tmp_path: Path) -> None:
    setup.setup(str(tmp_path / "old"), [claude], dry_run=False)

    assert f"warn Claude Code: connected to another data folder, {tmp_path / 'old'}" in troubles(home)


def test_a_first_prompt_before_anything_was_learned_is_no_trouble(home: Path, project: Path) -> None:
    setup.setup(str(home), [claude], dry_run=False)
    prompt = json.dumps({"prompt": "push the release", "cwd": str(project)})
    hook = [sys.executable, "-m", "agentmemory", "hook", "prompt-submit"]
    subprocess.run(hook, input=prompt, text=True, check=True, cwd=REPOSITORY)

    assert "nothing has been learned yet" in (home / inject.LOG).read_text()
    assert troubles(home) == []

    with open(home / inject.LOG, "a") as log:
        log.write("2026-11-23T22:00:00Z prompt-submit OSError: something else\n")
    os.utime(home / inject.LOG, (paths.now(), paths.now()))
    assert [said for said in troubles(home) if "hook.log" in said]


def test_where_no_client_is_connected_that_is_said(home: Path, told: str) -> None:
    assert [said for said in troubles(home) if said.startswith("warn clients: neither Claude Code nor Codex")]


def test_an_unconnected_client_is_named_with_the_command(home: Path, user: Path) -> None:
    (user / ".codex").mkdir()

    (found,) = [f for f in doctor.examine(str(home)) if f.what == "Codex"]

    assert (found.level, found.do) == ("warn", "agentmemory setup --client codex")


def test_a_client_whose_server_was_taken_out_is_named(home: Path, user: Path, told: str) -> None:
    setup.setup(str(home), [codex], dry_run=False)
    assert troubles(home) == []
    (user / ".codex" / "config.toml").write_text('model = "gpt-5"\n')

    assert troubles(home) == ["warn Codex: its hooks run, but the model has no tools"]


def test_a_folder_that_nothing_can_be_written_to_is_found(home: Path, told: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "agentmemory", "doctor", "--json"], capture_output=True, text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    )  # fmt: skip

    found = {f["what"]: (f["level"], f["says"]) for f in json.loads(ran.stdout)["findings"]}
    assert ran.returncode == 1 and found["data folder"][1].startswith(f"nothing can be written to {home}: File too lar")
    assert found["store"][0] == "warn"  # it is not the store that is broken


def test_files_that_others_may_read_are_closed_again(home: Path, told: str) -> None:
    home.chmod(0o755)
    (home / "memory.db").chmod(0o644)
    assert any("can be read by others" in said for said in troubles(home))

    assert main(["doctor", "--repair"]) == 0

    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert stat.S_IMODE((home / "memory.db").stat().st_mode) == 0o600


def test_a_file_that_goes_while_it_is_looked_at_is_no_trouble(home: Path) -> None:
    home.mkdir(mode=0o700)
    for name in ("memory.db-shm", "memory.db-wal", "memory.db"):
        (home / name).touch(0o644)
    looked_at = doctor._too_open(str(home))
    first = Path(next(looked_at)[0])
    for path in home.iterdir():  # as whoever closes the store last takes two of its files away
        path.unlink()

    assert first.parent == home and list(looked_at) == []


def test_a_python_that_is_gone_is_found_and_replaced(home: Path, told: str) -> None:
    setup.setup(str(home), [claude], dry_run=False)
    (home / "launch").write_text("/gone/python\n/gone\n")
    assert troubles(home) == ["bad interpreter: /gone/python is gone"]

    assert main(["doctor", "--repair"]) == 0

    assert launch.is_this(launch.recorded(str(home)))


def test_a_python_that_cannot_start_the_worker_is_found(home: Path, told: str, tmp_path: Path) -> None:
    python = str(getattr(sys, "_base_executable", ""))
    (home / "launch").write_text(f"{python}\n{tmp_path}\n")

    (said,) = [said for said in troubles(home) if "worker" in said]

    assert said.startswith(f"bad worker: {python} cannot start it, nothing is learned: ModuleNotFoundError")


def test_a_plugin_of_another_release_is_brought_up_to_date(home: Path, told: str) -> None:
    setup.setup(str(home), [claude], dry_run=False)
    (home / "plugin" / "hooks" / "hooks.json").write_text("{}")
    assert troubles(home) == ["warn plugin: the clients load the plugin of another release"]

    main(["doctor", "--repair"])

    assert troubles(home) == []


def test_hooks_beside_the_plugins_are_reported(home: Path, user: Path, told: str) -> None:
    setup.setup(str(home), [claude], dry_run=False)
    settings = user / ".claude" / "settings.json"
    held = json.loads(settings.read_text())
    held["hooks"] = {"Stop": [{"hooks": [{"type": "command", "command": "agentmemory hook stop"}]}]}
    settings.write_text(json.dumps(held))

    assert any("would run twice" in said for said in troubles(home))


@pytest.mark.parametrize("name", [".claude/settings.json", ".codex/hooks.json"])
def test_a_clients_file_that_is_no_json_is_a_finding_with_its_name(
    name: str, home: Path, user: Path, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    setup.setup(str(home), [claude, codex], dry_run=False)
    (user / name).write_text("{ // mine\n}")

    assert main(["doctor", "--repair", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["findings"]
    assert [f["what"] for f in found if f["says"].startswith(f"{user / name} is not valid JSON")] == ["clients"]
    assert main(["setup", "--uninstall"]) == 1
    assert f"{user / name} is not valid JSON" in capsys.readouterr().err


def test_hooks_of_two_data_folders_are_reported(home: Path, user: Path, tmp_path: Path, told: str) -> None:
    setup.setup(str(home), [codex], dry_run=False)
    path = user / ".codex" / "hooks.json"
    hooks, old = json.loads(path.read_text()), json.loads(path.read_text().replace(str(home), str(tmp_path / "old")))
    both = {event: old["hooks"][event] + entries for event, entries in hooks["hooks"].items()}
    path.write_text(json.dumps({"hooks": both}))

    assert any("more than one data folder" in said for said in troubles(home))


def test_a_wrong_index_is_found_and_made_anew(home: Path, told: str) -> None:
    db = writer.open_store(str(home))
    row = db.execute("SELECT id, terms, cues FROM belief").fetchone()
    db.execute("INSERT INTO belief_fts(belief_fts, rowid, terms, cues) VALUES ('delete', ?, ?, ?)", row)
    db.close()
    assert troubles(home)[0].startswith("bad store: the index belief_fts")

    assert main(["doctor", "--repair"]) == 0

    with Memory() as memory:
        assert [hit.what for hit in memory.search(told)] == ["belief"]


def test_a_damaged_store_is_set_aside_and_replaced(home: Path, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "memory.db").write_bytes(os.urandom(20_000))
    assert troubles(home)[0] == "bad store: the file is damaged"

    assert main(["doctor", "--repair"]) == 0

    said = capsys.readouterr().out
    assert "what could be read is in a new one: 0 beliefs, 0 turns (`agentmemory restore` puts a backup in" in said
    assert not [said for said in troubles(home) if said.startswith("bad")]
    assert len(list(home.glob("set-aside-*/memory.db"))) == 1


def test_lost_changes_are_reported_until_they_are_accepted(home: Path, told: str) -> None:
    db = writer.open_store(str(home))
    db.execute("UPDATE meta SET value = value - 1 WHERE key = 'commits'")
    db.close()
    assert "the last 1 acknowledged changes are missing" in troubles(home)[0]

    main(["doctor", "--repair"])

    assert not [said for said in troubles(home) if said.startswith("bad")]


def test_a_newer_store_is_not_touched(home: Path, told: str) -> None:
    db = apsw.Connection(str(home / "memory.db"))
    db.execute("PRAGMA user_version = 999")
    db.close()

    assert any("upgrade agentmemory" in said for said in troubles(home))
    assert main(["doctor", "--repair"]) == 1
    assert apsw.Connection(str(home / "memory.db")).execute("PRAGMA user_version").fetchone() == (999,)


def test_an_inbox_that_nobody_takes_in_is_reported(home: Path, told: str) -> None:
    inbox.append(str(home), "2026-05-01", json.dumps({"event": "stop", "transcript_path": "/x"}))
    os.utime(home / "inbox" / "2026-05-01.jsonl", (1.0, 1.0))

    assert any("inbox" in said for said in troubles(home))

    with closing(writer.open_store(str(home))) as db:
        arrivals.take(db, str(home), paths.now())
    assert not any("inbox" in said for said in troubles(home)), "what was taken in only waits to be tidied away"


@pytest.mark.parametrize(
    ("what", "name", "slip"),
    [("sleep", "sleep.toml", "cap = 'many'\n"), ("models", "sidecar.toml", "modle = 'small'\n")],
)
def test_settings_that_cannot_be_understood_are_reported(
    home: Path, told: str, what: str, name: str, slip: str
) -> None:
    (home / name).write_text(slip)
    os.chmod(home / name, 0o600)
    (found,) = [f for f in doctor.examine(str(home)) if f.level == doctor.BAD]
    assert found.what == what and name in found.says


def test_a_model_whose_folder_is_not_there_is_reported(home: Path, told: str, tmp_path: Path) -> None:
    (home / "sidecar.toml").write_text(f'model = "{tmp_path}"\n[models]\nbig = "{tmp_path}/gone"\nnone = "fake"\n')

    says = [f.says for f in doctor.examine(str(home)) if f.what == "models"]
    assert says == [f"big does not answer: there is no model folder {tmp_path}/gone"]


def test_a_program_can_read_the_findings(home: Path, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    assert found["mended"] == []
    assert {"what": "interpreter", "level": "ok", "says": f"{sys.executable}; its SQLite has FTS5", "do": ""} in found[
        "findings"
    ]
