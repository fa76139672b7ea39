"""What was learned waits for the user's look: kept it is surer, dropped it is gone and what it replaced holds again."""

from __future__ import annotations

import json
from pathlib import Path

import apsw
import pytest

from agentmemory import confidence
from agentmemory.cli import main
from agentmemory.learn import health
from agentmemory.learn.revise import revise
from agentmemory.memory import Memory
from agentmemory.store import writer
from agentmemory.values import Candidate, Utterance
from tests.learn.talk import AT, held, play

Said = pytest.CaptureFixture[str]


@pytest.fixture
def learned(db: apsw.Connection, project: Path, tmp_path: Path, token: str) -> str:
    """Two sessions, a day apart; what the second says replaces what the first said of the bird."""
    play(db, tmp_path, f"the {token} bird lives on port 4001", cwd=str(project))
    told = f"the {token} bird lives on port 4002 now", "never push to main without asking"
    play(db, tmp_path, *told, cwd=str(project), at=90_000)
    return token


def waiting(capsys: Said) -> dict[int, str]:
    capsys.readouterr()
    assert main(["review", "--json"]) == 0
    return {row["id"]: row["text"] for row in json.loads(capsys.readouterr().out)}


def test_what_stands_is_listed_and_what_gave_way_is_not(learned: str, capsys: Said) -> None:
    assert set(waiting(capsys).values()) == {
        f"the {learned} bird lives on port 4002 now", "never push to main without asking"
    }  # fmt: skip
    assert main(["review", "--limit", "1"]) == 0
    assert "1 more were learned: --limit 2 shows them all." in capsys.readouterr().out


def test_what_the_user_typed_to_be_remembered_needs_no_look(learned: str, capsys: Said) -> None:
    with Memory() as memory:
        memory.remember("the office wifi is called lemur")
        memory.lock("never rebase main")

    assert not {"the office wifi is called lemur", "never rebase main"} & set(waiting(capsys).values())


def test_dropped_it_is_gone_and_what_it_replaced_holds_again(learned: str, db: apsw.Connection, capsys: Said) -> None:
    new = next(id for id, text in waiting(capsys).items() if "4002" in text)

    assert main(["review", "drop", str(new)]) == 0

    assert "1 dropped (`agentmemory undo` takes that back); 2 statements to look at." in capsys.readouterr().out
    assert [text for text in held(db) if "bird" in text] == [f"the {learned} bird lives on port 4001"]
    assert main(["undo"]) == 0
    assert [text for text in held(db) if "bird" in text] == [f"the {learned} bird lives on port 4002 now"]
    assert new in waiting(capsys)


def test_kept_it_is_surer_and_waits_no_longer(learned: str, db: apsw.Connection, capsys: Said) -> None:
    rule = next(id for id, text in waiting(capsys).items() if "push" in text)
    with Memory() as memory:
        before = memory.belief(rule)

    assert main(["review", "keep", str(rule)]) == 0

    with Memory() as memory:
        after = memory.belief(rule)
    assert confidence.mean(after.alpha, after.beta) > confidence.mean(before.alpha, before.beta)
    assert rule not in waiting(capsys)
    assert main(["undo"]) == 0
    assert rule in waiting(capsys)


def test_what_was_heard_once_stands_when_it_is_kept(db: apsw.Connection, project: Path, capsys: Said) -> None:
    with Memory() as memory:
        turn = memory.add_turns("s", [Utterance(0, "user", "the importer starts at nine", AT, "user")])[0]
        once = Candidate(
            "fact", "the importer starts at nine", scope=memory.scope, at=AT, turn=turn, tentative=True, heard=True
        )
    with writer.transaction(db):
        revise(db, once, AT)
    (id,) = waiting(capsys)

    assert main(["review", "keep", str(id)]) == 0

    assert held(db) == ["the importer starts at nine"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["keep"], "name the statements by their ids, or `all`"), (["drop", "9999"], "there is no belief 9999"),
        (["drop", "1"], "belief 1 is superseded: it neither stands nor was heard"),
    ],
)  # fmt: skip
def test_what_cannot_be_decided_is_said_and_changes_nothing(
    learned: str, db: apsw.Connection, capsys: Said, words: list[str], says: str
) -> None:
    before = waiting(capsys)

    assert main(["review", words[0], *words[1:], *(str(id) for id in before if len(words) > 1)]) == 1

    assert f"agentmemory: {says}\n" == capsys.readouterr().err
    assert waiting(capsys) == before


def test_a_locked_rule_is_unlocked_before_it_is_dropped(learned: str, capsys: Said) -> None:
    rule = next(id for id, text in waiting(capsys).items() if "push" in text)
    assert main(["lock", str(rule)]) == 0
    assert rule not in waiting(capsys)

    assert main(["review", "drop", str(rule)]) == 1

    assert f"belief {rule} is locked; unlock it before you drop it" in capsys.readouterr().err


def test_all_that_waits_can_be_decided_at_once(learned: str, db: apsw.Connection, capsys: Said) -> None:
    assert health.report(db, (2, 1))["learned"] == 2
    assert main(["review", "keep", "all"]) == 0
    assert "2 kept; 0 statements to look at." in capsys.readouterr().out
    assert main(["review"]) == 0
    assert "You have seen all that was learned." in capsys.readouterr().out
    assert "learned of your talk and not seen by you: 0" in health.told(health.report(db, (2, 1)))


def test_it_is_of_this_project_alone(
    learned: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Said
) -> None:
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")

    assert waiting(capsys) == {}
