"""Segments on disk: found again whole or not at all, within their budget, gone when forgotten."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("safetensors", reason="it comes with the extra `sidecar`")

from safetensors import safe_open

from agentmemory.model.fingerprint import Root
from agentmemory.model.segment_disk import Limits
from agentmemory.model.segment_file import checksum
from agentmemory.model.segments import Part, forget_beliefs
from tests.conftest import REPOSITORY
from tests.model.arrays import ROOM, ROOT, arrays, fill, parts, right, store

CHAIN = parts("a", "b", "c")


def files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.safetensors"))


def test_a_chain_comes_back_in_another_store(tmp_path: Path) -> None:
    first = store(tmp_path)
    fill(first, CHAIN)
    first.close()
    assert right(store(tmp_path), CHAIN) == 3
    assert right(store(tmp_path), [*CHAIN, *parts("d")]) == 3
    assert right(store(tmp_path), [*CHAIN[:2], *parts("x")]) == 2
    assert right(store(tmp_path), [*parts("x"), *CHAIN[1:]]) == 0


def test_a_file_is_a_safetensors_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    fill(store(tmp_path), CHAIN)
    for path in files(tmp_path):
        with safe_open(str(path), "np") as f:
            assert len(f.keys()) == 3
            assert f.metadata()["label"] == "digest"
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.parent.stat().st_mode & 0o777 == 0o700


def test_figures_are_told_while_segments_are_written(tmp_path: Path) -> None:
    kept = store(tmp_path)
    fill(kept, CHAIN)
    kept.flush()

    class Writing:
        """A root that is asked for its name while the writer's thread puts a segment on the disk."""

        @property
        def name(self) -> str:
            entry = next(iter(kept.disk.entries.values()))
            kept.disk.entries[ROOT.name, f"{len(kept.disk.entries)}"] = entry
            return ROOT.name

    kept.root = Writing()  # type: ignore[assignment]
    assert kept.stats()["warm"]["segments"] == 3


def test_what_is_kept_is_written_once(tmp_path: Path) -> None:
    kept = store(tmp_path)
    for _ in range(5):
        fill(kept, CHAIN)
        fill(kept, [*CHAIN[:2], *parts("other")])
    figures = kept.stats()["cold"]
    assert figures["written"] == 4
    assert figures["written_bytes"] == sum(p.stat().st_size for p in files(tmp_path))


def test_every_truncation_is_a_miss(tmp_path: Path) -> None:
    chain = parts("long", size=200)
    fill(store(tmp_path), chain)
    path = files(tmp_path)[0]
    whole = path.read_bytes()
    for cut in [*range(0, len(whole), 4096), len(whole) - 1]:
        path.write_bytes(whole[:cut])
        assert right(store(tmp_path), chain) == 0
        assert not path.exists()
    path.write_bytes(whole)
    assert right(store(tmp_path), chain) == 1


