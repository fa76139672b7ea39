"""What the memory puts before a conversation, and that forgetting takes it out of the files again."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

import httpx
import pytest

from agentmemory import paths
from agentmemory.memory import Memory
from agentmemory.model.engine import Prompt, Sampling
from agentmemory.model.fake import FakeEngine
from agentmemory.model.segment_file import read_header
from agentmemory.serve.heads import Heads, head_of
from agentmemory.serve.injection import FromMemory
from agentmemory.serve.warm import by_worker
from agentmemory.values import Added
from tests.model.conftest import Folder, Open, needs_mlx
from tests.serve.conftest import Serve


def asked(words: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": words}]


@pytest.fixture
def home(tmp_path: Path) -> str:
    return str(tmp_path / "home")


@pytest.fixture
def project(tmp_path: Path) -> str:
    (tmp_path / "project").mkdir()
    return str(tmp_path / "project")


def lock(home: str, project: str, text: str, **where: Any) -> int:
    with Memory(home, project, agent=where.pop("agent", "")) as memory:
        added = memory.lock(text, **where)
    assert isinstance(added, Added)
    return added.id


def test_rules_stand_in_the_segment_of_their_scope(home: str, project: str) -> None:
    everywhere = lock(home, project, "Always answer in British English.", everywhere=True)
    here = lock(home, project, "Releases go through the smoke suite first.")
    profile, digest = FromMemory(home)("", project, asked("hello there"))[:2]
    assert (profile.name, profile.beliefs) == ("profile", (everywhere,))
    assert (digest.name, digest.beliefs) == ("digest", (here,))
    assert "British English" in profile.text and "smoke suite" in digest.text
    assert [s.name for s in FromMemory(home)("", "", asked("hello there"))] == ["profile"]


def test_a_store_that_is_just_being_made_holds_nothing(home: str, project: str) -> None:
    Path(home).mkdir()
    Path(paths.store_path(home)).touch()

    assert FromMemory(home)("", project, asked("hello there")) == []


def test_a_prefix_is_the_same_bytes_until_something_changes_and_then_only_after_it(home: str, project: str) -> None:
    lock(home, project, "Always answer in British English.", everywhere=True)
    lock(home, project, "Releases go through the smoke suite first.")
    seam = FromMemory(home, project)
    one, two = seam("", "", asked("first question")), seam("", "", asked("a second one about releases"))
    assert one[:2] == two[:2]
    lock(home, project, "Never push to main on a Friday.")
    profile, digest = seam("", "", asked("first question"))[:2]
    assert profile == one[0]
    assert digest.text.startswith(one[1].text)


def test_what_was_said_last_is_told_whether_or_not_a_rule_stands_in_front(home: str, project: str) -> None:
    with Memory(home, project) as memory:
        memory.remember("our staging cluster runs in Oslo", "decision")
        memory.remember("changelogs are written by hand", "decision")
    words = "update our staging cluster in src/app.py please, we need it today"
    before = FromMemory(home)("", project, asked(words))[-1]
    lock(home, project, "Never push to main on a Friday.")

    after = FromMemory(home)("", project, asked(words))[-1]

    assert "by hand" in before.text and after == before


def test_what_a_query_calls_for_comes_last_and_only_then(home: str, project: str) -> None:
    port = secrets.randbelow(50_000) + 1024
    with Memory(home, project) as memory:
        memory.remember(f"The billing database of staging listens on port {port}.", "fact")
    seam = FromMemory(home, project)
    recalled = seam("", "", asked("Which port does the billing database of staging listen on?"))
    assert recalled[-1].name == "recall"
    assert str(port) in recalled[-1].text and recalled[-1].beliefs
    assert seam("", "", asked("write a haiku about autumn")) == []


def test_one_agents_memory_is_not_anothers(home: str, project: str) -> None:
    lock(home, project, "The reviewer checks licences first.", agent="reviewer")
    seam = FromMemory(home, project)
    assert "licences" in seam("reviewer", "", asked("go on"))[0].text
    assert seam("tester", "", asked("go on")) == []


def test_the_next_session_s_prefix_is_computed_before_it_is_asked_for(home: str, project: str, serve: Serve) -> None:
    running = serve({"fake": FakeEngine()}, FromMemory(home, project))
    headers = running.headers(**{"X-Admin-Key": running.admin})

    def ask(words: str) -> int:
        messages = [{"role": "system", "content": "You write code for us. " * 20}, {"role": "user", "content": words}]
        made = running.client().chat.completions.create(model="", messages=messages, max_tokens=2)
        return int(made.usage.prompt_tokens_details.cached_tokens)

    def warm() -> int:
        return int(httpx.post(f"{running.url}/admin/warm", headers=headers).json()["warmed"])

    assert warm() == 0, "nobody has asked yet"
    ask("first")
    before = ask("second")
    lock(home, project, "Releases go through the smoke suite first.")
    assert ask("third") == before
    lock(home, project, "Never push to main on a Friday.")
    assert warm() == 1
    assert ask("fourth") > before, "the new rule was prefilled"


@needs_mlx
def test_a_worker_prefills_where_no_server_runs(home: str, project: str, model_folder: Folder) -> None:
    lock(home, project, "Always answer in British English, in short sentences and without any list.", everywhere=True)
    Path(home, "sidecar.toml").write_text(f'model = "{model_folder()}"\nfree_gib = 0\non_battery = true\n')
    Heads(home).note(head_of("model", "", "", [{"role": "system", "content": "Be kind. " * 20}], ()))
    assert by_worker(home) == 1
    labels = {read_header(str(p)).label for p in Path(home, "segments").rglob("*.safetensors")}
    assert labels == {"system", "profile"}


@needs_mlx
def test_forgetting_a_belief_leaves_its_tokens_in_no_file(home: str, project: str, open_engine: Open) -> None:
    lock(home, project, "Releases go through the smoke suite first.")
    secret = lock(home, project, "The staging password is quince-albatross and nobody says it.")
    engine = open_engine(home)
    seam = FromMemory(home, project)
    talk = [*asked("how do we release? " * 30), {"role": "assistant", "content": "through the suite " * 30}]
    for messages in (asked("how?"), [*talk, *asked("and then?")]):
        prompt = Prompt(tuple(messages), tuple(seam("", "", messages)))
        engine.generate(prompt, Sampling(max_tokens=2))
    engine.close()
    assert any("albatross" in text for text in texts(engine, home))

    with Memory(home, project) as memory:
        memory.forget(secret)
    assert not any("albatross" in text for text in texts(engine, home))
    assert [s.beliefs for s in seam("", "", asked("how?"))] != []


def texts(engine: Any, home: str) -> list[str]:
    """The words of every segment on disk."""
    files = Path(home, "segments").rglob("*.safetensors")
    return [engine._tokens.decode(read_header(str(path)).tokens) for path in files]
