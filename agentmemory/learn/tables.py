"""What learning knows as data: the tables of agentmemory/data."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def read(name: str) -> dict[str, Any]:
    """What data/*name*.toml holds; whoever changes it changes it for all."""
    return tomllib.loads((files("agentmemory") / "data" / f"{name}.toml").read_text(encoding="utf-8"))
