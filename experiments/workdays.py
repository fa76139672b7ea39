#!/usr/bin/env python3
"""What is kept of developers' working days, where nearly all that is said is work of the moment.

    python experiments/workdays.py                      # the days of experiments/workdays_aside, which no fit has seen
    python experiments/workdays.py DAY.txt ...          # those of experiments/workdays, by weights that saw others
    python experiments/workdays.py --sessions [FILE]    # real sessions (default: ../shared/retrieval/code_dev.json.gz)
    python experiments/workdays.py --talks [FILE ...]   # short talks, each of a project of its own (talks_aside)
    python experiments/workdays.py --save               # the first and the last two, and the receipt

A day is a text file: `@` a session and its start, `>` the user, `<` the agent, `!` files that it changed; what is
meant to last stands in `{{...}}`. Of the real sessions experiments/session_labels.json says which words last and
which may ("maybe"). What of it a later message needs was marked as well (workday_needs.json, session_needs.json), and
for each day prompts of later sessions are there. Prints, of what learning makes of them: statements that stand and that
were heard once, by a hundred messages of a user; of those that stand the share that holds words that last, or at least
may; which share of the words that last some statement holds; the tokens of the block before the first prompt of a later
session. And of the messages as they are typed: what they need, what of it their session has been told by then, tokens
a message, the share of those after the first that are told nothing; of the prompts that come later the same.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from datetime import datetime
from functools import cache
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple

import apsw

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from agentmemory import paths  # noqa: E402
from agentmemory.learn.digest import digest  # noqa: E402
from agentmemory.recall.cover import hints  # noqa: E402
from agentmemory.recall.pipeline import answer  # noqa: E402
from agentmemory.recall.render import render  # noqa: E402
from agentmemory.records import Query  # noqa: E402
from agentmemory.store import listing, scopes, writer  # noqa: E402
from agentmemory.text import tokens as block_tokens  # noqa: E402
from experiments.regression import in_parts  # noqa: E402

DAYS = sorted((ROOT / "experiments" / "workdays").glob("*.txt"))
ASIDE = sorted((ROOT / "experiments" / "workdays_aside").glob("*.txt"))
TALKS = sorted((ROOT / "experiments" / "talks").glob("*.txt"))
TALKS_ASIDE = sorted((ROOT / "experiments" / "talks_aside").glob("*.txt"))
SESSIONS = ROOT.parent / "shared" / "retrieval" / "code_dev.json.gz"
LABELS = ROOT / "experiments" / "session_labels.json"
DAY_NEEDS, SESSION_NEEDS = (ROOT / "experiments" / f"{name}_needs.json" for name in ("workday", "session"))
RESULT = ROOT / "experiments" / "results" / "workdays.json"
LINE = re.compile(r"^([@><!]) ", re.M)
MARKED = re.compile(r"\{\{(.+?)\}\}", re.S)
MINUTE, DAY = 60.0, 86_400.0
LATER = 9 * DAY  # from the end of the last session to the prompts that come later
FIFTHS = 5


class Said(NamedTuple):
    """A turn: who, what, when (seconds), the words of it that last and those that may, the words of earlier sessions
    that it needs."""

    role: str
    text: str
    at: float
    lasting: tuple[str, ...] = ()
    maybe: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


class Session(NamedTuple):
    """A session by its name, in the order of time."""

    name: str
    turns: list[Said]


class Prompt(NamedTuple):
    """A message as it is typed: the store of then (open while it is looked at), the query, whether the session begins
    with it and whether that is one of the later half."""

    db: apsw.Connection
    query: Query
    said: Said
    first: bool
    late: bool


class Kept(NamedTuple):
    """Of a store: counts of what it holds, what was told in its sessions and to the prompts that came later."""

    counts: dict[str, float]
    typed: list[Told]
    later: list[Told]


class Told(NamedTuple):
    """What became of a message: words that it needs, how many of them its session has been told by then, the tokens
    of its block."""

    prompt: Prompt
    needs: int
    told: int
    tokens: float


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
    for place, words in _needed(path.stem, sessions).items():
        name, _, number = place.partition(":")
        turns = next(session.turns for session in sessions if session.name == f"{path.stem}/{name}")
        turns[int(number)] = turns[int(number)]._replace(needs=words)
    return sessions


def later(path: Path) -> list[Said]:
    """Prompts of sessions that come some time after a day, each of one of its own."""
    sessions = day(path)
    marked, at = _marked(sessions), sessions[-1].turns[-1].at + LATER
    probes = _needs().get(path.stem, {"probes": []})["probes"]
    return [Said("user", each["prompt"], at, needs=tuple(marked[n] for n in each["needs"])) for each in probes]


@cache
def _needs() -> dict[str, Any]:
    """What was marked of each day: what its messages need, and the prompts that come later."""
    return dict(json.loads(DAY_NEEDS.read_text("utf-8")))


def _marked(sessions: Iterable[Session]) -> list[str]:
    return [words for session in sessions for said in session.turns for words in said.lasting]


def _needed(name: str, sessions: Sequence[Session]) -> dict[str, tuple[str, ...]]:
    """The words that messages of a day need, by session and place."""
    marked = _marked(sessions)
    asked = _needs().get(name, {"asked": {}})["asked"]
    return {place: tuple(marked[n] for n in needs) for place, needs in asked.items()}


def world(path: Path) -> dict[str, Any]:
    """A day in the form of CodeRecall's worlds, without probes."""
    return _world(path.stem, day(path))


