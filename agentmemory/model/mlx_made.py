"""mlx arrays whose bytes this program writes itself, straight into their memory.

mlx makes an array without first filling it only when it loads a file, and it loads from anything that reads like one:
here from a file that is not there. Everything else begins as a copy or as zeros, and a prefix is a hundred megabytes.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping

import mlx.core as mx

from agentmemory.model.segment_read import ITEM, Fill, Shape


def made(wanted: Mapping[str, Shape], fill: Fill) -> dict[str, mx.array]:
    """Arrays of these types and shapes, evaluated; *fill* writes the bytes of each. Raises what it raises."""
    if not wanted:
        return {}
    arrays: dict[str, mx.array] = mx.load(_NoFile(wanted), format="safetensors")
    mx.eval(list(arrays.values()))
    for name, array in arrays.items():
        if array.size:
            fill(name, bytes_of(array))
    return arrays


def bytes_of(array: mx.array) -> memoryview:
    """The memory of an evaluated, contiguous array."""
    return memoryview(array.view(mx.uint16) if array.dtype == mx.bfloat16 else array)


class _NoFile(io.RawIOBase):
    """A file as mlx reads one: its head is there, of its data nothing."""

    def __init__(self, wanted: Mapping[str, Shape]) -> None:
        table, end = {}, 0
        for name, (kind, shape) in wanted.items():
            begin, size = end, ITEM[kind]
            for n in shape:
                size *= n
            end += size
            table[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [begin, end]}
        head = json.dumps(table).encode()
        self._head = len(head).to_bytes(8, "little") + head
        self._size = len(self._head) + end
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence] + offset
        return self._at

    def readinto(self, memory: memoryview) -> int:  # type: ignore[override]
        head = self._head[self._at : self._at + memory.nbytes]
        memory[: len(head)] = head
        return memory.nbytes
