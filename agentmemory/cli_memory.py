"""Commands that teach, ask and take back: learn, search, remember, lock, correct, forget, undo ..."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from agentmemory import nearness, paths, verbs
from agentmemory.terminal import EMPTY, Commands, asked, id_or_words, numbered, shown, table, which, with_json, yes
from agentmemory.values import counted

if TYPE_CHECKING:
    from agentmemory.memory import Memory

SHOWN = 300  # characters of one text in a table


def register(commands: Commands) -> None:
    """Add this area's commands to the parser."""
    _teaching(commands)
    _asking(commands)


def _teaching(commands: Commands) -> None:
    learn = commands.add_parser("learn", help="digest transcripts now, in the foreground, without a model")
    learn.add_argument("transcript", nargs="+")
    learn.set_defaults(run=_learn)

    remember = commands.add_parser("remember", help="hold a statement")
    remember.add_argument("text", nargs="+")
    remember.add_argument("--kind", default="fact", choices=("rule", "preference", "decision", "fact", "procedure"))
    _when_and_where(remember)
    remember.add_argument("--at", metavar="TIME", default="", help="since when it is true (ISO 8601 or 202503021500)")
    remember.add_argument("--replaces", metavar="ID", type=numbered, help="the belief that it makes untrue")
    with_json(remember, _remember)

    lock = commands.add_parser("lock", help="make a rule stand always: by id, or new words")
    lock.add_argument("what", nargs="+")
    lock.add_argument("--propose", action="store_true", help="hold it back until you lock it by its id")
    _when_and_where(lock)
    with_json(lock, _lock)

    unlock = commands.add_parser("unlock", help="let a rule be an ordinary belief again")
    unlock.add_argument("id", type=numbered)
    unlock.set_defaults(run=_unlock)

    correct = commands.add_parser("correct", help="replace a belief with what is true now")
    correct.add_argument("what", help="its id, or words that only it holds")
    correct.add_argument("text", nargs="+")
    correct.set_defaults(run=_correct)

    forget = commands.add_parser("forget", help="remove for good: a belief by id, or everything that holds the words")
    forget.add_argument("what", nargs="+")
    forget.add_argument("--yes", action="store_true", help="what holds the words, without being asked")
    forget.add_argument("--everywhere", action="store_true", help="in all projects, not only this one")
    with_json(forget, _forget)

    feedback = commands.add_parser("feedback", help="say how a belief turned out: evidence for or against it")
    feedback.add_argument("id", type=numbered)
    feedback.add_argument("outcome", choices=("helped", "wrong", "outdated"))
    feedback.add_argument("--detail", default="", help="what showed it")
    with_json(feedback, _feedback)

    undo = commands.add_parser("undo", help="take back the last change, or a batch of `log`")
    undo.add_argument("batch", nargs="?", type=numbered)
    undo.set_defaults(run=_undo)


def _asking(commands: Commands) -> None:
    search = commands.add_parser("search", help="find beliefs and turns")
    search.add_argument("query", nargs="*", help="words; `-` with --json reads a query a line from standard input")
    search.add_argument("--json", action="store_true")
    search.add_argument("--limit", type=int, default=verbs.FOUND)
    search.add_argument("--as-of", metavar="TIME", default="", help="what was true then (ISO 8601; a day: at its end)")
    search.add_argument("--links", action="store_true", help="add what one edge leads to, labelled")
    search.set_defaults(run=_search)

    read = commands.add_parser("read", help="a belief whole: cues, times, evidence, neighbours, uses; or a turn whole")
    read.add_argument("id", type=which, help="of a belief; of a turn with `turn:` before it, as search shows it")
    read.add_argument("--json", action="store_true", help="on one line, a turn too")
    read.set_defaults(run=_read)

    ask = commands.add_parser("ask", help="the configured model's answer from what is remembered; else the context")
    ask.add_argument("question", nargs="+")
    ask.add_argument("--session", default="", help="continue this conversation")
    ask.add_argument("--branch", default="", metavar="SESSION", help="where it is new, begin with what this one said")
    with_json(ask, _ask)

    why = commands.add_parser("why", help="what the block for a prompt is made of")
    why.add_argument("prompt", nargs="+")
    why.set_defaults(run=_why)

    why_not = commands.add_parser("why-not", help="where a belief was lost for a prompt")
    why_not.add_argument("id", type=numbered)
    why_not.add_argument("prompt", nargs="+")
    why_not.set_defaults(run=_why_not)

    stats = commands.add_parser("stats", help="how much of everything there is")
    with_json(stats, _stats)

    demo = commands.add_parser("demo", help="the main job in a temporary home, explained")
    demo.set_defaults(run=_demo)


