"""The local model server: OpenAI's chat API (and Anthropic's messages) with memory injected, and admin routes.

Every answer to the outside goes through here; what a request means is in `wire`, what is remembered in `injection`.
"""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from agentmemory import __version__
from agentmemory.loopback import App, OnlyMe
from agentmemory.model.allowance import asked_now
from agentmemory.model.engine import Engine, EngineError, Piece, Prompt, Stream
from agentmemory.model.models import Models
from agentmemory.serve import admin, anthropic, wire
from agentmemory.serve.asking import MOST_BYTES as MOST_BYTES
from agentmemory.serve.asking import body_of, said_who
from agentmemory.serve.embeddings import EmbeddingRequest, embeddings
from agentmemory.serve.heads import Heads, head_of
from agentmemory.serve.injection import Prefix
from agentmemory.serve.ledger import Ledger
from agentmemory.serve.problems import problem
from agentmemory.serve.pump import in_thread, pieces, unless_gone, whole

OPEN = ("/health",)


def build(models: Models, prefix: Prefix, token: str, admin_key: str, routes: Sequence[BaseRoute] = ()) -> App:
    """The server as an ASGI application. *routes*: further ones behind the same door."""
    server = _Server(models, prefix)

    @asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        yield
        await in_thread(models.close)
        await in_thread(server.ledger.close)

    app = Starlette(
        lifespan=life,
        exception_handlers={HTTPException: _not_here, ClientDisconnect: _gone, Exception: _broken},
        routes=[
            Route("/health", _health),
            Route("/v1/models", server.models_list),
            Route("/v1/models/{name:path}", server.model),
            Route("/v1/chat/completions", server.chat, methods=["POST"]),
            Route("/v1/embeddings", server.embeddings, methods=["POST"]),
            Route("/v1/messages", server.messages, methods=["POST"]),
            Route("/v1/messages/count_tokens", server.count_tokens, methods=["POST"]),
            *admin.routes(models, prefix, server.ledger, admin_key),
            *routes,
        ],
    )
    return _with_lifespan(app, anthropic.KeyAsToken(OnlyMe(app, token, OPEN)))


class _Server:
    def __init__(self, models: Models, prefix: Prefix) -> None:
        self._models, self._prefix = models, prefix
        self._heads = Heads(models.home)
        self.ledger = Ledger(models.home)

    async def models_list(self, request: Request) -> Response:
        return JSONResponse({"object": "list", "data": [_model(name) for name in self._models.names]})

    async def model(self, request: Request) -> Response:
        try:
            return JSONResponse(_model(self._models.known(request.path_params["name"])))
        except EngineError as e:
            return problem(e)

    async def chat(self, request: Request) -> Response:
        try:
            asked = wire.parse(wire.ChatRequest, await body_of(request))
            engine, stream = await in_thread(partial(self._start, asked, said_who(request, asked.metadata)))
        except (wire.BadRequest, EngineError) as e:
            return problem(e)
        id = f"chatcmpl-{uuid.uuid4().hex}"
        if not asked.stream:
            return await _answered(request, stream, partial(wire.completion, id, engine.name))
        usage = bool(asked.stream_options and asked.stream_options.include_usage)
        return await _streamed(request, stream, partial(_chat_events, id, engine.name, usage))

    async def messages(self, request: Request) -> Response:
        try:
            asked = wire.parse(anthropic.MessagesRequest, await body_of(request))
            chat = asked.as_chat()
            engine, stream = await in_thread(partial(self._start, chat, said_who(request, chat.metadata)))
        except (wire.BadRequest, EngineError) as e:
            return anthropic.problem(problem(e))
        id = f"msg_{uuid.uuid4().hex}"
        if not asked.stream:
            body = partial(anthropic.message, id, engine.name)
            return await _answered(request, stream, body, anthropic.problem)
        return await _streamed(request, stream, partial(anthropic.events, id, engine.name, stream), anthropic.problem)

    async def count_tokens(self, request: Request) -> Response:
        try:
            chat = wire.parse(anthropic.CountRequest, await body_of(request)).as_chat()
            tokens = await in_thread(partial(self._count, chat, said_who(request, chat.metadata)))
        except (wire.BadRequest, EngineError) as e:
            return anthropic.problem(problem(e))
        return JSONResponse({"input_tokens": tokens})

    async def embeddings(self, request: Request) -> Response:
        try:
            asked = wire.parse(EmbeddingRequest, await body_of(request))
            return JSONResponse(await in_thread(partial(embeddings, self._models, self.ledger, asked)))
        except (wire.BadRequest, EngineError) as e:
            return problem(e)

    def _count(self, asked: wire.ChatRequest, who: tuple[str, str, str]) -> int:
        plain = [m.plain() for m in asked.messages]
        return self._models.ask(asked.model, lambda engine: engine.count(self._prompt(asked, plain, who)))

    def _prompt(self, asked: wire.ChatRequest, plain: list[dict[str, Any]], who: tuple[str, str, str]) -> Prompt:
        agent, project, session = who
        return asked.prompt(tuple(self._prefix(agent, project, plain, session)))

    def _start(self, asked: wire.ChatRequest, who: tuple[str, str, str]) -> tuple[Engine, Stream]:
        plain = [m.plain() for m in asked.messages]
        asked_now(self._models.home)

        def begin(engine: Engine) -> tuple[Engine, Stream]:
            prompt = self._prompt(asked, plain, who)
            agent, project = who[0], who[1] or getattr(self._prefix, "project", "")
            self._heads.note(head_of(engine.name, agent, project, plain, asked.tools or ()))
            return engine, self.ledger.counted(engine.name, engine.stream(prompt, asked.sampling()))

        return self._models.ask(asked.model, begin)


