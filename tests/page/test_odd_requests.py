"""Whatever a request says, the page's server answers with one sentence, and never that it failed itself."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import httpx
import pytest

from agentmemory.memory import Memory
from agentmemory.page import api
from agentmemory.page.app import app

HUGE = 10**30
LONG = "9" * 5000
DEEP = b'{"id":' + b"[" * 100_000


def answers(asked: Iterable[tuple[str, str, dict[str, Any]]]) -> list[httpx.Response]:
    async def ask() -> list[httpx.Response]:
        door = httpx.ASGITransport(app("key"), raise_app_exceptions=False)
        head = {"Authorization": "Bearer key"}
        async with httpx.AsyncClient(transport=door, base_url="http://127.0.0.1:80", headers=head) as client:
            return [await client.request(method, path, **more) for method, path, more in asked]

    return asyncio.run(ask())


def refused(answer: httpx.Response) -> bool:
    return 400 <= answer.status_code < 500 and " " in answer.json()["error"]


@pytest.fixture(autouse=True)
def something(project: Path, token: str) -> None:
    with Memory() as memory:
        memory.remember(f"the staging cluster is called {token}", "fact")


@pytest.mark.parametrize("named", [str(2**63), str(HUGE), LONG, "x", "-1", "1.5", "1e3", "\u0661"])
def test_what_no_row_can_have_for_a_number(named: str) -> None:
    asked = [("GET", f"/api/{what}/{named}", {}) for what in ("belief", "turn")]
    asked += [("POST", f"/api/{order}", {"json": {"id": HUGE, "batch": HUGE}}) for order in api.ORDERS]

    assert [answer.text for answer in answers(asked) if not refused(answer)] == []


@pytest.mark.parametrize("limit", ["x", LONG, "", "1.5", str(HUGE)])
def test_a_limit_that_is_no_number(limit: str) -> None:
    (answer,) = answers([("GET", "/api/search", {"params": {"q": "staging", "limit": limit}})])

    assert "whole number" in answer.json()["error"]
    assert answer.status_code == 400


@pytest.mark.parametrize("body", [DEEP, b'{"id":' + LONG.encode() + b"}", b"\xff", b"[]", b"{"])
def test_a_body_that_cannot_be_read(body: bytes) -> None:
    orders = [*api.TOLD, *api.ORDERS]

    said = answers([("POST", f"/api/{order}", {"content": body}) for order in orders])

    assert [answer.text for answer in said if not refused(answer)] == []


@pytest.mark.parametrize("size", ["x", "-1", LONG, "1 2"])
def test_a_size_that_is_none(size: str) -> None:
    (answer,) = answers([("POST", "/api/undo", {"content": b"{}", "headers": {"content-length": size}})])

    assert answer.status_code == 413 and "how large" in answer.json()["error"]


@pytest.mark.parametrize(
    "name", ["id", "text", "kind", "when", "replaces", "session", "role", "question", "batch", "on"]
)
def test_a_value_of_another_kind(name: str) -> None:
    odd = [None, True, -1, 1.5, 2**64, HUGE, "", "\0", "\ud800", [], {}, [1], {"a": 1}]
    base = {"id": 99, "text": "the host is wren", "session": "s", "question": "which port", "batch": 99}
    asked = [
        ("POST", f"/api/{order}", {"content": json.dumps({**base, name: value}).encode()})
        for order in (*api.TOLD, *api.ORDERS)
        for value in odd
    ]

    assert [answer.text for answer in answers(asked) if not refused(answer) and answer.status_code != 200] == []


@pytest.mark.parametrize("path", ["/api/nothing", "/static/none.js", "/%ff"])
def test_what_is_not_here(path: str) -> None:
    assert all(refused(answer) for answer in answers([("GET", path, {}), ("POST", path, {"content": b"{}"})]))
