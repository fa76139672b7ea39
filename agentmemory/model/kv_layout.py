"""Between mlx-lm's caches and a segment's arrays, for every cache class.

Full-attention layers (`KVCache`) give the segment's own keys and values; any other class its whole state at the
segment's end, through the `state` that every mlx-lm cache has. Restoring takes the first as they were joined, sets the
second.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten, tree_unflatten
from mlx_lm.models.cache import BatchKVCache, CacheList, KVCache, RotatingKVCache

from agentmemory.model.mlx_made import bytes_of, made
from agentmemory.model.segment_file import Damaged, Header, Tensor
from agentmemory.model.segment_read import Fill, Shape

HEADROOM = KVCache.step  # room for tokens to come, so that the first of them does not copy everything
NAMES = {
    mx.float32: "F32", mx.float16: "F16", mx.bfloat16: "BF16", mx.uint32: "U32", mx.int32: "I32", mx.int64: "I64",
    mx.uint64: "U64", mx.uint16: "U16", mx.int16: "I16", mx.uint8: "U8", mx.int8: "I8", mx.bool_: "BOOL",
}  # fmt: skip
BITS = {"q8": 8, "q4": 4}
GROUPS = (64, 32)  # values that share a scale; a head's size must be a multiple


class MlxCodec:
    """Makes arrays whose bytes come from segments, and shows the bytes of others."""

    def make(self, wanted: Mapping[str, Shape], fill: Fill) -> dict[str, mx.array]:
        """Arrays of these types and shapes whose bytes *fill* writes."""
        return made(wanted, fill)

    def tensor(self, array: mx.array) -> Tensor:
        """The bytes of an evaluated, contiguous array."""
        return Tensor(NAMES[array.dtype], tuple(array.shape), bytes_of(array))


def arrays_of(cache: Sequence[Any], start: int, end: int, kind: str) -> tuple[dict[str, mx.array], dict[str, Any]]:
    """A segment's arrays (tokens *start* to *end*; the cache stands at *end*) and what rebuilding them needs."""
    arrays: dict[str, mx.array] = {}
    scalars: dict[str, Any] = {}
    for place, layer in _leaves(cache):
        if type(layer) in (KVCache, WarmKV):
            for part in ("keys", "values"):
                own = getattr(layer, part)[..., start:end, :]
                arrays.update(_packed(f"own.{place}.{part}", own, kind))
        else:
            for path, value in tree_flatten(_trimmed(layer).state):
                _note(f"state.{place}.{path}", value, arrays, scalars)
    arrays = {name: mx.contiguous(array) for name, array in arrays.items()}
    mx.eval(list(arrays.values()))
    return arrays, {"scalars": scalars, "kind": kind}


def restore(cache: list[Any], headers: Sequence[Header], arrays: Mapping[str, mx.array]) -> list[Any]:
    """A fresh *cache* of the model, brought to the end of a chain whose *arrays* have `HEADROOM` behind them.

    Raises:
        Damaged: the segments do not fit the model's caches.
    """
    try:
        return [_rebuilt(str(i), layer, headers[-1], arrays) for i, layer in enumerate(cache)]
    except (KeyError, ValueError, TypeError, IndexError) as e:
        raise Damaged(f"the segment does not fit this model ({type(e).__name__}: {e})") from e


class WarmKV(KVCache):  # type: ignore[misc]
    """A restored `KVCache` that a batch of one takes over as it is: merging would copy all keys and values."""

    @classmethod
    def merge(cls, caches: Sequence[KVCache]) -> BatchKVCache:
        """The batch cache of these."""
        if len(caches) != 1:
            return BatchKVCache.merge(caches)
        alone = caches[0]
        batch = _LoneKV([0])
        batch.keys, batch.values = alone.keys, alone.values
        batch.offset = batch.offset + alone.offset
        batch._idx = alone.offset
        return batch


class _LoneKV(BatchKVCache):  # type: ignore[misc]
    def filter(self, batch_indices: Any) -> None:
        """Keeping everything in order changes nothing; mlx-lm would copy."""
        if list(batch_indices) != list(range(self.left_padding.size)):
            super().filter(batch_indices)


def _leaves(cache: Sequence[Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for i, layer in enumerate(cache):
        if isinstance(layer, CacheList):
            yield from _leaves(layer.caches, f"{prefix}{i}-")
        else:
            yield f"{prefix}{i}", layer


def _trimmed(layer: Any) -> Any:
    """A sliding window keeps what it was prefilled with until it next needs room; only the window matters."""
    if type(layer) is RotatingKVCache and layer.keys is not None and layer.keep == 0:
        window = RotatingKVCache(layer.max_size)
        keys, values = layer._temporal_order(layer.keys), layer._temporal_order(layer.values)
        window.keys, window.values = keys[..., -layer.size() :, :], values[..., -layer.size() :, :]
        window.offset, window._idx = layer.offset, window.keys.shape[2]
        return window
    return layer


def _packed(name: str, own: mx.array, kind: str) -> dict[str, mx.array]:
    group = next((g for g in GROUPS if own.shape[-1] % g == 0), 0)
    if kind == "native" or not group:
        return {name: own}
    packed, scales, biases = mx.quantize(own, group_size=group, bits=BITS[kind])
    return {f"{name}.q": packed, f"{name}.scales": scales, f"{name}.biases": biases}


def _unpacked(name: str, header: Header, arrays: Mapping[str, mx.array]) -> mx.array:
    if name in arrays:
        return arrays[name]
    packed, scales = arrays[f"{name}.q"], arrays[f"{name}.scales"]
    bits = BITS[header.extra["kind"]]
    group = packed.shape[-1] * 32 // bits // scales.shape[-1]
    return mx.dequantize(packed, scales, arrays[f"{name}.biases"], group_size=group, bits=bits)


def _note(name: str, value: Any, arrays: dict[str, mx.array], scalars: dict[str, Any]) -> None:
    if isinstance(value, mx.array):
        arrays[name] = value
    else:
        scalars[name] = json.loads(json.dumps(value))


def _rebuilt(place: str, layer: Any, last: Header, arrays: Mapping[str, mx.array]) -> Any:
    if isinstance(layer, CacheList):
        return CacheList(*(_rebuilt(f"{place}-{i}", inner, last, arrays) for i, inner in enumerate(layer.caches)))
    if type(layer) is KVCache:
        warm = WarmKV()
        warm.keys = _unpacked(f"own.{place}.keys", last, arrays)
        warm.values = _unpacked(f"own.{place}.values", last, arrays)
        warm.offset = last.start + len(last.tokens)
        if warm.keys.shape[2] != warm.offset + HEADROOM:
            raise ValueError("the tokens of its segments do not add up")
        return warm
    prefix = f"state.{place}."
    kept = {**last.extra["scalars"], **arrays}
    leaves = [(name.removeprefix(prefix), value) for name, value in kept.items() if name.startswith(prefix)]
    layer.state = tree_unflatten(leaves)
    return layer
