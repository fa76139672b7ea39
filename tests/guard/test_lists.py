"""Commands that are given as the list of their words: by a client's shell tool, and in a program given on the spot."""

import pytest

from agentmemory import guard
from agentmemory.learn.guards import compile, guard_of
from agentmemory.unwrap import command_line
from agentmemory.userword import question
from tests.guard.verdicts import mode

PUSH = "never force push"
VENDOR = "Never touch vendor/"
PATCH = "*** Begin Patch\n*** Update File: vendor/a.go\n+x\n*** End Patch"


@pytest.mark.parametrize("tool", ["Bash", "shell", "local_shell"])
@pytest.mark.parametrize(
    ("rule", "command", "said"),
    [
        (PUSH, ["git", "push", "--force"], "deny"),
        (PUSH, ["bash", "-lc", "cd a && git push --force"], "deny"),
        (PUSH, ["sudo", "git", "-C", "a b", "push", "-f"], "deny"),
        (PUSH, ["git push --force"], "deny"),
        (VENDOR, ["rm", "-r", "vendor/a"], "deny"),
        (VENDOR, ["apply_patch", PATCH], "deny"),
        (VENDOR, ["bash", "-lc", f"apply_patch <<'E'\n{PATCH}\nE"], "deny"),
        (PUSH, ["git", "push"], None),
        (PUSH, ["git", "commit", "-m", "x; git push --force"], None),
        (PUSH, ["echo", "git push --force"], None),
        (PUSH, ["echo", "&&", "git", "push", "--force"], None),
        (VENDOR, ["cat", "vendor/a > b"], None),
        (PUSH, [], None),
        (PUSH, [1, None], None),
    ],
)
def test_a_list_of_words_is_one_command(project, tool, rule, command, said):
    assert mode(rule, project, tool, command=command) == said


def test_a_patch_may_come_as_a_list():
    event = {"tool_name": "apply_patch", "tool_input": {"command": ["apply_patch", PATCH]}, "cwd": ""}
    assert guard.check(event, [guard_of(p) for p in compile(VENDOR)])


@pytest.mark.parametrize("command", [["agentmemory", "lock", "x"], ["bash", "-lc", "agentmemory remember x"]])
def test_a_list_of_words_that_speaks_for_the_user_is_asked(command):
    assert question({"tool_name": "shell", "tool_input": {"command": command}})


def test_words_of_a_list_stay_words():
    assert command_line({"command": ["a", "b c", "it's"]}) == "'a' 'b c' 'it'\\''s'"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("python -c \"import subprocess; subprocess.run(['git','push','--force'])\"", "deny"),
        ("python -c \"import subprocess; subprocess.run(['ls']); subprocess.run(['git','push','--force'])\"", "deny"),
        ("python -c \"import os; os.execvp('git', ['git','push','--force'])\"", "deny"),
        ("python -c \"import subprocess as s; s.run(['git', 'push'] + ['--force'], cwd='a')\"", "deny"),
        ("python - <<'E'\nimport subprocess\nsubprocess.run([\n  'git',\n  'push',\n  '-f',\n])\nE", "deny"),
        ("node -e \"require('child_process').spawn('git',['push','--force'])\"", "deny"),
        ("node -e \"require('child_process').execFileSync('git',['push','-f'],{stdio:'inherit'})\"", "deny"),
        ("node -e \"import {spawnSync} from 'node:child_process'; spawnSync('sh',['-c','git push -f'])\"", "deny"),
        ("deno eval \"new Deno.Command('git',{args:['push','--force']}).output()\"", "deny"),
        ("ruby -e \"puts 'hi'; system('git','push','--force')\"", "deny"),
        ("python -c \"import subprocess; print('a b'); subprocess.run('git push --force', shell=True)\"", "deny"),
        ("python -c \"import subprocess; subprocess.run(['git','commit','-m','git push --force'])\"", None),
        ("python -c \"import subprocess; subprocess.run(['grep','-r','git push --force'])\"", None),
        ("node -e \"require('child_process').spawn('git',['log','--grep','git push -f'])\"", None),
        ("node -e \"require('child_process').spawn('git',['push'])\"", None),
        ("python -c \"print(['git','push','--force'])\"", None),
    ],
)  # fmt: skip
def test_lists_in_a_program_are_commands(project, code, said):
    assert mode(PUSH, project, command=code) == said
