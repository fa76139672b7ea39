"""A chain is read, verified and joined in one go, from wherever its segments are."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("safetensors", reason="it comes with the extra `sidecar`")

from agentmemory.model.segment_file import LANES, PIECE, Sums, checksum
from tests.model.arrays import fill, parts, right, store
from tests.model.conftest import needs_mlx


@pytest.mark.parametrize("sizes", [(1,), (20, 20), (3, 200, 1, 77), (700, 5)])
@pytest.mark.parametrize("width", [1, 3, 64])
def test_segments_of_any_length_are_joined_from_disk(tmp_path: Path, sizes: tuple[int, ...], width: int) -> None:
    chain = [parts(f"{i}", size=size)[0] for i, size in enumerate(sizes)]
    fill(store(tmp_path), chain, width)
    assert right(store(tmp_path), chain, width) == len(sizes)
    assert right(store(tmp_path), chain, width, room=0) == len(sizes)


def test_a_chain_is_joined_half_from_memory_and_half_from_disk(tmp_path: Path) -> None:
    first, rest = parts("a", "b"), parts("c", "d")
    fill(store(tmp_path), [*first, *rest])
    kept = store(tmp_path, hot=1 << 20)
    assert kept.preload(first) == 2
    reads = kept.stats()["cold"]["read"]
    assert right(kept, [*first, *rest]) == 4
    assert kept.stats()["cold"]["read"] - reads == 2


def test_what_is_asked_for_again_moves_into_memory_and_what_is_preloaded_at_once(tmp_path: Path) -> None:
    chain = parts("a", "b")
    fill(store(tmp_path), chain)
    kept = store(tmp_path, hot=1 << 20)
    for held in (0, 2, 2):
        assert right(kept, chain) == 2
        assert kept.stats()["hot"]["segments"] == held
    assert kept.stats()["cold"]["read"] == 4
    other = store(tmp_path, hot=1 << 20)
    assert other.preload(chain) == 2
    assert other.stats()["hot"]["segments"] == 2
    small = store(tmp_path, hot=100)
    assert [right(small, chain) for _ in range(3)] == [2, 2, 2]
    assert small.stats()["cold"]["read"] == 6, "it is not read twice for a memory that cannot hold it"


def test_a_preload_finds_damage(tmp_path: Path) -> None:
    chain = parts("a", "b", "c")
    first = store(tmp_path)
    fill(first, chain)
    path = next(p for p in tmp_path.rglob("*.safetensors") if p.stem == first.restore(chain).names[1])
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    assert store(tmp_path, hot=1 << 20).preload(chain) == 1
    assert not path.exists()


@pytest.mark.parametrize("size", [0, 5, 8 * LANES - 8, 8 * LANES, 3 * PIECE + 17, 1_234_567])
def test_a_checksum_does_not_depend_on_the_pieces_it_is_taken_in(size: int) -> None:
    rng = random.Random(size)
    data = memoryview(rng.randbytes(size))
    for _ in range(10):
        sums, at = Sums(size), 0
        while at < size:
            step = rng.choice([8, 4096, 8 * LANES, 40_000, PIECE])
            sums.add(data[at : at + step])
            at += step
        assert sums.value() == checksum(data)


def test_the_longest_chain_is_known(tmp_path: Path) -> None:
    kept = store(tmp_path)
    fill(kept, parts("a", "b"))
    fill(kept, parts("c"))
    sizes = {p.stem: p.stat().st_size for p in tmp_path.rglob("*.safetensors")}
    names = kept.restore(parts("a", "b")).names
    assert kept.disk.longest(kept.root.name) == sum(sizes[n] for n in names)
    assert kept.disk.longest("another root") == 0


@needs_mlx
def test_mlx_arrays_are_made_with_the_bytes_they_are_given() -> None:
    import mlx.core as mx

    from agentmemory.model.mlx_made import bytes_of, made

    wanted = {
        "f": ("F32", (2, 3)), "h": ("F16", (4,)), "b": ("BF16", (1, 2, 3)), "n": ("F32", (0, 3)), "i": ("I64", ()),
        "t": ("BOOL", (3,)), "q": ("U32", (5, 1)),
    }  # fmt: skip
    rng = random.Random(7)
    given = dict.fromkeys(wanted, b"")

    def write(name: str, memory: memoryview) -> None:
        given[name] = bytes(rng.randrange(2) for _ in range(memory.nbytes))
        np.frombuffer(memory, np.uint8)[...] = np.frombuffer(given[name], np.uint8)

    arrays_ = made(wanted, write)
    assert {n: tuple(a.shape) for n, a in arrays_.items()} == {n: shape for n, (_, shape) in wanted.items()}
    assert arrays_["b"].dtype == mx.bfloat16 and arrays_["t"].dtype == mx.bool_
    for name, array in arrays_.items():
        assert (bytes(bytes_of(array)) if array.size else b"") == given[name], name
    with pytest.raises(KeyError):
        made({"f": ("F32", (1,))}, lambda name, memory: {}[name])
