"""A program that writes segments and kills itself (SIGKILL) at the n-th call or line inside the write path."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import Any

from tests.model.arrays import fill, parts, store

WATCHED = ("segment_file.py", "segment_disk.py")
WRITING = ("put", "write", "seal", "_write_all", "_sync_folder", "_make_room", "locked")


def main(folder: str, fatal: int, width: int) -> None:
    """Write three chained segments; die at event *fatal* (0: never) and print how many events there were."""
    seen = 0

    def event(frame: FrameType, kind: str, arg: Any) -> Any:
        nonlocal seen
        code = frame.f_code
        if os.path.basename(code.co_filename) not in WATCHED or code.co_name not in WRITING:
            return None
        seen += 1
        if seen == fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        return event

    kept = store(folder)
    kept._write = _traced(kept._write, event)  # type: ignore[method-assign]
    fill(kept, parts("a", "b", "c"), width)
    kept.close()
    print(seen)


def _traced(write: Any, event: Any) -> Any:
    """Tracing begins in the thread it is for: the writer's."""

    def traced(waiting: Any) -> None:
        sys.settrace(event)
        write(waiting)

    return traced


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
