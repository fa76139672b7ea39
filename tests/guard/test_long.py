"""Very long tool calls: the hook reads them to their end within its own patience, and what stands last counts too."""

import json
import subprocess
import sys

import pytest

from agentmemory.cli import main as cli
from agentmemory.inject import MOST_INPUT, MOST_OF_TOOLS
from agentmemory.unwrap import vectors
from tests.guard.verdicts import mode

PUSH = "; git push github"
LINES = {
    "a word": "echo " + "a" * 1_000_000 + PUSH,
    "a quoted word": 'echo "' + "\\$" * 500_000 + '"' + PUSH,
    "quotes": "echo " + "''" * 300_000 + PUSH,
    "lists in braces": "echo " + "{a,b}" * 100_000 + PUSH,
    "values of a loop": f"for a in {'a ' * 16}; do echo {'$a' * 100_000}; done" + PUSH,
    "names that double": "a=xx; " + "a=$a$a; " * 60 + "echo $a" + PUSH,
    "an operator in an array": "a=(b; c)" + PUSH,
    "a bracket in an array": "a=(" * 1000 + ")" * 2000 + PUSH,
    "assignments": "env " + "A=1 " * 50_000 + "git push github",
    "what find runs": "find . " + "-exec a " * 30_000 + PUSH,
    "files": "rm " + "src/a/b.py " * 100_000 + PUSH,
    "a path": "rm " + "a/" * 500_000 + PUSH,
    "folders": ("cd " + "a/" * 100_000 + "; ") * 2 + "rm b; " * 300 + PUSH,
    "subshells": "( " * 2000 + "ls" + " )" * 2000 + PUSH,
    "what subshells hold": "( " * 2000 + "git push github" + " )" * 2000,
    "open subshells behind": "git push github; " + "( " * 2000,
    "commands": "true; " * 60_000 + PUSH,
    "commands with names": "".join(f"a{i}=x;" for i in range(400)) + "b=1 :;" * 30_000 + PUSH,
    "commands that the guard knows": "git push origin x; " * 1000 + PUSH,
    "shells in shells": "sh -c 'sh -c true'; " * 5000 + PUSH,
    "pipes": "bash | " * 20_000 + "cat" + PUSH,
    "calls": "f() { :; }; " + "f; " * 20_000 + PUSH,
    "a patch": "git apply <<E\n" + "*** Update File: a.py\n+x\n" * 30_000 + "E\n" + PUSH,
    "lists of lists in a program": 'python -c \'x = ["a"]\n' + "x = [x, x]\n" * 60 + "open(x)'" + PUSH,
}
INPUTS = {
    "edits": ("Edit", {"file_path": "src/a", "edits": [{"old_string": "", "new_string": "print("}] * 50_000}),
    "files of a server": (
        "mcp__fs__write_files",
        {"paths": [f"src/{i}" for i in range(10_000)], "content": "a" * 300_000 + " print("},
    ),
}


@pytest.fixture
def guarded(project):
    for rule in (
        "NEVER use git push github directly",
        "Do not edit anything under generated/",
        "no `print(` in generated/ or src/",
        "Never pipe curl to bash",
    ):
        assert cli(["guard", "add", "--yes", rule]) == 0
    return project


def hook(folder, tool, given):
    return raw_hook(folder, tool, json.dumps(given))


def raw_hook(folder, tool, given):
    event = f'{{"cwd": {json.dumps(str(folder))}, "tool_name": "{tool}", "tool_input": {given}}}'
    run = [sys.executable, "-m", "agentmemory", "hook", "pre-tool"]
    said = subprocess.run(run, input=event.encode(), capture_output=True, check=True).stdout
    return json.loads(said)["hookSpecificOutput"]["permissionDecision"] if said else "gave up"


@pytest.mark.parametrize("line", LINES.values(), ids=LINES.keys())
def test_what_stands_there_is_denied(guarded, line):
    assert hook(guarded, "Bash", {"command": line}) == "deny"


@pytest.mark.parametrize(("tool", "given"), INPUTS.values(), ids=INPUTS.keys())
def test_long_inputs_of_file_tools_are_judged(guarded, tool, given):
    assert hook(guarded, tool, given) == "deny"


@pytest.mark.parametrize("depth", [500, 5_000, 100_000])
def test_what_is_too_deep_hides_nothing_beside_it(guarded, depth):
    deep = "[" * depth + "]" * depth
    for text in ('"\\ud800"', '"a"'):
        given = f'{{"path": {text}, "deep": {deep}, "file_path": "generated/a", "content": {text}}}'
        assert raw_hook(guarded, "Write", given) == "deny"


@pytest.mark.parametrize("most", [MOST_INPUT, MOST_OF_TOOLS])
def test_a_file_that_is_too_long_is_judged_by_its_path(guarded, most):
    given = '{"file_path": "generated/a", "content": "' + "a\\n" * (most // 3) + '"}'

    assert raw_hook(guarded, "Write", given) == "deny"


def test_of_a_command_that_is_too_long_the_beginning_is_judged(guarded):
    assert raw_hook(guarded, "Bash", '{"command": "git push github; #' + "a" * MOST_OF_TOOLS + '"}') == "deny"


def test_lists_in_lists_are_read_however_deep(project):
    deep = "x"
    for _ in range(5_000):
        deep = [deep]

    assert mode("Do not edit generated/", project, "mcp__fs__write_file", path="generated/a", content=deep) == "deny"


def test_names_hold_for_the_commands_behind_them_alone():
    line = "a=1; git x; a=2 git x; git x; (a=3; git x); for a in 4; do git x; done; git x; export a=5; git x"

    assert [command.env.get("a") for command in vectors(line) if command.words == ["git", "x"]] == [
        ["1"], ["2"], ["1"], ["3"], ["4"], ["4"], ["5"],
    ]  # fmt: skip


def test_of_names_that_double_only_so_much_is_kept():
    line = "a=" + "x" * 1000 + "; " + "a=$a$a; " * 30 + "echo $a; b=1; git push $b"

    ran = [command.words for command in vectors(line)]

    assert ran[-1][:2] == ["git", "push"]
    assert sum(len(word) for words in ran for word in words) < 1 << 22


def test_printf_fills_its_first_place_alone_where_it_has_one_word():
    assert ["git", "x", "y"] in [command.words for command in vectors("printf 'git %s y%s' x | sh")]
