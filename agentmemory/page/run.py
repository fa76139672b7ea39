"""Running the page's server on a socket that is bound already."""

from __future__ import annotations

import socket

import uvicorn

from agentmemory.page.app import app


def serve(listening: socket.socket, token: str, project: str) -> None:
    """Serve the page of a project's memory until interrupted."""
    config = uvicorn.Config(app(token, project=project), log_level="warning", access_log=False, server_header=False)
    uvicorn.Server(config).run(sockets=[listening])
