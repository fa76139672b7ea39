"""Past sessions of a project are found where clients leave them, and offered; nothing is read unasked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentmemory.learn.onboard_transcripts import past


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "user"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.delenv("CODEX_HOME", raising=False)
    return folder


def claude(user: Path, project: Path, name: str, said: str, day: str = "2026-05-01") -> Path:
    munged = "".join(c if c.isalnum() else "-" for c in str(project.resolve()))
    path = user / ".claude" / "projects" / munged / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    line = {
        "type": "user", "isSidechain": False, "userType": "external", "cwd": str(project), "sessionId": name,
        "uuid": name, "timestamp": f"{day}T10:00:00.000Z", "message": {"role": "user", "content": said},
    }  # fmt: skip
    path.write_text('{"type":"summary"}\n' + json.dumps(line) + "\n")
    return path


def codex(user: Path, cwd: Path, name: str) -> Path:
    path = user / ".codex" / "sessions" / "2026" / "05" / "01" / f"rollout-{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"type": "session_meta", "payload": {"id": name, "cwd": str(cwd)}}) + "\n")
    return path


def test_sessions_of_both_clients_are_found(user: Path, project: Path) -> None:
    (project / "sub").mkdir()
    wanted = {
        str(claude(user, project, "one", "hello")),
        str(claude(user, project / "sub", "two", "hello")),
        str(codex(user, project / "sub", "three")),
    }

    assert {p.path for p in past(str(project), str(user))} == wanted
    assert {p.client for p in past(str(project), str(user))} == {"claude-code", "codex"}


def test_sessions_of_a_neighbour_are_not(user: Path, project: Path, tmp_path: Path) -> None:
    neighbour = tmp_path / "project-two"  # its munged name begins like that of the project
    neighbour.mkdir()
    claude(user, neighbour, "other", "hello")
    codex(user, neighbour, "other")

    assert past(str(project), str(user)) == []


def test_links_are_not_followed(user: Path, project: Path, tmp_path: Path) -> None:
    found = claude(user, project, "one", "hello")
    (found.parent / "linked.jsonl").symlink_to(found)

    assert [p.path for p in past(str(project), str(user))] == [str(found)]


@pytest.mark.parametrize("odd", ["[" * 60_000, '{"cwd": "/a\\u0000b"}', '{"cwd": [], "payload": "cwd"}'])
def test_a_session_that_says_odd_things_of_itself_hides_no_other(user: Path, project: Path, odd: str) -> None:
    found = claude(user, project, "one", "hello")
    (found.parent / "odd.jsonl").write_text(odd + "\n")

    assert [p.path for p in past(str(project), str(user))] == [str(found)]


def test_the_command_offers_and_learns_only_when_told(user: Path, project: Path, token: str) -> None:
    said = f"Never use the {token} branch for releases, always use main."
    claude(user, project, "one", said)
    run = [sys.executable, "-m", "agentmemory"]

    offered = subprocess.run([*run, "onboard", "."], check=True, capture_output=True, text=True).stdout
    assert "1 past session" in offered and "--transcripts" in offered
    assert token not in subprocess.run([*run, "export"], check=True, capture_output=True, text=True).stdout

    done = subprocess.run([*run, "onboard", ".", "--transcripts"], check=True, capture_output=True, text=True).stdout
    assert "See what was learned with `agentmemory review`" in done
    assert token in subprocess.run([*run, "review"], check=True, capture_output=True, text=True).stdout
    assert token in subprocess.run([*run, "export"], check=True, capture_output=True, text=True).stdout


def test_one_undo_takes_back_all_that_an_onboarding_brought(user: Path, project: Path, token: str) -> None:
    (project / "CLAUDE.md").write_text(f"- Always run `make {token}` first.\n")
    for i in range(3):
        claude(user, project, f"s{i}", f"Never use the {token}{i} branch for releases, always use main.")

    def run(*args: str) -> str:
        done = subprocess.run([sys.executable, "-m", "agentmemory", *args], check=True, capture_output=True, text=True)
        return done.stdout

    def states() -> list[str]:
        return [json.loads(line)["state"] for line in run("export").splitlines()]

    run("onboard", ".", "--transcripts")
    assert states() == ["proposed", "active", "active", "active"]
    run("undo")
    assert states() == ["retracted"] * 4
    assert run("remember", f"the {token} port is 8443") and states()[-1] == "active"
    run("undo")
    assert states() == ["retracted"] * 5


@pytest.mark.parametrize("command", ["onboard", "learn"])
def test_past_sessions_are_learned_in_the_order_they_were_held(
    user: Path, project: Path, token: str, command: str
) -> None:
    now = f"We no longer release {token} with heroku, from now on we always release {token} with fly."
    earlier = claude(user, project, "z", f"From now on we release {token} with heroku, always.", "2026-03-01")
    later = claude(user, project, "a", now)
    os.utime(later, (1.0, 1.0))  # copied from another machine: the files say nothing of when
    what = [".", "--transcripts"] if command == "onboard" else [str(later), str(earlier)]
    run = [sys.executable, "-m", "agentmemory"]

    subprocess.run([*run, command, *what], check=True, capture_output=True)
    done = subprocess.run([*run, "export"], check=True, capture_output=True, text=True).stdout
    assert [row["text"] for row in map(json.loads, done.splitlines()) if row["state"] == "active"] == [now]


def test_proposals_are_listed_accepted_and_rejected(user: Path, project: Path, token: str) -> None:
    (project / "CLAUDE.md").write_text(f"- Always run `make {token}` first.\n- Never commit to {token} directly.\n")
    run = [sys.executable, "-m", "agentmemory"]
    subprocess.run([*run, "onboard", "."], check=True, capture_output=True)

    def listed() -> list[dict]:
        done = subprocess.run([*run, "proposals", "--json"], check=True, capture_output=True, text=True)
        return json.loads(done.stdout)

    first, second = listed()
    assert {first["kind"], second["kind"]} == {"rule"}
    subprocess.run([*run, "proposals", "accept", str(first["id"])], check=True, capture_output=True)
    subprocess.run([*run, "proposals", "reject", str(second["id"])], check=True, capture_output=True)

    assert listed() == []
    done = subprocess.run([*run, "export"], check=True, capture_output=True, text=True).stdout
    states = {row["id"]: (row["state"], row["provenance"]) for row in map(json.loads, done.splitlines())}
    assert states == {first["id"]: ("active", "user"), second["id"]: ("retracted", "import")}
    again = subprocess.run([*run, "proposals", "accept", str(second["id"])], capture_output=True, text=True)
    assert again.returncode == 1 and "not a proposal" in again.stderr


def test_proposals_are_named_by_their_numbers_and_shown_whole(user: Path, project: Path, token: str) -> None:
    path = f"packages/{token}/a-folder-with-a-long-name/{token}.ts"
    (project / "CLAUDE.md").write_text(f"- Never edit `{path}` by hand.\n- Always run `make {token}` first.\n")

    def run(*args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "agentmemory", *args], capture_output=True, text=True)

    run("onboard", ".")
    assert "…" not in run("proposals").stdout
    assert "1 more wait: --limit 2 shows them all." in run("proposals", "--limit", "1").stdout
    assert "invalid number value: 'abc'" in run("proposals", "accept", "abc").stderr
    assert "name the proposals" in run("proposals", "reject").stderr
    assert run("proposals", "accept", "1", "1", "2").stdout.startswith("2 accepted.")
