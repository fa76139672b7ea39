"""What is typed while the agent works: it waits in the client's queue, and older clients write it down nowhere else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentmemory.learn.transcripts import read
from tests.learn.test_transcripts import claude, queued, said, transcript


def queue(operation: str, content: str | None = None, second: int = 0, **more: object) -> str:
    """How Claude Code writes down that something is queued for the agent, or leaves the queue."""
    line = {"type": "queue-operation", "operation": operation, "sessionId": "s1", **more}
    stamp = f"2026-03-02T09:00:{second:02}.250Z"
    return json.dumps({**line, "timestamp": stamp, **({"content": content} if content is not None else {})}) + "\n"


WORKS = claude("user", "install it")


def test_what_an_older_client_only_holds_in_its_queue_is_the_users_word(tmp_path: Path, token: str) -> None:
    given = [queue("enqueue", f"no, never {token} here", 5), queue("enqueue", "use pnpm", 6)]
    path = transcript(tmp_path, WORKS, *given, queue("remove", second=9), queue("remove", second=9))

    assert said(path) == [("user", "install it"), ("user", f"no, never {token} here"), ("user", "use pnpm")]
    assert [h.said.at % 60 for h in read(str(path)) if h.said][1:] == [5.25, 6.25]


@pytest.mark.parametrize(
    "lines",
    [
        (queue("enqueue", "TOKEN"), queue("dequeue"), claude("user", "TOKEN")),
        (queue("enqueue", "TOKEN"), queue("remove", "TOKEN", reason="absorbed_mid_turn"), queued("TOKEN")),
        (queue("enqueue", "TOKEN"), queue("popAll"), queue("remove"), claude("user", "TOKEN")),
        (queue("enqueue", "<task-notification>x</task-notification>"), queue("remove"), claude("user", "TOKEN")),
        (queue("enqueue"), queue("enqueue", "TOKEN"), queue("dequeue"), queue("remove")),
        (queue("remove"), queue("dequeue"), queue("enqueue", "TOKEN"), queue("remove"), queue("enqueue", "never sent")),
        (queue("enqueue", "TOKEN"), queue("remove", reason="cancelled"), claude("user", "TOKEN")),
    ],
)  # fmt: skip
def test_what_is_queued_is_said_once(tmp_path: Path, lines: tuple[str, ...]) -> None:
    assert said(transcript(tmp_path, WORKS, *lines)) == [("user", "install it"), ("user", "TOKEN")]


def test_what_waits_in_the_queue_when_the_transcript_is_read_is_not_lost(tmp_path: Path) -> None:
    path = transcript(tmp_path, WORKS, queue("enqueue", "use pnpm", 5), claude("assistant", "On it."))
    *_, last = read(str(path))
    with path.open("a") as f:
        f.write(queue("remove", second=9) + claude("user", "go on"))

    assert [h.said.text for h in read(str(path), last.end) if h.said] == ["On it.", "use pnpm", "go on"]
    *_, last = read(str(path), last.end)
    assert last.end == path.stat().st_size
