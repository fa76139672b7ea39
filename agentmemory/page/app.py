"""The page: its files, who may use it, and the memory over HTTP behind it (`api.py`)."""

from __future__ import annotations

from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from agentmemory.loopback import COOKIE, App, OnlyMe
from agentmemory.page import api

STATIC = Path(__file__).parent / "static"
#: nothing from elsewhere, no inline script or style; the graph library makes its worker from a blob
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; worker-src blob:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
)


def app(token: str, home: str | None = None, project: str | None = None) -> App:
    """The page as an ASGI application; every request needs *token*."""
    return OnlyMe(Starlette(routes=routes(home, project)), token)


def routes(home: str | None = None, project: str | None = None) -> list[BaseRoute]:
    """The page and the memory's interface, for whoever stands a door before them."""
    return [Route("/", _front), *api.routes(home, project), Mount("/static", StaticFiles(directory=STATIC))]


def _front(request: Request) -> Response:
    """The page; the token moves from the address into a cookie that scripts cannot read."""
    token = request.query_params.get("token")
    if token:
        moved = RedirectResponse("/", 303)
        moved.set_cookie(COOKIE, token, httponly=True, samesite="strict", path="/")
        return moved
    headers = {"Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer", "Cache-Control": "no-store"}
    return Response((STATIC / "index.html").read_bytes(), media_type="text/html", headers=headers)
