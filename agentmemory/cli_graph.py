"""Commands that look around in memory: wonder, reason, entities; and what waits for consent."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import TYPE_CHECKING

from agentmemory.cli_memory import here
from agentmemory.terminal import Commands, amount, asked, natural, with_json, yes
from agentmemory.terminal import table as show
from agentmemory.verbs import elsewhere

if TYPE_CHECKING:
    from agentmemory.memory import Memory

MOST = 100_000  # proposals looked at


def register(commands: Commands) -> None:
    """Add this area's commands to the parser."""
    wonder = commands.add_parser("wonder", help="explore what is remembered around a topic")
    wonder.add_argument("topic", nargs="+")
    wonder.add_argument("--json", action="store_true")
    wonder.add_argument("--handouts", action="store_true", help="one task a subagent, each with what is known of it")
    wonder.add_argument("--speculate", action="store_true", help="keep guessed links for two weeks, apart from facts")
    wonder.set_defaults(run=_wonder)

    reason = commands.add_parser("reason", help="test a question against the stored evidence")
    reason.add_argument("question", nargs="+")
    with_json(reason, _reason)

    entities = commands.add_parser("entities", help="the things that are named most, or what stands beside one")
    entities.add_argument("name", nargs="*")
    entities.add_argument("--hops", type=natural, default=2)
    entities.add_argument("--least", type=amount, default=2.0, help="how often two must have stood together")
    with_json(entities, _entities)

    onboard = commands.add_parser("onboard", help="a repository's own rules, docs, history and structure, as proposals")
    onboard.add_argument("path", nargs="?", default=".")
    onboard.add_argument("--transcripts", action="store_true", help="learn the project's past sessions found here too")
    with_json(onboard, _onboard)

    proposals = commands.add_parser("proposals", help="what waits for your consent; accept or reject it")
    proposals.add_argument("what", nargs="?", choices=("list", "accept", "reject"), default="list")
    proposals.add_argument("id", nargs="*", type=number, help="ids, or `all`")
    proposals.add_argument("--lock", action="store_true", help="with accept: always tell rules, and enforce them")
    proposals.add_argument("--limit", type=natural, default=50)
    with_json(proposals, _proposals)


def number(text: str) -> int | str:
    """The number of a proposal, or `all`. Raises ValueError, of which argparse makes a sentence."""
    return text if text == "all" else int(text)


def _wonder(args: argparse.Namespace) -> int:
    topic = asked(args.topic)
    with here() as memory:
        if args.speculate:
            from agentmemory.explore.speculate import speculate
            from agentmemory.paths import now
            from agentmemory.store.writer import transaction

            with transaction(memory.db):
                speculate(memory.db, topic, memory.scopes, now())
        found = memory.wonder(topic)
    if args.handouts:
        tasks = found.handouts()
        print(json.dumps(tasks, ensure_ascii=False) if args.json else "\n\n---\n\n".join(tasks))
        return 0
    print(json.dumps(found.as_json(), ensure_ascii=False) if args.json else found.text())
    return 0


def _reason(args: argparse.Namespace) -> int:
    with here() as memory:
        found = memory.reason(asked(args.question))
    print(json.dumps(found.as_json(), ensure_ascii=False) if args.json else found.text())
    return 0


def _entities(args: argparse.Namespace) -> int:
    from agentmemory.explore.things import related
    from agentmemory.store import entities as rows

    with here() as memory:
        if args.name:
            found = related(memory.db, asked(args.name), memory.scopes, hops=args.hops, least=args.least)
            table: list[tuple[str, str, float, int]] = [(r.name, r.kind, r.weight, r.hops) for r in found]
            columns = ("name", "kind", "weight", "hops")
        else:
            table = [(name, kind, n, 0) for _, kind, name, n in rows.top(memory.db, memory.scopes, 40)]
            columns = ("name", "kind", "mentions", "hops")
    if args.json:
        print(json.dumps([dict(zip(columns, row)) for row in table], ensure_ascii=False))
        return 0
    show(columns, table)
    return 0


