"""A secret that somebody types is in no byte below the data folder afterwards, whatever way it came."""

from __future__ import annotations

import base64
import json
import os
import secrets
import string
import subprocess
import sys
from pathlib import Path

import pytest

from agentmemory.memory import Memory


def letters(n: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    """Random characters as a generator gives them: with a digit, and with both cases where there are letters."""
    while True:
        drawn = "".join(secrets.choice(alphabet) for _ in range(n))
        both = any(map(str.isupper, drawn)) and any(map(str.islower, drawn))
        if any(map(str.isdigit, drawn)) and (both or alphabet == string.digits):
            return drawn


def made_up() -> dict[str, tuple[str, str]]:
    """By kind: what is typed, and the part of it that must not stay."""
    aws = letters(40, string.ascii_letters + string.digits + "/+")
    github = "ghp_" + letters(36)
    slack = f"xoxb-{letters(12, string.digits)}-{letters(12, string.digits)}-{letters(24)}"
    password = letters(18)
    bearer = letters(40)
    word = "".join(secrets.choice(string.ascii_lowercase) for _ in range(18))
    encoded = base64.b64encode(letters(24).encode()).decode()
    body = "\n".join(letters(64, string.ascii_letters + string.digits + "+/") for _ in range(4))
    begin, end = "-----BEGIN RSA " + "PRIVATE KEY-----", "-----END RSA " + "PRIVATE KEY-----"
    return {
        "cloud key": (f"we decided that CI uses AWS_SECRET_ACCESS_KEY={aws} for the bucket", aws),
        "token": (f"always push with the token {github} please, never by ssh", github),
        "chat token": (f"the bot's token is {slack} and it lives in the ops channel", slack),
        "password in a URL": (f"the database is postgres://app:{password}@db.internal:5432/app from now on", password),
        "header": (f"call it with -H 'Authorization: Bearer {bearer}', that is how we do it", bearer),
        "private key": (f"use this deploy key from now on:\n{begin}\n{body}\n{end}\n", body.split()[2]),
        "env line": (f"my .env is\nDB_HOST=localhost\nDB_PASSWORD={password}\nkeep it like that", password),
        "env line in letters": (f"the staging env is\nDB_PASSWORD={word}\nDB_HOST=localhost", word),
        "manifest": (f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  dburl: {encoded}\n", encoded),
    }


@pytest.mark.parametrize("kind", made_up())
def test_no_byte_of_a_secret_stays(home: Path, project: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said, secret = made_up()[kind]
    monkeypatch.setenv("AGENTMEMORY_WORKER", "off")  # the hooks start none, so that ours is the only one
    transcript = project.parent / "session.jsonl"
    lines = [{"role": "user", "text": said, "at": "2026-05-01T10:00:00Z"}] * 2
    transcript.write_text("".join(json.dumps(line) + "\n" for line in lines))

    with Memory() as memory:
        memory.lock("never share the token of the database", when="token database push call use")
        memory.learn(str(transcript))
        memory.remember(said)
        memory.search(said)
    for event in ("prompt-submit", "session-start", "stop", "pre-compact", "session-end", "pre-tool"):
        hook(event, project, transcript, said)
    worker = [sys.executable, "-m", "agentmemory", "worker", "--once"]
    subprocess.run(worker, check=True, env=os.environ, capture_output=True)

    with Memory() as memory:
        assert memory.stats()["turns"] == 2
    assert [p for p in home.rglob("*") if p.is_file() and secret.encode() in p.read_bytes()] == []


def hook(event: str, project: Path, transcript: Path, said: str) -> None:
    """The hook as a client starts it, with the secret wherever the client puts what was typed."""
    given = {
        "session_id": "s", "cwd": str(project), "transcript_path": str(transcript), "prompt": said,
        "tool_name": "Bash", "tool_input": {"command": f"echo {said}"},
    }  # fmt: skip
    command = [sys.executable, "-m", "agentmemory", "hook", event]
    subprocess.run(command, input=json.dumps(given), text=True, check=True, capture_output=True, env=os.environ)
