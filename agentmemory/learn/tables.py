"""What learning knows as data: the tables of agentmemory/data."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


class Patterns(dict[str, re.Pattern[str]]):
    """Patterns by name, each compiled when it is first asked for: most of those who learn a statement need a few. As a
    dict it holds those that were asked for; `all` has every one."""

    def __init__(self, written: Mapping[str, str]) -> None:
        super().__init__()
        self._written = written

    def __missing__(self, name: str) -> re.Pattern[str]:
        found = self[name] = re.compile(self._written[name])
        return found

    def all(self) -> list[tuple[str, re.Pattern[str]]]:
        """Every pattern with its name."""
        return [(name, self[name]) for name in self._written]


@cache
def read(name: str) -> dict[str, Any]:
    """What data/*name*.toml holds; whoever changes it changes it for all."""
    return tomllib.loads((files("agentmemory") / "data" / f"{name}.toml").read_text(encoding="utf-8"))
