"""A disk that is too small for what is asked is not worn out: little is written twice, and a day has its share."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

pytest.importorskip("safetensors", reason="it comes with the extra `sidecar`")

from agentmemory.model.fingerprint import Root
from agentmemory.model.segment_disk import Limits
from agentmemory.model.segment_wear import A_DAY, Asked
from agentmemory.model.segments import Part, SegmentStore
from tests.model.arrays import arrays, fill, parts, right, store

DAY = 86_400.0


def talk(name: object) -> list[Part]:
    return parts(name, label="conversation")


def files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.safetensors"))


def size_of_one(folder: Path) -> int:
    fill(store(folder), parts("measure", label="conversation"))
    return files(folder)[0].stat().st_size


def room(folder: Path, segments: int, now: list[float], hot: int = 0) -> SegmentStore:
    """A store whose disk holds about so many segments."""
    one = size_of_one(folder / "one")
    return store(folder / "kept", Limits(segments * one + one // 2, 0, 1e12), hot, now=lambda: now[0])


def test_a_conversation_that_is_asked_for_once_replaces_nothing(tmp_path: Path) -> None:
    now = [1000.0]
    kept = room(tmp_path, 3, now)
    for i in range(10):
        now[0] += 10
        fill(kept, talk(i))
    cold = kept.stats()["cold"]
    assert (cold["written"], cold["evicted"], cold["declined"]) == (3, 0, 7)
    assert "no room" in kept.explain(talk(9))[0]
    fill(kept, talk(9))
    fill(kept, talk(9))
    assert kept.stats()["cold"]["evicted"] == 1
    assert right(kept, talk(9)) == 1


def test_what_stands_before_every_conversation_replaces_one_at_once(tmp_path: Path) -> None:
    now = [1000.0]
    kept = room(tmp_path, 3, now)
    for i in range(3):
        now[0] += 10
        fill(kept, talk(i))
    again = room(tmp_path, 3, now)  # another process: sleep prefills the next session's prefix
    fill(again, parts("digest of tomorrow"))
    assert right(again, parts("digest of tomorrow")) == 1
    assert [right(again, talk(i)) for i in range(3)] == [0, 1, 1]


@pytest.mark.parametrize("seed", range(3))
def test_what_is_asked_for_alike_does_not_take_turns(tmp_path: Path, seed: int) -> None:
    now = [1000.0]
    kept = room(tmp_path, 8, now)
    rng = random.Random(seed)
    for _ in range(400):
        now[0] += 10
        fill(kept, talk(rng.randrange(20)))
        assert sum(p.stat().st_size for p in files(tmp_path / "kept")) <= kept.disk.limits.budget
    cold = kept.stats()["cold"]
    assert cold["written"] <= (1 + A_DAY) * 8, "without a rule it is 240"
    assert cold["written_again"] <= A_DAY * 8
    assert cold["replaced_today"] <= A_DAY * cold["budget"]


def test_what_stands_before_conversations_is_not_written_in_turns_either(tmp_path: Path) -> None:
    now = [1000.0]
    kept = room(tmp_path, 4, now)
    for i in range(200):
        now[0] += 10
        fill(kept, parts(f"profile {i % 6}", label="profile"))
    cold = kept.stats()["cold"]
    assert (cold["written"], cold["written_again"]) == (6, 0), "each has its chance, and four stay"
    now[0] += 2 * 3600
    gone = next(i for i in range(6) if "missing" in kept.explain(parts(f"profile {i}", label="profile"))[0])
    fill(kept, parts(f"profile {gone}", label="profile"))
    assert kept.stats()["cold"]["written_again"] == 1, "what it replaces has rested"


def test_two_models_share_the_room_by_what_both_are_asked_for(tmp_path: Path) -> None:
    now, asked = [1000.0], Asked()
    one = size_of_one(tmp_path / "one")
    limits = Limits(2 * one + one // 2, 0, 1e12)
    roots = [Root({"weights": name, "tokenizer": "t"}) for name in "ab"]
    first, second = (store(tmp_path / "kept", limits, now=lambda: now[0], root=r, asked=asked) for r in roots)
    for _ in range(5):
        fill(first, talk("often"))
        fill(first, talk("also often"))
    for _ in range(3):
        now[0] += 10
        fill(second, talk("of the other model"))
    assert right(second, talk("of the other model")) == 0
    assert [right(first, talk(name)) for name in ("often", "also often")] == [1, 1]
    for _ in range(30):
        fill(second, talk("of the other model"))
    assert right(second, talk("of the other model")) == 1


def test_in_a_day_no_more_is_replaced_than_its_share_by_all_processes_together(tmp_path: Path) -> None:
    now = [10 * DAY]
    for _ in range(4):  # processes
        kept = room(tmp_path, 4, now)
        for i in range(12):
            now[0] += 1
            fill(kept, parts(f"{now[0]} {i}"))
    cold = kept.stats()["cold"]
    assert cold["declined"] > 0
    assert cold["budget"] < cold["replaced_today"] <= A_DAY * cold["budget"]
    now[0] += DAY
    before = kept.stats()["cold"]["written"]
    fill(kept, parts("tomorrow"))
    assert kept.stats()["cold"]["written"] == before + 1


def test_an_unreadable_count_of_the_day_is_none(tmp_path: Path) -> None:
    now = [1000.0]
    kept = room(tmp_path, 1, now)
    (tmp_path / "kept" / "replaced").write_text("a b c")
    fill(kept, talk("a"))
    assert kept.stats()["cold"]["replaced_today"] == 0


def test_memory_lets_go_of_a_conversation_from_its_beginning(tmp_path: Path) -> None:
    chain = parts("a", "b", "c", label="conversation")
    size = sum(a.nbytes for a in arrays(chain[:1]).values())
    kept = store(tmp_path, hot=3 * size)
    fill(kept, chain)
    assert files(tmp_path) == []
    fill(kept, talk("another"))
    kept.flush()
    for path in files(tmp_path):  # a process that is killed now has lost nothing of what it wrote
        assert right(store(tmp_path), chain) == len(files(tmp_path)), path
    assert files(tmp_path) != []


def test_what_memory_lets_go_of_is_written_after_what_it_follows(tmp_path: Path) -> None:
    chain = parts("a", "b", "c", label="conversation")
    size = sum(a.nbytes for a in arrays(chain[:1]).values())
    kept = store(tmp_path, hot=3 * size)
    fill(kept, chain)
    assert right(kept, chain) == 3  # asked for again, its end is the first to go
    fill(kept, talk("another"))

    assert right(store(tmp_path), chain) == len(files(tmp_path)) == 3


def test_what_has_rested_makes_room_however_often_it_was_asked_for(tmp_path: Path) -> None:
    now = [1000.0]
    kept = room(tmp_path, 1, now)
    for _ in range(50):
        fill(kept, talk("yesterday"))
    now[0] += 1800
    fill(kept, talk("today"))
    fill(kept, talk("today"))
    assert right(kept, talk("today")) == 0
    now[0] += DAY
    fill(kept, talk("today"))
    assert right(kept, talk("today")) == 1


def test_counts_fade() -> None:
    asked = Asked()
    for _ in range(40):
        asked.count(["old"], 1.0)
    for i in range(6000):
        asked.count([f"{i}"], 2.0)
    for _ in range(30):
        asked.count(["new"], 3.0)
    assert asked.worth("new", ["old"])
    assert not asked.worth("old", ["new"])
