"""Lines of a transcript that say odd things of themselves: they cost neither the rest of it nor a later prompt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import apsw
import pytest

from agentmemory.learn.digest import digest
from agentmemory.recall.pipeline import block
from agentmemory.records import Query
from tests.learn.talk import AT, held

ODD: list[dict[str, Any]] = [
    {"at": 1_769_000_000_000}, {"at": 1.7e18}, {"at": -1e15}, {"at": float("nan")}, {"at": float("inf")},
    {"at": 10**400}, {"session": "\ud83d"}, {"cwd": "/no/\udc00"}, {"cwd": "/no/\0"}, {"speaker": "\ud83d"},
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: ascii(odd)[:24])
def test_an_odd_line_is_learned_and_told_as_another(
    db: apsw.Connection, tmp_path: Path, token: str, odd: dict[str, Any]
) -> None:
    path = tmp_path / "t.jsonl"
    first = {"role": "user", "text": f"from now on we always build with {token}", "session": "s", "cwd": str(tmp_path)}
    lines = [first | odd, {**first, "text": f"never deploy {token} on a friday", "at": 1_769_000_000}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))

    digest(db, str(path), AT)

    assert len(held(db)) == 2
    assert all(0 < at <= AT for (at,) in db.execute("SELECT valid_from FROM belief"))
    everywhere = tuple(row[0] for row in db.execute("SELECT id FROM scope ORDER BY id DESC"))
    assert f"build with {token}" in block(db, Query(f"build our {token} and deploy it", AT, everywhere))


@pytest.mark.parametrize("pasted", ["A", "7", "f0", "a.", "a-", "漢", "a/b", "cookie: a=b; "])
def test_a_message_that_is_one_long_line_costs_no_more_than_its_length(
    db: apsw.Connection, tmp_path: Path, token: str, pasted: str
) -> None:
    """Where a pattern tries the line again from each of its characters, this takes hours."""
    path = tmp_path / "t.jsonl"
    long = {"role": "user", "text": pasted * (600_000 // len(pasted)), "session": "s", "cwd": str(tmp_path), "at": AT}
    lines = [long, {**long, "text": f"from now on we always build with {token}"}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))

    digest(db, str(path), AT)

    assert any(token in text for text in held(db))


def test_a_gap_between_two_words_costs_no_more_than_its_length(db: apsw.Connection, tmp_path: Path, token: str) -> None:
    """Where a pattern tries the gap again from each of its spaces, this takes hours."""
    path = tmp_path / "t.jsonl"
    gap = {"role": "user", "text": "see" + " " * 150_000 + "below", "session": "s", "cwd": str(tmp_path), "at": AT}
    lines = [gap, {**gap, "text": f"from now on we always build with {token}"}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))

    digest(db, str(path), AT)

    assert any(token in text for text in held(db))