def talks(path: Path) -> list[dict[str, Any]]:
    """The talks of a file in that form, each of a project of its own."""
    return [_world(session.name, [session]) for session in day(path)]


def _world(name: str, sessions: Sequence[Session]) -> dict[str, Any]:
    facts = [
        {"said_in": session.name, "turn": i, "kind": "fact", "key": [words]}
        for session in sessions for i, said in enumerate(session.turns) for words in said.lasting
    ]  # fmt: skip
    turns = [{"id": each.name, "turns": [{"role": s.role, "text": s.text} for s in each.turns]} for each in sessions]
    return {"world": name, "sessions": turns, "facts": facts, "traps": [], "probes": []}


def real(path: Path) -> list[Session]:
    """The sessions of a set of ../shared/retrieval in the order of time, with what was marked in them."""
    labels, needs = (json.loads(each.read_text("utf-8")) for each in (LABELS, SESSION_NEEDS))
    items = json.loads(gzip.decompress(path.read_bytes()))["pools"][0]["items"]
    by: dict[str, list[dict[str, Any]]] = {}
    for each in sorted(items, key=lambda each: (each["when"], each["order"])):
        by.setdefault(each["session"], []).append(each)
    texts = {each["id"]: each["text"] for each in items}

    needed = {id: tuple(_words(texts[of], labels[of][n]) for of, n in marks) for id, marks in needs.items()}
    in_order = (sorted(said, key=lambda each: each["order"]) for said in by.values())
    return [Session(name, _said(said, labels, needed)) for name, said in zip(by, in_order, strict=True)]


def _words(text: str, mark: Sequence[Any]) -> str:
    """What a mark (level, start, end) stands for in its text."""
    return " ".join(text[mark[1] : mark[2]].split())


def _said(
    items: Sequence[dict[str, Any]], labels: dict[str, list[list[Any]]], needs: dict[str, tuple[str, ...]]
) -> list[Said]:
    out: list[Said] = []
    for each in items:
        at = datetime.fromisoformat(each["when"] + "+00:00").timestamp()
        at = max(at, out[-1].at + 1.0) if out else at
        words: dict[str, list[str]] = {"lasting": [], "maybe": []}
        for mark in labels.get(each["id"], ()):
            words[mark[0]].append(_words(each["text"], mark))
        marked = tuple(words["lasting"]), tuple(words["maybe"])
        out.append(Said(each["speaker"], each["text"], at, *marked, needs.get(each["id"], ())))
    return out


def replayed(sessions: Sequence[Session], home: str, probes: Iterable[Said] = ()) -> Iterator[Prompt]:
    """Each message of these sessions, then each of *probes*, before the store at *home* that has learned the sessions
    before, one after the other as of one project."""
    folder = Path(home) / "project"
    folder.mkdir()
    with closing(writer.open_store(home)) as db:

        def typed(said: Said, first: bool, late: bool) -> Prompt:
            project = scopes.find_project(db, *paths.project_of(str(folder)))
            return Prompt(db, Query(said.text, said.at, scopes.visible(db, project)), said, first, late)

        for n, session in enumerate(sessions):
            messages = (said for said in session.turns if said.role == "user")
            yield from (typed(said, not i, n >= len(sessions) / 2) for i, said in enumerate(messages))
            path = Path(home) / f"{session.name.replace('/', '-')}.jsonl"
            lines = [
                {"role": said.role, "text": said.text, "at": said.at, "session": session.name, "cwd": str(folder)}
                for said in session.turns
            ]
            path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
            digest(db, str(path), session.turns[-1].at + MINUTE)
        yield from (typed(said, True, True) for said in probes)


