"""Between mlx-lm's caches and a segment's arrays, for every cache class.

Full-attention layers (`KVCache`) give the segment's own keys and values; any other class its whole state at the
segment's end, through the `state` that every mlx-lm cache has. Restoring concatenates the first, sets the second.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten, tree_unflatten
from mlx_lm.models.cache import BatchKVCache, CacheList, KVCache, RotatingKVCache

from agentmemory.model.segment_file import Damaged, Header, Tensor

HEADROOM = KVCache.step  # room for tokens to come, so that the first of them does not copy everything
NAMES = {
    mx.float32: "F32", mx.float16: "F16", mx.bfloat16: "BF16", mx.uint32: "U32", mx.int32: "I32", mx.int64: "I64",
    mx.uint64: "U64", mx.uint16: "U16", mx.int16: "I16", mx.uint8: "U8", mx.int8: "I8", mx.bool_: "BOOL",
}  # fmt: skip
KINDS = ("native", "q8", "q4")
BITS = {"q8": 8, "q4": 4}
GROUPS = (64, 32)  # values that share a scale; a head's size must be a multiple


class MlxCodec:
    """Loads arrays from segment files and shows their bytes; quantises keys and values where *kind* says so."""

    def load(self, path: str, header: Header, names: Sequence[str]) -> dict[str, mx.array]:
        """Arrays of these names, evaluated: `mx.load` is lazy, and what is not read yet cannot be verified."""
        if not names:
            return {}
        try:
            lazy = mx.load(path, format="safetensors")
            arrays = {name: lazy[name] for name in names}
            mx.eval(list(arrays.values()))
        except (RuntimeError, KeyError, ValueError) as e:
            raise Damaged(f"mlx cannot load it ({type(e).__name__})") from e
        for name, array in arrays.items():
            if NAMES.get(array.dtype) != header.tensors[name][0] or tuple(array.shape) != header.tensors[name][1]:
                raise Damaged(f"{name} has another shape than its header says")
        return arrays

    def tensor(self, array: mx.array) -> Tensor:
        """The bytes of an evaluated, contiguous array."""
        plain = array.view(mx.uint16) if array.dtype == mx.bfloat16 else array
        return Tensor(NAMES[array.dtype], tuple(array.shape), memoryview(plain))


def arrays_of(
    cache: Sequence[Any], start: int, end: int, kind: str = "native"
) -> tuple[dict[str, mx.array], dict[str, Any]]:
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


def restore(cache: list[Any], headers: Sequence[Header], arrays: Sequence[Mapping[str, mx.array]]) -> list[Any]:
    """A fresh *cache* of the model, brought to the end of a chain.

    Raises:
        Damaged: the segments do not fit the model's caches.
    """
    offset = headers[-1].start + len(headers[-1].tokens)
    try:
        return [_rebuilt(str(i), layer, offset, headers, arrays) for i, layer in enumerate(cache)]
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


def _rebuilt(
    place: str, layer: Any, offset: int, headers: Sequence[Header], arrays: Sequence[Mapping[str, mx.array]]
) -> Any:
    if isinstance(layer, CacheList):
        return CacheList(*(
            _rebuilt(f"{place}-{i}", inner, offset, headers, arrays) for i, inner in enumerate(layer.caches)
        ))  # fmt: skip
    if type(layer) is KVCache:
        warm = WarmKV()
        warm.keys = _joined(f"own.{place}.keys", headers, arrays)
        warm.values = _joined(f"own.{place}.values", headers, arrays)
        if warm.keys.shape[2] != offset + HEADROOM:
            raise ValueError("the tokens of its segments do not add up")
        warm.offset = offset
        return warm
    prefix = f"state.{place}."
    last = {**headers[-1].extra["scalars"], **arrays[-1]}
    leaves = [(name.removeprefix(prefix), value) for name, value in last.items() if name.startswith(prefix)]
    layer.state = tree_unflatten(leaves)
    return layer


def _joined(name: str, headers: Sequence[Header], arrays: Sequence[Mapping[str, mx.array]]) -> mx.array:
    parts = [_unpacked(name, header, held) for header, held in zip(headers, arrays, strict=True)]
    room = mx.zeros((*parts[0].shape[:2], HEADROOM, parts[0].shape[3]), parts[0].dtype)
    return mx.concatenate([*parts, room], axis=2)
