"""The memory over HTTP on loopback, as `ui` and as `serve` offer it; strangers are refused."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from agentmemory.loopback import listening
from agentmemory.memory import Memory
from agentmemory.page import api
from agentmemory.sleep.night import sleep
from tests.conftest import REPOSITORY
from tests.model.conftest import HAS_MLX
from tests.sleep.talk import NOW

WAYS = {"ui": ["ui", "--no-open"], "serve": ["serve", "--port", "0", "--project", "."]}


@pytest.fixture(params=WAYS)
def rest(request: pytest.FixtureRequest, project: Path, home: Path) -> Iterator[httpx.Client]:
    """A client with the token, on a server without a model."""
    if request.param == "serve" and not HAS_MLX:
        pytest.skip("the extra `sidecar` is not installed")
    command = [sys.executable, "-m", "agentmemory", *WAYS[request.param]]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ) as server:
        assert server.stdout is not None
        said = server.stdout.readline()
        address = next(word for word in said.split() if word.startswith("http"))
        _, _, token = address.partition("?token=")
        token = token or (home / "serve.token").read_text()
        base = "/".join(address.split("/")[:3])
        with httpx.Client(base_url=base, headers={"Authorization": f"Bearer {token}"}, timeout=60) as client:
            yield client
        server.terminate()


def test_a_turn_is_posted_and_found(rest: httpx.Client, token: str) -> None:
    ids = [
        rest.post("/api/turns", json={"session": "s", "role": role, "text": text}).raise_for_status().json()["id"]
        for role, text in (("user", f"the port of {token} is 8443"), ("assistant", "noted"), ("user", "thanks"))
    ]
    assert len(set(ids)) == 3

    hits = rest.get("/api/search", params={"q": f"which port has {token}", "limit": 3}).raise_for_status().json()
    assert (hits[0]["what"], hits[0]["text"], hits[0]["source"]) == (
        "turn", f"the port of {token} is 8443", {"session": "s", "turn": 0},
    )  # fmt: skip
    with Memory() as memory:
        assert memory.search(token)[0].text == f"the port of {token} is 8443"


def test_a_turn_is_shown_in_its_talk(rest: httpx.Client, token: str) -> None:
    first, second = (
        rest.post("/api/turns", json={"session": "s", "role": role, "text": text}).json()["id"]
        for role, text in (("user", f"the port of {token} is 8443"), ("assistant", "noted"))
    )
    printed = subprocess.run(
        [sys.executable, "-m", "agentmemory", "read", f"turn:{first}", "--json"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    told = rest.get(f"/api/turn/{first}").raise_for_status().json()

    assert told == json.loads(printed)
    assert (told["text"], [each["id"] for each in told["after"]]) == (f"the port of {token} is 8443", [second])
    elsewhere = {"X-Agentmemory-Agent": "bob"}
    for id, headers in ((first, elsewhere), (second + 1, {}), (1 << 64, {})):
        refused = rest.get(f"/api/turn/{id}", headers=headers)
        assert (refused.status_code, refused.json()["error"]) == (400, f"there is no turn {id} here")


def test_a_search_looks_from_the_day_that_it_names(
    rest: httpx.Client, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Memory() as memory:
        for day in ("2026-01-10", "2026-03-10"):
            monkeypatch.setenv("AGENTMEMORY_NOW", day)
            memory.remember(f"{token} is 60") if day < "2026-02" else memory.correct(1, f"{token} is 120")

    def ids(**given: str) -> list[int]:
        return [hit["id"] for hit in rest.get("/api/search", params={"q": token, **given}).raise_for_status().json()]

    assert (ids(), ids(as_of="2026-02-01"), ids(as_of="")) == ([2], [1], [2])
    refused = rest.get("/api/search", params={"q": token, "as_of": "soon"})
    assert refused.status_code == 400 and "'soon' is no time" in refused.json()["error"]


def test_the_profile_is_that_of_the_command_line(rest: httpx.Client) -> None:
    rest.post("/api/turns", json={"session": "s", "text": "I'm Tom, data scientist in San Francisco"})
    assert rest.get("/api/profile").json() == []
    with Memory() as memory:
        sleep(memory.db, NOW)

    printed = subprocess.run(
        [sys.executable, "-m", "agentmemory", "profile", "--json"], capture_output=True, text=True, check=True
    ).stdout
    assert rest.get("/api/profile").json() == json.loads(printed)
    assert {(t["attribute"], t["value"]) for t in rest.get("/api/profile").json()} == {
        ("name", "Tom"), ("occupation", "data scientist"), ("location", "San Francisco"),
    }  # fmt: skip


def test_a_question_without_a_model_brings_the_context(rest: httpx.Client, token: str) -> None:
    rest.post("/api/turns", json={"session": "s", "text": f"{token} is kept in the attic"})

    found = rest.post("/api/ask", json={"question": f"where is {token}?"}).raise_for_status().json()
    assert found["available"] is False and "attic" in found["context"]


def test_each_agent_has_its_own(rest: httpx.Client, token: str) -> None:
    mine, theirs = {"X-Agentmemory-Agent": "ann"}, {"X-Agentmemory-Agent": "bob"}
    rest.post("/api/turns", json={"session": "a", "text": f"{token} is sold"}, headers=mine)

    assert rest.get("/api/search", params={"q": token}, headers=mine).json()
    assert rest.get("/api/search", params={"q": token}, headers=theirs).json() == []

    refused = rest.post("/api/turns", json={"session": "a", "text": "mine too"}, headers=theirs)
    assert refused.status_code == 400 and "another" in refused.json()["error"]
    asked = {"question": "what was said?", "session": "a"}
    assert token in rest.post("/api/ask", json=asked, headers=mine).json()["context"]
    assert token not in rest.post("/api/ask", json=asked, headers=theirs).json()["context"]


@pytest.mark.parametrize(("method", "path"), [("POST", "/api/turns"), ("GET", "/api/search"), ("GET", "/api/profile")])
def test_strangers_are_refused(rest: httpx.Client, method: str, path: str, home: Path) -> None:
    body = {"session": "s", "text": "planted"} if method == "POST" else None
    bare = {"Authorization": ""}
    for headers, status in (
        (bare, 401),
        ({**bare, "Origin": "http://evil.example"}, 403),
        ({"Origin": "http://evil.example"}, 403),  # a right token is of no use to another site
        ({"Host": "evil.example"}, 421),
        ({"Authorization": "Bearer wrong"}, 401),
    ):
        assert rest.request(method, path, json=body, headers=headers).status_code == status
    with Memory() as memory:
        assert memory.stats()["turns"] == 0


@pytest.mark.parametrize(
    ("path", "body"),
    [("turns", {"text": "no session"}), ("turns", {"session": "s", "text": " "}), ("ask", {}), ("turns", [1]),
     ("turns", {"session": "s", "text": "x", "role": "system"}), ("remember", {"text": 7}),
     *(("remember", {"text": "we use tabs", "kind": kind}) for kind in (5, None, ["fact"], "summary", "nonsense")),
     ("remember", {"text": "we use tabs", "when": 5}), ("ask", {"question": "what?", "session": {"a": 1}})],
)  # fmt: skip
def test_an_order_that_makes_no_sense_gets_a_sentence(rest: httpx.Client, path: str, body: object) -> None:
    refused = rest.post(f"/api/{path}", json=body)
    assert refused.status_code == 400 and refused.json()["error"]


def test_what_is_no_json_or_no_number_of_a_belief_gets_a_sentence(rest: httpx.Client) -> None:
    for body in ("{", "[]", "[" * 100_000):
        assert rest.post("/api/turns", content=body).status_code == 400
    assert rest.get(f"/api/belief/{1 << 64}").status_code == 400
    for limit in ("ten", "1.5", "", "9" * 5000):
        refused = rest.get("/api/search", params={"q": "wren", "limit": limit})
        assert (refused.status_code, refused.json()["error"]) == (400, "'limit' has to be a whole number")


@pytest.mark.parametrize("path", ["turns", "remember", "ask"])
def test_half_a_character_is_refused_in_a_sentence(rest: httpx.Client, path: str) -> None:
    body = '{"session": "s", "text": "cut \\ud83d", "question": "cut \\ud83d"}'
    refused = rest.post(f"/api/{path}", content=body)
    assert refused.status_code == 400 and "half a character" in refused.json()["error"]


def test_settings_that_make_no_sense_are_told_in_a_sentence(rest: httpx.Client, home: Path) -> None:
    rest.get("/api/stats").raise_for_status()
    (home / "sleep.toml").write_text("cap = 0\n")
    failed = rest.get("/api/stats")
    assert failed.status_code == 500 and "sleep.toml" in failed.json()["error"]


def test_a_store_that_is_damaged_is_told_in_a_sentence(rest: httpx.Client, home: Path) -> None:
    home.mkdir(exist_ok=True)
    for name in ("memory.db", "memory.db-wal"):
        (home / name).write_bytes(b"this is no database, " * 400)
    failed = rest.get("/api/stats")
    assert failed.status_code == 500 and "agentmemory doctor" in failed.json()["error"]


@pytest.mark.parametrize("rest", ["ui"], indirect=True)
def test_orders_of_the_page_name_what_there_is(rest: httpx.Client, token: str) -> None:
    made = rest.post("/api/remember", json={"text": f"{token} is closed on Mondays", "kind": "rule"}).json()["id"]
    for order, body in (
        *(("undo", {"batch": batch}) for batch in ("x", 1 << 64, 1.5, True)),
        *(("lock", {"id": id}) for id in (1 << 64, True, "1")), ("lock", {"id": made, "on": "no"}),
    ):  # fmt: skip
        refused = rest.post(f"/api/{order}", json=body)
        assert refused.status_code == 400 and refused.json()["error"]
    life = rest.get(f"/api/belief/{made}").json()
    assert (life["state"], life["locked"]) == ("active", False)


@pytest.mark.parametrize("rest", ["ui"], indirect=True)
def test_an_order_about_no_belief_says_what_it_needs(rest: httpx.Client) -> None:
    for order in ("lock", "correct", "forget", "accept", "reject", "keep", "drop"):
        for body in ({}, {"id": "1"}, {"id": 1.0}):
            refused = rest.post(f"/api/{order}", json={"text": "wren is gone", **body})
            assert (refused.status_code, refused.json()["error"]) == (
                400, "the request needs 'id', the number of a belief",
            )  # fmt: skip


@pytest.mark.parametrize("rest", ["serve"], indirect=True)
def test_an_agent_makes_no_rule(rest: httpx.Client) -> None:
    refused = rest.post("/api/remember", json={"text": "always use tabs", "kind": "rule"})
    assert refused.status_code == 400 and "kind" in refused.json()["error"]


def test_a_folder_of_any_name_is_meant(rest: httpx.Client, token: str, tmp_path: Path) -> None:
    folder = tmp_path / "Bücher"
    folder.mkdir()
    headers = {"X-Agentmemory-Project": str(folder).encode(), "X-Agentmemory-Agent": "Zoë".encode()}
    rest.post("/api/remember", json={"text": f"{token} is sold"}, headers=headers).raise_for_status()  # type: ignore[arg-type]

    with Memory(project=str(folder), agent="Zoë") as memory:
        assert [hit.text for hit in memory.search(token)] == [f"{token} is sold"]


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_scheme_before_the_token_is_the_same_in_any_case(rest: httpx.Client, scheme: str) -> None:
    token = rest.headers["Authorization"].removeprefix("Bearer ")
    assert rest.get("/api/stats", headers={"Authorization": f"{scheme} {token}"}).status_code == 200


def test_a_project_that_is_no_whole_path_is_refused_and_keeps_nothing(rest: httpx.Client, token: str) -> None:
    refused = rest.post("/api/remember", json={"text": token}, headers={"X-Agentmemory-Project": "shop"})
    assert (refused.status_code, "not 'shop'" in refused.json()["error"]) == (400, True)
    with Memory(project="shop") as memory:
        assert memory.search(token) == []


def test_who_holds_the_servers_key_may_be_an_agent_and_gives_no_orders(
    rest: httpx.Client, token: str, request: pytest.FixtureRequest
) -> None:
    person = "ui" in request.node.name
    id = rest.post("/api/remember", json={"text": f"{token} is closed on Mondays"}).raise_for_status().json()["id"]
    with Memory() as memory:
        assert memory.belief(id).provenance == ("user" if person else "agent")

    for order in ("lock", "correct", "forget", "undo", "accept", "reject", "keep", "drop"):
        status = rest.post(f"/api/{order}", json={"id": 4711, "text": "x"}).status_code
        assert status == 404 if not person else status in (200, 400)
    assert rest.get("/static/page.js").status_code == (200 if person else 404)


def test_a_huge_order_is_refused(rest: httpx.Client) -> None:
    assert rest.post("/api/turns", json={"session": "s", "text": "x" * (2 << 20)}).status_code == 413


@pytest.mark.parametrize("port", ["99999", "-1", "http"])
@pytest.mark.parametrize("command", WAYS)
def test_what_is_no_port_is_wrong_usage(command: str, port: str) -> None:
    asked = [sys.executable, "-m", "agentmemory", command, "--port", port]
    done = subprocess.run(asked, capture_output=True, text=True)
    assert done.returncode == 2 and f"invalid port value: '{port}'" in done.stderr


@pytest.mark.parametrize("command", WAYS)
def test_a_port_that_is_taken_is_named_in_a_sentence(command: str, home: Path) -> None:
    if command == "serve" and not HAS_MLX:
        pytest.skip("the extra `sidecar` is not installed")
    with listening(0) as taken:
        port = taken.getsockname()[1]
        asked = [sys.executable, "-m", "agentmemory", command, "--port", str(port)]
        done = subprocess.run(asked, capture_output=True, text=True)
    says = f"port {port} of 127.0.0.1 cannot be had (Address already in use): --port takes another"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"agentmemory: {says}\n")


def test_the_guide_names_every_request() -> None:
    named = re.findall(r"`(?:GET |POST )?/api/([a-z/]+)", (REPOSITORY / "docs" / "http.md").read_text())
    known = {name.partition("/")[0] for name in (*api.QUESTIONS, *api.TOLD, *api.ORDERS)}

    assert {name.partition("/")[0] for name in named} == known
