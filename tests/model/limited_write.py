"""A program that may write no file of more than 2 kB, as on a full disk: what becomes of a chain of segments."""

from __future__ import annotations

import json
import resource
import signal
import sys

from tests.model.arrays import fill, parts, right, store


def main(folder: str) -> None:
    """Write three chained segments; print how many were refused, declined, and are still in memory."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))
    kept, chain = store(folder, hot=1 << 20), parts("a", "b", "c")
    fill(kept, chain)
    cold = kept.stats()["cold"]
    print(json.dumps({"refused": cold["refused"], "declined": cold["declined"], "in memory": right(kept, chain)}))


if __name__ == "__main__":
    main(sys.argv[1])
