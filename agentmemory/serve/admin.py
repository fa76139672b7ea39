"""Routes for who runs the server, behind a second key: figures, why a prefix was missed, prefill, forget, stop."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from functools import partial
from typing import Any

from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from agentmemory.loopback import same
from agentmemory.memory import Memory
from agentmemory.model.allowance import meter
from agentmemory.model.engine import Engine, EngineError
from agentmemory.model.models import Models
from agentmemory.serve import wire
from agentmemory.serve.injection import Prefix
from agentmemory.serve.ledger import Ledger
from agentmemory.serve.problems import problem
from agentmemory.serve.pump import in_thread
from agentmemory.serve.warm import all_heads
from agentmemory.sleep import costs

KEY = "x-admin-key"
Answer = Callable[[bytes], Any]


class Forget(wire.Foreign):
    """Beliefs by id, texts by their words."""

    beliefs: list[int] = Field(default_factory=list)
    texts: list[str] = Field(default_factory=list)


def routes(models: Models, prefix: Prefix, ledger: Ledger, key: str) -> tuple[Route, ...]:
    """The admin routes; each wants *key* in `X-Admin-Key` besides the server's token."""

    def stats(body: bytes) -> Any:
        ledger.flush()
        with Memory(models.home, "") as memory:
            usage = costs.told(memory.db, models.home)
        loaded = [engine.stats() for engine in models.open_engines()]
        return {"models": models.names, "loaded": loaded, "background": asdict(meter(models.home)), "usage": usage}

    def explain(body: bytes) -> Any:
        engine, asked = _asked(models, body)
        why = getattr(engine, "explain", None)
        return {"segments": why(_prompt(prefix, asked)) if why else []}

    def prefill(body: bytes) -> Any:
        engine, asked = _asked(models, body)
        return {"usage": wire.usage(engine.prefill(_prompt(prefix, asked)))}

    def forget(body: bytes) -> Any:
        asked = wire.parse(Forget, body)
        return {"deleted": sum(engine.forget(asked.beliefs, asked.texts) for engine in models.open_engines())}

    def load(body: bytes) -> Any:
        try:
            return {"model": models.get(str(json.loads(body).get("model", ""))).name}
        except (ValueError, AttributeError) as e:
            raise wire.BadRequest("the request names no model") from e

    def warmed(body: bytes) -> Any:
        return {"warmed": all_heads(models, prefix)}

    return (
        Route("/admin/warm", _guarded(warmed, key), methods=["POST"]),
        Route("/admin/stats", _guarded(stats, key)),
        Route("/admin/explain", _guarded(explain, key), methods=["POST"]),
        Route("/admin/prefill", _guarded(prefill, key), methods=["POST"]),
        Route("/admin/forget", _guarded(forget, key), methods=["POST"]),
        Route("/admin/load", _guarded(load, key), methods=["POST"]),
    )


def _guarded(answer: Answer, key: str) -> Callable[[Request], Awaitable[Response]]:
    async def respond(request: Request) -> Response:
        if not same(request.headers.get(KEY, ""), key):
            return JSONResponse(wire.error("the admin key is missing or wrong", "permission_error"), 403)
        try:
            return JSONResponse(await in_thread(partial(answer, await request.body())))
        except (wire.BadRequest, EngineError) as e:
            return problem(e)

    return respond


def _asked(models: Models, body: bytes) -> tuple[Engine, wire.ChatRequest]:
    asked = wire.parse(wire.ChatRequest, body)
    return models.get(asked.model), asked


def _prompt(prefix: Prefix, asked: wire.ChatRequest) -> Any:
    named = asked.metadata or {}
    plain = [m.plain() for m in asked.messages]
    agent, project, session = (named.get(name, "") for name in ("agent", "project", "session"))
    return asked.prompt(tuple(prefix(agent, project, plain, session)))
