"""The page's server: files of the page, a small JSON interface to the memory, and who may use it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from agentmemory import paths
from agentmemory.loopback import COOKIE, App, OnlyMe
from agentmemory.memory import Memory
from agentmemory.page.layout import place
from agentmemory.store import changes, graphview
from agentmemory.store.beliefs import UnknownBelief

STATIC = Path(__file__).parent / "static"
#: nothing from elsewhere, no inline script; the graph library makes its worker from a blob and styles its canvases
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; worker-src blob:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
)

Ask = Callable[[Memory, Request], Any]
Tell = Callable[[Memory, dict[str, Any]], Any]


class Refused(Exception):
    """A request that makes no sense: one sentence for the person at the page."""


def app(token: str, home: str | None = None, project: str | None = None) -> App:
    """The page as an ASGI application; every request needs *token*."""

    def answer(make: Callable[[Memory], Any]) -> Response:
        try:
            with Memory(home, project) as memory:
                return JSONResponse(make(memory), headers={"Cache-Control": "no-store"})
        except (Refused, LookupError, ValueError, UnknownBelief) as error:
            return JSONResponse({"error": str(error)}, 400)

    def ask(question: Ask) -> Callable[[Request], Response]:
        return lambda request: answer(lambda memory: question(memory, request))

    def tell(order: Tell) -> Callable[[Request], Awaitable[Response]]:
        async def obey(request: Request) -> Response:
            try:
                said = json.loads(await request.body() or b"{}")
            except ValueError:
                return JSONResponse({"error": "the request is no JSON"}, 400)
            return await run_in_threadpool(answer, lambda memory: order(memory, said))

        return obey

    routes = [
        Route("/", _front),
        Route("/api/graph", ask(_graph)),
        Route("/api/search", ask(_search)),
        Route("/api/belief/{id:int}", ask(_belief)),
        Route("/api/proposals", ask(lambda m, r: graphview.proposals(m.db, m.scopes))),
        Route("/api/sessions", ask(lambda m, r: graphview.sessions(m.db, m.scopes))),
        Route(
            "/api/injections", ask(lambda m, r: graphview.injected(m.db, r.query_params.get("session", ""), m.scopes))
        ),
        Route("/api/log", ask(_log)),
        Route("/api/stats", ask(lambda m, r: m.stats())),
        *(Route(f"/api/{name}", tell(order), methods=["POST"]) for name, order in ORDERS.items()),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    return OnlyMe(Starlette(routes=routes), token)


def _front(request: Request) -> Response:
    """The page; the token moves from the address into a cookie that scripts cannot read."""
    token = request.query_params.get("token")
    if token:
        moved = RedirectResponse("/", 303)
        moved.set_cookie(COOKIE, token, httponly=True, samesite="strict", path="/")
        return moved
    headers = {"Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer", "Cache-Control": "no-store"}
    return Response((STATIC / "index.html").read_bytes(), media_type="text/html", headers=headers)


def _graph(memory: Memory, request: Request) -> Any:
    found = graphview.graph(memory.db, memory.scopes, paths.now())
    at = place([dot[0] for dot in found["dots"]], [(line[0], line[1]) for line in found["lines"]])
    return {**found, "places": at, "now": paths.now()}


def _search(memory: Memory, request: Request) -> Any:
    words = request.query_params.get("q", "").strip()
    return [f.as_json() for f in memory.search(words, 30)] if words else []


def _belief(memory: Memory, request: Request) -> Any:
    return graphview.life(memory.db, _mine(memory, request.path_params["id"]))


def _log(memory: Memory, request: Request) -> Any:
    names = ("id", "batch", "at", "actor", "what", "belief", "undone")
    rows = changes.recent(memory.db, 100)
    return [dict(zip(names, (r[0], r[1], paths.iso(r[2]), r[3], r[4], r[5], r[8]))) for r in rows]


def _mine(memory: Memory, id: Any) -> int:
    """A belief that this page may show: of its scopes."""
    if not isinstance(id, int) or graphview.scope_of(memory.db, id) not in memory.scopes:
        raise Refused(f"there is no belief {id} here")
    return id


def _lock(memory: Memory, said: dict[str, Any]) -> Any:
    id = _mine(memory, said.get("id"))
    if said.get("on", True):
        memory.lock(id)
    else:
        memory.unlock(id)
    return {"id": id}


def _correct(memory: Memory, said: dict[str, Any]) -> Any:
    text = said.get("text")
    if not isinstance(text, str) or not text.strip():
        raise Refused("a correction needs a text")
    done = memory.correct(_mine(memory, said.get("id")), text)
    return {"id": getattr(done, "id", None)}


def _forget(memory: Memory, said: dict[str, Any]) -> Any:
    return memory.forget(_mine(memory, said.get("id")))


def _undo(memory: Memory, said: dict[str, Any]) -> Any:
    batch = said.get("batch")
    return {"undone": [list(each) for each in memory.undo(batch if isinstance(batch, int) else None)]}


def _accept(memory: Memory, said: dict[str, Any]) -> Any:
    memory.accept(_mine(memory, said.get("id")))
    return {"id": said["id"]}


def _reject(memory: Memory, said: dict[str, Any]) -> Any:
    memory.reject(_mine(memory, said.get("id")))
    return {"id": said["id"]}


ORDERS: dict[str, Tell] = {
    "lock": _lock, "correct": _correct, "forget": _forget, "undo": _undo, "accept": _accept, "reject": _reject,
}  # fmt: skip
