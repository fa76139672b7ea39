"""Commands of what happens between sessions: worker, sleep, profile, federation, usage."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from agentmemory import cli_agents
from agentmemory.terminal import Commands, amount, table, with_json


def register(commands: Commands) -> None:
    """Add this area's commands to the parser."""
    worker = commands.add_parser("worker", help="take in what hooks left, run due jobs, sleep a little")
    worker.add_argument("--once", action="store_true", help="end when nothing waits (default: stay until idle)")
    worker.add_argument("--no-sleep", action="store_true", help="with --once: only what waits, no consolidation")
    worker.set_defaults(run=_worker)

    sleep = commands.add_parser(
        "sleep", help="consolidate now what was said since the last night, and say what was learned"
    )
    sleep.add_argument(
        "--seconds", type=amount, default=None, help="stop after about so long; the rest is kept for later"
    )
    sleep.add_argument("--report", action="store_true", help="only say what the last night brought")
    with_json(sleep, _sleep)

    profile = commands.add_parser("profile", help="what you said of yourself, and how it changed")
    with_json(profile, _profile)

    usage = commands.add_parser("usage", help="what models were asked and what that cost")
    usage.add_argument("--days", type=amount, default=0.0, help="only the last days")
    with_json(usage, _usage)

    cli_agents.register(commands)


def _worker(args: argparse.Namespace) -> int:
    from agentmemory.store.writer import patient  # nobody waits for the worker

    if args.once:
        from agentmemory.worker import SLICE_SECONDS, be_nice, once

        be_nice()
        with patient(None):
            once(sleep_seconds=0.0 if args.no_sleep else SLICE_SECONDS)
        return 0
    from agentmemory.worker import be_nice
    from agentmemory.worker_follow import follow

    be_nice()
    with patient(None):
        follow()
    return 0


def _sleep(args: argparse.Namespace) -> int:
    if args.report:
        return _reported(args)
    from agentmemory import paths
    from agentmemory.worker import be_nice, holding, leave_work, missed, once

    be_nice()  # before numpy is loaded
    from agentmemory.sleep import night, report, settings
    from agentmemory.store import writer
    from agentmemory.values import counted

    home = paths.make_home(paths.home())
    db = writer.open_store(home)
    with holding(home) as mine:
        if not mine:
            raise OSError("a worker is at work on this data folder; it sleeps when it is done")
        done = night.sleep(db, paths.now(), args.seconds, cap=settings.read(home).cap)
        leave_work(db, done)
    if missed(home):
        once(home, sleep_seconds=0.0)
    if args.json:
        print(json.dumps(asdict(done)))
    elif not done.finished:
        print(f"{counted(done.turns, 'turn')} slept on so far; the rest is kept for later.")
    else:
        told = done.turns or done.archived
        print(report.report(db, done, paths.now()) if told else "Nothing new since the last night.")
    return 0


def _reported(args: argparse.Namespace) -> int:
    from agentmemory.memory import Memory
    from agentmemory.sleep import report

    with Memory() as memory:
        last = report.told(memory.db)
    print(json.dumps({"report": last}) if args.json else last or "Nothing was slept on yet.")
    return 0


def _profile(args: argparse.Namespace) -> int:
    from agentmemory import verbs
    from agentmemory.memory import Memory

    with Memory() as memory:
        told = verbs.profile(memory)
    if args.json:
        print(json.dumps(told, ensure_ascii=False))
        return 0
    rows = [(t["attribute"], t["value"], t["state"], t["since"]) for t in told]
    table(("what", "value", "state", "since"), rows, "You have said nothing of yourself yet.")
    return 0


def _usage(args: argparse.Namespace) -> int:
    from agentmemory import paths
    from agentmemory.memory import Memory
    from agentmemory.sleep import costs

    since = paths.now() - paths.DAY * args.days if args.days else 0.0
    with Memory() as memory:
        told = costs.told(memory.db, memory.home, since)
    if args.json:
        print(json.dumps(told))
        return 0
    table(("what", "how much"), list(told.items()))
    return 0