@pytest.mark.parametrize("seed", range(3))
def test_no_flipped_bit_gives_a_wrong_array(tmp_path: Path, seed: int) -> None:
    fill(store(tmp_path), CHAIN)
    rng = random.Random(seed)
    path = files(tmp_path)[seed]
    whole = path.read_bytes()
    for _ in range(25):
        flipped = bytearray(whole)
        flipped[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
        path.write_bytes(flipped)
        assert right(store(tmp_path), CHAIN) < 4
        path.write_bytes(whole)
    assert right(store(tmp_path), CHAIN) == 3


@pytest.mark.parametrize("size", [1, 7, 100, 32_768, 100_001, 400_000])
def test_what_disks_do_to_data_changes_its_checksum(size: int) -> None:
    rng = random.Random(size)
    data = bytearray(rng.randbytes(size))
    right_one = checksum(memoryview(bytes(data)))

    def seen(changed: bytearray) -> bool:
        return bytes(changed) == bytes(data) or checksum(memoryview(bytes(changed))) != right_one

    for flips in (1, 1, 1, 2, 3, 8):
        for _ in range(20):
            changed = data[:]
            for _ in range(flips):
                changed[rng.randrange(size)] ^= 1 << rng.randrange(8)
            assert seen(changed)
    for page in (512, 4096, 32_768, 65_536):
        one, two = (rng.randrange(max(1, size // page)) * page for _ in range(2))
        swapped, lost = data[:], data[:]
        swapped[one : one + page], swapped[two : two + page] = data[two : two + page], data[one : one + page]
        lost[one : one + page] = bytes(len(lost[one : one + page]))
        assert seen(swapped[:size])
        assert seen(lost)
    assert seen(data[1:] + data[:1])


def test_a_damaged_segment_leaves_what_stands_before_it(tmp_path: Path) -> None:
    first = store(tmp_path)
    fill(first, CHAIN)
    name = first.restore(CHAIN).names[1]
    path = next(p for p in files(tmp_path) if p.stem == name)
    flipped = bytearray(path.read_bytes())
    flipped[len(flipped) // 2] ^= 1
    path.write_bytes(flipped)
    again = store(tmp_path)
    assert right(again, CHAIN) == 1
    assert "damaged" in again.explain(CHAIN)[1]


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_kill_9_anywhere_in_the_write_path_loses_or_keeps_whole_segments(tmp_path: Path) -> None:
    def run(folder: Path, fatal: int) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tests.model.kill_write", str(folder), str(fatal), "64"]
        return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=60)

    events = int(run(tmp_path / "whole", 0).stdout)
    assert events > 100
    rng = random.Random(7)
    for i in range(16):
        folder = tmp_path / f"{i}"
        assert run(folder, rng.randrange(1, events)).returncode == -9
        assert right(store(folder), CHAIN) == len(files(folder))
        assert [p.name for p in folder.iterdir() if p.name.startswith("tmp-")] == []


def test_a_full_disk_keeps_nothing_and_breaks_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.model.limited_write", str(tmp_path)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True, timeout=60)

    assert files(tmp_path) == []
    # what follows a segment that is not there is not tried; memory still has all
    assert json.loads(done.stdout) == {"refused": 1, "declined": 2, "in memory": 3}
    assert right(store(tmp_path), CHAIN) == 0


def test_the_budget_is_never_exceeded_and_leaves_go_first(tmp_path: Path) -> None:
    clock = [1000.0]
    one = 15_000  # bytes, more than one of these segments has
    kept = store(tmp_path, Limits(5 * one, 0, 1e12), now=lambda: clock[0])
    for i in range(30):
        clock[0] += 86_400
        fill(kept, [*CHAIN[:2], *parts(f"leaf {i}")])
        assert sum(p.stat().st_size for p in files(tmp_path)) <= 5 * one
    assert right(kept, [*CHAIN[:2], *parts("leaf 29")]) == 3
    assert right(kept, [*CHAIN[:2], *parts("leaf 0")]) == 2
    assert "least used" in kept.explain([*CHAIN[:2], *parts("leaf 0")])[2]


def test_the_least_recently_used_leaf_goes(tmp_path: Path) -> None:
    clock = [1000.0]
    kept = store(tmp_path, now=lambda: clock[0])
    for name in ("one", "two", "three"):
        clock[0] += 100
        fill(kept, parts(name))
    size = max(p.stat().st_size for p in files(tmp_path))
    clock[0] += 100
    assert right(kept, parts("one")) == 1
    full = store(tmp_path, Limits(3 * size, 0, 1e12), now=lambda: clock[0])
    fill(full, parts("four"))
    assert [right(full, parts(n)) for n in ("one", "two", "three", "four")] == [1, 0, 1, 1]


def test_the_disk_keeps_its_free_space(tmp_path: Path) -> None:
    stat = os.statvfs(tmp_path)
    free = stat.f_bavail * stat.f_frsize
    kept = store(tmp_path, Limits(1 << 30, free * 2, 1e12))
    fill(kept, CHAIN)
    assert files(tmp_path) == []
    assert kept.stats()["cold"]["refused"] == 1


def test_what_nobody_used_for_long_expires(tmp_path: Path) -> None:
    clock = [0.0]
    limits = Limits(1 << 30, 0, 1000.0)
    fill(store(tmp_path, limits, now=lambda: clock[0]), CHAIN)
    clock[0] = 900.0
    assert right(store(tmp_path, limits, now=lambda: clock[0]), CHAIN[:2]) == 2
    clock[0] = 1500.0
    late = store(tmp_path, limits, now=lambda: clock[0])
    assert right(late, CHAIN) == 2
    assert "time to live" in late.explain(CHAIN)[2]


def test_memory_answers_without_the_disk_and_stays_within_its_bytes(tmp_path: Path) -> None:
    size = sum(a.nbytes for a in arrays(CHAIN[:1]).values())
    kept = store(tmp_path, hot=3 * size)
    fill(kept, CHAIN)
    assert right(kept, CHAIN) == 3
    assert kept.stats()["cold"]["read"] == 0
    for i in range(5):
        fill(kept, parts(f"more {i}"))
        assert kept.stats()["hot"]["bytes"] <= 3 * size
    assert right(kept, CHAIN) == 3
    assert kept.stats()["cold"]["read"] > 0


def test_a_conversation_reaches_the_disk_when_memory_lets_go_or_the_store_closes(tmp_path: Path) -> None:
    talk = parts("talk", label="conversation")
    kept = store(tmp_path, hot=1 << 20)
    fill(kept, talk)
    assert files(tmp_path) == []
    kept.close()
    assert right(store(tmp_path), talk) == 1


def test_forgetting_a_belief_deletes_what_was_made_from_it_and_after_it(tmp_path: Path) -> None:
    kept = store(tmp_path, hot=1 << 20)
    fill(kept, parts(1, 2, 3))
    fill(kept, parts(1, 4))
    assert kept.forget([2]) == 2
    assert right(kept, parts(1, 2, 3)) == 1
    assert right(kept, parts(1, 4)) == 2
    assert "forgotten" in kept.explain(parts(1, 2, 3))[1]


def test_forgetting_a_belief_deletes_every_conversation_for_it_may_have_said_the_same(tmp_path: Path) -> None:
    chain = [*parts(1), *parts("talk", label="conversation")]
    kept = store(tmp_path, hot=1 << 20)
    fill(kept, chain)
    kept.close()
    assert right(store(tmp_path), chain) == 2

    assert forget_beliefs(str(tmp_path), [99]) == 1
    assert right(store(tmp_path), chain) == 1


def test_forgetting_words_deletes_them_even_across_the_border_of_two_segments(tmp_path: Path) -> None:
    def spell(text: str) -> tuple[int, ...]:
        return tuple(ord(c) for c in text)

    def decode(tokens: object) -> str:
        return "".join(chr(t) for t in tokens)  # type: ignore[attr-defined]

    chain = [
        Part("system", spell("be short. ")),
        Part("profile", spell("my cat is Mi")),
        Part("digest", spell("nka, she is old")),
    ]
    other = [chain[0], Part("profile", spell("nothing of her"))]
    kept = store(tmp_path, hot=1 << 20)
    fill(kept, chain)
    fill(kept, other)
    assert kept.forget([], ["cat is  minka"], decode) == 2
    assert right(kept, chain) == 1
    assert right(kept, other) == 2


def test_another_process_forgets_under_a_running_store(tmp_path: Path) -> None:
    running = store(tmp_path, hot=1 << 20)
    fill(running, parts(1, 2))
    fill(running, [*parts(1), *parts("talk", label="conversation")])
    epoch = running.restore(parts(1, 2)).epoch
    forget_beliefs(str(tmp_path), [2])
    assert right(running, parts(1, 2)) == 1
    assert right(running, [*parts(1), *parts("talk", label="conversation")]) == 1
    running.keep(parts(1, 2), arrays(parts(1, 2)), {"scalars": {}}, epoch)
    running.close()
    assert right(store(tmp_path), parts(1, 2)) == 1, "what was computed before the forgetting is not kept after it"


def test_two_stores_share_a_folder(tmp_path: Path) -> None:
    one, two = store(tmp_path), store(tmp_path)
    fill(one, CHAIN)
    assert right(two, CHAIN) == 3
    fill(two, parts("x"))
    assert right(one, parts("x")) == 1


def test_another_model_finds_nothing_and_its_files_count(tmp_path: Path) -> None:
    other = Root({"weights": "other", "tokenizer": "t"})
    fill(store(tmp_path), CHAIN)
    second = store(tmp_path, root=other)
    assert right(second, CHAIN) == 0
    assert second.explain(CHAIN)[0].endswith("it differs in weights")
    assert second.stats()["cold"]["bytes"] == sum(p.stat().st_size for p in files(tmp_path))


def test_strange_files_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "stray").mkdir(parents=True)
    (tmp_path / "stray" / "x.safetensors").write_bytes(b"\xff" * 100)
    (tmp_path / "stray" / "y.safetensors").write_bytes(b"")
    (tmp_path / "tmp-left").write_bytes(b"half")
    fill(store(tmp_path), CHAIN)
    assert right(store(tmp_path, ROOM), CHAIN) == 3
    assert not (tmp_path / "tmp-left").exists()


def test_a_folder_that_is_deleted_under_a_running_store_is_made_again(tmp_path: Path) -> None:
    kept = store(tmp_path / "segments", hot=1 << 20)
    fill(kept, CHAIN)
    kept.forget([7])
    shutil.rmtree(tmp_path / "segments")
    assert kept.explain(CHAIN)[0].startswith("digest (20 tokens): missing")
    fill(kept, parts("x", "y"))
    kept.close()
    assert right(store(tmp_path / "segments"), parts("x", "y")) == 2
    assert (tmp_path / "segments").stat().st_mode & 0o777 == 0o700


def test_what_another_process_uses_is_neither_expired_nor_the_least_used_here(tmp_path: Path) -> None:
    clock = [1000.0]
    limits = Limits(budget=1 << 30, floor=0, ttl=100.0)
    busy, idle = (store(tmp_path, limits, now=lambda: clock[0]) for _ in range(2))
    fill(busy, CHAIN)
    assert right(idle, CHAIN) == 3
    for _ in range(3):
        clock[0] += 70
        assert right(busy, CHAIN) == 3
    fill(idle, parts("x"))
    assert right(busy, CHAIN) == 3


@pytest.mark.parametrize("left", [b"\xff\xfe\x00", b"no reason\n", b"\x00" * 300])
def test_a_damaged_list_of_what_went_explains_less_and_breaks_nothing(tmp_path: Path, left: bytes) -> None:
    tight = store(tmp_path, Limits(budget=40_000, floor=0, ttl=1e12))
    (tmp_path / "removed").write_bytes(left)
    for i in range(9):
        fill(tight, parts("a", i, label="conversation"))
    assert tight.explain(parts("x"))[0].startswith("digest (20 tokens): missing")
    tight.close()
    assert files(tmp_path)


def test_a_chain_of_more_segments_than_files_may_be_open_comes_back(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="limits of a process are POSIX's")
    chain = parts(*range(150))
    fill(store(tmp_path), chain)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    held = len(os.listdir("/dev/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (held + 100, hard))
    try:
        assert right(store(tmp_path), chain) == 150
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert len(files(tmp_path)) == 150
