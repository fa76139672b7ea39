"""Small files that only their owner reads, replaced whole. What is kept in them is a saving: it can be had again."""

from __future__ import annotations

import json
import os
from typing import Any


def private(path: str, flags: int) -> int:
    """An opener for files that only their owner reads."""
    return os.open(path, flags, 0o600)


def replace_json(path: str, value: Any) -> bool:
    """Write *value* as *path*, all or nothing. False when the disk refuses: then what was there still is."""
    scratch = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(scratch, "w", encoding="utf-8", opener=private) as f:
            json.dump(value, f, sort_keys=True)
        os.replace(scratch, path)
    except OSError:
        if os.path.exists(scratch):
            os.unlink(scratch)
        return False
    return True
