"""What changed, was decided or learned in a time is what began to hold then, whatever the words of the question."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentmemory.memory import Memory
from agentmemory.paths import parse_time
from agentmemory.values import Added, Found, Superseded, Utterance


@pytest.fixture
def memory(project: Path, monkeypatch: pytest.MonkeyPatch, token: str) -> Iterator[Memory]:
    """Beliefs 1 and 2 of July, 3 in place of 1 and 4 of August, 5 in place of 3 of October; seen from 20 November."""
    told = {"2026-07-01": [("", "{} reports go to Ann"), ("", "lamps are blue")],
            "2026-08-15": [("1", "{} reports go to Bob now"), ("", "the fence was painted with {}")],
            "2026-10-05": [("3", "{} reports are sent to Eve and nobody else")]}  # fmt: skip
    with Memory() as opened:
        for day, statements in told.items():
            monkeypatch.setenv("AGENTMEMORY_NOW", f"{day}T12:00:00Z")
            for old, text in statements:
                said = text.format(token)
                done = opened.correct(int(old), said) if old else opened.remember(said)
                assert isinstance(done, Superseded if old else Added)
        monkeypatch.setenv("AGENTMEMORY_NOW", "2026-11-20T12:00:00Z")
        opened.add_turns("s", [Utterance(0, "user", f"{token} again", parse_time("2026-08-15T13:00Z"))])
        yield opened


def ids(found: list[Found]) -> list[int]:
    return [hit.id for hit in found if hit.what == "belief"]


@pytest.mark.parametrize(("query", "found"), [
    ("what changed in October?", [5]), ("changes since September", [5]), ("what changed in August", [5]),
    ("what did we decide in August?", [5, 4]), ("which decisions did we make between August and September", [5, 4]),
    ("what was new in July?", [5, 2]), ("what have I changed my mind about in July", []),
    ("what did we decide in May?", []),
])  # fmt: skip
def test_what_began_in_a_time_is_found_without_its_words(memory: Memory, query: str, found: list[int]) -> None:
    assert ids(memory.search(query)) == found


def test_what_became_of_it_since_is_told_with_it(memory: Memory, token: str) -> None:
    hit = memory.search("what did we decide in August?")[0]

    assert [old["id"] for old in hit.was] == [3, 1]
    assert "begun: in the time that is asked for" in hit.reasons


def test_what_was_said_then_comes_after_what_came_to_hold(memory: Memory) -> None:
    assert [(hit.what, hit.id) for hit in memory.search("what changed in August?")] == [("belief", 5), ("turn", 1)]


def test_as_of_a_day_nothing_later_is_known(memory: Memory) -> None:
    def then(query: str, day: str) -> list[int]:
        return sorted(ids(memory.search(query, as_of=parse_time(day))))

    assert then("what changed in August?", "2026-09-20") == [3]
    assert then("what did we decide last week?", "2026-08-18") == [3, 4]
    assert then("what changed in October?", "2026-09-20") == []


def test_a_question_with_a_matter_is_answered_by_its_words(memory: Memory, token: str) -> None:
    assert ids(memory.search(f"what did we decide about {token} fence paint in July?"))[0] == 4
    assert ids(memory.search("lamps in August")) == [2]
