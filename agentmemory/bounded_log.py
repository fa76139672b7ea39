"""Logs of what went wrong in the background, for `agentmemory doctor`: a line and its trace, never beyond a bound."""

from __future__ import annotations

import contextlib
import os
import time

from agentmemory import paths

BYTES = 1_000_000


def append(path: str, what: str) -> None:
    """Add *what* with the time; of a log that is longer than BYTES the later half is kept. One that
    cannot be written is no reason to fail."""
    with contextlib.suppress(OSError):
        _append(path, f"{paths.iso(time.time())} {what.rstrip()}\n".encode("utf-8", "replace"))


def _append(path: str, line: bytes) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(fd, line)
        size = os.fstat(fd).st_size
    finally:
        os.close(fd)
    if size > BYTES:
        with open(path, "rb") as f:
            f.seek(-BYTES // 2, os.SEEK_END)
            kept = f.read()
        with open(path, "wb") as f:
            f.write(kept[kept.find(b"\n") + 1 :])
