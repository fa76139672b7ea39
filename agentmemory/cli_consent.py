"""Commands by which the user decides: what waits for consent, and what was learned of his or her talk."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from agentmemory.cli_memory import here
from agentmemory.terminal import EMPTY, Commands, natural, with_json, yes
from agentmemory.terminal import table as show
from agentmemory.values import counted
from agentmemory.verbs import decide, elsewhere

if TYPE_CHECKING:
    from agentmemory.memory import Memory

MOST = 100_000  # statements looked at
STATEMENTS = {"proposals": "proposals", "review": "statements"}


def register(commands: Commands) -> None:
    """Add this area's commands to the parser."""
    proposals = commands.add_parser("proposals", help="what waits for your consent; accept or reject it")
    _decides(proposals, ("accept", "reject"), 50)
    proposals.add_argument("--lock", action="store_true", help="with accept: always tell rules, and enforce them")
    with_json(proposals, _proposals)

    review = commands.add_parser("review", help="what was learned of your talk and you have not seen; keep or drop it")
    _decides(review, ("keep", "drop"), 20)
    with_json(review, _review)


def _decides(command: argparse.ArgumentParser, ways: tuple[str, str], most: int) -> None:
    command.add_argument("what", nargs="?", choices=("list", *ways), default="list")
    command.add_argument("id", nargs="*", type=number, help="ids, or `all`")
    command.add_argument("--limit", type=natural, default=most)


def number(text: str) -> int | str:
    """The id of a statement, or `all`. Raises ValueError, of which argparse makes a sentence."""
    return text if text == "all" else int(text)


def _proposals(args: argparse.Namespace) -> int:
    from agentmemory.paths import date
    from agentmemory.store import proposals as rows

    with here() as memory:
        waiting = partial(rows.waiting, memory.db, memory.scopes, MOST)
        if args.what == "list":
            table = [(id, kind, text, context, date(at)) for id, kind, text, context, _, at in waiting()]
            _show(args, ("id", "kind", "text", "context", "since"), table, "Nothing waits for your consent.", "wait")
            return 0
        ids = _decided(memory, args, lambda: [row[0] for row in waiting()])
        others = [f"; {id} is of another project ({name})" for id in ids if (name := elsewhere(memory, id))]
        print(f"{len(ids)} {args.what}ed{''.join(others)}.")
        if args.what == "accept":
            _offer(memory, ids, args.lock)
    return 0


def _review(args: argparse.Namespace) -> int:
    from agentmemory.paths import date
    from agentmemory.recall.render import about
    from agentmemory.store import review as rows

    with here() as memory:
        waiting = partial(rows.waiting, memory.db, memory.scopes, MOST)
        if args.what == "list":
            table = [(row.id, row.kind, row.state, row.text + about(row), date(row.valid_from)) for row in waiting()]
            columns = ("id", "kind", "state", "text", "since")
            none = "You have seen all that was learned." if any(memory.export()) else EMPTY
            _show(args, columns, table, none, "were learned")
            return 0
        ids = _decided(memory, args, lambda: [row.id for row in waiting()])
        done = "kept" if args.what == "keep" else "dropped (`agentmemory undo` takes that back)"
        print(f"{len(ids)} {done}; {counted(rows.count(memory.db, memory.scopes), 'statement')} to look at.")
    return 0


def _decided(memory: Memory, args: argparse.Namespace, waiting: Callable[[], list[int]]) -> list[int]:
    """The ids that were named, or all that wait, once it is decided about them.

    Raises:
        ValueError: none is named.
        UnknownBelief: one of them does not wait.
    """
    if not args.id:
        raise ValueError(f"name the {STATEMENTS[args.command]} by their ids, or `all`")
    ids = waiting() if "all" in args.id else list(dict.fromkeys(args.id))
    decide(memory, args.what, ids)
    return ids


def _show(args: argparse.Namespace, columns: Sequence[str], rows: Sequence[Any], none: str, more: str) -> None:
    """A table of the first ones, and how many more there are; or JSON."""
    first = rows[: args.limit]
    if args.json:
        print(json.dumps([dict(zip(columns, row, strict=True)) for row in first], ensure_ascii=False))
        return
    show(columns, first, none)
    if len(rows) > len(first):
        print(f"{len(rows) - len(first)} more {more}: --limit {len(rows)} shows them all.")


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
