"""Commands of the local model: serve."""

from __future__ import annotations

import argparse
import os

from agentmemory.terminal import Commands, port


def register(commands: Commands) -> None:
    """Add this area's commands to the parser."""
    serve = commands.add_parser("serve", help="a local model with memory, and the memory, over HTTP on loopback")
    serve.add_argument("--port", type=port, default=8766, help="port on 127.0.0.1 (default 8766, 0 for a free one)")
    serve.add_argument("--model", default="", help="a model folder or hub id (default: as sidecar.toml says)")
    serve.add_argument(
        "--project", default="", help="memory of requests that name no project (default: the user's own)"
    )
    serve.set_defaults(run=_serve)


def _serve(args: argparse.Namespace) -> int:
    from agentmemory import paths

    if args.model:
        os.environ["AGENTMEMORY_MODEL"] = args.model
    from agentmemory.serve.run import serve

    serve(paths.home(), args.port, os.path.abspath(args.project) if args.project else "")
    return 0
