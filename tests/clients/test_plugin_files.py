"""The plugin's files against the program: every hook, command and number in them is one that exists."""

from __future__ import annotations

import io
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from agentmemory import __version__, cli_clients, inject
from agentmemory.cli import main, parser
from agentmemory.memory import Memory
from tests.conftest import REPOSITORY, git

COMMANDS = sorted((REPOSITORY / "commands").glob("*.md"))
WORDS = {"unlock": "3", "correct": "3 the new text", "proposals": "accept 3", "guard": "list"}


def load(name: str) -> Any:
    return json.loads((REPOSITORY / name).read_text())


def test_every_hook_is_one_that_the_program_knows() -> None:
    entries = [hook for groups in load("hooks/hooks.json")["hooks"].values() for g in groups for hook in g["hooks"]]

    events = [re.fullmatch(r'"\$\{CLAUDE_PLUGIN_ROOT\}/hooks/agentmemory" hook (\S+)', e["command"]) for e in entries]

    assert all(events)
    assert {event[1] for event in events if event} == {*inject._EVENTS, "pre-tool"}
    assert all(0 < entry["timeout"] <= 10 for entry in entries)


def test_all_versions_agree() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]

    assert load(".claude-plugin/plugin.json")["version"] == project["version"] == __version__
    assert load("agentmemory/data/mcp.json")["release"] == __version__


@pytest.mark.parametrize("path", COMMANDS, ids=lambda p: p.stem)
def test_only_a_person_starts_a_command(path: Path) -> None:
    """The model has the tools; what a person types is the user's word, and the model must not be able to type it."""
    assert "\ndisable-model-invocation: true\n" in path.read_text().split("---")[1]


@pytest.mark.parametrize("path", [p for p in COMMANDS if p.stem != "help"], ids=lambda p: p.stem)
def test_a_command_may_run_only_itself(path: Path) -> None:
    text = path.read_text()

    assert f'allowed-tools: Bash("${{CLAUDE_PLUGIN_ROOT}}/hooks/agentmemory" slash {path.stem}:*)\n' in text
    assert f'"${{CLAUDE_PLUGIN_ROOT}}/hooks/agentmemory" slash {path.stem} --began --whole <<' in text
    assert "$ARGUMENTS\nWHOLE\nEND_OF_WORDS\n```\n" in text


@pytest.mark.parametrize("path", [p for p in COMMANDS if p.stem != "help"], ids=lambda p: p.stem)
def test_a_command_is_a_command_line_that_parses(path: Path) -> None:
    words = WORDS.get(path.stem, "" if path.stem in cli_clients.PLAIN else "some words -- and --dashes")

    parser().parse_args(cli_clients._argv(path.stem, words))


def test_help_is_a_table_of_what_every_command_says_of_itself() -> None:
    rows = [line for line in (REPOSITORY / "commands" / "help.md").read_text().splitlines() if "`/mem:" in line]

    assert sorted(rows) == sorted(_row(path) for path in COMMANDS if path.stem != "help")
    assert {row.count("|") for row in rows} == {3}, "a | within a cell begins another one"


def _row(path: Path) -> str:
    said = dict(re.findall(r'^(description|argument-hint): "?(.+?)"?$', path.read_text(), re.MULTILINE))
    typed = f"/mem:{path.stem} {said.get('argument-hint', '')}".strip()
    return f"| `{typed}` | {said['description']} |"


def slash(name: str, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """What a `/mem:` command prints; it never fails, as the client would hide what it says then."""
    monkeypatch.setattr("sys.stdin", io.StringIO(words + "\n"))
    assert main(["slash", name]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("below", ["site", "site/gone", "other"])
def test_a_command_speaks_of_the_sessions_project_wherever_the_shell_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], token: str, below: str
) -> None:
    began, shell = tmp_path / "it's $(mine)", tmp_path / "it's $(mine)" / below
    shell.mkdir(parents=True)
    if below == "other":
        git(shell, "init", "-q")
    with Memory(project=str(shell if below == "other" else began)) as memory:
        memory.remember(f"the port of {token} is 8443")
    monkeypatch.chdir(shell)
    if below == "site/gone":
        shell.rmdir()
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{began}\n{token}\n"))

    main(["slash", "search", "--began"])

    assert "8443" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "done"), [("", False), ("\nWHOL", False), ("\nWHOLE\n", True), ("\nWHOLE\nWHOLE\n", True)]
)
def test_words_that_were_cut_on_the_way_do_nothing(
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    token: str,
    given: str,
    done: bool,
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{project}\nthe port of {token} is 8443{given}"))

    assert main(["slash", "remember", "--began", "--whole"]) == 0

    assert ("Remembered" in capsys.readouterr().out) is done
    assert ("8443" in slash("search", token, monkeypatch, capsys)) is done


def test_words_that_look_like_options_are_words(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], token: str
) -> None:
    slash("remember", f"--force breaks {token}", monkeypatch, capsys)

    assert f"--force breaks {token}" in slash("search", token, monkeypatch, capsys)


def test_a_rule_to_guard_may_hold_options(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "is enforced by guard 1" in slash("guard", "add Never use git push --force", monkeypatch, capsys)

    assert "Never use git push --force" in slash("guard", "", monkeypatch, capsys)
    assert "guard 1: disabled" in slash("guard", "disable 1", monkeypatch, capsys)
    assert "required: rule" in slash("guard", "add", monkeypatch, capsys)


def test_a_folder_to_onboard_may_begin_at_home(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    assert f"{tmp_path}/nothing is no folder" in slash("onboard", "~/nothing", monkeypatch, capsys)


def test_correct_takes_an_id_or_an_arrow(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], token: str
) -> None:
    slash("remember", f"the port of {token} is 8443", monkeypatch, capsys)

    assert "in place of 1" in slash("correct", f"1 the port of {token} is 9000", monkeypatch, capsys)
    said = slash("correct", f"{token} is 9000 -> the port of {token} is 9999", monkeypatch, capsys)

    assert "in place of 2" in said


@pytest.mark.parametrize(
    ("name", "words", "said"),
    [
        ("lock", "", "/mem:lock needs words after it."),
        ("correct", "nothing useful", "Say which memory and what is true now"),
        ("unlock", "abc", "is no id"),
        ("unlock", "4711", "there is no belief 4711"),
    ],
)
def test_what_is_wrong_is_said_where_the_person_reads_it(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, words: str, said: str
) -> None:
    assert said in slash(name, words, monkeypatch, capsys)


def test_locked_lists_the_rules_in_force(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], token: str
) -> None:
    assert slash("locked", "", monkeypatch, capsys) == "No rule is locked.\n"
    slash("lock", f"never push {token}", monkeypatch, capsys)

    assert slash("locked", "", monkeypatch, capsys).startswith(f"1: never push {token}")

    assert slash("unlock", "1", monkeypatch, capsys) == "Belief 1 is no longer locked.\n"
    assert slash("unlock", "1", monkeypatch, capsys) == "Belief 1 was not locked.\n"
    assert slash("locked", "", monkeypatch, capsys) == "No rule is locked.\n"
