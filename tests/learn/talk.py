"""Sessions of a user and an agreeing assistant, learned as transcripts, and what is held after them."""

from __future__ import annotations

import json
from pathlib import Path

import apsw

from agentmemory.learn.digest import digest
from agentmemory.store import listing

AT = 1_770_000_000.0


def held(db: apsw.Connection, state: str = "active") -> list[str]:
    return [b["text"] for b in listing.export(db) if b["state"] == state]


def play(
    db: apsw.Connection,
    folder: Path,
    *turns: str,
    name: str = "s",
    cwd: str = "/project",
    at: int = 0,
    reply: str = "Understood, done.",
) -> None:
    """Learn a session in which the user says *turns* and the assistant agrees, or says *reply*."""
    path = folder / f"{name}.jsonl"
    lines = []
    for i, text in enumerate(turns):
        for j, (role, said) in enumerate((("user", text), ("assistant", reply))):
            when = 1_770_000_000 + at + 120 * i + j
            lines.append({"role": role, "text": said, "at": when, "session": name, "cwd": cwd})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    digest(db, str(path), AT + 1e6)
