"""A segment store over numpy arrays: the same files without a model."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open

from agentmemory.model.fingerprint import Root
from agentmemory.model.segment_disk import Limits
from agentmemory.model.segment_file import Damaged, Header, Tensor
from agentmemory.model.segments import Part, SegmentStore

ROOM = Limits(budget=1 << 30, floor=0, ttl=1e12)
ROOT = Root({"weights": "w", "tokenizer": "t"})


class NumpyCodec:
    """Float32 arrays, read by the safetensors package itself."""

    def load(self, path: str, header: Header, names: Sequence[str]) -> dict[str, Any]:
        try:
            with safe_open(path, "np") as f:
                return {name: f.get_tensor(name) for name in names}
        except (SafetensorError, ValueError) as e:
            raise Damaged(str(e)) from e

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


def right(kept: SegmentStore, chain: Sequence[Part], width: int = 64) -> int:
    """How many parts come back; every array that does must be what was kept."""
    found = kept.restore(chain)
    for i, held in enumerate(found.arrays):
        wanted = arrays(chain[: i + 1], width)
        last = i == len(found.arrays) - 1
        assert set(held) >= {n for n in wanted if last or not n.startswith("state")}
        assert all(np.array_equal(np.asarray(held[n]), wanted[n]) for n in held)
    assert found.tokens == sum(len(p.tokens) for p in chain[: len(found.headers)])
    return len(found.headers)
