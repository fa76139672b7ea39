"""Routes for who runs the server, behind a second key: figures, why a prefix was missed, prefill, forget, stop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from functools import partial
from typing import Any, TypeVar

from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from agentmemory.loopback import same
from agentmemory.memory import Memory
from agentmemory.model.allowance import meter
from agentmemory.model.engine import Engine, EngineError, Prompt
from agentmemory.model.models import Models
from agentmemory.model.settings import BadSettings
from agentmemory.serve import wire
from agentmemory.serve.asking import body_of, said_who
from agentmemory.serve.injection import Prefix
from agentmemory.serve.ledger import Ledger
from agentmemory.serve.problems import problem
from agentmemory.serve.pump import in_thread
from agentmemory.serve.warm import all_heads
from agentmemory.sleep import costs

KEY = "x-admin-key"
Who = Callable[[dict[str, str] | None], tuple[str, str, str]]
Answer = Callable[[bytes, Who], Any]
T = TypeVar("T")


class Forget(wire.Sent):
    """Beliefs by id, texts by their words."""

    beliefs: list[int] = Field(default_factory=list)
    texts: list[str] = Field(default_factory=list)


class Load(wire.Sent):
    """A model by its name."""

    model: str


def routes(models: Models, prefix: Prefix, ledger: Ledger, key: str) -> tuple[Route, ...]:
    """The admin routes; each wants *key* in `X-Admin-Key` besides the server's token."""

    def stats(body: bytes, who: Who) -> Any:
        ledger.flush()
        with Memory(models.home, "") as memory:
            usage = costs.told(memory.db, models.home)
        loaded = [engine.stats() for engine in models.open_engines()]
        return {"models": models.names, "loaded": loaded, "background": asdict(meter(models.home)), "usage": usage}

    def explain(body: bytes, who: Who) -> Any:
        def why(engine: Engine, prompt: Prompt) -> list[str]:
            told = getattr(engine, "explain", None)
            return told(prompt) if told else []

        return {"segments": asked(body, who, why)}

    def prefill(body: bytes, who: Who) -> Any:
        return {"usage": wire.usage(asked(body, who, lambda engine, prompt: engine.prefill(prompt)))}

    def asked(body: bytes, who: Who, verb: Callable[[Engine, Prompt], T]) -> T:
        """What *verb* makes of a chat request's model and prompt."""
        chat = wire.parse(wire.ChatRequest, body)
        plain = [m.plain() for m in chat.messages]
        agent, project, session = who(chat.metadata)
        prompt = chat.prompt(tuple(prefix(agent, project, plain, session)))
        return models.ask(chat.model, lambda engine: verb(engine, prompt))

    def forget(body: bytes, who: Who) -> Any:
        asked = wire.parse(Forget, body)
        return {"deleted": sum(engine.forget(asked.beliefs, asked.texts) for engine in models.open_engines())}

    def load(body: bytes, who: Who) -> Any:
        return {"model": models.get(wire.parse(Load, body).model).name}

    def warmed(body: bytes, who: Who) -> Any:
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
            return JSONResponse(await in_thread(partial(answer, await body_of(request), partial(said_who, request))))
        except (wire.BadRequest, EngineError, BadSettings) as e:
            return problem(e)

    return respond
