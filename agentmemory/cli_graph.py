"""Commands that look around in memory, wonder, reason, entities; and in a source tree."""

from __future__ import annotations

import argparse
import json
import os

from agentmemory.cli_memory import here
from agentmemory.terminal import Commands, amount, asked, natural, with_json
from agentmemory.terminal import table as show


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
    if learned:
        print("See what was learned with `agentmemory review`, and drop what only mattered then.")
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
