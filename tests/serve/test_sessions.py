"""What had changed when a conversation began stands before it, unchanged for as long as the conversation lasts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentmemory.memory import Memory
from agentmemory.model.engine import Segment
from agentmemory.model.fake import FakeEngine
from agentmemory.model.settings import Limits, Settings
from agentmemory.serve.injection import FromMemory
from agentmemory.serve.sessions import IDLE, Sessions
from tests.model.conftest import Folder, needs_mlx, words
from tests.serve.conftest import Running, Serve

DAY = "2026-06-01T"
FIRST = {"role": "user", "content": f"let us look at the release {words(40, 1)}"}


@pytest.fixture
def seam(home: Path, tmp_path: Path) -> FromMemory:
    (tmp_path / "shop").mkdir()
    return FromMemory(str(home), str(tmp_path / "shop"))


def at(clock: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTMEMORY_NOW", f"{DAY}{clock}Z")


def change(seam: FromMemory, was: str, now: str) -> None:
    with Memory(seam.home, seam.project) as memory:
        memory.correct(memory.remember(was, "fact").id, now)


def session(segments: list[Segment]) -> str:
    return next((s.text for s in segments if s.name == "session"), "")


def test_a_session_begins_with_what_changed_lately(seam: FromMemory) -> None:
    change(seam, "The billing service listens on port 8442.", "The billing service listens on port 8443.")
    found = {s.name: s for s in seam("", "", [FIRST])}
    assert "8443" in found["session"].text and "8442" not in found["session"].text
    assert len(found["session"].beliefs) == 1


def test_it_stays_the_same_while_the_session_lasts_and_the_next_one_knows_more(
    seam: FromMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    at("09:00:00", monkeypatch)
    change(seam, "The billing service listens on port 8442.", "The billing service listens on port 8443.")
    first = seam("", "", [FIRST])
    at("09:20:00", monkeypatch)
    change(seam, "The nightly build starts at 02:00.", "The nightly build starts at 03:30.")
    talk = [FIRST, {"role": "assistant", "content": "yes"}, {"role": "user", "content": "when does the build start?"}]
    later = seam("", "", talk)
    assert session(later) == session(first)
    assert "03:30" in later[-1].text, "what is new comes by recall"
    assert "03:30" in session(seam("", "", [{"role": "user", "content": "another conversation"}]))
    assert "03:30" in session(seam("", "", [FIRST], "named by the client"))


def test_what_no_longer_holds_goes_at_once(seam: FromMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    at("09:00:00", monkeypatch)
    change(seam, "The billing service listens on port 8442.", "The billing service listens on port 8443.")
    assert "8443" in session(seam("", "", [FIRST]))
    at("09:20:00", monkeypatch)
    with Memory(seam.home, seam.project) as memory:
        memory.correct("listens on port 8443", "The billing service listens on port 9000.")
    assert "8443" not in session(seam("", "", [FIRST]))


def test_agents_and_projects_have_sessions_of_their_own(seam: FromMemory, tmp_path: Path) -> None:
    change(seam, "The billing service listens on port 8442.", "The billing service listens on port 8443.")
    (tmp_path / "other").mkdir()
    assert session(seam("", str(tmp_path / "other"), [FIRST])) == ""


def test_who_comes_back_late_begins_anew(tmp_path: Path) -> None:
    sessions = Sessions(str(tmp_path))
    assert sessions.began(("a", "b"), 1000.0) == 1000.0
    assert sessions.began(("a", "b"), 1000.0 + IDLE / 2) == 1000.0
    assert Sessions(str(tmp_path)).began(("a", "b"), 1000.0 + IDLE) == 1000.0, "another process knows it too"
    assert sessions.began(("a", "c"), 2000.0) == 2000.0
    assert sessions.began(("a", "b"), 9e6) == 9e6


def test_a_spoilt_file_is_an_empty_one(tmp_path: Path) -> None:
    sessions = Sessions(str(tmp_path))
    sessions.began(("a",), 1.0)
    path = tmp_path / "segments" / "sessions.json"
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text("[1")
    assert sessions.began(("a",), 5.0) == 5.0


def ask(running: Running, *talk: dict[str, str], **more: Any) -> Any:
    return running.client().chat.completions.create(model="", messages=list(talk), max_tokens=8, temperature=0, **more)


def turns(said: Any, words_of: str) -> list[dict[str, str]]:
    answer = {"role": "assistant", "content": f"{said.choices[0].message.content} {words(50, 'a')}"}
    return [answer, {"role": "user", "content": words_of}]


def test_a_conversation_that_goes_on_finds_its_beginning_cached(
    seam: FromMemory, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    at("09:00:00", monkeypatch)
    change(seam, "The billing service listens on port 8442.", "The billing service listens on port 8443.")
    running = serve({"fake": FakeEngine()}, seam)
    one = ask(running, FIRST)
    at("09:20:00", monkeypatch)
    change(seam, "The nightly build starts at 02:00.", "The nightly build starts at 03:30.")
    two = ask(running, FIRST, *turns(one, "and what of the port?"))
    three = ask(running, FIRST, *turns(one, "and what of the port?"), *turns(two, "thank you"))
    cached = [made.usage.prompt_tokens_details.cached_tokens for made in (one, two, three)]
    assert 0 == cached[0] < cached[1] < cached[2]


@needs_mlx
def test_it_is_cached_after_a_restart_too_and_says_the_same(
    seam: FromMemory, serve: Serve, model_folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    at("09:00:00", monkeypatch)
    change(seam, "The billing service listens on port 8442.", "The billing service listens on port 8443.")
    settings = Settings(models={"llama": model_folder()}, limits=Limits(1 << 30, 0, 1e12), step=64)
    first = serve({}, seam, settings)
    one = ask(first, FIRST)
    talk = [FIRST, *turns(one, "and what of the port?")]
    ask(first, *talk)
    first.stop()
    at("09:40:00", monkeypatch)
    change(seam, "The nightly build starts at 02:00.", "The nightly build starts at 03:30.")
    again = serve({}, FromMemory(seam.home, seam.project), settings)
    warm = ask(again, *talk, *turns(one, "go on"))
    beginning = talk[0]["content"].split()
    assert warm.usage.prompt_tokens_details.cached_tokens > len(beginning), "session and first words were restored"
    lines = again.models.get().explain(_prompt(seam, [*talk, *turns(one, "go on")]))  # type: ignore[attr-defined]
    assert [line.split(" ")[0] for line in lines][:2] == ["session", "conversation"]
    assert not any("missing" in line for line in lines)


def _prompt(seam: FromMemory, talk: list[dict[str, str]]) -> Any:
    from agentmemory.model.engine import Prompt

    return Prompt(tuple(talk), tuple(seam("", "", talk)))
