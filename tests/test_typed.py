"""The prompt hook and what no person typed: clients send it as prompts, and beside what was typed."""

from __future__ import annotations

from pathlib import Path

import pytest

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
