"""The benchmark's protocol over the public Memory, and that search over turns keeps its worth."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY

COMMAND = [sys.executable, str(REPOSITORY / "experiments" / "retrieval_command.py")]
SHARED = REPOSITORY.parent / "shared" / "retrieval"


def item(id: str, text: str, session: str, order: int, speaker: str = "user", when: str = "") -> dict[str, Any]:
    return {"id": id, "text": text, "speaker": speaker, "session": session, "when": when, "order": order}


def talk(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    """Send messages, a line each; the answers."""
    sent = "".join(json.dumps(m) + "\n" for m in messages)
    run = subprocess.run(COMMAND, input=sent, text=True, capture_output=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def test_every_index_message_begins_a_fresh_store(token: str) -> None:
    ask = {"op": "search", "query": f"{token} gauge", "k": 5, "when": ""}
    first = {"op": "index", "items": [item("a", f"the {token} gauge", "s", 0), item("b", "tea", "t", 1)]}
    second = {"op": "index", "items": [item("c", f"another {token} gauge", "s", 0)]}

    assert talk(first, ask, second, ask) == [{"ok": True}, {"ids": ["a"]}, {"ok": True}, {"ids": ["c"]}]


def test_the_date_of_a_question_stands_for_its_whole_day(token: str) -> None:
    days = {"before": "2026-03-01T10:00:00", "same": "2026-03-02T18:00:00", "after": "2026-03-03T09:00:00"}
    items = [item(id, f"{token} review", id, n, when=when) for n, (id, when) in enumerate(days.items())]
    ask = {"op": "search", "query": f"{token} review", "k": 5, "when": "2026-03-02T08:00:00"}

    assert talk({"op": "index", "items": items}, ask)[1] == {"ids": ["same", "before"]}


@pytest.mark.skipif(not (SHARED / "benchrun.py").exists(), reason="the benchmark is not beside the repository")
def test_search_over_turns_keeps_its_worth(tmp_path: Path) -> None:
    """On the first conversation of LoCoMo (floor 0.63): well below what it reaches, well above what it must."""
    out = tmp_path / "out.json"
    command = [sys.executable, "benchrun.py", "--data", "locomo_dev.json", "--limit", "1", "--out", str(out)]
    subprocess.run([*command, "--command", " ".join(COMMAND)], cwd=SHARED, check=True, capture_output=True)
    reached = json.loads(out.read_text())["overall"]

    assert reached["recall@10"] >= 0.80
    assert reached["recall@1000tok"] >= 0.85
