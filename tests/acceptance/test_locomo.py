"""The LoCoMo harness: official categories, the query of every question, clean prompts, the same bytes every time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

TALK = {
    "sample_id": "talk-1",
    "conversation": {
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ada", "dia_id": "D1:1", "text": "I repaired the turquoise kayak yesterday."},
            {"speaker": "Ben", "dia_id": "D1:2", "text": "Lovely! Where do you paddle?"},
            {"speaker": "Ada", "dia_id": "D1:3", "text": "On the Havel, near Werder.", "blip_caption": "a quiet river"},
        ],
        "session_2_date_time": "9:00 am on 20 June, 2023",
        "session_2": [{"speaker": "Ben", "dia_id": "D2:1", "text": "My grandmother gave me her accordion."}],
    },
    "qa": [
        {"question": "Where does Ada paddle?", "answer": "On the Havel", "evidence": ["D1:3"], "category": 4},
        {"question": "When did Ada repair the kayak?", "answer": "7 May 2023", "evidence": ["D1:1"], "category": 2},
        {
            "question": "Who gave Ada an accordion?",
            "evidence": ["D2:1"],
            "category": 5,
            "adversarial_answer": "grandma",
        },
    ],
}


@pytest.fixture
def harness(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.syspath_prepend(str(REPOSITORY / "experiments"))
    import locomo

    return locomo


def run(folder: Path, data: Path) -> tuple[dict[str, object], list[dict[str, object]], bytes]:
    command = [sys.executable, str(REPOSITORY / "experiments" / "locomo.py"), str(data), "--runs", "3"]
    subprocess.run([*command, "--out", str(folder / "out")], check=True, capture_output=True)
    lines = (folder / "out_run1.jsonl").read_bytes()
    return json.loads((folder / "out.json").read_text()), [json.loads(line) for line in lines.splitlines()], lines


def test_one_command_says_all_and_says_it_again(tmp_path: Path) -> None:
    data = tmp_path / "talk.json"
    data.write_text(json.dumps([TALK]))
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    receipt, rows, first = run(tmp_path / "a", data)
    _, _, again = run(tmp_path / "b", data)

    assert first == again
    assert (receipt["n"], receipt["answerer"], len(receipt["runs"])) == (3, "quote", 3)  # type: ignore[arg-type]
    assert len({r["sha256"] for r in receipt["runs"]}) == 1  # type: ignore[attr-defined, index]
    assert [r["category"] for r in rows] == ["single-hop", "temporal", "adversarial"]
    assert [r["query"] for r in rows] == [qa["question"] for qa in TALK["qa"]]  # type: ignore[index]
    assert [r["recall"] for r in rows] == [1.0, 1.0, 1.0]


def test_a_prompt_with_anything_else_in_it_is_refused(harness: object) -> None:
    qa = {"answer": "turquoise", "category": 4}
    clean = harness.FRAME.format(turns="", question="Which colour?")  # type: ignore[attr-defined]
    found = ["a kayak"]
    with_turn = harness.FRAME.format(turns="a kayak", question="Which colour?")  # type: ignore[attr-defined]

    harness.assert_clean(clean, "Which colour?", [], qa)  # type: ignore[attr-defined]
    harness.assert_clean(with_turn, "Which colour?", found, qa)  # type: ignore[attr-defined]
    with pytest.raises(AssertionError):
        harness.assert_clean(with_turn + " turquoise", "Which colour?", found, qa)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("said", "gold", "category", "f1"),
    [
        ("the Havel", "On the Havel", 4, 2 / 3),
        ("kayaks, a river", "river, kayak", 1, 1.0),
        ("paddling", "yes; she loves paddling", 3, 0.0),
        ("There is no information available.", "", 5, 1.0),
        ("her grandmother", "", 5, 0.0),
        ("", "On the Havel", 4, 0.0),
    ],
)
def test_answers_are_scored_by_the_rules_of_the_data(
    harness: object, said: str, gold: str, category: int, f1: float
) -> None:
    assert harness.score(said, gold, category)[0] == pytest.approx(f1)  # type: ignore[attr-defined]
