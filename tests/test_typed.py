"""The prompt hook and what no person typed: clients send it as prompts, and beside what was typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentmemory.cli import main
from agentmemory.memory import Memory
from agentmemory.typed import by_a_person
from tests.test_inject import block, hook, prompt


@pytest.mark.parametrize(
    "text",
    [
        "<task-notification>\n<summary>our billing host was moved</summary>\n</task-notification>",
        '<cross-session-message from="s2">which host is our billing on?</cross-session-message>',
        "<system-reminder>which host is our billing on?",
        "[SYSTEM NOTIFICATION - NOT USER INPUT] our billing host was moved",
        "Stop hook feedback: which host is our billing on?",
    ],
)
def test_what_a_program_wrote_gets_the_rules_alone(text: str, taught: str, project: Path) -> None:
    """Clients send it through the same hook; what it asks for, nobody asked for."""
    said = block(hook("prompt-submit", prompt(text, project)))

    assert "publish.sh" in said and taught not in said
    assert taught in block(hook("prompt-submit", prompt("which host is our billing on?", project)))


def test_what_a_client_sets_beside_a_prompt_changes_nothing(taught: str, project: Path) -> None:
    asked = "which host is our billing on?"
    plain = block(hook("prompt-submit", prompt(asked, project)))
    opened = "<ide_opened_file>The user opened src/part3.ts in the IDE.</ide_opened_file>"

    for beside in (
        f"{opened}\n{asked}",
        f"[Image #1] {asked}",
        f"{asked} [Image #2]",
        f"{asked}\n[Pasted text #1 +9 lines]",
    ):
        assert block(hook("prompt-submit", prompt(beside, project, beside))) == plain


@pytest.mark.parametrize("asked", ["Unknown command: pnpm", "API Error: 529", "[Request interrupted"])
def test_who_searches_for_what_a_client_says_finds_it(asked: str, project: Path, token: str) -> None:
    with Memory() as memory:
        memory.remember(f"{asked} is what {token} says when its proxy is off", "fact")

        assert any(token in found.text for found in memory.search(asked))


@pytest.mark.parametrize(
    "text",
    [
        "Stop: hook feedback: is what our log begins with",
        "Another Claude session sent a message about ports to the wrong folder, never share it",
        "API Error: 52913 is the number of our ticket",
    ],
)
def test_what_only_begins_like_a_message_of_a_client_is_a_persons(text: str) -> None:
    assert by_a_person(text) == text


def a_command(name: str, args: str) -> str:
    """How Claude Code writes down that a command of the user's own was called."""
    called = f"<command-message>{name}</command-message>\n<command-name>/{name}</command-name>"
    return f"{called}\n<command-args>{args}</command-args>"


def test_what_is_typed_behind_a_command_of_ones_own_is_a_persons(token: str) -> None:
    said = f"never mention {token} in messages"

    assert by_a_person(a_command("commit", said)) == said
    assert by_a_person(a_command("commit", f"{said}\n<system-reminder>x</system-reminder>")) == said


@pytest.mark.parametrize(
    "text",
    [
        a_command("fix-issue", "123"),
        a_command("deploy", "staging web 3"),
        a_command("commit", ""),
        a_command("mem:remember", "we never mention it in messages"),
        "<command-message>review</command-message>\n<command-name>/review</command-name>",
        "<command-message>never closed, always use tabs",
        "<command-name>/compact</command-name>\n<command-message>compact</command-message>\n"
        "<command-args>keep the ports and the hosts</command-args>",
    ],
)
def test_a_value_for_a_command_or_a_word_to_a_client_teaches_nothing(text: str) -> None:
    assert by_a_person(text) == ""


@pytest.mark.parametrize("typed", ["unlock main", "why-not main port", "undo last", "guard disable main"])
def test_words_where_an_id_is_asked_for_are_told_that_they_are_none(
    typed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(typed.split())

    assert "is no id; ids are numbers" in capsys.readouterr().err


def test_a_statement_of_common_words_only_that_is_noted_again_is_one(project: Path) -> None:
    with Memory() as memory:
        for text in ("Do it.", "do it."):
            memory.remember(text)

        assert [row["text"] for row in memory.export()] == ["Do it."]
