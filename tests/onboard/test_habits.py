"""What a history tells of habits: which files change together, and how subjects of commits are written."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from agentmemory.learn.onboard_git import Commit
from agentmemory.learn.onboard_history import history
from agentmemory.learn.onboard_tree import Tree

A, B = "src/model.py", "src/schema.sql"


def told(subjects: Sequence[str], changed: Sequence[tuple[str, ...]] = ()) -> list[str]:
    """What commits with these subjects tell, or those that change these files."""
    changed = changed or [()] * len(subjects)
    log = [Commit(f"{i:x}", float(i), said, "", files) for i, (said, files) in enumerate(zip(subjects, changed))]
    tree = Tree("/nowhere", sorted({file for files in changed for file in files}))
    return [found.text for found in history(tree, log)]


def together(*changed: tuple[str, ...]) -> list[str]:
    return told([f"step {i}" for i in range(len(changed))], changed)


def test_two_files_change_together_from_four_commits_on() -> None:
    assert together(*[(A, B)] * 4) == [f"`{A}` and `{B}` change together"]
    assert together(*[(A, B)] * 3) == []


@pytest.mark.parametrize(("alone", "said"), [(1, True), (2, False)])
def test_files_that_change_alone_as_well_do_so_only_if_seldom(alone: int, said: bool) -> None:
    assert bool(together(*[(A, B)] * 4, *[(A,), (B,)] * alone)) is said


def test_a_lock_file_changes_with_everything_and_tells_nothing() -> None:
    assert (
        together(*[("package.json", "package-lock.json"), ("Cargo.toml", "Cargo.lock"), ("go.mod", "go.sum")] * 5) == []
    )


def test_a_commit_of_many_files_is_a_sweep() -> None:
    sweep = tuple(f"src/{i}.py" for i in range(13))

    assert together(*[sweep] * 5) == []
    assert len(together(*[sweep[:3]] * 5)) == 3


@pytest.mark.parametrize(("form", "plain", "said"), [(14, 6, True), (13, 7, False), (19, 0, False)])
def test_most_of_twenty_subjects_make_a_form(form: int, plain: int, said: bool) -> None:
    found = told([*(f"fix(api): case {i}" for i in range(form)), *(f"Case {i}" for i in range(plain))])

    assert found == (["Commit subjects follow the conventional form `type(scope): summary`"] if said else [])
