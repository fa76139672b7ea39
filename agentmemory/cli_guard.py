"""Commands about obedience: guard list, add, test, enable, disable, remove; health; log."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from agentmemory import paths, verbs
from agentmemory.cli_memory import here
from agentmemory.terminal import Commands, id_or_words, natural, numbered, shown, with_json, yes

if TYPE_CHECKING:
    from agentmemory.learn.guards import Proposal
    from agentmemory.memory import Memory

MODES = ("inform", "ask", "deny")
SAID = 90  # characters of a belief in a line of the trail


def register(commands: Commands) -> None:
    """Add this area's commands to the parser."""
    guard = commands.add_parser("guard", help="what is enforced before a tool runs")
    verbs = guard.add_subparsers(dest="verb", metavar="VERB", required=True)

    shown = verbs.add_parser("list", help="the guards and their rules")
    with_json(shown, _list)

    add = verbs.add_parser("add", help="enforce a rule: its id, or the words of a new one; asks for consent")
    add.add_argument("rule", nargs="+")
    add.add_argument("--mode", choices=MODES, help="inform, ask or deny; by default what the rule's words mean")
    add.add_argument("--yes", action="store_true", help="consent without being asked")
    add.add_argument("--everywhere", action="store_true", help="in all projects, not only this one")
    add.set_defaults(run=_add)

    test = verbs.add_parser("test", help="what a rule or guard would have stopped, without stopping anything")
    test.add_argument("rule", help="the id of a guard, or a rule in words")
    test.add_argument("transcript", nargs="*", help="past sessions to replay; with none, commands from standard input")
    test.set_defaults(run=_test)

    for verb, told in (("enable", "let a guard act"), ("disable", "let a guard rest"), ("remove", "delete a guard")):
        change = verbs.add_parser(verb, help=told)
        change.add_argument("id", type=numbered)
        if verb == "enable":
            change.add_argument("--mode", choices=MODES)
        change.set_defaults(run=_change)

    health = commands.add_parser("health", help="contradictions, recurring mistakes, proposals, what guards did")
    with_json(health, _health)

    log = commands.add_parser("log", help="the audit trail, newest first; its batches can be undone")
    log.add_argument("--limit", type=natural, default=20)
    with_json(log, _log)


def _batch_undone(row: dict[str, Any]) -> str:
    """Which batch a line of the trail says was taken back, "" for any other line."""
    return f" batch {row['after']['batch']}" if row["what"] == "undone" else ""


def _list(args: argparse.Namespace) -> int:
    from agentmemory.learn.guards import describe
    from agentmemory.store import guards

    with here() as memory:
        rows = guards.listed(memory.db)
        others = {row.belief: verbs.elsewhere(memory, row.belief) for row in rows}
    if args.json:
        print(json.dumps([{name: getattr(row, name) for name in row.__slots__} for row in rows], ensure_ascii=False))
        return 0
    for row in rows:
        state = row.mode if row.enabled and row.state == "active" else "off"
        print(f"{row.id:4d}  {state:6s} {describe(row.tool, json.loads(row.spec))}")
        where = f" of {others[row.belief]}" if others[row.belief] else ""
        print(f"             rule {row.belief}{where}: {row.rule}")
    if not rows:
        print("no guards; `agentmemory guard add RULE` makes one")
    return 0


def _add(args: argparse.Namespace) -> int:
    from agentmemory.learn import enforcement
    from agentmemory.learn.guards import compile
    from agentmemory.store import changes, writer

    words = id_or_words(" ".join(args.rule))
    with here() as memory:
        text = words if isinstance(words, str) else memory.belief(words).text
        if _too_long(text):
            return 1
        found = compile(text)
        if not found:
            print("no action in this rule can be seen before it happens; nothing changed", file=sys.stderr)
            return 1
        for proposal in found:
            print(f"- {_in_mode(proposal, args.mode)}")
        for line in enforcement.left_out(text):
            print(line)
        if not (args.yes or _consents()):
            print("nothing changed")
            return 1
        rule = _rule(memory, words, args.everywhere)
        with writer.transaction(memory.db):
            changes.begin(memory.db, "guard add")
            ids = [guard for guard, _ in enforcement.enforce(memory.db, rule.id, paths.now(), args.mode)]
    print(f"rule {rule.id} is enforced by guard{'s' if len(ids) > 1 else ''} {', '.join(map(str, ids))}")
    return 0


