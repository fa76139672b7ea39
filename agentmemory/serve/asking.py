"""A request's body, and for whom it asks: agent, project and session, named in its metadata or in headers."""

from __future__ import annotations

from starlette.requests import Request

from agentmemory.loopback import named, whole_number, whole_path
from agentmemory.serve.wire import BadRequest

MOST_BYTES = 32 << 20  # of a request


async def body_of(request: Request) -> bytes:
    """The body. Raises BadRequest for one that is too large."""
    size = request.headers.get("content-length", "0")
    if whole_number(size, MOST_BYTES) is None:
        raise BadRequest("the request is too large", status=413)
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            raise BadRequest("the request is too large", status=413)
    return body


def said_who(request: Request, metadata: dict[str, str] | None) -> tuple[str, str, str]:
    """Agent, project and session that a request names; "" for what it does not. Raises BadRequest."""
    said = metadata or {}

    def of(name: str) -> str:
        found = said.get(name) or named(request.headers, name)
        if "\0" in found:
            raise BadRequest(f"no {name} has a zero byte in its name", f"metadata.{name}")
        return found

    try:
        return of("agent"), whole_path(of("project")), of("session")
    except ValueError as e:
        raise BadRequest(str(e), "metadata.project") from e
