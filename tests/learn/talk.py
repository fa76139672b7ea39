"""Sessions of a user and an agreeing assistant, learned as transcripts, and what is held after them."""

from __future__ import annotations

import json
from pathlib import Path

import apsw

from agentmemory.learn import succession
from agentmemory.learn.compared import Likeness, likenesses
from agentmemory.learn.digest import digest
from agentmemory.paths import DAY
from agentmemory.store import listing
from agentmemory.values import Candidate

AT = 1_770_000_000.0
WORK = (
    ("the list of plots crashes without a photo", "`photos.first` on an empty list. Guarded it."),
    ("run the tests", "61 passed."),
    ("whats this setState in the list", "The loading flag, kept as local state."),
    ("nice, next: the search fires on every key", "True, there is no debounce. How long shall it wait?"),
)


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


def sat(db: apsw.Connection, folder: Path, *exchanges: tuple[str, str]) -> None:
    """Learn a sitting of work that ends with these exchanges."""
    exchanged(db, folder, *WORK, *exchanges)


def exchanged(
    db: apsw.Connection, folder: Path, *exchanges: tuple[str, str], name: str = "s", at: int = 0
) -> None:  # fmt: skip
    """Learn a session of these exchanges."""
    path = folder / f"{name}.jsonl"
    lines = []
    for i, exchange in enumerate(exchanges):
        for j, (role, text) in enumerate(zip(("user", "assistant"), exchange, strict=True)):
            when = AT + at + 120 * i + j
            lines.append({"role": role, "text": text, "at": when, "session": name, "cwd": "/project"})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    digest(db, str(path), AT + 1e6)


def beside(db: apsw.Connection, text: str, answer: str) -> dict[str, tuple[Likeness, float]]:
    """For each older statement how it stands to a new one of another day, and how likely that replaces it."""
    new = Candidate("fact", text, scope=2, turn=1, at=AT + 9 * DAY, answer=answer)
    return {
        like.old.text: (like, succession.likelihoods(db, new, text, [(0, like)])[like.old.id])
        for like in likenesses(db, new, text)
    }
