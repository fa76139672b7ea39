"""Commands that look around in memory: wonder, reason, entities; and what waits for consent."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentmemory.memory import Memory

Commands = Any  # argparse's subparsers have no public type


def register(commands: Commands) -> None:
    """Add this area's commands to the parser."""
    wonder = commands.add_parser("wonder", help="explore what is remembered around a topic")
    wonder.add_argument("topic", nargs="+")
    wonder.add_argument("--json", action="store_true")
    wonder.set_defaults(run=_wonder)

    reason = commands.add_parser("reason", help="test a question against the stored evidence")
    reason.add_argument("question", nargs="+")
    reason.add_argument("--json", action="store_true")
    reason.set_defaults(run=_reason)

    entities = commands.add_parser("entities", help="the things that are named most, or what stands beside one")
    entities.add_argument("name", nargs="*")
    entities.add_argument("--hops", type=int, default=2)
    entities.add_argument("--least", type=float, default=2.0, help="how often two must have stood together")
    entities.add_argument("--json", action="store_true")
    entities.set_defaults(run=_entities)


def _open() -> Memory:
    from agentmemory.memory import Memory

    return Memory()


def _wonder(args: argparse.Namespace) -> int:
    with _open() as memory:
        found = memory.wonder(" ".join(args.topic))
    print(json.dumps(found.as_json(), ensure_ascii=False) if args.json else found.text())
    return 0


def _reason(args: argparse.Namespace) -> int:
    with _open() as memory:
        found = memory.reason(" ".join(args.question))
    print(json.dumps(found.as_json(), ensure_ascii=False) if args.json else found.text())
    return 0


def _entities(args: argparse.Namespace) -> int:
    from agentmemory.explore.things import related
    from agentmemory.store import entities as rows

    with _open() as memory:
        if args.name:
            found = related(memory.db, " ".join(args.name), memory.scopes, hops=args.hops, least=args.least)
            table = [(r.name, r.kind, r.weight, r.hops) for r in found]
            columns = ("name", "kind", "weight", "hops")
        else:
            table = [(name, kind, n, "") for _, kind, name, n in rows.top(memory.db, memory.scopes, 40)]
            columns = ("name", "kind", "mentions", "")
    if args.json:
        print(json.dumps([dict(zip(columns, row)) for row in table], ensure_ascii=False))
        return 0
    from agentmemory.terminal import table as show

    show(columns, table)
    return 0
