"""An event that is too long, broken or odd costs a prompt what speaks to it, not the rules that always stand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentmemory.hookjson import begun
from agentmemory.inject import MOST_INPUT
from agentmemory.memory import Memory
from tests.test_inject import block, hook, log, prompt

EVERYWHERE, HERE = "always sign commits", "never push to github directly"


@pytest.fixture
def rules(taught: str) -> str:
    """Locked rules of the project and of the user's own; returns the word of a fact."""
    with Memory() as memory:
        memory.lock(EVERYWHERE, everywhere=True)
    return taught


def test_a_prompt_that_is_too_long_gets_the_rules(rules: str, home: Path, project: Path) -> None:
    said = block(hook("prompt-submit", prompt("which host is our billing on? " + "b " * MOST_INPUT, project)))

    assert EVERYWHERE in said and HERE in said and rules not in said
    assert len(log(home)) == 1


@pytest.mark.parametrize("rest", ['"x": [1, }', '"x": ' + "[" * 100_000 + "]" * 100_000 + "}", '"x"', ""])
def test_a_broken_event_of_a_prompt_gets_the_rules_of_what_could_be_read(
    rest: str, rules: str, home: Path, project: Path
) -> None:
    given = json.dumps(prompt("which host is our billing on?", project))[:-1] + ", " + rest

    said = block(hook("prompt-submit", given.encode()))

    assert EVERYWHERE in said and HERE in said
    assert len(log(home)) == 1


def test_where_the_project_cannot_be_known_the_users_own_rules_stand(rules: str, home: Path, project: Path) -> None:
    said = block(hook("prompt-submit", b'{"prompt": "which host'))

    assert EVERYWHERE in said and HERE not in said


@pytest.mark.parametrize("event", ["prompt-submit", "session-start"])
def test_a_folder_that_can_be_none_is_as_none(event: str, rules: str, home: Path, project: Path) -> None:
    given = prompt("which host is our billing on?", project)

    said = block(hook(event, {**given, "cwd": f"{project}\0"}))

    assert EVERYWHERE in said and HERE not in said
    assert log(home) == []


def test_a_mark_before_the_json_is_no_part_of_it(rules: str, home: Path, project: Path) -> None:
    given = json.dumps(prompt("which host is our billing on?", project)).encode()

    said = block(hook("prompt-submit", b"\xef\xbb\xbf" + given))

    assert rules in said and HERE in said
    assert log(home) == []


@pytest.mark.parametrize(("text", "members"), [
    ('{"a": 1, "b": "x", "c": "y', {"a": 1, "b": "x"}), (' { "a" :\n[1, {"b": null}] , "c', {"a": [1, {"b": None}]}),
    ('{"a": "\\ud83d"', {"a": "?"}), ("{", {}), ("", {}), ("[1, 2", {}), ("nonsense", {}), ('{"a" 1}', {}),
    ('{"a": 1} {"b": 2}', {"a": 1}), ('{"a": {"b": ["x", {"c": "y\\u00', {"a": {"b": ["x", {"c": "y"}]}}),
    ('{"a": {"d": ' + "[" * 5000 + "]" * 5000 + ', "b": 1}}', {"a": {"b": 1}}), ('{"a": {"b": tru', {"a": {}}),
])  # fmt: skip
def test_what_is_complete_of_a_broken_object_is_read(text: str, members: dict[str, object]) -> None:
    said = begun(text)

    if isinstance(said.get("a"), dict):
        said["a"].pop("d", None)  # type: ignore[attr-defined]
    assert said == members


def test_where_no_thread_is_to_be_had_the_block_is_told_all_the_same(
    rules: str, home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (started := project / "starts").mkdir()
    (started / "sitecustomize.py").write_text(
        "import _thread\ndef none(*_): raise RuntimeError('no new thread')\n_thread.start_new_thread = none\n"
    )
    monkeypatch.setenv("PYTHONPATH", f"{started}:{Path.cwd()}")

    said = block(hook("prompt-submit", prompt("which host is our billing on?", project)))

    assert rules in said and HERE in said
    assert "no new thread" in log(home)[0]
