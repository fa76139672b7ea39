"""Chains of prefix segments in three tiers: hot (arrays in memory), warm (headers), cold (files).

Arrays pass through a `Codec`; this file knows nothing of models. Whatever goes wrong is a miss with a reason.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from agentmemory import paths
from agentmemory.model import segment_forget, segment_why
from agentmemory.model.fingerprint import Root
from agentmemory.model.segment_disk import STABLE as STABLE
from agentmemory.model.segment_disk import Disk, Limits
from agentmemory.model.segment_file import Header, Tensor, chain_name
from agentmemory.model.segment_forget import forget_beliefs as forget_beliefs
from agentmemory.model.segment_hot import Hot
from agentmemory.model.segment_read import Broken, Codec, Source, joined, load
from agentmemory.model.segment_wear import Asked

FOLDER = paths.SEGMENTS
DEFAULT_LIMITS = Limits()
HEED_SECONDS = 2.0  # an idle server's memory holds what another process has forgotten no longer than this
QUEUE_BYTES = 1 << 30  # arrays that wait for the disk; beyond it a segment is not written (and counted)


@dataclass(frozen=True, slots=True)
class Part:
    """One segment of a prompt that is to be looked up or kept."""

    label: str
    tokens: tuple[int, ...]
    beliefs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """The longest kept beginning of a prompt.

    headers: of its segments, in order. arrays: theirs, joined along their tokens, and the last one's end state.
    tokens: how many it covers. names: of all asked segments. epoch: what `keep` needs to know.
    """

    headers: tuple[Header, ...]
    arrays: Mapping[str, Any]
    tokens: int
    names: tuple[str, ...]
    epoch: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A segment on its way to the disk."""

    header: Header
    tensors: Mapping[str, Tensor]
    epoch: tuple[int, int]
    size: int


