"""A repository's own words become proposals, once; run again they are updated, never doubled."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from agentmemory.learn import proposals
from agentmemory.learn.onboard import onboard
from agentmemory.store.proposals import waiting
from agentmemory.store.writer import transaction
from tests.conftest import git


@pytest.fixture
def tree(project: Path, token: str) -> Path:
    (project / "CLAUDE.md").write_text(
        f"# Working here\n\n- Never edit files under `generated/{token}/` by hand.\n"
        f"- Run `make check-{token}` before every commit.\n\nThis is just prose about nothing in particular.\n"
    )
    (project / "package.json").write_text(
        json.dumps({"scripts": {"build": f"vite build --mode {token}", "pretest": "tsc", "test": "vitest run"}})
    )
    (project / "pnpm-lock.yaml").write_text("lockfileVersion: 9\n")
    (project / "Makefile").write_text(
        f".PHONY: check-{token}\n\ncheck-{token}: ## lint and test\n\tpnpm test\n\nVAR := 3\n%.o: %.c\n\tcc $<\n"
    )
    (project / "src").mkdir()
    (project / "src" / "main.py").write_text(f'"""Reads the {token} feed and stores it."""\n')
    (project / "src" / "other.py").write_text("x = 1\n")
    return project


def texts(db, scope: int) -> dict[str, tuple[int, str]]:
    return {text: (id, kind) for id, kind, text, *_ in waiting(db, (scope,), 1000)}


def test_what_the_files_say_is_proposed_with_its_kind(db, tree: Path, token: str) -> None:
    done = onboard(db, str(tree), 10.0)
    found = {text: kind for text, (_, kind) in texts(db, done.scope).items()}

    assert found[f"Never edit files under `generated/{token}/` by hand."] == "rule"
    assert found[f"Run `make check-{token}` before every commit."] == "procedure"
    assert found[f"`pnpm run build` runs `vite build --mode {token}`"] == "procedure"
    assert found[f"`make check-{token}`: lint and test"] == "procedure"
    assert found[f"`src/main.py`: Reads the {token} feed and stores it."] == "fact"
    assert not any("prose about nothing" in text for text in found)
    assert not any("pretest" in text or ".o`" in text or "VAR" in text for text in found)


def test_go_and_rust_say_what_their_packages_are_for(db, tree: Path, token: str) -> None:
    (tree / "main.go").write_text(
        f"// Copyright x\n\n// Package main serves the {token} feed over HTTP.\npackage main\n"
    )
    (tree / "lib.rs").write_text(f"//! Parses {token} frames without copying.\n//!\n//! More.\n\npub fn f() {{}}\n")
    found = texts(db, onboard(db, str(tree), 10.0).scope)

    assert f"`main.go`: Package main serves the {token} feed over HTTP." in found
    assert f"`lib.rs`: Parses {token} frames without copying." in found


def test_nothing_stands_before_the_user_agrees(db, tree: Path) -> None:
    done = onboard(db, str(tree), 10.0)

    states = db.execute("SELECT DISTINCT state, provenance FROM belief").fetchall()
    assert states == [("proposed", "import")]
    assert done.proposed == len(texts(db, done.scope)) > 4


def test_from_a_folder_of_the_repository_the_whole_of_it_is_read(db, tree: Path) -> None:
    (tree / "web").mkdir()
    (tree / "web" / "package.json").write_text(json.dumps({"scripts": {"dev": "vite"}}))
    first = onboard(db, str(tree), 10.0)
    held = texts(db, first.scope)
    assert "`cd web && pnpm run dev` runs `vite`" in held

    again = onboard(db, str(tree / "web"), 20.0)

    assert (again.proposed, again.updated, again.gone, again.unchanged) == (0, 0, 0, first.proposed)
    assert texts(db, first.scope) == held


def test_again_changes_nothing(db, tree: Path) -> None:
    first = onboard(db, str(tree), 10.0)
    before = db.execute("SELECT * FROM belief").fetchall()

    again = onboard(db, str(tree), 20.0)

    assert (again.proposed, again.updated, again.gone, again.unchanged) == (0, 0, 0, first.proposed)
    assert db.execute("SELECT * FROM belief").fetchall() == before


def test_what_reads_differently_now_supersedes(db, tree: Path, token: str) -> None:
    done = onboard(db, str(tree), 10.0)
    old = f"`pnpm run build` runs `vite build --mode {token}`"
    new = old.replace("--mode", "--base / --mode")
    (tree / "package.json").write_text(json.dumps({"scripts": {"build": f"vite build --base / --mode {token}"}}))

    again = onboard(db, str(tree), 20.0)

    assert again.updated == 1
    assert again.gone == 1  # the test script is gone
    held = texts(db, done.scope)
    assert new in held and old not in held
    state = db.execute("SELECT state, superseded_by FROM belief WHERE text = ?", (old,)).fetchone()
    assert state == ("superseded", held[new][0])


def test_another_statement_in_its_place_is_no_rewording(db, tree: Path, token: str) -> None:
    onboard(db, str(tree), 10.0)
    said = f"Never edit files under `generated/{token}/` by hand."
    (tree / "CLAUDE.md").write_text((tree / "CLAUDE.md").read_text().replace(said, "Always answer in German."))
    again = onboard(db, str(tree), 20.0)

    assert (again.proposed, again.updated, again.gone) == (1, 0, 1)


def test_a_rule_that_reads_differently_supersedes_its_proposal_and_back_again(db, tree: Path, token: str) -> None:
    done = onboard(db, str(tree), 10.0)
    old = f"Never edit files under `generated/{token}/` by hand."
    new = f"Never edit files under `generated/{token}/`, they are made by `make all`."
    whole = (tree / "CLAUDE.md").read_text()
    (tree / "CLAUDE.md").write_text(whole.replace(old, new))
    again = onboard(db, str(tree), 20.0)

    assert (again.proposed, again.updated, again.gone) == (0, 1, 0)
    assert texts(db, done.scope)[new][1] == "rule" and old not in texts(db, done.scope)

    (tree / "CLAUDE.md").write_text(whole)
    back = onboard(db, str(tree), 30.0)
    assert (back.proposed, back.updated, back.gone) == (0, 1, 0)
    assert texts(db, done.scope)[old][1] == "rule" and new not in texts(db, done.scope)


def test_what_the_user_rejected_is_not_proposed_again(db, tree: Path, token: str) -> None:
    done = onboard(db, str(tree), 10.0)
    text = f"Never edit files under `generated/{token}/` by hand."
    with transaction(db):
        proposals.reject(db, texts(db, done.scope)[text][0], 15.0)

    again = onboard(db, str(tree), 20.0)

    assert again.proposed == 0
    assert text not in texts(db, done.scope)


def test_what_moves_to_another_file_is_known_there(db, tree: Path, token: str) -> None:
    done = onboard(db, str(tree), 10.0)
    refused = f"Never edit files under `generated/{token}/` by hand."
    kept = f"Run `make check-{token}` before every commit."
    with transaction(db):
        proposals.reject(db, texts(db, done.scope)[refused][0], 15.0)
    (tree / "CLAUDE.md").rename(tree / "AGENTS.md")
    moved = onboard(db, str(tree), 20.0)

    assert (moved.proposed, moved.updated, moved.gone, moved.unchanged) == (0, 0, 0, done.proposed)
    assert refused not in texts(db, done.scope) and kept in texts(db, done.scope)

    (tree / "AGENTS.md").write_text(f"- run `make check-{token}` before every commit\n- {refused.rstrip('.')}\n")
    again = onboard(db, str(tree), 30.0)
    assert (again.proposed, again.updated, again.gone) == (0, 0, 0), "a letter's case and a full stop say nothing"


def test_what_was_accepted_twice_is_proposed_again_when_the_tree_goes_back(db, tree: Path, token: str) -> None:
    done = onboard(db, str(tree), 10.0)
    old = f"Run `make check-{token}` before every commit."
    whole = (tree / "CLAUDE.md").read_text()
    for at, text in ((15.0, old), (25.0, new := old.replace("every", "each and every"))):
        with transaction(db):
            proposals.accept(db, texts(db, done.scope)[text][0], at)
        (tree / "CLAUDE.md").write_text(whole.replace(old, new))
        onboard(db, str(tree), at + 1)
    (tree / "CLAUDE.md").write_text(whole)
    onboard(db, str(tree), 30.0)
    assert row(db, new) == ("active", "user")

    with transaction(db):
        proposals.accept(db, texts(db, done.scope)[old][0], 35.0)
    assert row(db, new)[0] == "superseded"


def test_an_accepted_rule_is_the_users_and_gives_way_only_with_consent(db, tree: Path, token: str) -> None:
    done = onboard(db, str(tree), 10.0)
    old = f"Run `make check-{token}` before every commit."
    with transaction(db):
        proposals.accept(db, texts(db, done.scope)[old][0], 15.0)
    assert row(db, old) == ("active", "user")

    new = f"Run `make check-{token}` before every push and commit."
    (tree / "CLAUDE.md").write_text((tree / "CLAUDE.md").read_text().replace("every commit", "every push and commit"))
    again = onboard(db, str(tree), 20.0)
    assert again.updated == 1
    assert row(db, old) == ("active", "user")
    assert row(db, new) == ("proposed", "import")

    with transaction(db):
        proposals.accept(db, texts(db, done.scope)[new][0], 25.0)
    assert row(db, old)[0] == "superseded"
    assert row(db, new) == ("active", "user")


def test_what_is_gone_and_comes_back_is_proposed_again(db, tree: Path, token: str) -> None:
    done = onboard(db, str(tree), 10.0)
    text = f"Never edit files under `generated/{token}/` by hand."
    whole = (tree / "CLAUDE.md").read_text()
    (tree / "CLAUDE.md").write_text("# empty\n")
    assert onboard(db, str(tree), 20.0).gone == 2
    assert text not in texts(db, done.scope)

    (tree / "CLAUDE.md").write_text(whole)
    assert onboard(db, str(tree), 30.0).proposed == 2
    assert text in texts(db, done.scope)


def test_secrets_in_files_are_not_stored(db, tree: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    (tree / "AGENTS.md").write_text(f"- Always export GITHUB_TOKEN={secret} before `make release`.\n")
    onboard(db, str(tree), 10.0)

    stored = " ".join(str(value) for row in db.execute("SELECT * FROM belief") for value in row)
    assert secret not in stored
    assert "before `make release`" in stored


def test_history_tells_reverts_decisions_and_what_changes_together(db, tree: Path, token: str) -> None:
    for i in range(6):
        (tree / "src" / "model.py").write_text(f"x = {i}\n")
        (tree / "src" / "schema.sql").write_text(f"-- {i}\n")
        git(tree, "add", ".")
        git(tree, "commit", "-q", "-m", f"change number {i}")
    (tree / "a.txt").write_text("a")
    git(tree, "add", ".")
    message = f"Switch from {token}mq to postgres queues\n\nThe broker was restarted daily because its disk filled up."
    git(tree, "commit", "-q", "-m", message)
    git(tree, "commit", "-q", "--allow-empty", "-m", f"Use threads in {token}")
    body = "This reverts commit abc.\n\nIt broke the nightly import because connections are not shared."
    git(tree, "commit", "-q", "--allow-empty", "-m", f'Revert "Use threads in {token}"\n\n{body}')

    found = texts(db, onboard(db, str(tree), 10.0).scope)

    assert (
        f'"Use threads in {token}" was reverted: It broke the nightly import because connections are not shared.'
        in found
    )
    assert (
        f"Switch from {token}mq to postgres queues: The broker was restarted daily because its disk filled up." in found
    )
    assert "`src/model.py` and `src/schema.sql` change together" in found


def test_gitignored_files_are_not_read(db, tree: Path, token: str) -> None:
    (tree / ".gitignore").write_text("private/\n*.local.md\n!keep.local.md\n/docs/**/draft.md\n")
    (tree / "private").mkdir()
    for name in ("private/CLAUDE.md", "CLAUDE.local.md"):
        (tree / name).write_text(f"- Always mention hidden{token} in commits.\n")
    onboard(db, str(tree), 10.0)

    assert db.execute("SELECT count(*) FROM belief WHERE text LIKE ?", (f"%hidden{token}%",)).fetchone() == (0,)


def test_worktrees_and_repositories_within_are_not_read(db, tree: Path, token: str) -> None:
    git(tree, "add", ".")
    git(tree, "commit", "-q", "-m", "first commit of all")
    git(tree, "worktree", "add", "-q", "-b", "side", str(tree / ".claude" / "worktrees" / "side"))
    git(tree, "init", "-q", str(tree / "modules" / "other"))
    for folder in (".claude/worktrees/side", "modules/other", "modules/ours"):
        (tree / folder).mkdir(exist_ok=True)
        (tree / folder / "CLAUDE.md").write_text(f"- Always call it {folder[-5:]}{token} in here.\n")
    (tree / "modules" / "ours" / ".git").mkdir()  # no repository for all that
    found = texts(db, onboard(db, str(tree), 10.0).scope)

    assert [t for t in found if t.startswith("Always call")] == [
        f"Always call it /ours{token} in here. (in `modules/ours/`)"
    ]
    assert not any("worktrees" in text for text in found)


def test_what_a_folder_asks_is_asked_in_that_folder(db, tree: Path, token: str) -> None:
    everywhere = f"Never edit files under `generated/{token}/` by hand."
    for folder in ("packages/web", ".claude"):
        (tree / folder).mkdir(parents=True)
        (tree / folder / "CLAUDE.md").write_text(f"- Always use {token} of {folder[-3:]} here.\n- {everywhere}\n")
    found = texts(db, onboard(db, str(tree), 10.0).scope)

    assert [text for text in found if token in text and text.startswith(("Always", "Never"))] == [
        everywhere, f"Always use {token} of ude here.", f"Always use {token} of web here. (in `packages/web/`)",
    ]  # fmt: skip


def test_configuration_with_comments_is_read(db, tree: Path, token: str) -> None:
    (tree / "tsconfig.json").write_text(
        '{\n  /* Visit https://aka.ms/tsconfig */\n  "compilerOptions": {\n    "target": "es2016", /* the "target" */\n'
        '    // "rootDir": "./",\n    "paths": {"@/*": ["./src/*"], "x": ["a // b"]},\n    "strict": true, // all\n'
        "  },\n}\n"
    )
    (tree / "package.json").write_text(json.dumps({"workspaces": {"packages": [f"{token}/*"]}}))
    found = texts(db, onboard(db, str(tree), 10.0).scope)

    assert "TypeScript is checked with `strict` (`tsconfig.json`)" in found
    assert f"The repository has the workspaces `{token}/*`" in found


def test_another_project_gets_none_of_it(db, tree: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "CLAUDE.md").write_text("- Always write tests first.\n")
    first, second = onboard(db, str(tree), 10.0), onboard(db, str(other), 10.0)

    assert first.scope != second.scope
    assert list(texts(db, second.scope)) == ["Always write tests first."]


def test_a_missing_folder_is_an_error(db, tmp_path: Path) -> None:
    with pytest.raises(NotADirectoryError):
        onboard(db, str(tmp_path / "nowhere"), 10.0)


def test_progress_is_told(db, tree: Path) -> None:
    told: list[tuple[str, float]] = []
    onboard(db, str(tree), 10.0, lambda what, share: told.append((what, share)))

    assert told[0][0] == "files" and told[-1] == ("done", 1.0)
    assert [share for _, share in told] == sorted(share for _, share in told)


def row(db, text: str) -> tuple[str, str]:
    return db.execute("SELECT state, provenance FROM belief WHERE text = ?", (text,)).fetchone()


def test_the_environment_of_git_is_not_trusted(db, tree: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    git(tree, "add", ".")
    git(tree, "commit", "-q", "-m", "first commit of all")
    for setting in ("core.fsmonitor", "core.pager", "core.sshCommand", "diff.external", "gpg.program", "core.editor"):
        git(tree, "config", setting, f"touch {ran}; false")
    git(tree, "config", "log.showSignature", "true")
    for hook in ("post-checkout", "pre-commit", "fsmonitor-watchman"):
        path = tree / ".git" / "hooks" / hook
        path.write_text(f"#!/bin/sh\ntouch {ran}\n")
        os.chmod(path, 0o755)

    assert onboard(db, str(tree), 10.0).commits == 1
    assert not ran.exists()


def test_links_of_restructuredtext_are_read_and_help_for_users_is_no_rule(db, project: Path, token: str) -> None:
    (project / "CONTRIBUTING.rst").write_text(
        f"How to get help\n===============\n\n* Make sure you read the {token} manual before you ask.\n\n"
        f"Commits\n=======\n\n* `Squash your commits`_ so that the {token} history stays readable, please.\n"
        f"* Always explain :my-doc:`{token}` in the message.\n"
    )
    found = texts(db, onboard(db, str(project), 10.0).scope)

    assert f"Squash your commits so that the {token} history stays readable, please." in found
    assert f"Always explain `{token}` in the message." in found
    assert not any("manual" in text for text in found)
