#!/usr/bin/env python3
"""What is kept of developers' working days, where nearly all that is said is work of the moment.

    python experiments/workdays.py                      # the days of experiments/workdays_aside, which no fit has seen
    python experiments/workdays.py DAY.txt ...          # those of experiments/workdays, by weights that saw others
    python experiments/workdays.py --sessions [FILE]    # real sessions (default: ../shared/retrieval/code_dev.json.gz)
    python experiments/workdays.py --save               # the first and the last, and the receipt

A day is a text file: `@` a session and its start, `>` the user, `<` the agent, `!` files that it changed; what is
meant to last stands in `{{...}}`. Of the real sessions experiments/session_labels.json says which words last and
which may ("maybe"). Prints, of what learning makes of them: statements that stand and that were heard once, by a
hundred messages of a user; of those that stand the share that holds words that last, or at least may; which share of
the words that last some statement holds; and the tokens of the block before the first prompt of a later session.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from agentmemory import paths  # noqa: E402
from agentmemory.learn.digest import digest  # noqa: E402
from agentmemory.recall.pipeline import block  # noqa: E402
from agentmemory.records import Query  # noqa: E402
from agentmemory.store import listing, scopes, writer  # noqa: E402
from agentmemory.text import tokens as block_tokens  # noqa: E402
from experiments.regression import in_parts  # noqa: E402

DAYS = sorted((ROOT / "experiments" / "workdays").glob("*.txt"))
ASIDE = sorted((ROOT / "experiments" / "workdays_aside").glob("*.txt"))
SESSIONS = ROOT.parent / "shared" / "retrieval" / "code_dev.json.gz"
LABELS = ROOT / "experiments" / "session_labels.json"
RESULT = ROOT / "experiments" / "results" / "workdays.json"
LINE = re.compile(r"^([@><!]) ", re.M)
MARKED = re.compile(r"\{\{(.+?)\}\}", re.S)
Kept = tuple[dict[str, float], list[float]]  # counts of what is held, tokens of blocks
MINUTE = 60.0
FIFTHS = 5


class Said(NamedTuple):
    """A turn: who, what, when (seconds), the words of it that last and those that may."""

    role: str
    text: str
    at: float
    lasting: tuple[str, ...] = ()
    maybe: tuple[str, ...] = ()


class Session(NamedTuple):
    """A session by its name, in the order of time."""

    name: str
    turns: list[Said]


def day(path: Path) -> list[Session]:
    """The sessions of a file of experiments/workdays.

    Raises:
        ValueError: a line before the first session is no comment, or a session has no start.
    """
    sessions: list[Session] = []
    pieces = LINE.split(path.read_text("utf-8"))
    if any(line and not line.startswith("#") for line in pieces[0].splitlines()):
        raise ValueError(f"{path}: something is said before the first session")
    for sign, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        text = piece.strip("\n")
        if sign == "@":
            name, start = text.split()
            at = datetime.fromisoformat(start.replace("Z", "+00:00")).timestamp()
            sessions.append(Session(f"{path.stem}/{name}", []))
            continue
        turns = sessions[-1].turns
        if sign == "!":
            changed = "".join(f"\n```\n{name}\n```" for name in text.split())
            turns[-1] = turns[-1]._replace(text=turns[-1].text + changed)
            continue
        at += MINUTE
        marked = tuple(" ".join(words.split()) for words in MARKED.findall(text))
        role = "user" if sign == ">" else "assistant"
        turns.append(Said(role, MARKED.sub(r"\1", text), at, marked))
    return sessions


def world(path: Path) -> dict[str, Any]:
    """A day in the form of CodeRecall's worlds, without probes."""
    sessions = day(path)
    facts = [
        {"said_in": session.name, "turn": i, "kind": "fact", "key": [words]}
        for session in sessions for i, said in enumerate(session.turns) for words in said.lasting
    ]  # fmt: skip
    turns = [{"id": each.name, "turns": [{"role": s.role, "text": s.text} for s in each.turns]} for each in sessions]
    return {"world": path.stem, "sessions": turns, "facts": facts, "traps": [], "probes": []}


def real(path: Path) -> list[Session]:
    """The sessions of a set of ../shared/retrieval in the order of time, with what was marked in them."""
    labels = json.loads(LABELS.read_text("utf-8"))
    items = json.loads(gzip.decompress(path.read_bytes()))["pools"][0]["items"]
    by: dict[str, list[dict[str, Any]]] = {}
    for each in sorted(items, key=lambda each: (each["when"], each["order"])):
        by.setdefault(each["session"], []).append(each)
    return [Session(name, _told(sorted(said, key=lambda each: each["order"]), labels)) for name, said in by.items()]


