"""An import is examined line by line, and holds all of what is fine or nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentmemory.cli import main as cli
from agentmemory.memory import Memory
from agentmemory.values import Added, Ignored, Reinforced
from tests.conftest import NOW

FINE = {"kind": "fact", "text": "the queue is drained at night", "valid_from": "2026-01-01T00:00:00Z"}
TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


def held() -> list[dict[str, Any]]:
    with Memory() as memory:
        return list(memory.export())


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("[1]", "no JSON object"), ("null", "no JSON object"), ('"str"', "no JSON object"), ("{", "no JSON ("),
        ("[" * 100_000, "no JSON ("), ('{"kind": "fact"}', "no 'text'"), ('{"text": "a b c"}', "no 'kind'"),
        ('{"kind": "fact", "text": 5}', "'text' is no text"), ('{"kind": "fact", "text": " "}', "its text is empty"),
        ('{"kind": "fact", "text": "\\u200b"}', "its text is empty"),
        ('{"kind": "fact", "text": "a b", "keywords": null}', "'keywords' is no text"),
        ('{"kind": "fact", "text": "a b", "valid_from": 7}', "'valid_from' is no text"),
        ('{"kind": "fact", "text": "a b", "valid_from": "soon"}', "soon"),
        ('{"kind": "fact", "text": "a b", "state": []}', "'state' is no text"),
        ('{"kind": "guess", "text": "a b"}', "its kind 'guess' is none of rule"),
        ('{"kind": "fact", "text": "a \\ud800 b"}', "surrogates"),
    ],
)  # fmt: skip
def test_a_bad_line_is_named_and_nothing_is_held(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, why: str
) -> None:
    given = tmp_path / "export.jsonl"
    given.write_text(f"{json.dumps(FINE)}\n\n{line}\n")

    assert cli(["import", str(given)]) == 1

    said = capsys.readouterr().err
    assert said.startswith("agentmemory: line 3: ") and why in said
    assert held() == []


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_a_file_in_another_encoding_is_told_so(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], encoding: str
) -> None:
    given = tmp_path / "export.jsonl"
    given.write_text(json.dumps({**FINE, "text": "the café opens at nine"}, ensure_ascii=False), encoding=encoding)

    assert cli(["import", str(given)]) == 1
    assert capsys.readouterr().err == "agentmemory: line 1: it is no UTF-8\n"


def test_an_export_comes_back_to_where_it_was(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Memory() as memory:
        memory.remember("the queue is drained at night")
        memory.remember("answers are short", "preference", everywhere=True)
        given = tmp_path / "export.jsonl"
        given.write_text("".join(f"{json.dumps(row)}\n" for row in memory.export()), encoding="utf-8-sig")
    monkeypatch.setenv("AGENTMEMORY_HOME", str(tmp_path / "another"))

    assert cli(["import", str(given)]) == 0

    assert [(row["text"], row["scope"], row["state"]) for row in held()] == [
        ("the queue is drained at night", "project", "proposed"), ("answers are short", "user", "proposed"),
    ]  # fmt: skip
    capsys.readouterr()
    with open(given, "a") as f:
        f.write(json.dumps({**FINE, "text": "long " * 600}) + "\n" + json.dumps({**FINE, "text": "the host is idle"}))
    cli(["import", str(given)])
    assert capsys.readouterr().out == (
        "4 beliefs read: 1 waiting as proposals for your consent, 2 known already, "
        "1 left out (it is too long to be one belief).\n"
    )


def test_what_a_clock_ahead_of_ours_has_dated_holds_from_now(project: Path) -> None:
    with Memory() as memory:
        memory.import_beliefs([{"kind": "fact", "text": "the port is 8443", "valid_from": "2030-01-01T00:00:00Z"}])

        assert [row["valid_from"] for row in memory.export()] == [NOW]


def test_what_was_declined_is_not_proposed_again_by_anybody(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = tmp_path / "export.jsonl"
    given.write_text(f"{json.dumps(FINE)}\n")
    rule = "never write tests for the loader"
    with Memory(speaker="agent") as agent:
        agent.propose(rule)
    assert cli(["import", str(given)]) == cli(["proposals", "reject", "all"]) == 0
    capsys.readouterr()

    assert cli(["import", str(given)]) == 0
    assert "0 waiting as proposals for your consent, 0 known already, 1 left out" in capsys.readouterr().out
    with Memory(speaker="agent") as agent:
        assert isinstance(agent.propose(rule), Ignored)
    assert {row["state"] for row in held()} == {"retracted"}
    with Memory() as memory:  # the user may still say it
        assert memory.belief(memory.remember(rule, "rule").id).state == "active"  # type: ignore[union-attr]


def test_what_anybody_suggested_is_accepted_and_declined_by_its_id_or_all_at_once(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = tmp_path / "export.jsonl"
    given.write_text(f"{json.dumps(FINE)}\n")
    assert cli(["import", str(given)]) == cli(["lock", "--propose", "Always sign the release tags"]) == 0
    with Memory(speaker="agent") as agent:
        agent.propose("Always run the smoke suite before a release")

    assert cli(["proposals", "accept", "all"]) == 0
    assert {(row["state"], row["provenance"]) for row in held()} == {("active", "user")}


@pytest.mark.parametrize("locked", [False, True])
def test_what_the_user_holds_back_stands_once_they_say_it_plainly(project: Path, locked: bool) -> None:
    rule = "Always sign the release tags"
    with Memory() as memory:
        memory.propose(rule)
        memory.propose(rule)
        assert memory.belief(1).state == "proposed"
        memory.remember(rule, "rule", locked=locked)
        assert (memory.belief(1).state, bool(memory.belief(1).locked)) == ("active", locked)
        memory.undo()
        assert (memory.belief(1).state, memory.belief(1).locked) == ("proposed", 0)


def test_a_file_that_is_imported_again_makes_nothing_surer(project: Path, tmp_path: Path) -> None:
    with Memory() as memory:
        memory.remember("the queue is drained at night")
        before = memory.belief(1)
        rows = list(memory.export())
        for _ in range(3):
            memory.import_beliefs(rows)
        after = memory.belief(1)
    assert (after.alpha, after.beta, after.confirmed) == (before.alpha, before.beta, before.confirmed)


def test_a_summary_that_is_imported_again_is_known(project: Path) -> None:
    row = {"kind": "summary", "text": "Port, queue: the port is 8443. The queue is drained at night."}
    with Memory() as memory:
        assert [memory.import_beliefs([row]) for _ in range(2)] == [[Added(1)], [Reinforced(1)]]
        assert [each["text"] for each in memory.export()] == [row["text"]]


def test_no_door_lets_a_secret_in(project: Path, tmp_path: Path, home: Path) -> None:
    given = tmp_path / "export.jsonl"
    given.write_text(json.dumps({**FINE, **dict.fromkeys(("keywords", "context", "tags", "triggers"), TOKEN)}))
    cli(["import", str(given)])
    cli(["feedback", "1", "wrong", "--detail", f"token {TOKEN}"])

    assert len(held()) == 1
    assert [path.name for path in home.rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()] == []
