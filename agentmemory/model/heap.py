"""Memory that a local model gives back is used again, instead of being returned to the system and fetched anew.

A restored prefix is a hundred megabytes that live for one request. glibc returns them page by page, and to get them
back costs as much as to read the prefix (experiments/LOG.md, 2026-11-22). Other systems' allocators are left alone.
"""

from __future__ import annotations

import ctypes
import sys

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8  # malloc.h
KEPT = 1 << 30  # bytes of free memory that stay with the process; it is an int there
MAPPED = 32 << 20  # bytes; larger pieces are always mapped, glibc takes no more


BLOCK = 1 << 20


def keep_what_is_freed() -> None:
    """For the whole process, from now on. One arena: others would each keep their own."""
    if sys.platform != "linux":
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:  # musl has none
        for option, value in ((M_ARENA_MAX, 1), (M_MMAP_THRESHOLD, MAPPED), (M_TRIM_THRESHOLD, KEPT)):
            mallopt(option, value)


def fetch(size: int) -> None:
    """Get *size* bytes from the system before the first request needs them; at most half of what may stay."""
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None)
    libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    libc.free.argtypes = [ctypes.c_void_p]
    blocks = [libc.malloc(BLOCK) for _ in range(min(size, KEPT // 2) // BLOCK)]
    for block in blocks:
        if block:
            ctypes.memset(block, 0, BLOCK)
    for block in blocks:
        libc.free(block)
