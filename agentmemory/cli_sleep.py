"""Commands of what happens between sessions: worker, sleep, profile, federation, usage, eval, bench."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import Any

from agentmemory import cli_agents

Commands = Any  # argparse's subparsers have no public type


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
        "--seconds", type=float, default=None, help="stop after about so long; the rest is kept for later"
    )
    sleep.add_argument("--report", action="store_true", help="only say what the last night brought")
    _json(sleep, _sleep)

    profile = commands.add_parser("profile", help="what you said of yourself, and how it changed")
    _json(profile, _profile)

    usage = commands.add_parser("usage", help="what models were asked and what that cost")
    usage.add_argument("--days", type=float, default=0.0, help="only the last days")
    _json(usage, _usage)

    evaluation = commands.add_parser("eval", help="judge the memory: LCS, CRS and TES with honest baselines")
    evaluation.add_argument("--shuffles", type=int, default=20)
    evaluation.add_argument("--seed", type=int, default=0)
    _json(evaluation, _eval)

    bench = commands.add_parser("bench", help="measure this machine")
    bench.add_argument("what", choices=("latency",))
    bench.add_argument("--turns", type=int, default=100_000)
    bench.add_argument("--beliefs", type=int, default=10_000)
    _json(bench, _bench)
    cli_agents.register(commands)


def _json(command: Any, run: Any) -> None:
    command.add_argument("--json", action="store_true")
    command.set_defaults(run=run)


def _worker(args: argparse.Namespace) -> int:
    if args.once:
        from agentmemory.worker import SLICE_SECONDS, be_nice, once

        be_nice()
        once(sleep_seconds=0.0 if args.no_sleep else SLICE_SECONDS)
        return 0
    from agentmemory.worker import be_nice
    from agentmemory.worker_follow import follow

    be_nice()
    follow()
    return 0


def _sleep(args: argparse.Namespace) -> int:
    from agentmemory import paths
    from agentmemory.worker import be_nice, holding

    be_nice()  # before numpy is loaded
    from agentmemory.sleep import night, settings
    from agentmemory.store import listing, writer

    home = paths.make_home(paths.home())
    db = writer.open_store(home)
    if args.report:
        told = listing.meta(db, night.REPORT)
        print(json.dumps({"report": told}) if args.json else told or "Nothing was slept on yet.")
        return 0
    with holding(home) as mine:
        if not mine:
            raise OSError("a worker is at work on this data folder; it sleeps when it is done")
        done = night.sleep(db, paths.now(), args.seconds, cap=settings.read(home).cap)
    if args.json:
        print(json.dumps(asdict(done)))
    elif not done.finished:
        print(f"{done.turns} turns slept on so far; the rest is kept for later.")
    else:
        print(night.report(db, done, paths.now()) if done.turns else "Nothing new since the last night.")
    return 0


def _profile(args: argparse.Namespace) -> int:
    from agentmemory import verbs
    from agentmemory.memory import Memory

    with Memory() as memory:
        told = verbs.profile(memory)
    if args.json:
        print(json.dumps(told, ensure_ascii=False))
        return 0
    from agentmemory.terminal import table

    table(("what", "value", "state", "since"), [(t["attribute"], t["value"], t["state"], t["since"]) for t in told])
    return 0


def _usage(args: argparse.Namespace) -> int:
    from agentmemory import paths
    from agentmemory.sleep import costs, settings
    from agentmemory.store import writer

    since = paths.now() - 86_400.0 * args.days if args.days else 0.0
    home = paths.home()
    bill = costs.bill(writer.open_store(home), settings.read(home).prices, since)
    told = {**asdict(bill), "cost": str(bill.cost.normalize())}
    if args.json:
        print(json.dumps(told))
        return 0
    from agentmemory.terminal import table

    table(("what", "how much"), list(told.items()))
    return 0


def _eval(args: argparse.Namespace) -> int:
    from agentmemory.sleep import evaluation

    scores = evaluation.run(args.shuffles, args.seed)
    economy = _economy()
    if args.json:
        rows = {name: asdict(score) for name, score in scores.items()}
        print(json.dumps({"shuffles": args.shuffles, "seed": args.seed, "scores": rows, "tes": economy}))
        return 0
    from agentmemory.terminal import table

    print(f"25 turns, {args.shuffles} shuffles, seed {args.seed}; contexts are fetched with the question alone.")
    table(("contexts", "LCS", "CRS", "tokens"), [(n, s.lcs, s.crs, s.tokens) for n, s in scores.items()])
    print(f"TES of this store's own summaries: {economy if economy is not None else 'there are none yet'}")
    return 0


def _economy() -> float | None:
    """Mean TES of the summaries that the current project and the user have, None without any."""
    from agentmemory.memory import Memory
    from agentmemory.sleep.evaluation import summaries_tes

    with Memory() as memory:
        found = summaries_tes(memory.db, memory.scopes)
    return round(found, 4) if found else None


def _bench(args: argparse.Namespace) -> int:
    from agentmemory.sleep import latency

    found = latency.measure(args.turns, args.beliefs)
    if args.json:
        print(json.dumps({"turns": args.turns, "beliefs": args.beliefs, "milliseconds": found}))
        return 0
    from agentmemory.terminal import table

    print(f"{args.turns} turns, {args.beliefs} beliefs, 200 random queries each, milliseconds")
    rows = [(name, t["p50"], t["p95"], t["p99"], latency.LIMITS[name]) for name, t in found.items()]
    table(("query", "p50", "p95", "p99", "p95 should be below"), rows)
    return 0
