"""The command that opens the page."""

from __future__ import annotations

import argparse

from agentmemory.terminal import Commands, port


def register(commands: Commands) -> None:
    """Add this area's commands to the parser."""
    ui = commands.add_parser("ui", help="the memory's graph in the browser, on this machine only")
    ui.add_argument("--port", type=port, default=0, help="default: a free one")
    ui.add_argument("--no-open", action="store_true", help="print the address and leave the browser alone")
    ui.set_defaults(run=_ui)


def _ui(args: argparse.Namespace) -> int:
    import os
    import secrets
    import webbrowser

    from agentmemory.loopback import HOST, listening
    from agentmemory.page.run import serve

    token = secrets.token_urlsafe(24)
    with listening(args.port) as door:
        address = f"http://{HOST}:{door.getsockname()[1]}/?token={token}"
        print(address, flush=True)
        if not args.no_open:
            webbrowser.open(address)
        serve(door, token, os.getcwd())
    return 0
