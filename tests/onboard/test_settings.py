"""What configuration files settle, told as facts."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentmemory.learn.onboard import findings
from agentmemory.learn.onboard_tree import listed


@pytest.mark.parametrize(
    ("file", "text", "fact"),
    [
        ("pyproject.toml", '[project]\nrequires-python = ">=3.11"\n', "Python >=3.11 is required (`requires-python`)"),
        ("pyproject.toml", "[tool.ruff]\nline-length = 99\n", "Lines are at most 99 characters long (ruff)"),
        ("pyproject.toml", "[tool.mypy]\nstrict = true\n", "Types are checked by mypy in strict mode"),
        ("pyproject.toml", '[tool.pytest.ini_options]\ntestpaths = "t"\n', "pytest collects the tests in `t`"),
        ("pyproject.toml", "[tool.coverage.report]\nfail_under = 90\n", "Test coverage must be at least 90 percent"),
        ("setup.cfg", "[options]\npython_requires = >=3.9\n", "Python >=3.9 is required (`python_requires`)"),
        ("setup.cfg", "[flake8]\nmax_line_length = 88\n", "Lines are at most 88 characters long (flake8)"),
        ("package.json", '{"engines": {"node": ">=20"}}', "node >=20 is required (`engines`)"),
        ("package.json", '{"packageManager": "pnpm@9.1.0+sha"}', "The package manager is pnpm@9.1.0"),
        ("package.json", '{"workspaces": {"packages": ["a"]}}', "The repository has the workspaces `a`"),
        ("tsconfig.json", '{"compilerOptions": {"strict": true, /* x */},}', "TypeScript is checked with `strict`"),
        (".editorconfig", "[*.go]\nindent_style = tab\n", "Files `*.go` are indented with tabs (editorconfig)"),
        (".nvmrc", "v20.1\n", "The Node version is pinned to v20.1 (`.nvmrc`)"),
        ("go.mod", "module x\n\ngo 1.22\n", "The Go version is 1.22 (`go.mod`)"),
        ("Cargo.toml", '[package]\nedition = "2021"\n', "The Rust edition is 2021 (`Cargo.toml`)"),
        (".pre-commit-config.yaml", "repos:\n- hooks:\n  - id: ruff\n", "pre-commit runs the hooks ruff"),
    ],
)
def test_a_setting_is_told_as_a_fact(tmp_path: Path, file: str, text: str, fact: str) -> None:
    (tmp_path / file).write_text(text)

    (found,) = findings(listed(str(tmp_path)), [])
    assert (found.kind, found.text.removesuffix(" (`tsconfig.json`)")) == ("fact", fact)
