#!/usr/bin/env python3
"""A plain change in a store that knows next to nothing: does it take the place of what it changes?

    python experiments/plain_changes.py

Each pair is learned in twelve stores: behind three sorts of answers, the change ten minutes or a day later, with
nothing beside it or two other statements. Prints for each pair what becomes of the older statement in each of them
(r replaced, t tied to something, - stands alone, n never held), and how often each is so. The pairs were written for
this, and what is learned from them was read: a check that plain things stay heard, no judge of how well.
"""

from __future__ import annotations

import sys
from collections import Counter
from itertools import product
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from experiments.comparisons import listen, store  # noqa: E402

PAIRS = (
    ("we use postmark for mails", "postmark is out, we take brevo instead"),
    ("the api runs on port 8080", "the api runs on port 9090 now"),
    ("we deploy with fabric", "we deploy with ansible from now on"),
    ("use yarn for everything", "we moved from yarn to pnpm"),
    ("the staging box is called wren", "staging moved to heron, wren is gone"),
    ("tests run with nose", "we switched to pytest"),
    ("always write commit messages in German", "commit messages are in English from now on"),
    ("backups go to the nas at night", "backups go to s3 now"),
    ("our linter is flake8", "flake8 is dead, ruff it is"),
    ("Jonas reviews the migrations", "Jonas left, Mira reviews the migrations now"),
    ("the cache ttl is 60 seconds", "set the cache ttl to 300 seconds, 60 was too short. That stays."),
    ("the docs are built with sphinx", "we dropped sphinx, docs are mkdocs"),
    ("never deploy on fridays", "deploying on fridays is fine now"),
    ("line length is 100", "line length is 120 now"),
    ("our database is mysql 5.7", "we're on postgres 16 now instead of mysql"),
    ("the release branch is called stable", "the release branch is main now, stable is history"),
    ("mails go through sendgrid", "new mail provider: mailgun. sendgrid no longer works for us"),
    ("logs go to loki", "logs go to elastic from now on"),
    ("we use tabs", "no more tabs, spaces please"),
    ("default timeout is 5s", "default timeout is 10s now"),
)
REPLIES = (
    ("Understood, noted.", "Done, changed it."),
    ("Noted.", "Noted."),
    ("Added it to the config module and ran the tests.", "Changed it in the config module; the tests pass."),
)
LATER = (600.0, 90_000.0)  # seconds
BESIDE = ((), ("the customers are bakeries in the north", "invoices carry a footer with the tax id"))
START = 2_000_000.0  # when the older statement is made; the others come a day each before it


def main() -> None:
    """Print what becomes of each pair, and of all."""
    every: Counter[str] = Counter()
    for old, new in PAIRS:
        became = in_all_stores(old, new)
        print(" ".join(became), "|", old, "->", new)
        every.update(became)
    print({name: every[sign] for sign, name in (("r", "replaced"), ("t", "tied"), ("-", "alone"), ("n", "not held"))})


def in_all_stores(old: str, new: str) -> list[str]:
    """What becomes of the older statement of a pair in each of the stores."""
    return [became_of(old, new, *each) for each in product(REPLIES, LATER, BESIDE)]


def became_of(old: str, new: str, replies: tuple[str, str], later: float, beside: tuple[str, ...]) -> str:
    """What becomes of the older statement of a pair in a store of its own, as a sign."""
    with store() as (db, scope):
        for day, text in enumerate(beside):
            listen(db, scope, _told(text, "Noted."), START - (len(beside) - day) * 90_000.0)
        listen(db, scope, _told(old, replies[0]), START)
        listen(db, scope, _told(new, replies[1]), START + later)
        state = db.execute("SELECT state FROM belief WHERE text = ?", (old,)).fetchone()
        tied = db.execute("SELECT count(*) FROM edge WHERE type != 'next'").fetchone() != (0,)
    if state is None:
        return "n"
    return "r" if state == ("superseded",) else "t" if tied else "-"


def _told(text: str, reply: str) -> list[dict[str, str]]:
    return [{"role": "user", "text": text}, {"role": "assistant", "text": reply}]


if __name__ == "__main__":
    main()
