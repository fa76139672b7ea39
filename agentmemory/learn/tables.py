"""What learning knows as data: the tables of agentmemory/data."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any


def read(name: str) -> dict[str, Any]:
    """What data/*name*.toml holds."""
    return tomllib.loads((files("agentmemory") / "data" / f"{name}.toml").read_text(encoding="utf-8"))
