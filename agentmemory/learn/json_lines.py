"""What a line of JSON holds: an object, and in it texts and objects, or nothing where something else stands."""

from __future__ import annotations

import json
import re
from typing import Any

from agentmemory.hookjson import whole

HALF = re.compile(rb"\\ud[89a-f]", re.I)  # of a character: how JSON begins to spell one that takes two


def parsed(raw: bytes) -> dict[str, Any] | None:
    """The object that a line holds; None for what is none."""
    try:
        found = json.loads(raw.decode("utf-8", "replace"))
        if HALF.search(raw):  # half a pair of surrogates cannot be stored
            found = whole(found)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def text_in(value: object) -> str:
    """The value, where it is a text; "" else."""
    return value if isinstance(value, str) else ""


def object_in(value: object) -> dict[str, Any]:
    """The value, where it is an object; an empty one else."""
    return value if isinstance(value, dict) else {}