class SegmentStore:
    """The segments of one model in one data folder.

    `restore` and `keep` belong to the thread that runs the model; `forget`, `stats` and `explain` to any.
    """

    def __init__(
        self, folder: str, root: Root, codec: Codec, limits: Limits = DEFAULT_LIMITS, hot_bytes: int = 2 << 30,
        now: Callable[[], float] = paths.now, asked: Asked | None = None,
    ) -> None:  # fmt: skip
        self.root = root
        self.disk = Disk(folder, limits, now, asked=asked or Asked())
        self._codec = codec
        self._hot = Hot(hot_bytes)
        self._lock = threading.RLock()
        self._queue: queue.Queue[Waiting | None] = queue.Queue()
        self._queued_bytes = 0
        self._skipped = 0
        self.disk.open()
        root.write(os.path.join(folder, root.name))
        self._epoch = segment_forget.epoch(folder)
        self._writer = threading.Thread(target=self._write_queued, name="segment-writer", daemon=True)
        self._writer.start()

    def restore(self, parts: Sequence[Part], room: int = 0) -> Found:
        """The longest beginning of *parts* that is kept whole, with *room* zeroed tokens behind it."""
        with self._lock:
            self._heed_forgetting()
            names = self._names(parts)
            self.disk.asked.count(names, self.disk.now())
            headers = self._headers(names)
            while headers:
                try:
                    arrays = joined(self._codec, self._sources(headers), room)
                except Broken as e:
                    self._broken(headers[e.at])
                    headers = headers[: e.at]
                    continue
                self._hot.hit(len(headers), len(parts))
                done = headers[-1].start + len(headers[-1].tokens)
                return Found(tuple(headers), arrays, done, names, self._epoch)
            self._hot.hit(0, len(parts))
            return Found((), {}, 0, names, self._epoch)

    def preload(self, parts: Sequence[Part]) -> int:
        """Bring what is kept of *parts*, from the first, into memory; how many are kept whole."""
        with self._lock:
            self._heed_forgetting()
            headers = self._headers(self._names(parts))
            for i, header in enumerate(headers):
                try:
                    self._in_memory(header, whole=i == len(headers) - 1)
                except Broken:
                    self._broken(header)
                    return self.preload(parts[:i])
                self.disk.touch(self.root.name, header.name)
            self._used(headers)
            return len(headers)

    def keep(
        self, parts: Sequence[Part], arrays: Mapping[str, Any], extra: Mapping[str, Any], epoch: tuple[int, int]
    ) -> None:
        """Keep the arrays of the last of *parts*, whose chain is all of *parts*.

        *epoch* is that of the `restore` before the computation: what was forgotten since is not kept.
        """
        with self._lock:
            self._heed_forgetting()
            if epoch != self._epoch:
                return
            names = self._names(parts)
            start = sum(len(p.tokens) for p in parts[:-1])
            parent = names[-2] if len(names) > 1 else self.root.name
            last = parts[-1]
            header = Header(parent, names[-1], last.label, start, last.tokens, last.beliefs, dict(extra))
            self._let_go(self._hot.put(header, dict(arrays), written=last.label in STABLE))
            if last.label in STABLE:
                self._enqueue(header, dict(arrays))

    def forget(
        self, beliefs: Sequence[int], texts: Sequence[str] = (), decode: Callable[[Sequence[int]], str] | None = None
    ) -> int:
        """Delete every segment made from these beliefs or holding these texts, and all that follows them."""
        with self._lock:
            here = (self.root.name, decode) if decode else None
            gone = segment_forget.forget(self.disk, beliefs, texts, here)
            self._heed_forgetting()
            return gone

    def explain(self, parts: Sequence[Part], decode: Callable[[Sequence[int]], str] | None = None) -> list[str]:
        """One line a segment: where it is kept, or why it is not."""
        with self._lock:
            self._heed_forgetting()
            return segment_why.explain(self.disk, self._hot, self.root, parts, self._names(parts), decode)

    def stats(self) -> dict[str, Any]:
        """Figures of the tiers; bytes are of arrays (hot) and of files (cold)."""
        with self._lock:
            self.disk.scan()
            mine = [e for e in list(self.disk.entries.values()) if e.root == self.root.name]
            return {
                "hot": self._hot.stats(),
                "warm": {"segments": len(mine), "tokens": sum(len(e.header.tokens) for e in mine)},
                "cold": {
                    "segments": len(self.disk.entries), "bytes": self.disk.used_bytes(),
                    "budget": self.disk.limits.budget, **asdict(self.disk.figures), "skipped": self._skipped,
                    "replaced_today": self.disk.replaced_today(),
                },
            }  # fmt: skip

    def flush(self) -> None:
        """Wait until what was on its way to the disk is there."""
        self._queue.join()

    def close(self) -> None:
        """Write everything that only memory holds, then stop the writer."""
        with self._lock:
            self._heed_forgetting()
            for old in self._hot.unwritten():
                self._enqueue(*old)
        self._queue.put(None)
        self._writer.join()

    def _names(self, parts: Sequence[Part]) -> tuple[str, ...]:
        names, parent = [], self.root.name
        for part in parts:
            parent = chain_name(parent, part.tokens)
            names.append(parent)
        return tuple(names)

    def _headers(self, names: Sequence[str]) -> list[Header]:
        headers = []
        for name in names:
            header = self._hot.header(name) or self.disk.find(self.root.name, name)
            if header is None:
                break
            headers.append(header)
        return headers

    def _sources(self, headers: Sequence[Header]) -> list[Source]:
        """Where each segment's arrays are. What is asked for again moves into memory, if that holds it.

        Raises:
            Broken: one that was to move cannot be had whole.
        """
        sources = []
        for i, header in enumerate(headers):
            last = i == len(headers) - 1
            held = self._hot.arrays(header.name, whole=last)
            if held is None and self._hot.holds(header.size) and self.disk.asked.again(header.name):
                try:
                    held = self._in_memory(header, last)
                except Broken as e:
                    raise Broken(i) from e
            sources.append(self._source(header, held))
            if held is None:
                self._count_read(sources[-1], last)
            self.disk.touch(self.root.name, header.name)
        self._used(headers)
        return sources

    def _source(self, header: Header, held: Mapping[str, Any] | None = None) -> Source:
        if held is None and not header.tensors:  # memory let go of it
            header = self.disk.find(self.root.name, header.name) or header
        return Source(header, self.disk.path(self.root.name, header.name), held)

    def _in_memory(self, header: Header, whole: bool) -> Mapping[str, Any]:
        """A segment's arrays, held in memory from now on if that has room. Raises Broken."""
        held = self._hot.arrays(header.name, whole)
        if held is not None:
            return held
        source = self._source(header)
        arrays = load(self._codec, source, whole)
        self._count_read(source, whole)
        every = len(arrays) == len(source.header.tensors)
        self._let_go(self._hot.put(source.header, arrays, written=True, whole=every))
        return arrays

    def _used(self, headers: Sequence[Header]) -> None:
        for header in reversed(headers):  # the first of a chain is the last that memory lets go of
            self._hot.touch(header.name)

    def _count_read(self, source: Source, whole: bool) -> None:
        self.disk.figures.read += 1
        tensors = source.header.tensors
        self.disk.figures.read_bytes += sum(tensors[n][3] - tensors[n][2] for n in source.names(whole))

    def _broken(self, header: Header) -> None:
        self._hot.drop(header.name)
        self.disk.damaged(self.root.name, header.name)

    def _heed_forgetting(self) -> None:
        """Somebody, perhaps another process, forgot something: memory holds nothing older than that."""
        now = segment_forget.epoch(self.disk.folder)
        if now != self._epoch:
            self._epoch = now
            self._hot.clear()
            self.disk.scan()

    def _let_go(self, gone: Sequence[tuple[Header, Mapping[str, Any]]]) -> None:
        """Write what memory no longer holds, after what it follows: without that nothing reaches it."""
        for header, arrays in gone:
            for above in self._hot.above(header):
                self._enqueue(*above)
            self._enqueue(header, arrays)

    def _enqueue(self, header: Header, arrays: Mapping[str, Any]) -> None:
        tensors = {name: self._codec.tensor(array) for name, array in arrays.items()}
        size = sum(t.data.nbytes for t in tensors.values())
        if self._queued_bytes + size > QUEUE_BYTES:
            self._skipped += 1
            return
        self._queued_bytes += size
        self._queue.put(Waiting(header, tensors, self._epoch, size))

    def _write_queued(self) -> None:
        while True:
            try:
                waiting = self._queue.get(timeout=HEED_SECONDS)
            except queue.Empty:
                with self._lock:
                    self._heed_forgetting()
                continue
            try:
                if waiting is None:
                    return
                self._write(waiting)
                self._queued_bytes -= waiting.size
            finally:
                self._queue.task_done()

    def _write(self, waiting: Waiting) -> None:
        if waiting.epoch != segment_forget.epoch(self.disk.folder):
            return
        self.disk.put(self.root.name, waiting.header, waiting.tensors)
        if waiting.epoch != segment_forget.epoch(self.disk.folder):  # forgotten while it was written
            self.disk.remove(self.root.name, waiting.header.name, "forgotten")
