"""The memory over HTTP: JSON questions and orders below `/api`, each for the project and agent that the request names.

Who may ask is decided at the door (`loopback.OnlyMe`) before anything comes here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from agentmemory import paths, verbs
from agentmemory.loopback import named, whole_number, whole_path
from agentmemory.memory import Memory
from agentmemory.model.settings import BadSettings
from agentmemory.page.layout import place
from agentmemory.recall.render import about
from agentmemory.store import check, graphview, review
from agentmemory.store.beliefs import UnknownBelief
from agentmemory.store.writer import StoreBusy
from agentmemory.values import Utterance

FOUND = 30  # hits of a search that does not say how many
MOST_FOUND = 100  # and statements to look at
MOST_BYTES = 1 << 20  # of an order
MOST_ROWS = (1 << 63) - 1  # that SQLite counts
HALF = re.compile("[\ud800-\udfff]")  # of a pair of surrogates: JSON can say it
LINE = ("id", "batch", "at", "actor", "what", "belief", "undone", "text")  # of the trail, without what changed
KINDS = ("fact", "decision", "preference", "procedure")  # what anybody may tell; a rule is the user's

Ask = Callable[[Memory, Request], Any]
Tell = Callable[[Memory, dict[str, Any]], Any]


class Refused(Exception):
    """A request that makes no sense: one sentence for who asked."""


def routes(home: str | None = None, project: str | None = None, person: bool = True) -> list[Route]:
    """The routes; *project* is the folder of requests that name none (default: the current one, "" for no project).

    person: whether the token is the user's own. Who has another one may be an agent: it can ask, post turns and
    remember as an agent does, and cannot lock, correct, forget or accept.
    """
    speaker = "user" if person else "agent"

    def answer(request: Request, make: Callable[[Memory], Any]) -> Response:
        agent, folder = (named(request.headers, name) for name in ("agent", "project"))
        try:
            with Memory(home, whole_path(folder) or project, agent, speaker) as memory:
                return JSONResponse(make(memory), headers={"Cache-Control": "no-store"})
        except (Refused, LookupError, ValueError, UnknownBelief) as error:
            return JSONResponse({"error": str(error)}, 400)
        except (BadSettings, StoreBusy, *check.OF_THE_FILE) as error:
            return JSONResponse({"error": check.sentence(error)}, 500)

    def ask(question: Ask) -> Callable[[Request], Response]:
        return lambda request: answer(request, lambda memory: question(memory, request))

    def tell(order: Tell) -> Callable[[Request], Awaitable[Response]]:
        async def obey(request: Request) -> Response:
            if whole_number(request.headers.get("content-length", ""), MOST_BYTES) is None:
                return JSONResponse({"error": "the request is too large, or does not say how large it is"}, 413)
            try:
                said = json.loads(await request.body() or b"{}")
            except (ValueError, RecursionError):
                return JSONResponse({"error": "the request is no JSON"}, 400)
            if not isinstance(said, dict):
                return JSONResponse({"error": "the request is no JSON object"}, 400)
            return await run_in_threadpool(answer, request, lambda memory: order(memory, said))

        return obey

    return [
        *(Route(f"/api/{name}", ask(question)) for name, question in QUESTIONS.items()),
        *(Route(f"/api/{name}", tell(order), methods=["POST"]) for name, order in TOLD.items()),
        *(Route(f"/api/{name}", tell(order), methods=["POST"]) for name, order in ORDERS.items() if person),
    ]


def _graph(memory: Memory, request: Request) -> Any:
    found = graphview.graph(memory.db, memory.scopes, paths.now())
    at = place([dot[0] for dot in found["dots"]], [(line[0], line[1]) for line in found["lines"]])
    return {**found, "places": at, "now": paths.now()}


def _search(memory: Memory, request: Request) -> Any:
    words = request.query_params.get("q", "").strip()
    said = request.query_params.get("limit", str(FOUND))
    limit = whole_number(said.removeprefix("-"), MOST_ROWS)
    if limit is None:
        raise Refused("'limit' has to be a whole number")
    limit = 1 if said.startswith("-") else limit
    as_of = request.query_params.get("as_of", "")
    return verbs.search(memory, words, max(1, min(MOST_FOUND, limit)), as_of) if words else []


def _belief(memory: Memory, request: Request) -> Any:
    return graphview.life(memory.db, _mine(memory, _asked_for(request, "belief")))


def _talk(memory: Memory, request: Request) -> Any:
    id = _asked_for(request, "turn")
    here = graphview.scope_of_turn(memory.db, id) in memory.scopes
    found = memory.turn(id) if here else None
    if found is None:  # or it was forgotten
        raise Refused(f"there is no turn {id} here")
    return found


def _asked_for(request: Request, what: str) -> int:
    """The row of *what* that a path names."""
    named = request.path_params["id"]
    id = whole_number(named, MOST_ROWS)
    if id is None:
        raise Refused(f"there is no {what} {named[:40]} here")
    return id


def _log(memory: Memory, request: Request) -> Any:
    return [{name: line[name] for name in LINE} for line in verbs.trail(memory, 100)]


def _turn(memory: Memory, said: dict[str, Any]) -> Any:
    session, text, role = _words(said, "session"), _words(said, "text"), said.get("role", "user")
    if role not in ("user", "assistant"):
        raise Refused("a turn's role is user or assistant")
    provenance = "user" if role == "user" else "agent"
    (id,) = memory.add_turns(session, [Utterance(-1, role, text, paths.now(), provenance)])
    return {"id": id}


def _remember(memory: Memory, said: dict[str, Any]) -> Any:
    kinds = (*KINDS, "rule") if memory.speaker == "user" else KINDS
    if said.get("kind", "fact") not in kinds:
        raise Refused(f"a statement's kind is one of {', '.join(kinds)}")
    replaces = said.get("replaces")
    if replaces is not None and not _is_number(replaces):
        raise Refused("'replaces' is the number of a belief")
    text, when = _words(said, "text"), _text(said, "when")
    return verbs.remember(memory, text, said.get("kind", "fact"), when, replaces=replaces)


def _answer(memory: Memory, said: dict[str, Any]) -> Any:
    session, branch = (_text(said, name) for name in ("session", "branch"))
    return memory.respond(_words(said, "question"), session, branch).as_json()


def _words(said: dict[str, Any], name: str) -> str:
    given = _text(said, name)
    if not given.strip():
        raise Refused(f"the request needs {name!r}, a text")
    return given


def _text(said: dict[str, Any], name: str) -> str:
    given = said.get(name, "")
    if not isinstance(given, str):
        raise Refused(f"{name!r} has to be a text")
    if HALF.search(given):
        raise Refused(f"{name!r} holds half a character, which cannot be kept")
    return given


def _mine(memory: Memory, id: Any) -> int:
    """A belief that this page may show: of its scopes."""
    if type(id) is not int:
        raise Refused("the request needs 'id', the number of a belief")
    if not _is_number(id) or graphview.scope_of(memory.db, id) not in memory.scopes:
        raise Refused(f"there is no belief {id} here")
    return int(id)


def _is_number(id: Any) -> bool:
    """Whether it can be the number of a row."""
    return type(id) is int and 0 <= id <= MOST_ROWS


def _lock(memory: Memory, said: dict[str, Any]) -> Any:
    id, on = _mine(memory, said.get("id")), said.get("on", True)
    if not isinstance(on, bool):
        raise Refused("'on' has to be true or false")
    if on:
        memory.lock(id)
    else:
        memory.unlock(id)
    return {"id": id}


def _correct(memory: Memory, said: dict[str, Any]) -> Any:
    return verbs.correct(memory, _mine(memory, said.get("id")), _words(said, "text"))


def _forget(memory: Memory, said: dict[str, Any]) -> Any:
    return verbs.forget(memory, _mine(memory, said.get("id")))


def _undo(memory: Memory, said: dict[str, Any]) -> Any:
    batch = said.get("batch")
    if not (batch is None or _is_number(batch)):
        raise Refused("'batch' has to be a number of the log")
    return {"undone": [list(each) for each in memory.undo(batch)]}


def _decide(how: str) -> Tell:
    def decide(memory: Memory, said: dict[str, Any]) -> Any:
        verbs.decide(memory, how, [_mine(memory, said.get("id"))])
        return {"id": said["id"]}

    return decide


def _review(memory: Memory, request: Request) -> Any:
    found = review.waiting(memory.db, memory.scopes, MOST_FOUND)
    return [{"id": row.id, "kind": row.kind, "state": row.state, "text": row.text + about(row)} for row in found]


QUESTIONS: dict[str, Ask] = {
    "search": _search,
    "profile": lambda memory, request: verbs.profile(memory),
    "stats": lambda memory, request: memory.stats(),
    "graph": _graph,
    "belief/{id}": _belief,
    "turn/{id}": _talk,
    "proposals": lambda memory, request: graphview.proposals(memory.db, memory.scopes),
    "review": _review,
    "sessions": lambda memory, request: graphview.sessions(memory.db, memory.scopes),
    "injections": lambda memory, request: graphview.injected(
        memory.db, request.query_params.get("session", ""), memory.scopes
    ),
    "log": _log,
}
TOLD: dict[str, Tell] = {"turns": _turn, "remember": _remember, "ask": _answer}
#: what only the user may want
ORDERS: dict[str, Tell] = {
    "lock": _lock, "correct": _correct, "forget": _forget, "undo": _undo,
    **{how: _decide(how) for how in ("accept", "reject", "keep", "drop")},
}  # fmt: skip