def _too_long(text: str) -> bool:
    """Whether a rule is longer than any that is remembered; said where it is."""
    from agentmemory.learn.revise import MAX_TEXT

    if len(text) <= MAX_TEXT:
        return False
    print(f"a rule has at most {MAX_TEXT} characters, this one has {len(text)}", file=sys.stderr)
    return True


def _rule(memory: Memory, words: int | str, everywhere: bool) -> Any:
    """The locked rule that a guard stands on: the one of this id, or a new one of these words."""
    outcome = memory.lock(words, everywhere=everywhere)
    return memory.belief(getattr(outcome, "id", 0))


def _in_mode(proposal: Proposal, mode: str | None) -> str:
    from agentmemory.learn.guards import MODES as SAYS

    return proposal.plain if not mode else proposal.plain.replace(SAYS[proposal.mode], SAYS[mode], 1)


def _consents() -> bool:
    if not sys.stdin.isatty():
        print("consent needs a terminal, or --yes", file=sys.stderr)
        return False
    return yes("Enforce this?")


def _test(args: argparse.Namespace) -> int:
    from agentmemory.learn import guards, tool_calls

    if _too_long(args.rule):
        return 1
    proposals = _proposals(args.rule)
    for proposal in proposals:
        print(f"- {proposal.plain}")
    if not proposals:
        print("this rule compiles to no guard")
        return 1
    events: list[dict[str, Any]] = []
    for path in args.transcript:
        events.extend(tool_calls.made(path))
    if not args.transcript:
        events = [{"tool_name": "Bash", "tool_input": {"command": line.rstrip("\n")}} for line in sys.stdin]
    stopped = guards.replay(proposals, events)
    for event, proposal in stopped:
        shown = event["tool_input"].get("command") or json.dumps(event["tool_input"], ensure_ascii=False)
        print(f"{proposal.mode}: {event['tool_name']}: {' '.join(str(shown).split())[:200]}")
    print(f"{len(stopped)} of {len(events)} tool calls would have been stopped")
    return 0


def _proposals(rule: str) -> list[Proposal]:
    from agentmemory.learn.guards import Proposal, compile
    from agentmemory.store import guards

    guard = id_or_words(rule)
    if isinstance(guard, str):
        return compile(guard)
    with here() as memory:
        rows = [row for row in guards.listed(memory.db) if row.id == guard]
    if not rows:
        raise guards.UnknownGuard(f"there is no guard {rule}")
    return [Proposal(row.tool, json.loads(row.spec), row.mode, row.says, row.rule) for row in rows]


def _change(args: argparse.Namespace) -> int:
    from agentmemory.store import changes, guards, writer

    with here() as memory, writer.transaction(memory.db):
        changes.begin(memory.db, f"guard {args.verb}")
        if args.verb == "remove":
            guards.remove(memory.db, args.id, paths.now())
        else:
            guards.set_enabled(memory.db, args.id, args.verb == "enable", paths.now(), getattr(args, "mode", None))
    print(f"guard {args.id}: {args.verb}d" if args.verb != "remove" else f"guard {args.id}: removed")
    return 0


def _health(args: argparse.Namespace) -> int:
    from agentmemory.learn import health

    with here() as memory:
        report = health.report(memory.db, memory.scopes)
    print(json.dumps(report, ensure_ascii=False, indent=2) if args.json else health.told(report))
    return 0


def _log(args: argparse.Namespace) -> int:
    from agentmemory.explore.lines import short

    with here() as memory:
        rows = verbs.trail(memory, args.limit)
    for row in rows:
        if args.json:
            print(json.dumps(row, ensure_ascii=False))
        else:
            gone = " (undone)" if row["undone"] else ""
            about = f" {row['belief']}" if row["belief"] else _batch_undone(row)
            if row["text"]:
                gone += f": {shown(short(row['text'], SAID))}"
            print(f"{row['at']}  batch {row['batch']:<5d} {row['actor'] or '-':10s} {row['what']}{about}{gone}")
    return 0
