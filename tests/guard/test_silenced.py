"""Rules against comments that silence a tool, against statements in code, and against running every test."""

import pytest

from agentmemory.learn.guards import compile
from tests.guard.verdicts import mode


@pytest.mark.parametrize(
    ("rule", "added", "free"),
    [
        (
            "never disable eslint rules inline",
            ["// eslint-disable-next-line x", "/* eslint-disable */"],
            ["eslint = 1"],
        ),
        ("don't suppress mypy errors, fix them", ["x = f()  # type: ignore[arg-type]"], ["# the type is int"]),
        ("don't silence lint warnings", ["import x  # noqa: F401", "/* eslint-disable */"], ["lint()"]),
        ("never ignore TypeScript errors", ["// @ts-ignore", "// @ts-expect-error x"], ["ignore()"]),
        ("no print statements in src, use the logger", ["print(1)"], ["blueprint = 1", "logger.info(1)"]),
        ("avoid print calls in the library", ["print(1)"], ["printer = 1"]),
        ("no debugger statements", ["debugger;"], ["debug()"]),
    ],
)
def test_what_may_not_be_added_is_stopped(project, rule, added, free):
    given = [mode(rule, project, "Edit", file_path="src/app.ts", old_string="", new_string=text) for text in added]
    passed = [mode(rule, project, "Edit", file_path="src/app.ts", old_string="", new_string=text) for text in free]

    assert (set(given), set(passed)) == ({"deny"}, {None})


@pytest.mark.parametrize("rule", ["never ignore errors in the worker", "don't disable the cache", "mute the checks"])
def test_what_silences_no_tool_makes_no_guard(rule):
    assert compile(rule) == []


@pytest.mark.parametrize(
    "rule", ["don't run the full test suite", "Only run single test files, never the full test suite",
             "never run all the tests at once", "run only the tests of the file you changed, not the whole suite"],
)  # fmt: skip
def test_every_test_at_once_is_stopped_and_some_are_not(project, rule):
    stopped = ["pytest", "python -m pytest -q", "npm test", "go test ./...", "cargo test", "make test", "npx jest"]
    passes = ["pytest tests/test_a.py", "pytest --version", "npm test -- a.test.ts", "go test ./pkg/a",
              "cargo test parser", "pytest -k parser", "npx jest router"]  # fmt: skip

    assert [command for command in [*stopped, *passes] if mode(rule, project, command=command)] == stopped


def test_code_that_was_not_read_is_no_editor(project):
    assert mode("never run code you haven't read", project, command="code .") in (None, "inform")