def answered(prompts: Iterable[Prompt]) -> list[Told]:
    """What each message and its session are told."""
    out: list[Told] = []
    for prompt in prompts:
        if prompt.first:
            given: set[int] = set()
            heard: list[str] = []
            hinted = True
        rules, hits = answer(prompt.db, prompt.query, frozenset(given), hinted)
        hinted = hinted and (not hits or hints(prompt.query))
        rows = [row for hit in hits for row in (*(hit.steps or [hit.row]), *hit.was)]
        given.update(row.id for row in rows)
        heard += [row.text.lower() for row in [*rules, *rows]]
        needs = {words.lower() for words in prompt.said.needs}
        told = sum(any(meets(text, words) for text in heard) for words in needs)
        out.append(Told(prompt, len(needs), told, block_tokens(render(prompt.query, rules, hits, {}))))
    return out


def judged(sessions: Sequence[Session], held: Sequence[dict[str, Any]]) -> dict[str, float]:
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
        "found": sum(any(meets(text, words) for text in every) for words in lasts),
        "found standing": sum(any(meets(text, words) for text in texts["active"]) for words in lasts),
    }  # fmt: skip


STATES = ("active", "heard", "superseded")


def _holds(text: str, wanted: Iterable[str]) -> bool:
    return any(meets(text, words) for words in wanted)


def meets(text: str, words: str) -> bool:
    """Whether a statement holds the words, or most of them where they go on beyond it."""
    return words in text or (len(text) >= len(words) / 2 and text in words)


def of(sessions: Sequence[Session], probes: Sequence[Said] = ()) -> Kept:
    """What is kept of sessions, in a store of their own, and what is told in them and to the *probes* after them."""
    with tempfile.TemporaryDirectory() as home:
        told = answered(replayed(sessions, home, probes))
        with closing(writer.open_store(home)) as db:
            counts = judged(sessions, list(listing.export(db)))
    messages = len(told) - len(probes)
    return Kept(counts, told[:messages], told[messages:])


def figures(kept: Sequence[Kept]) -> dict[str, Any]:
    """The figures of several stores together."""
    typed = [told for each in kept for told in each.typed]
    later = [told for each in kept for told in each.later]
    return rates([each.counts for each in kept]) | {
        "tokens": round(median(each.tokens for each in typed if each.prompt.first and each.prompt.late)),
        "typed": _blocks(typed), "silent after the first": _share([not t.tokens for t in typed if not t.prompt.first]),
        "later": _blocks([each for each in later if each.needs]),
        "later, nothing needed": _blocks([each for each in later if not each.needs]),
    }  # fmt: skip


def rates(counts: Sequence[dict[str, float]]) -> dict[str, Any]:
    """What stands and what is held of several stores together."""
    of = {name: sum(each[name] for each in counts) for name in counts[0]}
    return of | {
        "stands by 100": round(100 * of["stands"] / of["messages"], 1),
        "heard by 100": round(100 * of["heard"] / of["messages"], 1),
        "precision": round(of["good"] / max(1, of["stands"]), 3),
        "fair precision": round(of["fair"] / max(1, of["stands"]), 3),
        "recall": round(of["found"] / max(1, of["lasting"]), 3),
        "standing recall": round(of["found standing"] / max(1, of["lasting"]), 3),
    }


def _blocks(told: Sequence[Told]) -> dict[str, float]:
    needs, heard = sum(each.needs for each in told), sum(each.told for each in told)
    return {"needs": needs, "told": heard, "tokens": round(mean([each.tokens for each in told] or [0]), 1)}


def _share(each: Sequence[bool]) -> float:
    return round(sum(each) / max(1, len(each)), 3)


def days(files: Sequence[Path]) -> Iterator[Kept]:
    """What is kept of each day, by weights that have not seen it."""
    for part in unseen(files):
        yield from (of(day(path), later(path)) for path in part)


def unseen(files: Sequence[Path]) -> Iterator[list[Path]]:
    """The days in parts; while one is looked at, learning has weights that have not seen it."""
    from experiments import lasting_fit, register_fit  # which read days themselves

    for part in in_parts(files, FIFTHS):
        if set(DAYS).isdisjoint(part):
            yield part
        else:
            with lasting_fit.unseen(part), register_fit.unseen(part):
                yield part


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("days", nargs="*", type=Path, default=ASIDE)
    ap.add_argument("--sessions", nargs="?", type=Path, const=SESSIONS)
    ap.add_argument("--talks", nargs="*", type=Path)
    ap.add_argument("--save", action="store_true", help="days, sessions and talks, and write the receipt")
    args = ap.parse_args()
    result = {}
    if args.save or args.talks is not None:
        result["talks"] = rates([of([talk]).counts for path in args.talks or TALKS_ASIDE for talk in day(path)])
    if args.save or not (args.sessions or args.talks is not None):
        result["days"] = figures(list(days([path.resolve() for path in args.days])))
    if args.save or args.sessions:
        result["sessions"] = figures([of(real(args.sessions or SESSIONS))])
    print(json.dumps(result, indent=1))
    if args.save:
        RESULT.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
