"""The commands that the files of a tree define, each as it is called, and what CI runs."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from agentmemory.learn.onboard import findings
from agentmemory.learn.onboard_tree import listed


def said(root: Path) -> list[str]:
    return [f.text for f in findings(listed(str(root)), [])]


def test_every_target_of_a_makefile_and_nothing_else_is_a_command(tmp_path: Path, token: str) -> None:
    (tmp_path / "Makefile").write_text(
        f".PHONY: test \\\n\tship\n\ntest: lint\n\nlint: ; ruff check {token}\nship: lint\n\nA := b\n"
        f"define NOTE\nnone-{token}:\n\techo\nendef\nlong: \\\n  lint\n\trun \\\n\t  {token}\n"
    )
    found = said(tmp_path)

    assert sorted(text for text in found if text.startswith("`make")) == [
        f"`make lint` runs `ruff check {token}`", f"`make long` runs `run {token}`", "`make ship`", "`make test`",
    ]  # fmt: skip


def test_what_ci_runs_is_told_of_its_job_however_far_in_it_stands(tmp_path: Path, token: str) -> None:
    flow = f"""
    name: ci
    on:
      push:
    env:
      A: b
    jobs:
      lint:
        steps:
        - run: ruff check {token}
        - name: more
          run: |
            mypy {token}
      unit:
        steps:
        - run: "pytest {token}"
    permissions:
      contents: read
    """
    deeper = re.sub(r"(?m)^( *)", lambda m: m[1] * 2, textwrap.dedent(flow)).replace(token, f"{token}4")
    (tmp_path / ".github" / "workflows").mkdir(parents=True)
    (tmp_path / ".github" / "workflows" / "two.yml").write_text(textwrap.dedent(flow))
    (tmp_path / ".github" / "workflows" / "four.yml").write_text(deeper)
    (tmp_path / ".gitlab-ci.yml").write_text(
        f"fast:\n  script:\n  - pytest {token}5\n  - mypy {token}5\nslow:\n  script:\n    - tox {token}5\n"
    )
    found = said(tmp_path)

    assert sorted(text for text in found if text.startswith("CI job")) == sorted(
        [f"CI job {job!r} runs `{line} {token}{n}`" for n in ("", "4")
         for job, line in (("lint", "ruff check"), ("lint", "mypy"), ("unit", "pytest"))]
        + [f"CI job 'fast' runs `{line} {token}5`" for line in ("pytest", "mypy")]
        + [f"CI job 'slow' runs `tox {token}5`"]
    )  # fmt: skip


def test_recipes_of_just_have_parameters_with_defaults(tmp_path: Path, token: str) -> None:
    (tmp_path / "justfile").write_text(
        'set shell := ["sh", "-c"]\nhome := "a:b"\nalias b := build\n'
        f'build to="{token}" *rest:\n    make {{{{to}}}}\nt:\n'
    )
    found = said(tmp_path)

    assert sorted(t for t in found if t.startswith("`just")) == ["`just build` runs `make {{to}}`", "`just t`"]
