"""Commands of what happens between sessions: worker, sleep."""

from __future__ import annotations

import argparse
from typing import Any

Commands = Any  # argparse's subparsers have no public type


def register(commands: Commands) -> None:
    """Add this area's commands to the parser."""
    worker = commands.add_parser("worker", help="take in what hooks left, run due jobs, sleep a little")
    worker.add_argument("--once", action="store_true", help="end when nothing waits (default: stay until idle)")
    worker.add_argument("--no-sleep", action="store_true", help="with --once: only what waits, no consolidation")
    worker.set_defaults(run=_worker)


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
