"""Sessions of a user and an agreeing assistant, learned as transcripts, and what is held after them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import apsw

from agentmemory.learn import succession
from agentmemory.learn.compared import Likeness, likenesses
from agentmemory.learn.digest import digest
from agentmemory.paths import DAY
from agentmemory.store import listing
from agentmemory.values import Candidate

AT = 1_770_000_000.0
WEEK = 7 * DAY
AGREED, TAKEN_UP = "Understood, done.", "OK, I put that into the config."
SHOP = (("web shop for a tea house, symfony and twig", "OK."), ("the css is hand written", "OK."))
QUEUE = ("the worker reads from amqp, a small queue of ours", "I had a look at the tree.")
WORK = (
    ("the list of plots crashes without a photo", "`photos.first` on an empty list. Guarded it."),
    ("run the tests", "61 passed."),
    ("whats this setState in the list", "The loading flag, kept as local state."),
    ("nice, next: the search fires on every key", "True, there is no debounce. How long shall it wait?"),
)


def held(db: apsw.Connection, state: str = "active") -> list[str]:
    return [b["text"] for b in listing.export(db) if b["state"] == state]


def play(
    db: apsw.Connection, folder: Path, *turns: str, cwd: str = "/project", at: float = 0, reply: str = AGREED
) -> Path:
    """Learn a session in which the user says *turns* and the assistant agrees, or says *reply*; its transcript."""
    return exchanged(db, folder, *((text, reply) for text in turns), cwd=cwd, at=at)


def sat(db: apsw.Connection, folder: Path, *exchanges: tuple[str, str]) -> None:
    """Learn a sitting of work that ends with these exchanges."""
    exchanged(db, folder, *WORK, *exchanges)


def told(
    db: apsw.Connection, folder: Path, *days: str | Iterable[tuple[str, str]], apart: float = WEEK, reply: str = AGREED
) -> None:
    """Learn a session a day, of exchanges or of what is said alone and gets *reply*. *apart*: seconds between two."""
    for i, said in enumerate(days):
        exchanged(db, folder, *([(said, reply)] if isinstance(said, str) else said), at=i * apart)


def answered(db: apsw.Connection, folder: Path, *exchanges: tuple[str, str]) -> None:
    """Learn what is said in the shop's project, each on a day of its own, with its answer."""
    told(db, folder, SHOP, *([each] for each in exchanges))


def taken_up(db: apsw.Connection, folder: Path, *said: str, answer: str = "Set: {}.") -> None:
    """The same, each taken up by the *answer*."""
    answered(db, folder, *((each, answer.format(each)) for each in said))


def later(db: apsw.Connection, folder: Path, old: str, new: str, reply: str = "Done, the config is changed.") -> None:
    """Learn a statement that the assistant takes up, and a week later another one, to which it says *reply*."""
    told(db, folder, (("hi", TAKEN_UP), (old, TAKEN_UP)), (("hi", reply), (new, reply)))


def exchanged(
    db: apsw.Connection, folder: Path, *exchanges: tuple[str, str], cwd: str = "/project", at: float = 0
) -> Path:
    """Learn a session of these exchanges, which begins *at* seconds after the first one; its transcript."""
    name = f"session {len(list(folder.glob('*.jsonl')))}"
    path = folder / f"{name}.jsonl"
    lines = []
    for i, exchange in enumerate(exchanges):
        for j, (role, text) in enumerate(zip(("user", "assistant"), exchange, strict=True)):
            when = AT + at + 120 * i + j
            lines.append({"role": role, "text": text, "at": when, "session": name, "cwd": cwd})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    digest(db, str(path), AT + 1e6)
    return path


def beside(db: apsw.Connection, text: str, answer: str) -> dict[str, tuple[Likeness, float]]:
    """For each older statement how it stands to a new one of another day, and how likely that replaces it."""
    new = Candidate("fact", text, scope=2, turn=1, at=AT + 9 * DAY, answer=answer)
    return {
        like.old.text: (like, succession.likelihoods(db, new, text, [(0, like)])[like.old.id])
        for like in likenesses(db, new, text)
    }