async def _answered(
    request: Request,
    stream: Stream,
    body: Callable[..., dict[str, Any]],
    reshape: Callable[[JSONResponse], Response] = lambda response: response,
) -> Response:
    try:
        made = await whole(request, stream)
    except EngineError as e:
        return reshape(problem(e))
    return Response(status_code=499) if made is None else JSONResponse(body(*made))


async def _streamed(
    request: Request,
    stream: Stream,
    events: Callable[[AsyncIterator[Piece]], AsyncIterator[bytes]],
    reshape: Callable[[JSONResponse], Response] = lambda response: response,
) -> Response:
    """Begin to answer once the first piece is there, so that an early failure still has its status."""
    source = pieces(stream)
    try:
        first = await unless_gone(request, source.__anext__)
    except EngineError as e:
        return reshape(problem(e))
    if first is None:
        return Response(status_code=499)

    async def rest() -> AsyncIterator[Piece]:
        try:
            yield first
            if not first.finish:
                async for piece in source:
                    yield piece
        finally:
            stream.close()

    headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    return StreamingResponse(events(rest()), media_type="text/event-stream", headers=headers)


async def _chat_events(id: str, model: str, usage: bool, source: AsyncIterator[Piece]) -> AsyncIterator[bytes]:
    first = True
    try:
        async for piece in source:
            yield wire.event(wire.chunk(id, model, piece, first))
            first = False
            if piece.finish and usage and piece.usage:
                yield wire.event(wire.usage_chunk(id, model, piece.usage))
    except EngineError as e:
        yield wire.event(wire.error(str(e), "server_error"))
    yield wire.event("[DONE]")


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "agentmemory"}


async def _not_here(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    kind = "invalid_request_error"
    return JSONResponse(wire.error(f"{request.method} {request.url.path} is nothing here", kind), status)


async def _gone(request: Request, error: Exception) -> Response:
    """Who hangs up in the middle of a request is no failure of the server."""
    return Response(status_code=499)


async def _broken(request: Request, error: Exception) -> Response:
    """The traceback goes to the server's log; the client learns no more than that it was not its fault."""
    return JSONResponse(wire.error("the server failed on this request; its log says why", "server_error"), 500)


async def _health(request: Request) -> Response:
    return JSONResponse({"status": "ok", "version": __version__})


def _with_lifespan(inner: Starlette, guarded: App) -> App:
    """The door stands before requests only; start and end of the server go straight to the application."""

    async def app(scope: Any, receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]) -> None:
        await (inner if scope["type"] == "lifespan" else guarded)(scope, receive, send)

    return app
