"""What learning knows as data: the tables of agentmemory/data."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any


class Patterns(Mapping[str, re.Pattern[str]]):
    """Patterns by name, whole or in pieces, each compiled when it is first asked for: most of those who learn a
    statement need a few."""

    def __init__(self, written: Mapping[str, Iterable[str]]) -> None:
        self._written, self._compiled = written, dict[str, re.Pattern[str]]()

    def __getitem__(self, name: str) -> re.Pattern[str]:
        found = self._compiled.get(name)
        if found is None:
            found = self._compiled[name] = re.compile("".join(self._written[name]))
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._written)

    def __len__(self) -> int:
        return len(self._written)


@cache
def read(name: str) -> dict[str, Any]:
    """What data/*name*.toml holds; whoever changes it changes it for all."""
    return tomllib.loads((files("agentmemory") / "data" / f"{name}.toml").read_text(encoding="utf-8"))
