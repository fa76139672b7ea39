"""From segment files and memory to where arrays will be used: one copy, and the checksum while the bytes are hot.

A chain's own arrays are joined along their tokens as they are read; what stands at a segment's end ("state") is the
last segment's alone. Knows nothing of models; the memory comes from a `Codec`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from math import prod
from typing import Any, Protocol

import numpy as np

from agentmemory.model.segment_file import PIECE, Damaged, Header, Sums, Tensor

SMALL = 1 << 15  # bytes; shorter stretches go through a buffer, many in one read
OPEN = 32  # files of a chain that stay open while it is read; those of a longer one are opened for each array
STATE = "state"
ITEM = {
    "F32": 4, "F16": 2, "BF16": 2, "U32": 4, "I32": 4, "I64": 8, "U64": 8, "U16": 2, "I16": 2, "U8": 1, "I8": 1,
    "BOOL": 1, "F64": 8,
}  # fmt: skip

Fill = Callable[[str, memoryview], None]
Shape = tuple[str, tuple[int, ...]]  # dtype as safetensors names it, and shape


class Codec(Protocol):
    """Between arrays of some library and bytes. Names that begin with "state" belong to a segment's end only."""

    def make(self, wanted: Mapping[str, Shape], fill: Fill) -> dict[str, Any]:
        """Arrays of these types and shapes whose bytes *fill* writes. Raises what *fill* raises."""

    def tensor(self, array: Any) -> Tensor:
        """The array's bytes, without a copy."""


class Broken(Exception):
    """A link of a chain cannot be had whole; *at* says which."""

    def __init__(self, at: int) -> None:
        super().__init__(f"segment {at} of the chain is damaged or gone")
        self.at = at


@dataclass(frozen=True, slots=True)
class Source:
    """A segment of a chain: its arrays in memory, or the file that has them."""

    header: Header
    path: str
    arrays: Mapping[str, Any] | None = None

    def names(self, last: bool) -> list[str]:
        """Its arrays that a chain needs of it."""
        return [n for n in (self.header.tensors if self.arrays is None else self.arrays) if last or not is_state(n)]


def is_state(name: str) -> bool:
    """The array belongs to its segment's end."""
    return name.startswith(STATE)


def joined(codec: Codec, sources: Sequence[Source], room: int = 0) -> dict[str, Any]:
    """The arrays of a chain as one, with *room* zeroed tokens behind what is joined; all of it compared with checksums.

    Raises:
        Broken: a segment is not what was written, or does not fit the others.
    """
    with ExitStack() as files:
        links = [
            _Link(codec, i, source, i == len(sources) - 1, files if i < OPEN else None)
            for i, source in enumerate(sources)
        ]
        shapes = [link.shapes() for link in links]
        wanted = dict(shapes[-1])
        for name in [n for n in wanted if not is_state(n)]:
            wanted[name] = _joined_shape([s.get(name) for s in shapes], room)

        def fill(name: str, memory: memoryview) -> None:
            if is_state(name):
                links[-1].write(name, [memory.cast("B")])
                return
            kind, shape = wanted[name]
            rows = np.frombuffer(memory, np.uint8).reshape(prod(shape[:-2]), -1)
            row, at = shape[-1] * ITEM[kind], 0
            for link, own in zip(links, shapes, strict=True):
                end = at + own[name][1][-2] * row
                link.write(name, [memoryview(block) for block in rows[:, at:end]])
                at = end
            rows[:, at:] = 0

        return codec.make(wanted, fill)


def load(codec: Codec, source: Source, whole: bool) -> dict[str, Any]:
    """One segment's arrays from its file, its end state only if *whole*. Raises Broken."""
    with ExitStack() as files:
        link = _Link(codec, 0, source, whole, files)
        return codec.make(link.shapes(), lambda name, memory: link.write(name, [memory.cast("B")]))


class _Link:
    """One segment of a chain; its file is open until *files* are closed, or while an array is read."""

    def __init__(self, codec: Codec, at: int, source: Source, last: bool, files: ExitStack | None) -> None:
        self._at, self._source, self._names = at, source, source.names(last)
        if source.arrays is not None:
            self._held = {name: codec.tensor(source.arrays[name]) for name in self._names}
            return
        header = source.header
        self._sums = dict(zip(header.tensors, header.sums, strict=True))
        self._begin = header.size - max((t[3] for t in header.tensors.values()), default=0)
        self._handle: int | None = None
        if files is not None:
            try:
                self._handle = files.enter_context(self._open())
            except OSError as e:
                raise Broken(at) from e

    def shapes(self) -> dict[str, Shape]:
        if self._source.arrays is not None:
            return {name: (held.dtype, held.shape) for name, held in self._held.items()}
        return {name: self._source.header.tensors[name][:2] for name in self._names}

    def write(self, name: str, blocks: Sequence[memoryview]) -> None:
        """The array's bytes into *blocks*, one after another."""
        if self._source.arrays is not None:
            _scatter(np.frombuffer(self._held[name].data, np.uint8), blocks)
            return
        try:
            self._read(name, blocks)
        except (Damaged, OSError) as e:
            raise Broken(self._at) from e

    def _read(self, name: str, blocks: Sequence[memoryview]) -> None:
        _, _, begin, end = self._source.header.tensors[name]
        if sum(b.nbytes for b in blocks) != end - begin:
            raise Damaged(f"{name} has another size than its shape")
        sums = Sums(end - begin)
        at = self._begin + begin
        with self._open() as handle:
            if len(blocks) > 1 and (blocks[0].nbytes < SMALL or blocks[0].nbytes % 8):
                whole = memoryview(bytearray(end - begin))
                _pieces(handle, whole, at, sums)
                _scatter(np.frombuffer(whole, np.uint8), blocks)
            else:
                for block in blocks:
                    at = _pieces(handle, block, at, sums)
        if sums.value() != self._sums[name]:
            raise Damaged(f"the checksum of {name} is wrong")

    @contextmanager
    def _open(self) -> Iterator[int]:
        if self._handle is not None:
            yield self._handle
            return
        handle = os.open(self._source.path, os.O_RDONLY)
        try:
            yield handle
        finally:
            os.close(handle)


def _pieces(handle: int, block: memoryview, at: int, sums: Sums) -> int:
    """Bytes of a file from *at* on into *block*; where they end."""
    for begin in range(0, block.nbytes, PIECE):
        piece = block[begin : begin + PIECE]
        if os.preadv(handle, [piece], at) != piece.nbytes:
            raise Damaged("the file is shorter than its header says")
        sums.add(piece)
        at += piece.nbytes
    return at


def _joined_shape(parts: Sequence[Shape | None], room: int) -> Shape:
    """One shape for arrays that differ in their tokens (the last axis but one) only."""
    kind, last = parts[-1] or ("", ())
    tokens = room
    for i, part in enumerate(parts):
        if part is None or part[0] != kind or (*part[1][:-2], part[1][-1:]) != (*last[:-2], last[-1:]):
            raise Broken(i)
        tokens += part[1][-2]
    return kind, (*last[:-2], tokens, last[-1])


def _scatter(flat: np.ndarray[Any, Any], blocks: Sequence[memoryview]) -> None:
    at = 0
    for block in blocks:
        np.frombuffer(block, np.uint8)[:] = flat[at : at + block.nbytes]
        at += block.nbytes
