"""What a bound leaves unread is not taken back, and what history said once is not replaced by what it says next."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentmemory.learn import onboard_history, onboard_rules
from agentmemory.learn.onboard import Onboarded, onboard
from agentmemory.store.proposals import waiting
from tests.conftest import git


def commit(folder: Path, message: str) -> None:
    git(folder, "add", ".")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)


def texts(db, done: Onboarded) -> list[str]:
    return [text for _, _, text, *_ in waiting(db, (done.scope,), 1000)]


def test_newer_decisions_neither_replace_nor_take_back_older_ones(
    db, project: Path, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(onboard_history, "MOST", 3)
    for i in range(3):
        commit(project, f"Switch from {token}{i} to {token}{i}b for the queue number {i}")
    first = texts(db, onboard(db, str(project), 10.0))
    for i in range(3, 5):
        commit(project, f"Switch from {token}{i} to {token}{i}b for the queue number {i}")
    again = onboard(db, str(project), 20.0)

    assert (again.proposed, again.updated, again.gone) == (2, 0, 0)
    assert set(first) < set(texts(db, again))


def test_a_revert_that_was_taken_back_says_so(db, project: Path, token: str) -> None:
    commit(project, f"Cache {token} in redis")
    commit(project, f'Revert "Cache {token} in redis"\n\nIt broke the login because keys expired.')
    commit(project, f"Serve {token} over grpc")
    commit(project, f'Revert "Serve {token} over grpc"')
    assert sorted(texts(db, onboard(db, str(project), 10.0))) == [
        f'"Cache {token} in redis" was reverted: It broke the login because keys expired.',
        f'"Serve {token} over grpc" was reverted',
    ]

    commit(project, f'Reapply "Cache {token} in redis"')
    commit(project, f'Revert "Revert "Serve {token} over grpc""')
    again = onboard(db, str(project), 20.0)
    assert (again.proposed, again.updated, again.gone) == (0, 2, 0)
    assert sorted(texts(db, again)) == [
        f'"Cache {token} in redis" was reverted and later applied again: It broke the login because keys expired.',
        f'"Serve {token} over grpc" was reverted and later applied again',
    ]


def test_files_of_any_name_change_together(db, project: Path, token: str) -> None:
    for i in range(5):
        for name in (f"{token} größe.py", f"{token}-表.sql"):
            (project / name).write_text(str(i))
        commit(project, f"edit number {i}")

    assert f"`{token} größe.py` and `{token}-表.sql` change together" in texts(db, onboard(db, str(project), 10.0))


def test_without_git_history_stays(db, project: Path, token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for i in range(5):
        (project / "a.py").write_text(str(i))
        (project / "b.py").write_text(str(i))
        commit(project, f"Switch from {token}{i} to {token}b{i}")
    first = onboard(db, str(project), 10.0)
    monkeypatch.setenv("PATH", str(project))
    again = onboard(db, str(project), 20.0)

    assert again.commits == 0
    assert (again.gone, len(texts(db, again))) == (0, first.proposed)


def test_a_file_that_is_not_read_to_its_end_keeps_what_it_said(
    db, project: Path, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(onboard_rules, "PER_FILE", 2)
    guide = project / "AGENTS.md"
    guide.write_text(f"- Always run {token} first.\n- Never run {token} last.\n")
    first = texts(db, onboard(db, str(project), 10.0))
    whole = guide.read_text()

    guide.write_text(f"- Never edit {token} files by hand.\n{whole}")
    assert set(first) <= set(texts(db, onboard(db, str(project), 20.0)))
    guide.write_text(whole + "x" * 600_000)
    assert set(first) <= set(texts(db, onboard(db, str(project), 30.0)))
    guide.write_text("\n")
    assert texts(db, onboard(db, str(project), 40.0)) == []
