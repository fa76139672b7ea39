"""What a model may say that beliefs are found by: labels of its own, no values of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentmemory.learn import evolution
from agentmemory.memory import Memory
from agentmemory.store.writer import transaction


@pytest.fixture
def memory(home: Path) -> Memory:
    with Memory(str(home), project="") as opened:
        yield opened


def evolved(memory: Memory, neighbour: int, belief: int, reply: dict[str, object]) -> str:
    """The neighbour's tags after a model's reply."""
    with transaction(memory.db):
        evolution.evolve(memory.db, belief, [neighbour], json.dumps(reply), 5.0)
    told = memory.read(neighbour)
    assert told is not None
    return str(told["tags"])


@pytest.mark.parametrize("tag", ["k8s", "night_shift", "oauth2", "9f3ab2c1", "q3 planning", "ipv6-rollout"])
@pytest.mark.parametrize("spelled", ["neighbours", "neighbors"])
def test_a_label_may_hold_digits_and_the_list_be_spelled_either_way(memory: Memory, tag: str, spelled: str) -> None:
    old, new = (memory.remember(text).id for text in ("the kiln fires at noon", "the kiln door sticks"))

    assert evolved(memory, old, new, {spelled: [{"n": 1, "tags": [tag]}]}) == tag
    assert [found.id for found in memory.search(tag)] == [old]


@pytest.mark.parametrize("tag", ["port 8443", "30ms", "db/main", "ops@kiln", "5 gb"])
def test_a_value_that_no_source_holds_is_no_label(memory: Memory, tag: str) -> None:
    old, new = (memory.remember(text).id for text in ("the kiln fires at noon", "the kiln door sticks"))

    with pytest.raises(evolution.BadReply, match="no source holds"):
        evolved(memory, old, new, {"neighbours": [{"n": 1, "tags": [tag]}]})
