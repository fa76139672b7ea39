"""ACCEPTANCE 16 to 18 and 24: several agents and what they know of each other: trust, sharing, forks, branches."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from agentmemory import paths
from agentmemory.memory import Memory
from agentmemory.recall.inherited import ancestors
from agentmemory.sleep import federation
from agentmemory.sleep.federation import rank
from agentmemory.sleep.night import sleep
from agentmemory.sleep.tiers import Tiers
from agentmemory.store import federation as rows
from agentmemory.store import writer
from agentmemory.values import Utterance
from tests.sleep.talk import DAY, NOW, a_project, name, rise, say, topic


def test_16_trust_moves_is_heard_and_is_clamped(db: apsw.Connection) -> None:
    a, b, x = (a_project(db, agent=n) for n in "abx")
    with writer.transaction(db):
        rows.set_trust(db, a, x, 0.9, NOW)
        rows.set_trust(db, x, b, 0.8, NOW)
        assert federation.trust(db, a, b) == pytest.approx(0.566)
        assert federation.signal(db, a, x, 0.0, NOW) == pytest.approx(0.72)
        assert [federation.signal(db, a, b, 0.0, NOW) for _ in range(40)][-1] == 0.05
        assert [federation.signal(db, a, b, 1.0, NOW) for _ in range(80)][-1] == 0.98


def test_17_trust_times_relevance_orders_and_the_pool_is_kept_clean(project: Path) -> None:
    assert [s.belief for s in rank([(1, 8, "", 0.5, 0.8), (2, 9, "", 0.9, 0.6), (3, 7, "", 0.2, 1.0)])] == [2, 1]

    of, once = name(), name()
    with Memory(agent="alice") as alice, Memory(agent="bob") as bob, Memory(agent="dan") as dan:
        risen = {m.scope: rise(m.db, m.scope, of) for m in (alice, bob, dan)}
        say(bob.db, [f"the raw {once} word about the Postgres pool of {of}"], key="raw", scope=bob.scope)
    for agent in ("bob", "dan", "alice"):
        assert command("agents", "share", agent) == "New among what is shared: 1.\n"
    for _ in range(4):
        command("agents", "trust", "alice", "dan", "wrong")

    asked = "agents", "ask", "alice", "Postgres connection pool of", of, "--json"
    (found,) = json.loads(command(*asked))
    assert (found["id"], found["author"]) == (risen[bob.scope], "bob") and of in found["text"]
    assert once not in found["text"] and 0.0 < found["worth"] <= 0.5

    with Memory(agent="alice") as alice:
        sleep(alice.db, NOW + 40 * DAY)
    assert json.loads(command(*asked)) == []  # one asked for it in 30 days


def test_17_what_two_ask_for_stays(project: Path) -> None:
    of = name()
    with Memory(agent="bob") as bob, Memory(agent="alice") as alice:
        rise(bob.db, bob.scope, of)
        command("agents", "share", "bob")
        asked = f"how large is the Postgres pool of {of}?"
        for _ in range(2):
            assert "== FROM OTHER AGENTS ==" in alice.respond(asked).context
        assert "== FROM OTHER AGENTS ==" not in bob.respond(asked).context
        sleep(alice.db, NOW + 40 * DAY)
        assert "== FROM OTHER AGENTS ==" in alice.respond(asked).context


def command(*args: str) -> str:
    """What a command prints."""
    run = [sys.executable, "-m", "agentmemory", *args]
    return subprocess.run(run, text=True, capture_output=True, check=True).stdout


def test_18_a_fork_sees_what_was_risen_and_nothing_flows_back(project: Path, token: str) -> None:
    crashes = [t for i in range(6) for t in (("user", f"it crashes {i}"), ("assistant", f"```\n{i}\n```"))]
    of = name()
    with Memory(agent="parent") as parent, Memory(agent="child") as child, Memory(agent="later") as later:
        risen = rise(parent.db, parent.scope, of)
        parent.remember(f"{token} lunch of {of} is at noon")
        say(parent.db, crashes, key="bugs", scope=parent.scope)
        sleep(parent.db, NOW + 3 * DAY)
        command("agents", "fork", "parent", "child")
        child.remember(f"{token} is blue now")

        assert [(f.kind, f.id) for f in child.search(f"the Postgres pool of {of}")] == [("summary", risen)]
        assert Tiers(child.db, child.scope).recent(50) == []
        assert [f.text for f in parent.search(token, turns=False)] == [f"{token} lunch of {of} is at noon"]
        assert [scope for scope, *_ in ancestors(child.db, child.scope)] == [parent.scope]
        assert ancestors(parent.db, parent.scope) == []

        answers = [t for i in range(6) for t in (("user", f"it crashes {i}"), ("assistant", "Is the server up?"))]
        for memory in (child, later):
            say(memory.db, answers, key=f"own {memory.scope}", scope=memory.scope)
        sleep(child.db, NOW + 4 * DAY)
        habits = Tiers(child.db, child.scope).patterns("it crashes", NOW + 4 * DAY)
        assert [(h.did, h.support) for h in habits] == [("question", 6), ("code", 6)]  # what it inherits counts 0.85
        assert [h.did for h in Tiers(later.db, later.scope).patterns("it crashes", NOW + 4 * DAY)] == ["question"]


def test_18_what_is_inherited_comes_with_prompts_and_searches_at_085(
    project: Path, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [f"{token} is served by the blue cluster in Frankfurt", f"{token} lunch is at noon"]
    with Memory(agent="parent") as parent:
        high, low = (getattr(parent.remember(text), "id") for text in texts)  # noqa: B009
        parent.db.execute("UPDATE belief SET level = 2 WHERE id = ?", (high,))
        parent.add_turns("p", [Utterance(-1, "user", f"raw words about {token}", NOW)])
        hers = {f.id: f.score for f in parent.search(token, turns=False)}
        with Memory(agent="child") as child:
            scope = child.scope
        with writer.transaction(parent.db):
            federation.fork(parent.db, parent.scope, scope, paths.now())
        monkeypatch.setenv("AGENTMEMORY_NOW", "2026-06-02T12:00:00Z")
        parent.correct(high, f"{token} is served by the red cluster in Paris")

    with Memory(agent="child") as child:
        found = child.search(token)
        assert [f.id for f in found] == [high] and low in hers
        assert found[0].score == pytest.approx(0.85 * hers[high], rel=0.01)
        assert "blue cluster" in child.recall(f"which cluster serves {token} in Frankfurt?")
        assert "red cluster" not in child.recall(f"which cluster serves {token} in Frankfurt?")

        own = child.remember(f"{token} is served by the green cluster in Frankfurt")
        assert [f.id for f in child.search(token)] == [getattr(own, "id")]  # noqa: B009
    with Memory(agent="parent") as parent:
        assert "green" not in parent.recall(f"which cluster serves {token} in Frankfurt?")
    with Memory(agent="stranger") as stranger:
        assert stranger.search(token) == []


def test_18_an_heir_knows_the_summaries_and_habits_too(db: apsw.Connection) -> None:
    parent, child, of = a_project(db, agent="parent"), a_project(db, agent="child"), name()
    for i in range(3):
        say(db, topic("pool", of)[i : i + 5], key=f"s{i}", scope=parent)
    pairs = [t for i in range(6) for t in (("user", f"it crashes {i}"), ("assistant", f"```\n{i}\n```"))]
    say(db, pairs, key="bugs", scope=parent)
    sleep(db, NOW)
    assert not Tiers(db, child).patterns("it crashes", NOW)
    with writer.transaction(db):
        federation.fork(db, parent, child, NOW + DAY)

    (habit,) = Tiers(db, child).patterns("it crashes", NOW)
    assert (habit.ask, habit.did) == ("bug", "code")
    found = Tiers(db, child).compose(f"the connection pool of {of}", NOW)
    assert [row.kind for row in found.agent_knowledge] == ["summary"] and of in found.agent_knowledge[0].text
    assert found.segments == [] and found.working == []


def test_24_a_branch_sees_the_parent_as_it_was(project: Path, token: str) -> None:
    first = [f"{token} {i}" for i in range(5)]
    with Memory() as memory:
        say(memory.db, first, key="parent", scope=memory.scope)
        begun = json.loads(command("ask", "what did we say?", "--session", "child", "--branch", "parent", "--json"))
        assert not begun["available"] and all(text in begun["context"] for text in first)
        say(memory.db, [f"{token} child"], key="child", scope=memory.scope)
        say(memory.db, [f"{token} later"], key="parent", scope=memory.scope)
        memory.respond("and again?", session="child", branch="parent")  # begins once

        parent, child = (Tiers(memory.db, memory.scope, key) for key in ("parent", "child"))
        assert [t.text for t in child.recent(50)] == [*first, f"{token} child"]
        assert [t.text for t in child.recent(2)] == [f"{token} 4", f"{token} child"]
        assert [t.text for t in parent.recent(50)] == [*first, f"{token} later"]
        with pytest.raises(ValueError, match="there is no session"):
            memory.respond("what?", session="other", branch=token)
