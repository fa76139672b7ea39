"""Between an engine's blocking stream and an asynchronous server: pieces out, hang-ups in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

import anyio
from anyio import to_thread
from starlette.requests import Request

from agentmemory.model.engine import Completion, EngineError, Piece, Stream, Usage

TOGETHER = 256  # requests whose threads may wait for a model at once; the engine admits fewer
T = TypeVar("T")
_limiter: list[anyio.CapacityLimiter] = []


async def in_thread(function: Callable[[], T]) -> T:
    """Run what blocks. Abandoned, not awaited, when the request is cancelled."""
    if not _limiter:
        _limiter.append(anyio.CapacityLimiter(TOGETHER))
    return await to_thread.run_sync(function, abandon_on_cancel=True, limiter=_limiter[0])


async def pieces(stream: Stream) -> AsyncIterator[Piece]:
    """The pieces of a stream; leaving early stops the work on it."""
    try:
        while (piece := await in_thread(lambda: next(stream, None))) is not None:
            yield piece
            if piece.finish:
                return
        raise EngineError("the engine ended the answer early")
    finally:
        stream.close()


async def whole(request: Request, stream: Stream) -> tuple[Completion, str] | None:
    """The whole answer and its reasoning, None when the client hung up (and then nobody works on it any more)."""

    async def read() -> tuple[Completion, str]:
        made = [piece async for piece in pieces(stream)]
        last = made[-1]
        text, thoughts = ("".join(getattr(piece, name) for piece in made) for name in ("text", "reasoning"))
        return Completion(text, last.finish, last.usage or Usage(), last.tool_calls, last.stop), thoughts

    return await unless_gone(request, read)


async def unless_gone(request: Request, read: Callable[[], Awaitable[T]]) -> T | None:
    """What *read* returns, None when the client hung up before. Raises EngineError as *read* does."""
    made: list[T] = []
    failed: list[EngineError] = []

    async with anyio.create_task_group() as tasks:

        async def work() -> None:
            try:
                made.append(await read())
            except EngineError as e:
                failed.append(e)
            tasks.cancel_scope.cancel()

        async def watch() -> None:
            while (await request.receive())["type"] != "http.disconnect":
                continue
            tasks.cancel_scope.cancel()

        tasks.start_soon(work)
        tasks.start_soon(watch)
    if failed:
        raise failed[0]
    return made[0] if made else None
