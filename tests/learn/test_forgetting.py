"""`forget` leaves no byte of a text anywhere below the data folder, whatever has happened with the text before."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from agentmemory import guard, worker
from agentmemory.cli import main as cli
from agentmemory.memory import Memory


def holding(home, word):
    """Files below the data folder whose bytes hold *word*, in any case."""
    files = [path for path in Path(home).rglob("*") if path.is_file()]
    return [str(path.relative_to(home)) for path in files if word.lower().encode() in path.read_bytes().lower()]


def hook(event, **given):
    subprocess.run(
        [sys.executable, "-m", "agentmemory", "hook", event],
        input=json.dumps(given).encode(),
        capture_output=True,
        check=True,
        env={**__import__("os").environ, "AGENTMEMORY_WORKER": "off"},
        cwd=Path(guard.__file__).parent.parent,
    )


@pytest.fixture
def lived(home, project, tmp_path, token):
    """A store in which *token* was said, believed, locked, guarded, injected, searched, consolidated."""
    transcript = tmp_path / "session.jsonl"
    said = [
        ("user", f"From now on never deploy {token} by hand, use scripts/deploy-{token}.sh"),
        ("assistant", f"Understood: scripts/deploy-{token}.sh it is."),
        ("user", f"the {token} service listens on port 8443"),
        ("assistant", "Noted."),
        ("user", "no wait, that is wrong: it listens on port 9443"),
        ("assistant", f"I changed {token} to 9443."),
    ]
    lines = [
        {"type": role, "sessionId": "s", "cwd": str(project), "timestamp": f"2026-05-01T10:0{i}:00Z",
         "message": {"role": role, "content": text}}
        for i, (role, text) in enumerate(said)
    ]  # fmt: skip
    transcript.write_text("\n".join(map(json.dumps, lines)) + "\n")
    given = {"session_id": "s", "cwd": str(project), "transcript_path": str(transcript)}
    with Memory() as memory:
        memory.learn(str(transcript))
        memory.remember(f"The {token} team meets on Mondays.", "fact", keywords=token, context=f"about {token}")
        memory.propose(f"Ask {token} before every release.")
    cli(["guard", "add", "--yes", f"Never run deploy-{token}.sh --force, use scripts/deploy-{token}.sh"])
    hook("prompt-submit", **given, prompt=f"deploy {token} to production now")
    hook("pre-tool", **given, tool_name="Bash", tool_input={"command": f"./deploy-{token}.sh --force"})
    hook("session-end", **given)
    worker.once(str(home), sleep_seconds=2.0)
    with Memory() as memory:
        memory.search(token)
        memory.correct(f"The {token} team meets", f"The {token} team meets on Tuesdays.")
        memory.undo()
    return token


def test_no_byte_of_a_forgotten_word_is_left(home, lived):
    assert holding(home, lived)  # else this test proves nothing

    with Memory() as memory:
        memory.forget(lived)
        assert memory.search(lived) == []

    assert holding(home, lived) == []


def test_reading_the_transcript_again_does_not_bring_it_back(home, lived, tmp_path):
    with Memory() as memory:
        memory.forget(lived)
        memory.learn(str(tmp_path / "session.jsonl"))

    assert holding(home, lived) == []


def test_what_was_not_forgotten_is_still_there(home, lived):
    with Memory() as memory:
        memory.remember("The billing API listens on port 7443.", "fact")
        memory.forget(lived)
        found = [hit.text for hit in memory.search("billing port")]

    assert found[0] == "The billing API listens on port 7443."
    assert all(found)
