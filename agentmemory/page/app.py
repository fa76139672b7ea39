"""The page: its files, who may use it, and the memory over HTTP behind it (`api.py`)."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from agentmemory.loopback import App, OnlyMe, cookie_name
from agentmemory.page import api

STATIC = Path(__file__).parent / "static"
#: nothing from elsewhere, no inline script or style; the graph library makes its worker from a blob
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; worker-src blob:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
)


def app(token: str, home: str | None = None, project: str | None = None) -> App:
    """The page and the memory's interface as an ASGI application; every request needs *token*."""
    front = Route("/", partial(_front, token))
    static = Mount("/static", StaticFiles(directory=STATIC))
    routes = [front, *api.routes(home, project), static]
    return OnlyMe(Starlette(routes=routes, exception_handlers={HTTPException: _nothing}), token)


async def _nothing(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    return JSONResponse({"error": f"{request.method} {request.url.path[:200]} is nothing here"}, status)


def _front(token: str, request: Request) -> Response:
    """The page; the token moves from the address into a cookie that scripts cannot read."""
    if request.query_params.get("token"):
        moved = RedirectResponse("/", 303)
        moved.set_cookie(cookie_name(request.scope), token, httponly=True, samesite="strict", path="/")
        return moved
    headers = {"Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer", "Cache-Control": "no-store"}
    return Response((STATIC / "index.html").read_bytes(), media_type="text/html", headers=headers)
