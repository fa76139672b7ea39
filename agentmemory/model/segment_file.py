"""One segment as one safetensors file: sealed header, checksummed data, written whole or not at all.

Knows nothing of models, chains or budgets. Any damage is `Damaged`, never a value.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

SUFFIX = ".safetensors"
FORMAT = "agentmemory-segment-3"
HEADER_LIMIT = 64 << 20  # bytes; a header is some kB: more is a damaged length
LANES = 2048  # words of a row: 16 kB, four pages, so that a sum of all rows stays in the first cache
PIECE = 1 << 18  # bytes read or summed at once: they are still in the processor's cache when they are looked at again
WRITE_CHUNK = 1 << 20  # bytes; between chunks other threads get their turn


class Damaged(Exception):
    """The file is not what was written; the text says what is wrong."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """Bytes of one array. dtype as safetensors names it (F32, BF16, ...)."""

    dtype: str
    shape: tuple[int, ...]
    data: memoryview


@dataclass(frozen=True, slots=True)
class Header:
    """All that is known of a segment without its arrays.

    parent, name: the chain. tokens: this segment's own. start: tokens before them. label: what it is (system,
    profile, ...). beliefs: whose words are in it. extra: what the cache layout needs to rebuild itself.
    tensors: name -> (dtype, shape, begin, end) in the data. sums: their checksums. size: of the file in bytes.
    """

    parent: str
    name: str
    label: str
    start: int
    tokens: tuple[int, ...]
    beliefs: tuple[int, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    tensors: Mapping[str, tuple[str, tuple[int, ...], int, int]] = field(default_factory=dict)
    sums: tuple[int, ...] = ()
    size: int = 0


def chain_name(parent: str, tokens: tuple[int, ...] | list[int]) -> str:
    """The name of the segment that follows *parent* with these tokens."""
    words = np.asarray(tokens, dtype="<u4").tobytes()
    return hashlib.blake2b(parent.encode() + b"\0" + words, digest_size=20).hexdigest()


def seal(header: Header, tensors: Mapping[str, Tensor]) -> bytes:
    """The beginning of the file: length and header, with the checksums of the data and a seal over all of it."""
    table: dict[str, Any] = {}
    at = 0
    for name, tensor in tensors.items():
        end = at + tensor.data.nbytes
        table[name] = {"dtype": tensor.dtype, "shape": list(tensor.shape), "data_offsets": [at, end]}
        at = end
    about = {
        "format": FORMAT, "parent": header.parent, "name": header.name, "label": header.label,
        "start": str(header.start), "tokens": _pack(header.tokens), "beliefs": json.dumps(list(header.beliefs)),
        "extra": json.dumps(dict(header.extra)),
        "sums": json.dumps([checksum(t.data) for t in tensors.values()]),
    }  # fmt: skip
    about["seal"] = _seal(about, table)
    raw = json.dumps({"__metadata__": about, **table}, separators=(",", ":")).encode()
    raw += b" " * (-len(raw) % 8)  # the format wants the data aligned
    return len(raw).to_bytes(8, "little") + raw


def write(path: str, head: bytes, tensors: Mapping[str, Tensor], scratch: str) -> None:
    """Write the segment as *path*: scratch file, fsync, rename, fsync of the folder.

    Raises:
        OSError: the disk said no; nothing is left behind.
    """
    handle = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        try:
            _write_all(handle, memoryview(head))
            for tensor in tensors.values():
                _write_all(handle, tensor.data)
            os.fsync(handle)
        finally:
            os.close(handle)
        os.rename(scratch, path)
    except OSError:
        _remove(scratch)
        raise
    _sync_folder(os.path.dirname(path))


def read_header(path: str) -> Header:
    """The header, sealed and of the right length.

    Raises:
        Damaged: it is not what was written. FileNotFoundError: there is none.
    """
    with open(path, "rb") as f:
        size = os.fstat(f.fileno()).st_size
        length = int.from_bytes(f.read(8), "little")
        if size < 8 or length > min(HEADER_LIMIT, size - 8):
            raise Damaged("the file ends inside its header")
        raw = f.read(length)
    try:
        return _parse(json.loads(raw), size, size - 8 - length)
    except Damaged:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, UnicodeError) as e:
        raise Damaged(f"the header cannot be read ({type(e).__name__})") from e


def checksum(data: memoryview) -> int:
    """Sums of the rows and of the columns that the data's 64-bit words make, as a CRC-32, below the sum of them all.

    Every single flipped bit changes the sum of all. What leaves that sum alone (pages swapped, lost and found
    elsewhere, flips that cancel) must leave all rows and all columns alone too. From the processor's cache 20 GB/s on
    one core, CRC-32 of everything 6, SHA-256 2. Against broken disks; names are cryptographic, data need not be.
    """
    sums = Sums(data.nbytes)
    flat = data.cast("B") if data.nbytes else data
    for at in range(0, data.nbytes, PIECE):
        sums.add(flat[at : at + PIECE])
    return sums.value()


class Sums:
    """`checksum` of *size* bytes that come in pieces, each of a multiple of 8 but the last."""

    def __init__(self, size: int) -> None:
        self._rows = np.zeros(size // (8 * LANES), np.uint64)
        self._columns = np.zeros(LANES, np.uint64)
        self._piece = np.empty(LANES, np.uint64)
        self._at = 0  # words so far
        self._tail: list[bytes] = []  # what makes no whole row

    def add(self, piece: memoryview) -> None:
        """The next bytes."""
        count = min(piece.nbytes // 8, self._rows.size * LANES - self._at)
        words = np.frombuffer(piece, "<u8", count=count)
        row, column = divmod(self._at, LANES)
        self._at += count
        if column and count:  # the rest of a row that has begun
            words, row = words[self._part(words[: LANES - column], row, column) :], row + 1
        whole = words.size // LANES
        if whole:
            table = words[: whole * LANES].reshape(whole, LANES)
            np.add.reduce(table, axis=1, out=self._rows[row : row + whole])
            np.add.reduce(table, axis=0, out=self._piece)
            self._columns += self._piece
        if words.size > whole * LANES:
            self._part(words[whole * LANES :], row + whole, 0)
        if 8 * count < piece.nbytes:
            self._tail.append(bytes(piece[8 * count :]))

    def _part(self, words: np.ndarray[Any, Any], row: int, column: int) -> int:
        self._rows[row : row + 1] += words.sum()
        self._columns[column : column + words.size] += words
        return words.size

    def value(self) -> int:
        """The checksum."""
        crc = zlib.crc32(self._columns.data, zlib.crc32(self._rows.data))
        return zlib.crc32(b"".join(self._tail), crc) | int(self._rows.sum(dtype=np.uint64)) << 32


def _parse(raw: dict[str, Any], size: int, data_size: int) -> Header:
    about: dict[str, str] = raw.pop("__metadata__")
    if about.pop("seal") != _seal(about, raw) or about["format"] != FORMAT:
        raise Damaged("the seal of the header is wrong")
    tensors = {
        name: (t["dtype"], tuple(t["shape"]), int(t["data_offsets"][0]), int(t["data_offsets"][1]))
        for name, t in raw.items()
    }
    if max((t[3] for t in tensors.values()), default=0) != data_size:
        raise Damaged("the file is shorter or longer than its header says")
    return Header(
        about["parent"], about["name"], about["label"], int(about["start"]), _unpack(about["tokens"]),
        tuple(json.loads(about["beliefs"])), json.loads(about["extra"]), tensors,
        tuple(json.loads(about["sums"])), size,
    )  # fmt: skip


def _seal(about: Mapping[str, str], table: Mapping[str, Any]) -> str:
    words = json.dumps([about, table], sort_keys=True, separators=(",", ":")).encode()
    return hashlib.blake2b(words, digest_size=20).hexdigest()


def _pack(tokens: tuple[int, ...]) -> str:
    return base64.b64encode(np.asarray(tokens, dtype="<u4").tobytes()).decode()


def _unpack(packed: str) -> tuple[int, ...]:
    return tuple(np.frombuffer(base64.b64decode(packed, validate=True), dtype="<u4").tolist())


def _write_all(handle: int, data: memoryview) -> None:
    flat = data.cast("B") if data.nbytes else data
    at = 0
    while at < data.nbytes:
        at += os.write(handle, flat[at : at + WRITE_CHUNK])


def _sync_folder(folder: str) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
