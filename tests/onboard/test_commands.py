"""The commands that the files of a tree define, each as it is called, and what CI runs."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path

import pytest

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
        f"`make lint` runs `ruff check {token}`", f"`make long` runs `make lint && run {token}`",
        "`make ship` runs `make lint`", "`make test` runs `make lint`",
    ]  # fmt: skip


def test_what_a_recipe_runs_first_is_told(tmp_path: Path, token: str) -> None:
    (tmp_path / "justfile").write_text(f"test:\n  run {token}\nfmt:\n  fmt\nci: fmt test\n  clippy\nall: ci\n")

    assert [text for text in said(tmp_path) if text.startswith("`just")] == [
        f"`just test` runs `run {token}`", "`just fmt` runs `fmt`", "`just ci` runs `just fmt test && clippy`",
        "`just all` runs `just ci`",
    ]  # fmt: skip


@pytest.mark.parametrize("manager", ["pnpm", "yarn", "bun"])
def test_without_a_lock_file_the_package_says_who_runs_its_scripts(tmp_path: Path, token: str, manager: str) -> None:
    (tmp_path / "package.json").write_text(json.dumps({"packageManager": f"{manager}@9.1.0", "scripts": {"a": token}}))
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "package.json").write_text(json.dumps({"scripts": {"b": token}}))

    found = said(tmp_path)

    assert f"`{manager} run a` runs `{token}`" in found
    assert f"`cd web && {manager} run b` runs `{token}`" in found


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


@pytest.mark.parametrize(
    ("file", "text", "command"),
    [
        ("package.json", '{"scripts": {"ship": "tsc -p .", "preship": "x"}}', "`npm run ship` runs `tsc -p .`"),
        ("composer.json", '{"scripts": {"ship": ["lint", "pack"]}}', "`composer run ship` runs `lint && pack`"),
        ("deno.json", '{"tasks": {"ship": "deno run x.ts"}}', "`deno task ship` runs `deno run x.ts`"),
        ("Taskfile.yml", "version: 3\ntasks:\n  ship:\n    cmds: [x]\n", "`task ship`"),
        ("pyproject.toml", '[project.scripts]\nship = "a:b"\n', "`ship`: installed with the package, calls a:b"),
        ("pyproject.toml", '[tool.poetry.scripts]\nship = "a:b"\n', "`ship`: installed with the package, calls a:b"),
        ("pyproject.toml", '[tool.hatch.envs.qa.scripts]\nship = "x"\n', "`hatch run qa:ship` runs `x`"),
        ("pyproject.toml", '[tool.pdm.scripts]\nship = {cmd = "x"}\n', "`pdm run ship` runs `x`"),
        ("tox.ini", "[testenv:ship]\ncommands = x\n  y\n", "`tox -e ship` runs `x`"),
        ("tox.ini", "[testenv:ship]\ndescription = packs it\ncommands = x\n", "`tox -e ship`: packs it"),
        ("tox.ini", "[tox]\nenvlist = py3{10-11}-{a,b}\n", "`tox -e py311-b`"),
        ("noxfile.py", '@nox.session(name="ship")\ndef pack(s):\n    """Packs it."""\n', "`nox -s ship`: Packs it."),
    ],
)
def test_the_file_of_each_tool_says_what_is_called_and_what_that_does(
    tmp_path: Path, file: str, text: str, command: str
) -> None:
    (tmp_path / file).write_text(text)

    assert [found for found in said(tmp_path) if "ship" in found or "tox" in found][-1] == command


def test_what_a_package_manager_runs_by_itself_is_no_command(tmp_path: Path) -> None:
    scripts = {"prepare": "husky", "postinstall": "patch-package", "preship": "lint", "ship": "tsc"}
    (tmp_path / "package.json").write_text(json.dumps({"scripts": scripts}))

    assert [text for text in said(tmp_path) if text.startswith("`")] == ["`npm run ship` runs `tsc`"]


def test_of_a_matrix_of_environments_a_few_are_named(tmp_path: Path) -> None:
    (tmp_path / "tox.ini").write_text("[tox]\nenvlist = py3{8-14}-{a,b,c}, docs\n")

    assert [text for text in said(tmp_path) if "tox" in text] == [
        "`tox -e py38-a`", "`tox -e py38-b`", "`tox -e py38-c`", "`tox -e py39-a`", "`tox -e docs`",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "file", ["package.json", "composer.json", "deno.json", "pyproject.toml", "tox.ini", "noxfile.py", "setup.cfg"]
)
@pytest.mark.parametrize("text", ["", "[", "[" * 50_000, "[a]\nb", '{"scripts": 3, "tasks": []}', "[tool]\npoetry = 1"])
def test_a_file_that_is_not_what_its_name_says_says_nothing(tmp_path: Path, file: str, text: str) -> None:
    (tmp_path / file).write_text(text)

    assert said(tmp_path) == []
