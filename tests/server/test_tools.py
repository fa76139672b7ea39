"""The eight tools as an MCP client meets them, in memory, in both protocol eras."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import mcp_types as mcp
import pytest
from mcp.client import Client

from agentmemory.memory import Memory
from agentmemory.server import build
from agentmemory.store import beliefs, writer
from agentmemory.values import Utterance

ERAS = ("auto", "legacy")
VERBS = ["search", "remember", "lock", "wonder", "reason", "feedback", "forget", "stats"]
MOST_TOKENS = 2_000
SHORTEST_TOKEN = 3  # characters; tokenizers need about four for such text, so this counts too many


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest, project: Path) -> str:
    """Each test once per era, in a project of its own."""
    return str(request.param)


def ask(era: str, talk: Callable[[Client], Awaitable[Any]], answer: str | None = None) -> Any:
    """Talk to a fresh server; *answer* is what the person does when asked (accept, decline, cancel)."""

    async def person(context: Any, params: Any) -> mcp.ElicitResult:
        return mcp.ElicitResult(action=answer, content={"agree": True} if answer == "accept" else None)  # type: ignore[arg-type]

    async def run() -> Any:
        async with Client(build(), mode=era, elicitation_callback=person if answer else None) as client:
            return await talk(client)

    return anyio.run(run)


def call(era: str, tool: str, answer: str | None = None, **arguments: Any) -> mcp.CallToolResult:
    """One call of one tool."""
    done = ask(era, lambda client: client.call_tool(tool, arguments), answer)
    assert isinstance(done, mcp.CallToolResult)
    return done


def said(done: mcp.CallToolResult) -> dict[str, Any]:
    """The structured result, which is also the text."""
    (content,) = done.content
    assert isinstance(content, mcp.TextContent)
    assert not done.is_error, content.text
    assert json.loads(content.text) == done.structured_content
    return dict(done.structured_content)


def error(done: mcp.CallToolResult) -> str:
    """The sentence of a failed call."""
    (content,) = done.content
    assert done.is_error
    assert isinstance(content, mcp.TextContent)
    assert "\n" not in content.text and "Traceback" not in content.text
    return content.text


def test_there_are_eight_tools_with_all_hints(era: str) -> None:
    tools = ask(era, lambda client: client.list_tools()).tools

    assert [tool.name for tool in tools] == VERBS
    for tool in tools:
        hints = tool.annotations.model_dump(exclude={"title"})
        assert None not in hints.values() and len(hints) == 4, tool.name
        assert tool.annotations.open_world_hint is False
    assert [tool.name for tool in tools if tool.annotations.read_only_hint] == ["search", "wonder", "reason", "stats"]
    assert [tool.name for tool in tools if tool.annotations.destructive_hint] == ["forget"]


def test_the_tools_cost_few_tokens(era: str) -> None:
    tools = ask(era, lambda client: client.list_tools()).tools

    wire = json.dumps([tool.model_dump(by_alias=True, exclude_none=True) for tool in tools])

    assert len(wire) / SHORTEST_TOKEN < MOST_TOKENS


def test_what_is_remembered_is_found_with_its_id(era: str, token: str) -> None:
    kept = said(call(era, "remember", text=f"the staging host is {token}.example.org"))

    found = said(call(era, "search", query=f"which host is staging {token}"))

    assert kept["id"] in [hit["id"] for hit in found["hits"]]
    assert f"the staging host is {token}.example.org" in [hit["text"] for hit in found["hits"]]


def test_nothing_found_says_so(era: str, token: str) -> None:
    found = said(call(era, "search", query=token))

    assert found["hits"] == []
    assert "do not guess" in found["note"]


def test_a_caller_is_the_agent_not_the_user(era: str, token: str) -> None:
    kept = said(call(era, "remember", text=f"the port of {token} is 8443", kind="preference"))

    with Memory() as memory:
        assert memory.belief(kept["id"]).provenance == "agent"


def test_saying_it_again_adds_nothing(era: str, token: str) -> None:
    first = said(call(era, "remember", text=f"the port of {token} is 8443"))
    again = said(call(era, "remember", text=f"the port of {token} is 8443"))

    assert again["id"] == first["id"]
    assert "Known already" in again["note"]


def test_a_rule_of_the_agent_waits_for_the_user(era: str, token: str) -> None:
    done = said(call(era, "lock", text=f"never push {token}"))

    assert f"/mem:lock {done['id']}" in done["note"]
    with Memory() as memory:
        proposed = memory.belief(done["id"])
        assert (proposed.state, proposed.locked) == ("proposed", 0)
        assert memory.search(token) == [] or memory.search(token)[0].state == "proposed"
        assert token not in memory.recall(f"push {token}")


def test_the_user_locks_a_proposal_by_its_id(era: str, token: str) -> None:
    done = said(call(era, "lock", text=f"never push {token}"))

    with Memory() as memory:
        memory.lock(done["id"])
        (rule,) = [row for row in memory.export() if row["locked"] and token in row["text"]]
    assert (rule["kind"], rule["provenance"], rule["state"]) == ("rule", "user", "active")


def test_a_user_who_agrees_locks_at_once(era: str, token: str) -> None:
    done = said(call(era, "lock", "accept", text=f"never push {token}"))

    with Memory() as memory:
        held = memory.belief(done["id"])
    assert (held.kind, held.provenance, held.state, held.locked) == ("rule", "user", "active", 1)


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("never force push", "Enforced before a tool runs (guard 1, deny): running `git push"),
        ("always be kind to reviewers", "nothing enforces it"),
    ],
)
def test_a_lock_says_what_is_enforced_or_that_nothing_is(era: str, rule: str, told: str) -> None:
    assert told in said(call(era, "lock", "accept", text=rule))["note"]


def test_the_question_for_consent_shows_what_would_be_stopped() -> None:
    from agentmemory import server, wire

    asked = [server._consent(wire.Lock(text=rule)) for rule in ("never force push", "always be kind to reviewers")]

    assert "never force push\nBefore a tool runs: Stops running `git push" in asked[0]
    assert "nothing enforces it" in asked[1]


def test_a_user_who_declines_is_obeyed(era: str, token: str) -> None:
    done = said(call(era, "lock", "decline", text=f"never push {token}"))

    assert "declined" in done["note"]
    with Memory() as memory:
        assert list(memory.export()) == []


def test_an_unanswered_question_is_no_consent(era: str, token: str) -> None:
    done = said(call(era, "lock", "cancel", text=f"never push {token}"))

    with Memory() as memory:
        assert memory.belief(done["id"]).state == "proposed"


def test_what_the_user_said_is_forgotten_only_by_the_user(era: str, token: str) -> None:
    with Memory() as memory:
        mine = memory.remember(f"the port of {token} is 8443").id  # type: ignore[union-attr]

    assert f"/mem:forget {mine}" in error(call(era, "forget", id=mine))
    assert "/mem:forget" in error(call(era, "forget", "decline", id=mine))
    with Memory() as memory:
        assert memory.belief(mine).state == "active"
    assert said(call(era, "forget", "accept", id=mine))["beliefs"] == [mine]


def test_what_was_read_from_the_users_words_is_forgotten_by_the_user_alone(era: str, token: str) -> None:
    with Memory() as memory:
        (turn,) = memory.add_turns("s", [Utterance(0, "user", f"by the way, {token} is where I live", 1.0)])
    with Memory(speaker="agent") as memory, writer.transaction(memory.db):
        read = beliefs.add(memory.db, beliefs.New(memory.scope, "fact", f"home is {token}", "agent", 1.0, 1.0))
        beliefs.witness(memory.db, read, "said", 0.0, 1.0, turn)

    assert f"/mem:forget {read}" in error(call(era, "forget", id=read))
    assert said(call(era, "forget", "accept", id=read))["turns"] == [turn]


def test_the_agent_forgets_its_own_words(era: str, token: str) -> None:
    own = said(call(era, "remember", text=f"the port of {token} is 8443"))["id"]

    assert said(call(era, "forget", id=own))["beliefs"] == [own]
    again = said(call(era, "forget", id=own))
    assert (again["forgotten"], again["beliefs"], again["turns"]) == (False, [], [])
    assert again["note"] == f"Nothing to forget: there is no belief {own}."
    assert said(call(era, "search", query=token))["hits"] == []


@pytest.mark.parametrize(("tool", "more"), [("forget", {}), ("feedback", {"outcome": "wrong"})])
def test_an_agent_has_no_say_in_what_other_projects_hold(
    era: str, token: str, tmp_path: Path, tool: str, more: dict[str, str]
) -> None:
    with Memory(project=str(tmp_path / "elsewhere"), speaker="agent") as memory:
        theirs = memory.remember(f"the port of {token} is 8443").id  # type: ignore[union-attr]

    assert f"there is no belief {theirs} here" in error(call(era, tool, "accept", id=theirs, **more))

    with Memory() as memory:
        assert [e["kind"] for e in (memory.read(theirs) or {})["evidence"]] == ["said"]


def test_feedback_is_evidence(era: str, token: str) -> None:
    own = said(call(era, "remember", text=f"the port of {token} is 8443"))["id"]
    before = sure_of(own)

    said(call(era, "feedback", id=own, outcome="helped", detail="the connection worked"))
    helped = sure_of(own)
    said(call(era, "feedback", id=own, outcome="outdated"))

    assert sure_of(own) < before < helped


def test_wonder_and_reason_answer(era: str, token: str) -> None:
    said(call(era, "remember", text=f"service {token} listens on port 8443"))

    assert token in json.dumps(said(call(era, "wonder", topic=token)))
    assert token in json.dumps(said(call(era, "reason", question=f"which port does {token} listen on")))


@pytest.mark.parametrize(("tool", "needed", "optional"), [
    ("search", {"query": "the {token}"}, ("limit", "as_of")), ("feedback", {"id": 1, "outcome": "helped"}, ("detail",)),
    ("remember", {"text": "the {token} is blue"}, ("kind", "when", "everywhere")),
    ("lock", {"text": "never paint the {token}"}, ("when", "everywhere")),
])  # fmt: skip
def test_an_optional_argument_that_is_null_was_not_given(
    era: str, token: str, tool: str, needed: dict[str, Any], optional: tuple[str, ...]
) -> None:
    said(call(era, "remember", text=f"the {token} stands in the yard"))
    words = {key: value.replace("{token}", token) if isinstance(value, str) else value for key, value in needed.items()}

    assert "note" in said(call(era, tool, **words, **dict.fromkeys(optional)))


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("search", {}, "`query`: field required"),
        ("search", {"query": None}, "`query`: input should be a valid string"),
        ("search", {"query": "x", "depth": None}, "`depth`: extra inputs are not permitted"),
        ("search", {"query": "x", "depth": 3}, "`depth`: extra inputs are not permitted"),
        ("search", {"query": "x", "limit": 1000}, "`limit`: input should be less than or equal to 25"),
        ("search", {"query": "x", "as_of": "yesterday"}, "'yesterday' is no time; write it like 2026-03-09"),
        ("remember", {"text": "no rule", "kind": "rule"}, "`kind`: input should be 'fact'"),
        ("feedback", {"id": 4711, "outcome": "helped"}, "there is no belief 4711"),
        ("forget", {"id": 1 << 70}, "A number is too large"),
        ("dream", {}, "There is no tool `dream`"),
    ],
)
def test_an_error_is_one_sentence_to_act_on(era: str, tool: str, arguments: dict[str, Any], words: str) -> None:
    assert words in error(call(era, tool, **arguments))


def test_a_data_folder_that_is_none_is_said_not_raised(era: str, home: Path) -> None:
    home.write_text("a file")

    assert str(home) in error(call(era, "stats"))


def test_a_store_that_is_none_is_named_with_who_says_more(era: str, home: Path) -> None:
    home.mkdir(exist_ok=True)
    (home / "memory.db").write_bytes(b"this is no database, " * 400)

    told = error(call(era, "stats"))

    assert str(home / "memory.db") in told and "agentmemory doctor" in told


def test_a_long_turn_is_cut_and_says_so(era: str, token: str) -> None:
    long = f"the log of {token}: " + "all is well, " * 120
    said(call(era, "remember", text=long.strip()))

    (hit,) = [h for h in said(call(era, "search", query=token))["hits"] if h["what"] == "belief"]

    assert hit["text"].endswith("…")
    assert len(hit["text"]) < len(long)


def test_what_a_hit_was_is_told_and_cut_as_its_own_text_is(era: str, token: str) -> None:
    long = f"the log of {token}: " + "all is well, " * 120
    with Memory() as memory:
        memory.remember(long.strip())
        memory.correct(1, f"the log of {token} is empty")

    (hit,) = said(call(era, "search", query=f"history of the log of {token}"))["hits"]
    (was,) = hit["was"]

    assert (hit["id"], was["id"]) == (2, 1)
    assert was["text"].endswith("…") and len(was["text"]) < len(long)


def test_a_code_that_nothing_stored_holds_is_named(era: str, token: str) -> None:
    said(call(era, "remember", text=f"ticket {token}-211 is about the importer"))

    found = said(call(era, "search", query=f"{token}-999"))
    assert found["hits"] and found["note"].startswith(f'Nothing stored holds "{token}-999"; do not guess. 1 found')
    assert said(call(era, "search", query=f"{token}-211"))["note"] == "1 found, best first."


def test_many_calls_at_once_all_count(era: str, token: str) -> None:
    async def talk(client: Client) -> None:
        async with anyio.create_task_group() as group:
            for n in range(20):
                text = {"text": f"machine {token}{n} stands in room {n}"}
                group.start_soon(client.call_tool, "remember", text)

    ask(era, talk)

    assert said(call(era, "stats"))["beliefs"] == {"active": 20}


def sure_of(belief: int) -> float:
    """Expected probability that a belief holds."""
    with Memory() as memory:
        (row,) = [row for row in memory.export() if row["id"] == belief]
    return float(row["confidence"])
