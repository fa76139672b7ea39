"""A segment store over numpy arrays: the same files without a model."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agentmemory.model.fingerprint import Root
from agentmemory.model.segment_disk import Limits
from agentmemory.model.segment_file import Tensor
from agentmemory.model.segment_read import Fill, Shape
from agentmemory.model.segments import Part, SegmentStore

ROOM = Limits(budget=1 << 30, floor=0, ttl=1e12)
ROOT = Root({"weights": "w", "tokenizer": "t"})


class NumpyCodec:
    """Float32 arrays."""

    def make(self, wanted: Mapping[str, Shape], fill: Fill) -> dict[str, Any]:
        made = {name: np.empty(shape, np.float32) for name, (_, shape) in wanted.items()}
        for name, array in made.items():
            fill(name, memoryview(array))
        return made

    def tensor(self, array: Any) -> Tensor:
        return Tensor("F32", tuple(array.shape), memoryview(np.ascontiguousarray(array)))


def store(folder: Path | str, limits: Limits = ROOM, hot: int = 0, **more: Any) -> SegmentStore:
    """A store that keeps nothing in memory unless *hot* says so."""
    return SegmentStore(str(folder), more.pop("root", ROOT), NumpyCodec(), limits, hot, **more)


def parts(*names: object, label: str = "digest", size: int = 20) -> list[Part]:
    """A chain of parts; a name is a seed for tokens, and a number also a belief's id."""
    return [
        Part(label, tuple(random.Random(f"{n}").choices(range(500), k=size)), (n,) if isinstance(n, int) else ())
        for n in names
    ]


def arrays(chain: Sequence[Part], width: int = 64) -> dict[str, Any]:
    """What a model would have computed for the end of *chain*: depends on every token of it."""
    seed = [token for part in chain for token in part.tokens]
    rng = np.random.default_rng(seed)
    own = rng.random((1, 2, len(chain[-1].tokens), width), dtype=np.float32)
    return {"own.0.keys": own, "own.0.values": own + 1, "state.1.0": rng.random((1, width), dtype=np.float32)}


def fill(kept: SegmentStore, chain: Sequence[Part], width: int = 64) -> None:
    """Keep every part of *chain*, as a prefill does."""
    epoch = kept.restore(chain).epoch
    for end in range(1, len(chain) + 1):
        kept.keep(chain[:end], arrays(chain[:end], width), {"scalars": {}, "kind": "native"}, epoch)
    kept.flush()


def right(kept: SegmentStore, chain: Sequence[Part], width: int = 64, room: int = 3) -> int:
    """How many parts come back; every array that does must be what was kept, joined, with *room* behind it."""
    found = kept.restore(chain, room)
    done = len(found.headers)
    assert found.tokens == sum(len(p.tokens) for p in chain[:done])
    assert bool(found.arrays) == bool(done)
    links = [arrays(chain[: i + 1], width) for i in range(done)]
    for name, array in found.arrays.items():
        if name.startswith("state"):
            assert np.array_equal(array, links[-1][name])
            continue
        empty = np.zeros_like(array[:, :, :room])
        assert np.array_equal(array, np.concatenate([*(link[name] for link in links), empty], axis=2))
    assert set(found.arrays) == (set(links[-1]) if links else set())
    return done