def _when_and_where(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--when", default="", help="what calls for it: verbs, tools, files, in plain words")
    parser.add_argument("--everywhere", action="store_true", help="in all projects, not only this one")


def here() -> Memory:
    """The memory, seen from the current folder."""
    from agentmemory.memory import Memory

    return Memory()


def _told(args: argparse.Namespace, done: verbs.Answer) -> int:
    """Print what was done: as JSON, or its sentence; the status says whether anything was."""
    print(json.dumps(done, ensure_ascii=False) if args.json else done["note"])
    return 1 if "why" in done else 0


def _warn(memory: Memory) -> None:
    """One sentence where a sentence encoder is named and cannot take part; what is asked is answered by words alone."""
    problem = nearness.problem(memory.home)
    if problem:
        print(f"agentmemory: by words alone: {problem}", file=sys.stderr)


def _print(args: argparse.Namespace, ask: Any) -> int:
    with here() as memory:
        _warn(memory)
        print(ask(memory))
    return 0


def _why(args: argparse.Namespace) -> int:
    def told(memory: Memory) -> str:
        found = memory.why(asked(args.prompt))
        return found if any(memory.export()) else EMPTY

    return _print(args, told)


def _why_not(args: argparse.Namespace) -> int:
    return _print(args, lambda memory: memory.why_not(memory.belief(args.id).id, asked(args.prompt)))


def _learn(args: argparse.Namespace) -> int:
    from agentmemory.learn.transcripts import began

    batch = 0
    with here() as memory:
        for path in sorted(args.transcript, key=began):  # what was said last stands, in whatever order files are named
            done = memory.learn(path, batch)
            batch = done.batch
            print(f"{path}: {done}")
    return 0


def _remember(args: argparse.Namespace) -> int:
    with here() as memory:
        text = " ".join(args.text)
        done = verbs.remember(memory, text, args.kind, args.when, args.everywhere, args.at, args.replaces)
        return _told(args, done)


def _lock(args: argparse.Namespace) -> int:
    what = id_or_words(" ".join(args.what))
    with here() as memory:
        if args.propose:
            if isinstance(what, int):
                raise ValueError("a proposal is made in words")
            return _told(args, verbs.propose(memory, what, args.when, args.everywhere))
        done = verbs.lock(memory, what, args.when, args.everywhere)
        status = _told(args, done)
        if "id" in done and not args.json:
            _keep(memory, done["id"])
    return status


def _keep(memory: Memory, rule: int) -> None:
    """What a lock enforces from now on was told; at a terminal the person may decline."""
    from agentmemory.learn import enforcement
    from agentmemory.store import changes, writer

    if not enforcement.acting(memory.db, rule):
        return
    if sys.stdin.isatty() and sys.stdout.isatty() and input("Keep it enforced? [Y/n] ").strip().lower().startswith("n"):
        with writer.transaction(memory.db):
            changes.begin(memory.db, "guard disable")
            enforcement.release(memory.db, rule, paths.now())
        print("It is locked and not enforced.")
    else:
        print("`agentmemory guard disable ID` takes that back.")


def _unlock(args: argparse.Namespace) -> int:
    with here() as memory:
        print(verbs.unlock(memory, args.id))
    return 0


def _correct(args: argparse.Namespace) -> int:
    with here() as memory:
        done = verbs.correct(memory, id_or_words(args.what), " ".join(args.text))
    print(done["note"])
    return 1 if "why" in done else 0


def _forget(args: argparse.Namespace) -> int:
    what = id_or_words(" ".join(args.what))
    with here() as memory:
        if not (args.yes or _agrees(memory, what, args.everywhere)):
            return 1
        done = verbs.forget(memory, what, args.everywhere)
    _told(args, done)
    return 0 if done["forgotten"] else 1


def _agrees(memory: Memory, what: str | int, everywhere: bool) -> bool:
    """Whether the person at the terminal agrees to forget what holds these words, or a belief of another project."""
    shown = sys.stdin.isatty() and sys.stdout.isatty()
    if isinstance(what, int):
        other = "" if everywhere else verbs.elsewhere(memory, what)
        return not (other and shown) or _says_yes(("id", "project", "text"), [(what, other, memory.belief(what).text)])
    held = memory.holding(what, everywhere=everywhere)
    if not held:
        return True
    if not shown:
        count = f"{counted(len(held.beliefs), 'belief')} and {counted(len(held.turns), 'turn')} hold these words"
        print(f"agentmemory: {count}; to forget them for good needs a terminal, or --yes", file=sys.stderr)
        return False
    kinds = (("belief", held.beliefs), ("only cues of", held.cued), ("turn", held.turns))
    return _says_yes(("", "id", "text"), [(kind, id, text) for kind, found in kinds for id, text in found.items()])


def _says_yes(heads: tuple[str, ...], rows: list[tuple[Any, ...]]) -> bool:
    table(heads, [(*row, _cut(text)) for *row, text in rows])
    return yes("Forget this for good?")


def _feedback(args: argparse.Namespace) -> int:
    with here() as memory:
        return _told(args, verbs.feedback(memory, args.id, args.outcome, args.detail))


def _undo(args: argparse.Namespace) -> int:
    with here() as memory:
        done = verbs.undo(memory, args.batch)
    print("\n".join(done) or "There is nothing to take back.")
    return 0


def _search(args: argparse.Namespace) -> int:
    with here() as memory:
        _warn(memory)
        if args.query == ["-"]:
            for line in sys.stdin:
                found = verbs.search(memory, line.strip(), args.limit, args.as_of, args.links)
                print(json.dumps(found, ensure_ascii=False), flush=True)
            return 0
        found = verbs.search(memory, asked(args.query), args.limit, args.as_of, args.links)
        none = verbs.nowhere(memory, asked(args.query)) if found else ""
    if args.json:
        if none:
            print(f"agentmemory: nothing stored holds {none}", file=sys.stderr)
        print(json.dumps(found, ensure_ascii=False))
        return 0
    if none:
        print(f"Nothing stored holds {none}; this shares other words:")
    columns = ("id", "kind", "text", "date", "score", "state", *(("link",) if args.links else ()))
    rows = [
        (_id(hit), _kind(hit), _told_of(hit), hit["date"], hit["score"], hit["state"], _linked(hit)) for hit in found
    ]
    table(columns, [row[: len(columns)] for row in rows], "Nothing is stored about this.")
    return 0


def _id(hit: verbs.Answer) -> str:
    """The id of a hit, with which `read` shows it whole."""
    return f"turn:{hit['id']}" if hit["what"] == "turn" else str(hit["id"])


def _kind(hit: verbs.Answer) -> str:
    """What a hit is, and who said it: of a belief only where that was not the user."""
    plain = hit["what"] == "belief" and hit["provenance"] == "user"
    return str(hit["kind"]) if plain else f"{hit['kind']}, {hit['provenance']}"


def _told_of(hit: verbs.Answer) -> str:
    """The text of a hit, and in a line each what it replaced, newest first."""
    lines = [_cut(hit["text"])]
    for old in hit["was"]:
        text = _cut(" ".join(old["text"].split()))
        ended = f" until {old['until']}" if old["until"] else ""
        lines.append(f'changes "{text}" of {old["from"]}' if old["in_part"] else f'was "{text}"{ended}')
    return "\n".join(lines)


def _linked(hit: verbs.Answer) -> str:
    """By which edge a hit was come to, "" for one that speaks to the query itself."""
    return next((r.removeprefix("linked: ") for r in hit["reasons"] if r.startswith("linked: ")), "")


def _cut(text: str) -> str:
    """The beginning of a text: a pasted log must not fill the terminal."""
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


def _read(args: argparse.Namespace) -> int:
    what, id = args.id
    with here() as memory:
        found = memory.turn(id) if what == "turn" else memory.read(id)
    if found is None:
        print(f"agentmemory: there is no {what} {id}", file=sys.stderr)
        return 1
    if what == "turn" and not args.json:
        return _show_talk(found)
    print(json.dumps(found, ensure_ascii=False, indent=None if args.json else 1))
    return 0


def _show_talk(turn: verbs.Answer) -> int:
    """A turn as it was said, with the beginnings of those around it, and what was learned from it."""
    lines = [f"{turn['session']} ({turn['scope_name']}), {paths.date(paths.parse_time(turn['at']))}"]
    for each in (*turn["before"], turn, *turn["after"]):
        head = f"turn:{each['id']} {each['speaker'] or each['provenance']}:"
        whole = each is turn
        lines.append(f"> {head}\n{each['text']}" if whole else f"  {head} {_cut(' '.join(each['text'].split()))}")
    lines += [f"belief {it['id']} ({it['state']}): {_cut(it['text'])}" for it in turn["beliefs"]]
    print(shown("\n".join(lines)))
    return 0


def _ask(args: argparse.Namespace) -> int:
    with here() as memory:
        found = memory.respond(asked(args.question), args.session, args.branch)
    if args.json:
        print(json.dumps(found.as_json(), ensure_ascii=False))
    elif found.available:
        print(shown(found.answer))
    else:
        print(f"No answer: {found.why}. What is remembered about it:\n\n{found.context or 'nothing'}")
    return 0


def _stats(args: argparse.Namespace) -> int:
    with here() as memory:
        numbers = memory.stats()
    if args.json:
        print(json.dumps(numbers, ensure_ascii=False))
        return 0
    table(("what", "how many"), [(name, _flat(value)) for name, value in numbers.items() if value not in (None, {})])
    return 0


def _flat(value: Any) -> str:
    return ", ".join(f"{k} {v}" for k, v in value.items() if v is not None) if isinstance(value, dict) else str(value)


def _demo(args: argparse.Namespace) -> int:
    from agentmemory.demo import demo

    return demo()
