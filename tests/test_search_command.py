"""What `search` shows at a terminal, and `read` of what it found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentmemory.cli import main
from agentmemory.memory import Memory
from agentmemory.store import beliefs, writer
from agentmemory.values import Utterance


@pytest.mark.parametrize("limit", ["0", "-1"])
def test_a_limit_that_leaves_no_hit_is_refused_instead_of_told_as_nothing_stored(
    project: Path, capsys: pytest.CaptureFixture[str], limit: str
) -> None:
    main(["remember", "the zanzibar exporter writes parquet"])
    capsys.readouterr()

    assert main(["search", "zanzibar", "--limit", limit]) == 1
    assert capsys.readouterr() == ("", f"agentmemory: a limit of {limit} finds nothing; name 1 or more\n")


def test_what_only_a_link_brought_says_so_in_the_table(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    main(["remember", "the zanzibar exporter writes parquet"])
    main(["remember", "buckets are emptied on sundays"])
    with Memory() as memory, writer.transaction(memory.db):
        beliefs.link(memory.db, "relates", 1, 2, 1.0)
    capsys.readouterr()

    main(["search", "zanzibar"])
    assert "buckets" not in (told := capsys.readouterr().out) and "link" not in told
    main(["search", "--links", "zanzibar"])
    hit, linked = capsys.readouterr().out.splitlines()[1:]
    assert "relates from belief 1" in linked and "relates" not in hit


def test_the_table_says_what_a_hit_was(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("AGENTMEMORY_NOW", "2026-03-02T12:00:00Z")
    main(["remember", "the zanzibar limit is 60"])
    monkeypatch.setenv("AGENTMEMORY_NOW", "2026-04-05T12:00:00Z")
    main(["correct", "1", "the zanzibar limit is 120"])
    capsys.readouterr()

    main("search history of the zanzibar limit".split())
    hit, was = (line.strip() for line in capsys.readouterr().out.splitlines()[1:])
    assert "the zanzibar limit is 120" in hit and was == 'was "the zanzibar limit is 60" until 2026-04-05'


def test_lines_of_a_text_stay_lines_in_a_table(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = {"role": "assistant", "text": "the zanzibar exporter:\nwrites parquet", "at": 1.0, "cwd": str(project)}
    (tmp_path / "said.jsonl").write_text(json.dumps(said))
    main(["learn", str(tmp_path / "said.jsonl")])
    capsys.readouterr()

    main(["search", "zanzibar"])
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["id", "turn:1", "writes"]


def conversation(project: Path, tmp_path: Path) -> str:
    """What a user and an agent said of an exporter, learned; the answer in the middle is long and of two lines."""
    answer = f"the zanzibar exporter:\n{'writes parquet ' * 30}at the end"
    talk = ("what do you know of exporters?", "not much", "from now on exporters write parquet only", answer,
            "thanks", "gladly", "and the importer?", "reads csv")  # fmt: skip
    told = [{"role": ("user", "assistant")[i % 2], "text": text, "at": 1000.0 + i, "cwd": str(project)}
            for i, text in enumerate(talk)]  # fmt: skip
    (tmp_path / "said.jsonl").write_text("\n".join(map(json.dumps, told)))
    main(["learn", str(tmp_path / "said.jsonl")])
    return answer


def test_a_table_says_who_said_a_turn_and_its_id_is_none_of_a_belief(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    conversation(project, tmp_path)
    with Memory(speaker="agent") as memory:
        memory.remember("zanzibar lies in the attic")
    capsys.readouterr()

    main("search zanzibar exporters parquet".split())
    out = " ".join(capsys.readouterr().out.split())
    assert " turn:3 turn, user from now on " in out and " turn:4 turn, agent the zanzibar " in out
    assert " 1 rule from now on " in out and " 2 fact, agent zanzibar lies " in out

    main("search zanzibar exporters parquet --json".split())
    found = json.loads(capsys.readouterr().out)
    assert {(hit["what"], hit["id"]): hit["provenance"] for hit in found}["turn", 4] == "agent"


def test_a_turn_is_read_whole_with_what_was_said_around_it(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = conversation(project, tmp_path)
    capsys.readouterr()

    assert main(["read", "turn:4"]) == 0
    told = capsys.readouterr().out
    assert f"\n> turn:4 agent:\n{answer}\n  turn:5 user: thanks\n" in told
    assert "turn:3 user: from now on exporters write parquet only\n" in told and "reads csv" not in told

    assert main(["read", "turn:3", "--json"]) == 0
    read = json.loads(capsys.readouterr().out)
    assert (read["id"], read["session"], read["turn"], read["role"]) == (3, str(tmp_path / "said.jsonl"), 2, "user")
    assert ([t["id"] for t in read["before"]], [t["id"] for t in read["after"]]) == ([1, 2], [4, 5, 6])
    assert read["after"][0]["text"] == answer and [b["id"] for b in read["beliefs"]] == [1]


@pytest.mark.parametrize(("id", "says"), [
    ("turn:99", "there is no turn 99"), ("turn:0", "there is no turn 0"), ("99", "there is no belief 99"),
])  # fmt: skip
def test_what_is_not_there_cannot_be_read(
    project: Path, capsys: pytest.CaptureFixture[str], id: str, says: str
) -> None:
    assert main(["read", id]) == 1
    assert capsys.readouterr() == ("", f"agentmemory: {says}\n")


@pytest.mark.parametrize("command", ["lock turn:1", "forget turn:1 --yes", "correct turn:1 yes", "guard add turn:1"])
def test_the_id_of_a_turn_is_no_words_of_a_belief(
    project: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    assert main(command.split()) == 1
    assert capsys.readouterr() == ("", "agentmemory: turn:1 is a turn; this takes a belief, or words\n")
    with Memory() as memory:
        assert list(memory.export()) == []


@pytest.mark.parametrize("id", ["turn:", "turn:x", "belief", "session:4"])
def test_what_is_no_id_is_wrong_usage(project: Path, capsys: pytest.CaptureFixture[str], id: str) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["read", id])
    assert raised.value.code == 2 and f"{id} is no id; it is like 4, or turn:4" in capsys.readouterr().err


def test_a_turn_that_was_forgotten_is_not_there(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Memory() as memory:
        memory.add_turns("s", [Utterance(0, "user", "the zanzibar key", 1.0), Utterance(1, "user", "so be it", 2.0)])
        memory.forget("zanzibar")
    assert main(["read", "turn:1"]) == 1
    assert capsys.readouterr().err == "agentmemory: there is no turn 1\n"
    main(["read", "turn:2", "--json"])
    assert json.loads(capsys.readouterr().out)["before"] == []
