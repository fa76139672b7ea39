"""What clients begin with is noted as long as it is not in the file, whoever took it out."""

from __future__ import annotations

from pathlib import Path

from agentmemory.model.segments import forget_beliefs
from agentmemory.serve.heads import MOST_HEADS, Head, Heads


def head(agent: str, said: str = "be brief") -> Head:
    return Head("m", agent, "", ({"role": "system", "content": said},), ())


def agents(home: Path) -> list[str]:
    return [known.agent for known in Heads(str(home)).all()]


def test_every_agent_is_noted_again_after_a_forgetting(tmp_path: Path) -> None:
    heads = Heads(str(tmp_path))
    for _ in range(2):
        heads.note(head("a"))
        heads.note(head("b"))
        assert agents(tmp_path) == ["a", "b"]
        forget_beliefs(str(tmp_path / "segments"), [1])
        assert agents(tmp_path) == []


def test_what_a_server_that_died_had_begun_to_write_is_forgotten_too(tmp_path: Path) -> None:
    Heads(str(tmp_path)).note(head("a", "the vault's code is heron"))
    half = (tmp_path / "segments" / "heads.json").read_text()[:-9]
    (tmp_path / "segments" / "heads.json.4711").write_text(half)

    forget_beliefs(str(tmp_path / "segments"), [1])

    assert [f for f in tmp_path.rglob("*") if f.is_file() and "heron" in f.read_text()] == []


def test_who_was_crowded_out_comes_back_with_a_request(tmp_path: Path) -> None:
    heads = Heads(str(tmp_path))
    for i in range(MOST_HEADS + 1):
        heads.note(head(f"a{i}"))
    assert "a0" not in agents(tmp_path)
    heads.note(head("a0"))
    assert agents(tmp_path)[-1] == "a0"


def test_two_servers_do_not_write_in_turns_what_both_know(tmp_path: Path) -> None:
    one, two = Heads(str(tmp_path)), Heads(str(tmp_path))
    one.note(head("a"))
    two.note(head("b"))
    before = (tmp_path / "segments" / "heads.json").stat()
    for _ in range(3):
        one.note(head("a"))
        two.note(head("a"))
        one.note(head("b"))
        two.note(head("b"))
    after = (tmp_path / "segments" / "heads.json").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