def _onboard(args: argparse.Namespace) -> int:
    from agentmemory.learn.onboard_transcripts import past
    from agentmemory.memory import Memory
    from agentmemory.paths import now, root_of
    from agentmemory.terminal import progress

    if not os.path.isdir(args.path):  # before it becomes a project
        raise NotADirectoryError(f"{args.path or repr('')} is no folder")
    with Memory(project=args.path) as memory:
        from agentmemory.learn.onboard import onboard

        with progress(f"Reading {root_of(args.path)}", quiet=args.json) as tell:
            done = onboard(memory.db, args.path, now(), tell)
        sessions = past(root_of(args.path))
        learned = [str(memory.learn(each.path, done.batch)) for each in reversed(sessions)] if args.transcripts else []
    if args.json:
        found = {name: getattr(done, name) for name in done.__slots__}
        print(json.dumps(found | {"transcripts": [each.path for each in sessions], "learned": learned}))
        return 0
    print(done)
    print(_what_waits(args.path))
    if sessions and not args.transcripts:
        print(f"{len(sessions)} past sessions of this project are here; learn them with `onboard --transcripts`.")
    for line in learned:
        print(line)
    return 0


def _what_waits(folder: str) -> str:
    """What to do with the proposals of a tree; of another project's they are seen from its own folder only."""
    from agentmemory.paths import project_of, root_of

    if project_of(folder) == project_of(""):
        return "See them with `agentmemory proposals`; accept with `agentmemory proposals accept all`."
    return (
        f"They are another project's: in {root_of(folder)}, see them with `agentmemory proposals` and accept with "
        "`agentmemory proposals accept all`."
    )


def _proposals(args: argparse.Namespace) -> int:
    from agentmemory.learn import proposals
    from agentmemory.paths import date, now
    from agentmemory.store import changes
    from agentmemory.store import proposals as rows
    from agentmemory.store.writer import transaction

    with here() as memory:
        if args.what == "list":
            found = rows.waiting(memory.db, memory.scopes, MOST)
            shown = found[: args.limit]
            table = [(id, kind, text, context, date(at)) for id, kind, text, context, _, at in shown]
        else:
            if not args.id:
                raise ValueError("name the proposals by their ids, or `all`")
            waiting = rows.waiting(memory.db, memory.scopes, MOST) if "all" in args.id else ()
            ids = [row[0] for row in waiting] or list(dict.fromkeys(id for id in args.id if id != "all"))
            decide = proposals.accept if args.what == "accept" else proposals.reject
            with transaction(memory.db):
                changes.begin(memory.db, args.what)
                for id in ids:
                    decide(memory.db, id, now())
            others = [f"; {id} is of another project ({name})" for id in ids if (name := elsewhere(memory, id))]
            print(f"{len(ids)} {args.what}ed{''.join(others)}.")
            if args.what == "accept":
                _offer(memory, ids, args.lock)
            return 0
    columns = ("id", "kind", "text", "context", "since")
    if args.json:
        print(json.dumps([dict(zip(columns, row, strict=True)) for row in table], ensure_ascii=False))
        return 0
    show(columns, table, "Nothing waits for your consent.")
    if len(found) > len(shown):
        print(f"{len(found) - len(shown)} more wait: --limit {len(found)} shows them all.")
    return 0


def _offer(memory: Memory, accepted: list[int], lock: bool) -> None:
    """Show what accepted rules would stop; enforce them where the person consents."""
    from agentmemory.learn import enforcement

    for id in accepted:
        rule = memory.belief(id)
        if rule.kind != "rule" or (not lock and not enforcement.resting(memory.db, id)):
            continue
        print(f"{id}: {rule.text}\n{enforcement.foretold(rule.text)}")
        asks = not lock and sys.stdin.isatty()
        if lock or (asks and yes("Lock and enforce it?")):
            memory.lock(id)
            print("It is locked.")
        elif not asks:
            print(f"`agentmemory lock {id}` locks and enforces it.")