def _told(items: Sequence[dict[str, Any]], labels: dict[str, list[list[Any]]]) -> list[Said]:
    out: list[Said] = []
    for each in items:
        at = datetime.fromisoformat(each["when"] + "+00:00").timestamp()
        at = max(at, out[-1].at + 1.0) if out else at
        words: dict[str, list[str]] = {"lasting": [], "maybe": []}
        for level, start, end in labels.get(each["id"], ()):
            words[level].append(" ".join(each["text"][start:end].split()))
        out.append(Said(each["speaker"], each["text"], at, tuple(words["lasting"]), tuple(words["maybe"])))
    return out


def learned(sessions: Sequence[Session], home: str) -> tuple[list[dict[str, Any]], list[float]]:
    """What the store at *home* holds after all of these, learned one after the other as of one project; the tokens of
    the block that would have stood before the first prompt of each of the later half."""
    folder = Path(home) / "project"
    folder.mkdir()
    db = writer.open_store(home)
    tokens = []
    for n, session in enumerate(sessions):
        first = next((said for said in session.turns if said.role == "user"), None)
        if first is not None and n >= len(sessions) / 2:
            project = scopes.find_project(db, *paths.project_of(str(folder)))
            tokens.append(block_tokens(block(db, Query(first.text, first.at, scopes.visible(db, project)))))
        path = Path(home) / f"{session.name.replace('/', '-')}.jsonl"
        lines = [
            {"role": said.role, "text": said.text, "at": said.at, "session": session.name, "cwd": str(folder)}
            for said in session.turns
        ]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        digest(db, str(path), session.turns[-1].at + MINUTE)
    found = list(listing.export(db))
    db.close()
    return found, tokens


def judged(sessions: Sequence[Session], held: Iterable[dict[str, Any]]) -> dict[str, float]:
    """Counts of what is *held* of the sessions."""
    turns = [said for session in sessions for said in session.turns if said.role == "user"]
    lasts = {words.lower() for said in turns for words in said.lasting}
    may = {words.lower() for said in turns for words in said.maybe}
    texts = {state: [each["text"].lower() for each in held if each["state"] == state] for state in STATES}
    every = [text for of in texts.values() for text in of]
    return {
        "messages": len(turns), "lasting": len(lasts), "stands": len(texts["active"]), "heard": len(texts["heard"]),
        "replaced": len(texts["superseded"]),
        "good": sum(_holds(text, lasts) for text in texts["active"]),
        "fair": sum(_holds(text, lasts | may) for text in texts["active"]),
        "found": sum(any(_meet(text, words) for text in every) for words in lasts),
        "found standing": sum(any(_meet(text, words) for text in texts["active"]) for words in lasts),
    }  # fmt: skip


STATES = ("active", "heard", "superseded")


def _holds(text: str, wanted: Iterable[str]) -> bool:
    return any(_meet(text, words) for words in wanted)


def _meet(text: str, words: str) -> bool:
    """Whether a statement holds the words, or most of them where they go on beyond it."""
    return words in text or (len(text) >= len(words) / 2 and text in words)


def told(kept: Sequence[Kept]) -> dict[str, float]:
    """The figures of several stores together."""
    of = {name: sum(counts[name] for counts, _ in kept) for name in kept[0][0]}
    return of | {
        "stands by 100": round(100 * of["stands"] / of["messages"], 1),
        "heard by 100": round(100 * of["heard"] / of["messages"], 1),
        "precision": round(of["good"] / max(1, of["stands"]), 3),
        "fair precision": round(of["fair"] / max(1, of["stands"]), 3),
        "recall": round(of["found"] / max(1, of["lasting"]), 3),
        "tokens": round(median(each for _, tokens in kept for each in tokens)),
    }


def of(sessions: Sequence[Session]) -> Kept:
    """What is kept of sessions, in a store of their own."""
    with tempfile.TemporaryDirectory() as home:
        held, tokens = learned(sessions, home)
        return judged(sessions, held), tokens


def days(files: Sequence[Path]) -> Iterator[Kept]:
    """What is kept of each day, by weights that have not seen it."""
    from experiments import lasting_fit, register_fit  # which read days themselves

    for part in in_parts(files, FIFTHS):
        if set(DAYS).isdisjoint(part):
            yield from (of(day(path)) for path in part)
        else:
            with lasting_fit.unseen(part), register_fit.unseen(part):
                yield from (of(day(path)) for path in part)


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("days", nargs="*", type=Path, default=ASIDE)
    ap.add_argument("--sessions", nargs="?", type=Path, const=SESSIONS)
    ap.add_argument("--save", action="store_true", help="days and sessions, and write the receipt")
    args = ap.parse_args()
    result = {}
    if args.save or not args.sessions:
        result["days"] = told(list(days([path.resolve() for path in args.days])))
    if args.save or args.sessions:
        result["sessions"] = told([of(real(args.sessions or SESSIONS))])
    print(json.dumps(result, indent=1))
    if args.save:
        RESULT.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
