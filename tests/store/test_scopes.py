"""Which project a folder belongs to."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import apsw
import platformdirs
import pytest

from agentmemory import paths
from agentmemory.inject import pre_tool
from agentmemory.memory import Memory
from agentmemory.store import scopes
from tests.conftest import git


def scope_of(db: apsw.Connection, folder: Path) -> int:
    return scopes.project(db, *paths.project_of(str(folder)), now=1.0)


def test_a_subdirectory_shares_the_project(db: apsw.Connection, project: Path) -> None:
    (project / "src" / "deep").mkdir(parents=True)

    assert scope_of(db, project) == scope_of(db, project / "src" / "deep")


def test_a_worktree_shares_the_project(db: apsw.Connection, project: Path, tmp_path: Path) -> None:
    git(project, "commit", "-q", "--allow-empty", "-m", "first")
    git(project, "worktree", "add", "-q", str(tmp_path / "other"))

    assert scope_of(db, project) == scope_of(db, tmp_path / "other")


def test_a_renamed_folder_keeps_its_project(db: apsw.Connection, project: Path, tmp_path: Path) -> None:
    before = scope_of(db, project)
    project.rename(tmp_path / "renamed")

    assert before == scope_of(db, tmp_path / "renamed")


def test_a_repository_that_was_moved_from_another_disk_keeps_its_project(
    db: apsw.Connection, project: Path, tmp_path: Path
) -> None:
    first = scope_of(db, project)
    shutil.copytree(project, tmp_path / "moved")
    assert scopes.find_project(db, *paths.project_of(str(tmp_path / "moved"))) is None, "so far it is a copy"

    shutil.rmtree(project)
    assert scope_of(db, tmp_path / "moved") == first
    (tmp_path / "moved").rename(tmp_path / "renamed")
    assert scope_of(db, tmp_path / "renamed") == first


@pytest.mark.parametrize(
    ("births", "found"),
    [(["1:1700000000123456789"], True), (["1:1700000000123456789", "2:1700000000123456789"], False),
     (["1:1700000000000000000"], False)],
    ids=["one", "two of one moment", "whole seconds"],
)  # fmt: skip
def test_what_came_from_another_disk_is_found_only_where_no_other_can_be_meant(
    db: apsw.Connection, tmp_path: Path, births: list[str], found: bool
) -> None:
    places = [tmp_path / str(n) for n in range(len(births))]
    for place in places:
        place.mkdir()
    known = [scopes.project(db, str(place), birth, 1.0) for place, birth in zip(places, births)]
    for place in places:
        place.rmdir()
    moment = births[0].partition(":")[2]

    assert scopes.find_project(db, "/here/.git", f"9:{moment}") == (known[0] if found else None)


def test_a_folder_whose_name_is_no_utf8_is_a_project(db: apsw.Connection, tmp_path: Path) -> None:
    places = [tmp_path / os.fsdecode(name) for name in (b"caf\xe9", b"caf\xe8")]
    for place in places:
        place.mkdir()
    assert scope_of(db, places[0]) != scope_of(db, places[1])


def test_two_clones_are_two_projects(db: apsw.Connection, project: Path, tmp_path: Path) -> None:
    git(project, "commit", "-q", "--allow-empty", "-m", "first")
    git(tmp_path, "clone", "-q", str(project), str(tmp_path / "clone"))

    assert scope_of(db, project) != scope_of(db, tmp_path / "clone")


def test_a_new_repository_does_not_inherit_the_memory_of_a_deleted_one(
    db: apsw.Connection, project: Path, tmp_path: Path
) -> None:
    before = scope_of(db, project)
    shutil.rmtree(project)  # its inode is free now and likely to be given out again
    (tmp_path / "fresh").mkdir()
    git(tmp_path / "fresh", "init", "-q")

    assert before != scope_of(db, tmp_path / "fresh")


def test_a_repository_at_the_place_of_one_that_moved_away_does_not_take_its_memory(
    db: apsw.Connection, project: Path, tmp_path: Path
) -> None:
    before = scope_of(db, project)
    project.rename(tmp_path / "moved")
    project.mkdir()
    git(project, "init", "-q")

    scope_of(db, project)  # at first nobody knows that the other one moved

    assert scope_of(db, tmp_path / "moved") == before
    assert scope_of(db, project) != before


def test_a_folder_that_becomes_a_repository_keeps_its_memory_and_its_guards(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with Memory(project=str(folder)) as memory:
        memory.lock("NEVER run npm publish")
        scope = memory.scope
    git(folder, "init", "-q")

    event = {"tool_name": "Bash", "tool_input": {"command": "npm publish"}, "cwd": str(folder)}
    assert "deny" in pre_tool(event)
    with Memory(project=str(folder)) as memory:
        assert memory.scope == scope
    folder.rename(tmp_path / "renamed")
    with Memory(project=str(tmp_path / "renamed")) as memory:
        assert memory.scope == scope


def test_a_folder_without_git_is_its_own_project(db: apsw.Connection, tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)

    assert scope_of(db, tmp_path / "a") != scope_of(db, tmp_path / "a" / "b")
    assert scope_of(db, tmp_path / "a") == scope_of(db, tmp_path / "a")


@pytest.mark.parametrize(("below", "own_git", "same"), [("site", False, True), ("vendored", True, False)])
def test_a_session_that_goes_below_its_folder_teaches_its_project(
    home: Path, tmp_path: Path, token: str, below: str, own_git: bool, same: bool
) -> None:
    began = tmp_path / "notes"
    (began / below).mkdir(parents=True)
    if own_git:
        git(began / below, "init", "-q")
    said = [(began, "build the site"), (began / below, f"NEVER use make for {token}. Build with ./render.sh.")]
    path = tmp_path / "s.jsonl"
    for lines in (said[:1], said[1:]):  # also when it is learned piece by piece
        with open(path, "a") as f:
            for cwd, text in lines:
                f.write(json.dumps({"role": "user", "text": text, "at": 1.0, "session": "s", "cwd": str(cwd)}) + "\n")
        with Memory(project=str(began)) as memory:
            memory.learn(str(path))
            held = [row[0] for row in memory.db.execute("SELECT c.key FROM belief b JOIN scope c ON c.id = b.scope")]

    assert held == [str(began) if same else str(began / below / ".git")]


@pytest.mark.parametrize("gone", ["worktree", "repository"])
def test_what_is_read_after_the_folder_has_gone_teaches_the_project_it_was(
    home: Path, project: Path, tmp_path: Path, token: str, gone: str
) -> None:
    git(project, "commit", "-q", "--allow-empty", "-m", "first")
    git(project, "worktree", "add", "-q", str(tmp_path / "tree"))
    cwd, path = (tmp_path / "tree" if gone == "worktree" else project), tmp_path / "s.jsonl"
    with Memory(project=str(project)) as memory:
        memory.remember(f"the {token} service listens on port 8443")
        for text in ("have a look around", f"NEVER use make for {token}. Build with ./render.sh."):
            with open(path, "a") as f:
                f.write(json.dumps({"role": "user", "text": text, "at": 1.0, "session": "s", "cwd": str(cwd)}) + "\n")
            memory.learn(str(path))
            shutil.rmtree(cwd, ignore_errors=True)

        assert len(list(memory.export())) == 2
        assert memory.db.execute("SELECT count(*) FROM scope WHERE kind = 'project'").fetchone() == (1,)


def test_the_platform_home_is_that_of_platformdirs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AGENTMEMORY_HOME")

    assert paths.home() == platformdirs.user_data_dir("agentmemory")
