"""How things are done here, as agent files, guides and readmes put it: short lines, routines, what is to be asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentmemory.learn.onboard import findings
from agentmemory.learn.onboard_tree import listed


def said(root: Path, file: str, text: str) -> list[tuple[str, str]]:
    (root / file).write_text(text)
    return [(f.kind, f.text) for f in findings(listed(str(root)), []) if f.source == file]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Ask before adding dependencies.", "rule"), ("Check with me before touching billing.", "rule"),
        ("British English", "fact"), ("no emojis", "rule"), ("No default exports.", "rule"),
        ("Names of components are PascalCase, files kebab-case.", "fact"), ("One assertion per test.", "fact"),
        ("Title starts with the package, e.g. `mirror: retry on 429`.", "fact"),
    ],
)  # fmt: skip
def test_an_agents_file_is_read_line_by_line(tmp_path: Path, line: str, kind: str) -> None:
    assert said(tmp_path, "AGENTS.md", f"# Notes\n\n- {line}\n") == [(kind, line)]


@pytest.mark.parametrize("line", ["See the wiki", "Join our Discord", "This file tells agents how to work here."])
def test_what_points_elsewhere_is_no_manner(tmp_path: Path, line: str) -> None:
    assert said(tmp_path, "AGENTS.md", f"# Notes\n\n- {line}\n") == []


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Write in British English.", "preference"), ("One sentence per line.", "fact"),
        ("Images go to `static/img`, at most 200 kB each.", "fact"), ("Links are relative, never absolute.", "fact"),
        ("We don't accept new runtime dependencies without a discussion.", "rule"), ("No wildcard imports.", "rule"),
        ("Run `npx markdownlint-cli2` before you commit.", "procedure"),
    ],
)  # fmt: skip
def test_a_list_of_a_guide_says_how_things_are_done(tmp_path: Path, line: str, kind: str) -> None:
    assert said(tmp_path, "CONTRIBUTING.md", f"# Coding conventions\n\n* {line}\n") == [(kind, line)]


@pytest.mark.parametrize(
    ("heading", "line"),
    [
        ("Contributing", "Fork the repository."), ("Contributing", "Create a new branch for your feature."),
        ("Contributing", "Push your branch and open a pull request."), ("How to help", "Fix typos in the docs."),
        ("Ways to contribute", "Translate the interface."), ("Contributing", "No contribution is too small."),
        ("Setup", "Install Python 3.11 or later."), ("Submitting changes", "Wait for a review."),
    ],
)  # fmt: skip
def test_what_every_guide_says_is_left(tmp_path: Path, heading: str, line: str) -> None:
    assert said(tmp_path, "CONTRIBUTING.md", f"# {heading}\n\n* {line}\n") == []


def test_a_readme_says_when_a_command_is_run(tmp_path: Path) -> None:
    text = "# x\n\n## Development\n\nBefore you push, run `make check`.\n\n## Usage\n\nRun `x serve` and look.\n"

    assert said(tmp_path, "README.md", text) == [("preference", "Before you push, run `make check`.")]


def test_a_routine_comes_whole(tmp_path: Path) -> None:
    text = "# Contributing\n\n## Releasing\n\n1. Bump the version in `pyproject.toml`.\n2. Run `make release`.\n"

    assert said(tmp_path, "CONTRIBUTING.md", text + "3. Push the tag; CI publishes to PyPI.\n") == [
        (
            "procedure",
            "Releasing: 1. Bump the version in `pyproject.toml`. 2. Run `make release`. "
            "3. Push the tag; CI publishes to PyPI.",
        )
    ]


def test_of_a_routine_that_cannot_be_told_whole_no_step_is(tmp_path: Path) -> None:
    text = "# Releasing\n\n1. Bump the version in `pyproject.toml`.\n2. Run this:\n\n```\nmake\n```\n"

    assert said(tmp_path, "CONTRIBUTING.md", text) == []


def test_rules_that_are_numbered_stay_apart(tmp_path: Path) -> None:
    text = "# Workflow\n\n1. Never push to main.\n2. Always run `make test`.\n"

    assert said(tmp_path, "AGENTS.md", text) == [("rule", "Never push to main."), ("rule", "Always run `make test`.")]


def test_a_long_item_of_a_guides_list_is_no_manner(tmp_path: Path) -> None:
    manner = (
        "Names of tables are plural, " + "and so are names of views that are read by reports of the finance team, " * 2
    )
    assert said(tmp_path, "CONTRIBUTING.md", "# Style\n\n- Names of tables are plural.\n") != []
    assert said(tmp_path, "CONTRIBUTING.md", f"# Style\n\n- {manner.rstrip(', ')}.\n") == []


@pytest.mark.parametrize(
    "line", ["Always run `make check before a push.", "Always keep the cache warm and we won't have to wait for it."]
)
def test_what_a_guide_breaks_off_or_promises_is_no_rule(tmp_path: Path, line: str) -> None:
    assert said(tmp_path, "CONTRIBUTING.md", f"# Notes\n\n- {line}\n") == []
