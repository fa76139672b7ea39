"""The LoCoMo harness: official categories, the query of every question, clean prompts, the same bytes every time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentmemory import eval_locomo
from agentmemory.answerers import quote
from tests.model.standin import StandIn

TALK: dict[str, Any] = {
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

QUESTIONS: list[dict[str, Any]] = TALK["qa"]


def run(folder: Path, data: Path, *more: str) -> tuple[dict[str, Any], list[dict[str, Any]], bytes]:
    folder.mkdir()
    command = [sys.executable, "-m", "agentmemory", "eval", "locomo", str(data), "--out", str(folder / "out"), *more]
    subprocess.run(command, check=True, capture_output=True)
    lines = (folder / "out_run1.jsonl").read_bytes()
    return json.loads((folder / "out.json").read_text()), [json.loads(line) for line in lines.splitlines()], lines


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps([TALK]))
    return path


def test_one_command_says_all_and_says_it_again(tmp_path: Path, data: Path) -> None:
    receipt, rows, first = run(tmp_path / "a", data)
    _, _, again = run(tmp_path / "b", data)

    assert first == again
    assert (receipt["n"], receipt["answerer"], len(receipt["runs"]), receipt["seed"]) == (3, "quote", 3, 0)
    assert len({r["sha256"] for r in receipt["runs"]}) == 1
    assert [r["category"] for r in rows] == ["single-hop", "temporal", "adversarial"]
    assert [r["query"] for r in rows] == [qa["question"] for qa in QUESTIONS]
    assert [r["recall"] for r in rows] == [1.0, 1.0, 1.0]
    assert {"recall", "f1", "bleu1", "n"} == set(receipt["runs"][0]["single-hop"])


def test_a_model_is_asked_clean_prompts_and_what_is_found_does_not_depend_on_it(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quoted, _, _ = run(tmp_path / "a", data)
    with StandIn() as server:
        monkeypatch.setenv("OPENAI_API_KEY", server.key)
        receipt, rows, _ = run(tmp_path / "b", data, "--answerer", server.url, "--model", "stand-in", "--runs", "2")
        seen = [str(body["messages"][-1]["content"]) for body in server.seen]

    assert [r["found_sha256"] for r in receipt["runs"]] == [quoted["runs"][0]["found_sha256"]] * 2
    assert [r["seed"] for r in receipt["runs"]] == [0, 1]
    assert [body["seed"] for body in server.seen] == [0, 0, 0, 1, 1, 1]
    assert receipt["runs"][0]["used"]["calls"] == 3 and receipt["runs"][0]["used"]["prompt"] > 0
    said = {turn["text"] for turns in TALK["conversation"].values() if isinstance(turns, list) for turn in turns}
    for prompt, qa in zip(seen, QUESTIONS * 2, strict=True):
        outside = prompt.replace(str(qa["question"]), "")
        for text in said:
            outside = outside.replace(text, "")
        gold = [str(each.get(k, "-")) for each in QUESTIONS for k in ("answer", "adversarial_answer")]
        assert not any(answer in outside for answer in gold if answer != "-")
        assert not any(str(other["question"]) in prompt for other in QUESTIONS if other is not qa)
    assert [r["answer"] for r in rows] and all(r["answer"] for r in rows)


def test_a_prompt_with_anything_else_in_it_is_refused() -> None:
    qa = {"answer": "turquoise", "category": 4}
    clean = eval_locomo.FRAME.format(turns="", question="Which colour?")
    found = ["a kayak"]
    with_turn = eval_locomo.FRAME.format(turns="a kayak", question="Which colour?")

    eval_locomo.assert_clean(clean, "Which colour?", [], qa)
    eval_locomo.assert_clean(with_turn, "Which colour?", found, qa)
    eval_locomo.assert_clean(clean, "Which colour?", [], {"answer": "parts", "category": 4})
    with pytest.raises(AssertionError, match="frame"):
        eval_locomo.assert_clean(clean, "Which colour?", [], {"answer": "short\nphrase", "category": 4})
    with pytest.raises(AssertionError):
        eval_locomo.assert_clean(with_turn + " turquoise", "Which colour?", found, qa)


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
def test_answers_are_scored_by_the_rules_of_the_data(said: str, gold: str, category: int, f1: float) -> None:
    assert eval_locomo.score(said, gold, category)[0] == pytest.approx(f1)


@pytest.mark.parametrize("text", ["[]", '{"a": 1}', "[5]", '[{"qa": []}]', "no JSON", json.dumps([{**TALK, "qa": []}])])
def test_what_is_not_that_data_set_is_said_in_a_sentence(tmp_path: Path, text: str) -> None:
    data = tmp_path / "data.json"
    data.write_text(text)
    with pytest.raises(ValueError, match="is not LoCoMo's data"):
        eval_locomo.run(data, tmp_path / "out", "quote", quote)
    assert [path.name for path in tmp_path.iterdir()] == ["data.json"]


def test_files_of_two_runs_with_a_point_in_their_names_stay_apart(tmp_path: Path, data: Path) -> None:
    for name in ("model.1", "model.2"):
        eval_locomo.run(data, tmp_path / name, "quote", quote, runs=1)
    assert {"model.1.json", "model.2.json"} <= {path.name for path in tmp_path.iterdir()}
