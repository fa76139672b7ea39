"""Rules that name in words what code has ("no default exports"), and new dependencies in other words."""

import pytest

from agentmemory.learn.guards import compile
from tests.guard.verdicts import mode


@pytest.mark.parametrize(
    ("rule", "file", "added", "free"),
    [
        ("No default exports.", "src/a.ts", "export default function f() {}", "// the default is 3"),
        ("prefer named exports over default exports", "src/a.ts", "export default x", "export { x }"),
        ("don't use enums in TypeScript, use union types", "src/a.ts", "export enum Color { Red }", "enumerate = 1"),
        ("no wildcard imports", "src/a.py", "from os import *", "from os import path"),
        ("star imports are forbidden", "src/A.java", "import java.util.*;", "import java.util.List;"),
        ("no relative imports", "src/a.py", "from .b import c", "from a.b import c"),
        ("no inline styles", "src/a.tsx", "<div style={{ color: 'red' }}>", '<div className="a">'),
        ("no bare excepts", "src/a.py", "except:", "except ValueError:"),
        ("Use `date-fns`, not moment.", "src/a.ts", 'import moment from "moment"', "// wait a moment"),
        ("Use `dayjs` instead of moment", "src/a.ts", "import moment from 'moment'", "import dayjs from 'dayjs'"),
    ],
)
def test_what_code_has_is_stopped_where_it_is_added(project, rule, file, added, free):
    given = [mode(rule, project, "Edit", file_path=file, old_string="", new_string=text) for text in (added, free)]

    assert given[0] in ("deny", "ask")
    assert given[1] is None


@pytest.mark.parametrize(
    ("rule", "asked"),
    [
        ("We don't accept new runtime dependencies without a discussion.", "ask"),
        ("no additional dependencies without discussing it first", "ask"),
        ("we don't want third party packages without talking about it first", "ask"),
        ("no external dependencies", "deny"),
    ],
)
def test_new_dependencies_are_known_in_other_words(project, rule, asked):
    commands = ["npm install lodash", "pip install requests", "cargo add serde", "npm ci", "cargo build", "npm install"]

    assert [mode(rule, project, command=command) for command in commands] == [asked] * 3 + [None] * 3


def test_what_a_command_makes_is_not_written_by_hand(project):
    rule = "Migrations are created with `make migration name=...`; don't write them by hand."

    assert mode(rule, project, "Write", file_path="migrations/2.sql", content="x") == "deny"
    assert mode(rule, project, command="make migration name=x") is None
    assert compile("The fixtures are built with `make fixtures`; never edit them by hand") == []
