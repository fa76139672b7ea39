"""Who may talk to a local server (right token, this machine's name in Host, no foreign Origin), and for whom. ASGI."""

from __future__ import annotations

import hmac
import os
import socket
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any
from urllib.parse import parse_qs

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

HOST = "127.0.0.1"
BEARER = "bearer "  # a scheme is the same in any case
NAMES = (HOST, "localhost", "[::1]")


class OnlyMe:
    """Lets a request pass when its Host is a loopback name, its Origin (if any) too, and its token is right.

    The token comes as `Authorization: Bearer`, as the cookie, or (a page's first request) as `?token=`: any of them
    will do, because a browser also sends what it has from an earlier server.
    *open_paths* need no token; Host and Origin are checked for them too (a rebound name must not reach us).
    """

    def __init__(self, app: App, token: str, open_paths: tuple[str, ...] = ()) -> None:
        self.app = app
        self.token = token
        self.open_paths = open_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in scope["headers"]}
        refusal = self._refusal(scope, headers)
        if refusal:
            await _refuse(send, *refusal)
        else:
            await self.app(scope, receive, send)

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        if not _loopback(headers.get("host", "")):
            return 421, "this server answers to 127.0.0.1 and localhost only"
        origin = headers.get("origin")
        if origin is not None and not _loopback(origin.removeprefix("http://")):
            return 403, "requests from other sites are refused"
        if scope["path"] in self.open_paths:
            return None
        said = headers.get("authorization", "")
        bearer = said[len(BEARER) :].strip() if said.lower().startswith(BEARER) else said
        if any(same(given, self.token) for given in (bearer, *_cookies(scope, headers), _asked(scope))):
            return None
        return 401, "the token is missing or wrong"


def listening(port: int) -> socket.socket:
    """A socket that listens on this machine only, on a free port for 0. Raises OSError with a sentence."""
    try:
        return socket.create_server((HOST, port))
    except OSError as e:
        raise OSError(f"port {port} of {HOST} cannot be had ({os.strerror(e.errno or 0)}): --port takes another") from e


def same(given: str, key: str) -> bool:
    """Whether *given* is the key; nothing is an empty one."""
    return bool(key) and hmac.compare_digest(given.encode(), key.encode())


def cookie_name(scope: Scope) -> str:
    """The token's cookie: browsers keep cookies by host, whatever the port, so its name has the port."""
    return f"agentmemory-{scope['server'][1]}"


def named(headers: Mapping[str, str], name: str) -> str:
    """What a request says of *name* (agent, project, session) in its header `X-Agentmemory-...`, "" for nothing.

    Header bytes are UTF-8 where they can be; the framework has decoded them as Latin-1.
    """
    value = headers.get(f"x-agentmemory-{name}", "")
    try:
        return value.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return value


def whole_path(project: str) -> str:
    """The folder of a project as a request names it, "" for none.

    Raises:
        ValueError: it is a part of a path, which would mean another folder wherever the server was started.
    """
    if project and not os.path.isabs(project):
        raise ValueError(f"a project is the whole path of its folder, not {project!r}")
    return project


def whole_number(said: str, most: int) -> int | None:
    """The whole number up to *most* that a request gives in its path, query or headers, None for anything else."""
    plain = said.isascii() and said.isdecimal() and len(said) <= 40  # Python refuses to read some thousand digits
    return int(said) if plain and int(said) <= most else None


def _loopback(host: str) -> bool:
    name = host if host.endswith("]") else host.rsplit(":", 1)[0]
    return name in NAMES


def _cookies(scope: Scope, headers: dict[str, str]) -> list[str]:
    """Our cookie's value; what other programs of this host put beside it may be of any form."""
    pairs = (pair.strip().partition("=") for pair in headers.get("cookie", "").split(";"))
    return [value for name, _, value in pairs if name == cookie_name(scope)]


def _asked(scope: Scope) -> str:
    query: bytes = scope.get("query_string", b"")
    return parse_qs(query.decode("latin-1")).get("token", [""])[0]


async def _refuse(send: Send, status: int, why: str) -> None:
    kind, code = ("authentication_error", '"invalid_api_key"') if status == 401 else ("permission_error", "null")
    error = f'{{"message": "{why}", "type": "{kind}", "param": null, "code": {code}}}'
    body = f'{{"type": "error", "error": {error}}}'.encode()  # both APIs' clients find their fields
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
